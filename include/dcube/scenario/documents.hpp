#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/topology/topology.hpp"

// Readers of the parts of JSON documents. All throw InputError.

namespace dcube {

// --- Any document ---

enum class VersionKey { required, optional };

/// Checks that "schema_version" is 1, the only version there is.
void check_schema_version(const Params& document, VersionKey version);

/// Refuses what the keys show to be another kind of file than `wanted`: "a scenario", "a machine",
/// "a study", "a file of experiments", "a task graph" or "an embedding".
void refuse_other_document(const Params& document, std::string_view wanted);

/// Params::allow_only() of a whole document, which is to be `wanted`.
void allow_only_of(const Params& document, std::string_view wanted,
                   std::span<const std::string> known);

/// Checks that "$schema", "name" and "description" are texts, where they are there.
void check_labels(const Params& document);

/// The text "name", which is not empty; `otherwise` when it is missing.
std::string read_name(const Params& document, const std::string& otherwise);

/// The `Choice` that the word at `key` names; `names` are in the order of its values.
template <class Choice>
Choice choice(const Params& settings, std::string_view key, std::span<const std::string> names,
              std::string_view fallback) {
  const auto found = std::ranges::find(names, settings.choice(key, names, fallback));
  return static_cast<Choice>(found - names.begin());
}

// --- Machines ---

/// Builds the machine that a document describes; `default_name` stands for a missing "name".
std::shared_ptr<const Machine> read_machine(const Params& document, const std::string& default_name,
                                            VersionKey version);

/// The machine's document with the files that it names, which are relative to `folder`, as seen
/// from anywhere; they are added to `inputs`.
Params with_files_in(const Params& machine, const std::filesystem::path& folder,
                     std::vector<std::filesystem::path>& inputs);

/// The document of the machine that a scenario in `folder`, or a command line (nothing), names: by
/// its name, by a file, which is added to `inputs`, or by a bare network such as "torus:8x8". It
/// always has a "name". Complains at `place`, or in the file.
Params machine_document(const std::string& name, const std::optional<std::filesystem::path>& folder,
                        std::string_view place, std::vector<std::filesystem::path>& inputs);

/// Puts a machine that a scenario only names in its place when `pointer` leads into it; `folder` is
/// the scenario's, if it stands in a file. A file that is read is added to `inputs`.
void make_reachable(Params& document, std::string_view pointer,
                    const std::optional<std::filesystem::path>& folder,
                    std::vector<std::filesystem::path>& inputs);

// --- Embeddings ---

/// The settings of the embedding of that name: one of the catalogue, one with the shape that it
/// places, "gray of ring:16", or an order of axes, "data,tensor". Complains at `place`.
Params named_embedding(const std::string& name, std::string_view place);
/// The name that named_embedding() reads, as far as a name tells the settings.
std::string embedding_name(const Params& settings);

/// The nodes that a map names.
struct SlottedNodes {
  const Topology& topology;
  std::uint32_t slots = 1;  ///< processes that a node hosts at most
};

/// An explicit embedding whose `file` names a map gets the `map` that is in it, and keeps neither
/// `file` nor how to read it; other embeddings stay as they are. `file` and `hosts` are relative to
/// `folder`; what is read is added to `inputs`. Complaints name the file, also when it does not
/// place `processes` (if given).
Params with_map_of_file(const Params& settings, const SlottedNodes& nodes,
                        std::optional<std::uint32_t> processes, const std::filesystem::path& folder,
                        std::vector<std::filesystem::path>& inputs);

// --- Experiments and task graphs ---

/// The figure that a point gives as "printed" or "expected".
Reference read_reference(const Params& point);

/// A JSON pointer (RFC 6901) into a result.
std::string read_json_pointer(const Params& settings, std::string_view key);

ExperimentFile read_experiments(const Params& document, const std::filesystem::path& file);

TaskGraphFile read_task_graph(const Params& document);

}  // namespace dcube
