#pragma once

#include <filesystem>

namespace dcube {

enum class DocumentKind { machine, scenario, experiments, task_graph };

/// Checks one file of any kind completely (as loading does) and says which it was. Throws
/// InputError.
DocumentKind validate_document(const std::filesystem::path& file);

}  // namespace dcube
