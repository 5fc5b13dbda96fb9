#pragma once

#include <memory>
#include <string_view>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// Makes the program of a pattern's settings under the name `kind`, which must outlive it. Throws
/// InputError.
std::unique_ptr<Program> make_pattern_program(std::string_view kind, Params settings,
                                              const ProgramContext& context, Params answer = {});

}  // namespace dcube
