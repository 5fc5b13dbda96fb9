// Was compiled with the headers of an older dcube.
#include <dcube/program/program.hpp>

namespace {

const dcube::ProgramKind kind{
    "old", "", "", {}, [](const dcube::Params& settings, const dcube::ProgramContext& context) {
      return dcube::make_program(settings, context);
    }};
const bool is_registered = dcube::register_program(kind, {"0.0.9", 1});

}  // namespace
