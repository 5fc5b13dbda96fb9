#include "dcube/program/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

const std::array<std::string, 15> operation_list{
    "add",          "butterfly",    "cell",
    "combine_step", "compare",      "direct_multiply_add",
    "flop",         "host_start",   "knapsack_step",
    "multiply",     "multiply_add", "parallel_start",
    "row_step",     "start",        "value"};

using Entry = std::map<std::string, ExactTime>::const_iterator;

Entry entry(const Machine& machine, std::string_view operation) {
  expects(std::ranges::find(operation_list, operation) != operation_list.end(),
          "operation_names() has every operation that a program asks for");
  return machine.compute.find(std::string{operation});
}

/// "add `butterfly`, or `multiply` and `add`, to its `compute` table".
std::string way_out(std::string_view operation, std::initializer_list<OperationPart> parts) {
  std::string text = fmt::format("add `{}`", operation);
  if (parts.size() != 0) {
    text += ", or";
    for (const OperationPart& part : parts) {
      text += fmt::format("{} `{}`", &part == parts.begin() ? "" : " and", part.operation);
    }
    text += ",";
  }
  return text + " to its `compute` table";
}

}  // namespace

std::span<const std::string> operation_names() { return operation_list; }

ExactTime optional_time(const Machine& machine, std::string_view operation,
                        const ExactTime& otherwise) {
  const Entry found = entry(machine, operation);
  return found == machine.compute.end() ? otherwise : found->second;
}

ExactTime operation_time(const Machine& machine, std::string_view operation,
                         std::initializer_list<OperationPart> parts) {
  if (machine.compute.empty()) {
    return {};
  }
  if (const auto whole = entry(machine, operation); whole != machine.compute.end()) {
    return whole->second;
  }
  ExactTime sum;
  bool is_complete = parts.size() != 0;
  for (const OperationPart& part : parts) {
    const auto found = entry(machine, part.operation);
    is_complete = is_complete && found != machine.compute.end();
    if (is_complete) {
      sum = sum + part.count * found->second;
    }
  }
  if (!is_complete) {
    throw InputError("", fmt::format("machine {} does not say how long `{}` takes; {}",
                                     machine.name, operation, way_out(operation, parts)));
  }
  return sum;
}

}  // namespace dcube
