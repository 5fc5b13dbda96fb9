#include "file_names.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// `path` without links and detours, as far as it exists.
fs::path real(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path.empty() ? fs::path{"."} : path, error);
  return error ? fs::absolute(path).lexically_normal() : found;
}

}  // namespace

fs::path path_in(const fs::path& folder, const fs::path& name) {
  fs::path path = folder / name;
  fs::path shortest = path.lexically_normal();
  // After a symbolic link, ".." leads elsewhere.
  return real(path) == real(shortest) ? shortest : path;
}

std::string name_in(const fs::path& folder, const fs::path& file) {
  if (file.empty() || file.is_absolute()) {
    return file.string();
  }
  const fs::path way = real(file.parent_path()).lexically_proximate(real(folder));
  return (way / file.filename()).lexically_normal().string();
}

fs::path known_as(const fs::path& file) { return file == standard_input ? "standard input" : file; }

}  // namespace dcube
