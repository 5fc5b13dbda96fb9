#include "operations.hpp"

#include <fmt/format.h>

#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {

namespace {

/// "; add `butterfly`, or `multiply` and `add`, to its `compute` table"
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

ExactTime operation_time(const Machine& machine, std::string_view operation,
                         std::initializer_list<OperationPart> parts) {
  const auto entry = [&machine](std::string_view name) {
    return machine.compute.find(std::string{name});
  };
  if (machine.compute.empty()) {
    return {};
  }
  if (const auto whole = entry(operation); whole != machine.compute.end()) {
    return whole->second;
  }
  ExactTime sum;
  bool is_complete = parts.size() != 0;
  for (const OperationPart& part : parts) {
    const auto found = entry(part.operation);
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
