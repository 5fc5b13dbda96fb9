#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

enum class VersionKey { required, optional };

/// Builds the machine that a document describes; `default_name` stands for a missing "name". Throws
/// InputError.
std::shared_ptr<const Machine> read_machine(const Params& document, const std::string& default_name,
                                            VersionKey version);

/// Reads and builds a machine file. Throws InputError.
std::shared_ptr<const Machine> read_machine_file(const std::filesystem::path& file);

/// The document of the machine that a scenario in `folder`, or a command line (nothing), names: by
/// its name, by a file, which is added to `inputs`, or by a bare network such as "torus:8x8". It
/// always has a "name". Throws InputError at `place`, or in the file.
Params machine_document(const std::string& name, const std::optional<std::filesystem::path>& folder,
                        std::string_view place, std::vector<std::filesystem::path>& inputs);

/// Throws InputError unless "schema_version" is 1, the only version there is.
void check_schema_version(const Params& document, VersionKey version);

/// Throws InputError unless the text keys "$schema", "name" and "description" are texts.
void check_labels(const Params& document);

}  // namespace dcube
