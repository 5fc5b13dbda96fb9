#include "plugin.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dcube/core/errors.hpp"
#include "refuse.hpp"

namespace dcube {
namespace {

/// Registrations of the library that is being loaded.
struct Loading {
  std::size_t entries = 0;
  std::optional<std::string> problem;  ///< the first
};
Loading* loading = nullptr;

std::string readable_symbol(const std::string& symbol) {
  const std::unique_ptr<char, void (*)(void*)> name{
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), std::free};
  return name ? name.get() : symbol;
}

/// Message of the dynamic linker about `path`, in the words of this program.
std::string loading_problem(const std::string& path, std::string said) {
  if (said.starts_with(path + ": ")) {
    said.erase(0, path.size() + 2);
  }
  constexpr std::string_view undefined = "undefined symbol: ";
  if (said.starts_with(undefined)) {
    return fmt::format(
        "cannot be loaded: nothing defines {} (build it with the headers of dcube {})",
        readable_symbol(said.substr(undefined.size())), headers_of<>().version);
  }
  return fmt::format("cannot be loaded: {} (give it a shared library built with dcube::plugin)",
                     said);
}

}  // namespace

void check_headers(const Headers& built_with, const Headers& own) {
  const std::string_view theirs = built_with.version;
  refuse_if(theirs != own.version, "",
            "was built for dcube {}, and this is dcube {} (build it again with the headers of this "
            "one)",
            theirs, own.version);
  refuse_if(built_with.sizes != own.sizes, "",
            "was built with other headers of dcube {} than this program (build it again with those "
            "of this one)",
            theirs);
}

bool register_entry(const std::function<void()>& add) {
  try {
    add();
  } catch (const InputError& error) {
    if (loading == nullptr) {
      throw;
    }
    if (!loading->problem) {
      loading->problem = error.problem();
    }
    return false;
  }
  if (loading != nullptr) {
    ++loading->entries;
  }
  return true;
}

void load_plugin(const std::filesystem::path& file) {
  const std::string place = file.string();
  const std::string path = std::filesystem::absolute(file).string();
  refuse_if(!std::filesystem::exists(file), place, "No such file or directory");
  refuse_if(dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr, place,
            "is loaded already (once is enough)");
  Loading now;
  loading = &now;
  const void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  loading = nullptr;
  refuse_if(library == nullptr, place, "{}",
            library == nullptr ? loading_problem(path, dlerror()) : "");
  if (now.problem) {
    throw InputError(place, *now.problem);
  }
  refuse_if(now.entries == 0, place,
            "registers neither a program nor a topology (initialise a static object with "
            "dcube::register_program(), and link dcube::plugin alone)");
}

}  // namespace dcube
