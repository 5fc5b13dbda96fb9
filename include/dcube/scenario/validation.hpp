#pragma once

#include <filesystem>
#include <functional>

#include "dcube/scenario/scenario.hpp"

namespace dcube {

enum class DocumentKind { machine, scenario, experiments, task_graph };

/// Checks one file of any kind completely (as loading does) and says which it was. `on_scenario` is
/// told the scenario that is in the file, for further checks, and may throw. Throws InputError.
DocumentKind validate_document(const std::filesystem::path& file,
                               const std::function<void(const Scenario&)>& on_scenario = {});

}  // namespace dcube
