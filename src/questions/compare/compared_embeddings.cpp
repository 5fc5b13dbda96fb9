#include "compared_embeddings.hpp"

#include <algorithm>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/embedding_settings.hpp"

namespace dcube {
namespace {

bool is_own(const std::string& embedding) {
  return embedding.empty() || embedding == own_embedding;
}

/// Refuses words that name no axis of the program in the orders among these: likely embeddings that
/// are misspelt.
void expect_axes(const std::vector<Params>& embeddings, const CompareRequest& request,
                 ScenarioBuilder& builder) {
  std::optional<std::vector<std::string>> axes;
  for (const Params& embedding : embeddings) {
    if (!is_of_name(embedding) || !embedding.has("order")) {
      continue;
    }
    if (!axes) {
      const Guest guest = under_any_embedding(request, builder).program->guest();
      axes = guest.kind() == Guest::Kind::cube ? std::vector<std::string>{} : names_of_axes(guest);
    }
    for (const Setting& entry : embedding.list("order", "axes")) {
      const std::string* const name = entry.text();
      refuse_if(name != nullptr && std::ranges::find(*axes, *name) == axes->end(), ".embeddings",
                "{} is no embedding{}", entry.describe(),
                axes->empty() ? "" : ", and no axis (" + joined(*axes, ", ") + ")");
    }
  }
}

}  // namespace

/// Only map files need the names of nodes.
ScenarioRequest with_embedding(ScenarioRequest options, const std::string& embedding) {
  options.embedding = is_own(embedding) ? "" : embedding;
  if (!is_own(embedding) && !reads_map_file(embedding)) {
    options.hosts.clear();
  }
  return options;
}

std::optional<Params> read_embedding_named(const std::string& embedding,
                                           const ScenarioRequest& options) {
  return is_own(embedding) ? std::nullopt
                           : std::optional{embedding_option(embedding, options.hosts)};
}

Scenario under_any_embedding(const CompareRequest& request, ScenarioBuilder& builder) {
  try {
    return builder.build(with_embedding(request.scenario, {}));
  } catch (const InputError&) {
    ScenarioRequest fitting = with_embedding(request.scenario, "identity");
    if (request.embeddings.empty()) {
      fitting.hosts = request.scenario.hosts;  // which no map file reads
    }
    try {
      return builder.build(fitting);
    } catch (const InputError&) {  // the other complaint is about what was given
    }
    throw;
  }
}

std::vector<std::string> compared_embeddings(const CompareRequest& request,
                                             ScenarioBuilder& builder) {
  std::vector<std::string> embeddings = request.embeddings;
  std::vector<Params> settings;
  for (const std::string& embedding : embeddings) {
    const ScenarioRequest changed = with_embedding(request.scenario, embedding);
    if (const auto read = read_embedding_named(embedding, changed)) {
      settings.push_back(*read);
    }
  }
  if (!embeddings.empty() && !request.axis_orders) {
    expect_axes(settings, request, builder);
    return embeddings;
  }
  expect_unset(request.scenario.settings, chosen_embedding);
  const Scenario scenario = under_any_embedding(request, builder);
  if (request.axis_orders) {
    const auto orders =
        at_place(".axis_orders", [&] { return orders_of_axes(scenario.program->guest()); });
    for (const std::vector<std::string>& order : orders) {
      embeddings.push_back(joined(order, ","));
    }
    return embeddings;
  }
  embeddings = fitting_embeddings(*scenario.machine->topology, scenario.program->guest(),
                                  scenario.machine->node.slots);
  const std::string own = embedding_name(scenario.embedding_settings);
  if (std::ranges::find(embeddings, own) == embeddings.end()) {
    embeddings.emplace_back(own_embedding);
  }
  return embeddings;
}

}  // namespace dcube
