#include "dcube/scenario/program_output.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// Whether the path is relative, without ".." and hidden names.
bool leads_down(const fs::path& name) {
  return name.is_relative() && std::ranges::none_of(name, [](const fs::path& part) {
           return part.string().starts_with('.');
         });
}

/// Whether the file is inside the folder, with symbolic links resolved, and no link itself.
bool lies_in(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  const fs::path place = fs::weakly_canonical(fs::absolute(file), error);
  return !error && !fs::is_symlink(file) && std::ranges::mismatch(top, place).in1 == top.end();
}

}  // namespace

std::optional<ProgramOutput> program_output(const Scenario& scenario, const fs::path& folder) {
  const Setting* output = scenario.program_settings.find("output");
  if (output == nullptr || output->text() == nullptr || output->text()->empty()) {
    return std::nullopt;
  }
  const fs::path name = *output->text();
  if (scenario.overridden.has(output_pointer) || scenario.overridden.has("/program")) {
    return ProgramOutput{.file = name, .is_overridden = true};
  }
  const fs::path file = folder / name;
  return ProgramOutput{
      .file = file,
      .may_be_written = leads_down(name) && lies_in(folder.empty() ? fs::path{"."} : folder, file)};
}

}  // namespace dcube
