#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// How many operations of another name an operation consists of.
struct OperationPart {
  std::string_view operation;
  std::uint32_t count = 0;
};

/// The operations that programs ask for: the keys that a machine's `compute` table may have.
std::span<const std::string> operation_names();

/// How long one `operation` takes on the machine: the entry of that name in its `compute` table, or
/// the sum of the parts where the table has those instead. On a machine without a table computing
/// takes no time, so that runs show communication alone. Throws InputError when the table lacks
/// both.
ExactTime operation_time(const Machine& machine, std::string_view operation,
                         std::initializer_list<OperationPart> parts = {});

/// The entry of the table, or `otherwise` where it has none.
ExactTime optional_time(const Machine& machine, std::string_view operation,
                        const ExactTime& otherwise = {});

}  // namespace dcube
