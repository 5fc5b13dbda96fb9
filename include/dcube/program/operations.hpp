#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// An operation as a part of another: how many of it the other has.
struct OperationPart {
  std::string_view operation;
  std::uint32_t count = 0;
};

/// Names that a machine's `compute` table may have: all operations of programs.
std::span<const std::string> operation_names();

/// Time of one `operation` on the machine: the entry of that name in its `compute` table, or else
/// the sum of the parts. On a machine without a table computing takes no time, so that runs show
/// communication alone. Throws InputError when the table lacks both.
ExactTime operation_time(const Machine& machine, std::string_view operation,
                         std::initializer_list<OperationPart> parts = {});

/// The entry of the table, or `otherwise`.
ExactTime optional_time(const Machine& machine, std::string_view operation,
                        const ExactTime& otherwise = {});

}  // namespace dcube
