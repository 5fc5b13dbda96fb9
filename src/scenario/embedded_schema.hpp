#pragma once

#include <string_view>

namespace dcube {

/// The shipped JSON Schema texts, schema/machine.schema.json and so on, compiled in by the build so
/// that a binary needs no data files to check its input.
std::string_view machine_schema();
std::string_view scenario_schema();
std::string_view experiments_schema();
std::string_view task_graph_schema();

}  // namespace dcube
