// Takes the names of two programs that dcube has.
#include <dcube/program/program.hpp>

namespace {

dcube::ProgramKind kind_named(const char* name) {
  return {
      name, "", "", {}, [](const dcube::Params& settings, const dcube::ProgramContext& context) {
        return dcube::make_program(settings, context);
      }};
}

const dcube::ProgramKind first = kind_named("fft");
const dcube::ProgramKind second = kind_named("maze");
const bool is_first_registered = dcube::register_program(first);
const bool is_second_registered = dcube::register_program(second);

}  // namespace
