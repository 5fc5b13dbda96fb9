#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/compare.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// Builds the scenarios of a comparison. Those with the same program share it once read, since each
/// runs in a process of its own.
class ScenarioBuilder {
 public:
  explicit ScenarioBuilder(const ScenarioSource& source) : source_{source} {}

  Scenario build(const ScenarioRequest& request) { return source_.build(request, &parts_); }
  const ScenarioSource& source() const { return source_; }

 private:
  const ScenarioSource& source_;
  ScenarioParts parts_;
};

/// The scenario under this embedding; its own where the name is empty or own_embedding.
ScenarioRequest with_embedding(ScenarioRequest options, const std::string& embedding);

/// The settings of the embedding, unless it is the scenario's own. Throws InputError where it
/// cannot be read; then it is no row.
std::optional<Params> read_embedding_named(const std::string& embedding,
                                           const ScenarioRequest& options);

/// The scenario as it is, or where its own embedding does not fit, under one that fits wherever one
/// does: for its machine and program. Throws InputError for what the scenario itself would.
Scenario under_any_embedding(const CompareRequest& request, ScenarioBuilder& builder);

/// Embeddings that are asked for, or all that fit and the scenario's own. Throws InputError where
/// one cannot be read.
std::vector<std::string> compared_embeddings(const CompareRequest& request,
                                             ScenarioBuilder& builder);

}  // namespace dcube
