#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// Makes the program of a pattern's settings under the name `kind`, which must outlive it. With a
/// seed it moves values in collectives and checks them, if all together fit into
/// CollectiveValues::most_bytes. Throws InputError.
std::unique_ptr<Program> make_pattern_program(std::string_view kind, Params settings,
                                              const ProgramContext& context, Params answer = {},
                                              std::optional<std::uint64_t> seed = {});

}  // namespace dcube
