#include "catalog.hpp"

#include "core/registry.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

Registry<ProgramKind>& program_registry() {
#define DCUBE_KIND_ADDRESS(name) &name##_kind,
  static constexpr const ProgramKind* own[] = {DCUBE_PROGRAMS(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  static Registry<ProgramKind> registry{"program", own};
  return registry;
}

}  // namespace

std::optional<Ticks> sequential_time_of(const Program& program) {
  try {
    const std::optional<Ticks> time = program.sequential_time();
    return time == Ticks{0} ? std::nullopt : time;  // no speedup follows
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::span<const ProgramKind* const> program_catalog() { return program_registry().kinds(); }

bool register_program(const ProgramKind& kind, Headers built_with) {
  return program_registry().add(kind, built_with, program_headers);
}

std::filesystem::path ProgramContext::input_file(const Params& settings,
                                                 std::string_view key) const {
  return input_file(settings, key, settings.text(key));
}

std::filesystem::path ProgramContext::input_file(const Params& settings, std::string_view key,
                                                 const std::filesystem::path& name) const {
  std::filesystem::path file = folder / name;
  if (inputs != nullptr) {
    inputs->emplace(settings.place_of(key), file);
  }
  return file;
}

std::unique_ptr<Program> make_program(const Params& settings, const ProgramContext& context) {
  const ProgramKind& kind = required_kind(program_catalog(), settings, "a program");
  check_keys(kind, settings, {"kind"});
  try {
    return kind.make(settings, context);
  } catch (const InputError& error) {
    // Errors of no single setting (a missing operation of the machine) are at the program's place.
    throw InputError(error.place().empty() ? settings.place() : error.place(), error.problem());
  }
}

}  // namespace dcube
