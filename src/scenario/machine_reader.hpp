#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

enum class VersionKey { required, optional };

/// Builds the machine that a document describes; `default_name` stands for a missing "name". Throws
/// InputError.
std::shared_ptr<const Machine> read_machine(const Params& document, const std::string& default_name,
                                            VersionKey version);

/// Reads, checks against the schema and builds a machine file. Throws InputError.
std::shared_ptr<const Machine> read_machine_file(const std::filesystem::path& file);

/// Throws InputError unless "schema_version" is 1, the only version there is.
void check_schema_version(const Params& document, VersionKey version);

/// Throws InputError unless the text keys "$schema", "name" and "description" are texts.
void check_labels(const Params& document);

}  // namespace dcube
