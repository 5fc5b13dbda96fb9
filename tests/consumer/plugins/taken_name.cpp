// Takes the name of a program that dcube has.
#include <dcube/program/program.hpp>

namespace {

const dcube::ProgramKind kind{
    "fft", "", "", {}, [](const dcube::Params& settings, const dcube::ProgramContext& context) {
      return dcube::make_program(settings, context);
    }};
const bool is_registered = dcube::register_program(kind);

}  // namespace
