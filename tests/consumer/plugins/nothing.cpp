// Forgets to register its program.
#include <dcube/program/program.hpp>

extern const dcube::ProgramKind forgotten_kind;
const dcube::ProgramKind forgotten_kind{
    "forgotten",
    "",
    "",
    {},
    [](const dcube::Params& settings, const dcube::ProgramContext& context) {
      return dcube::make_program(settings, context);
    }};
