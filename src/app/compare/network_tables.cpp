#include "network_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/mapped.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// The rows under a network that completed, fastest first.
std::vector<const ComparisonRow*> ranked(const Comparison& comparison, const std::string& network) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.network == network && row.outcome == Outcome::completed) {
      rows.push_back(&row);
    }
  }
  std::ranges::stable_sort(rows, {},
                           [](const ComparisonRow* row) { return row->figures->makespan; });
  return rows;
}

/// "fluid: by_weight < xor = gray < standard".
std::string ranking(const Comparison& comparison, const std::string& network) {
  std::string text;
  const ComparisonRow* before = nullptr;
  for (const ComparisonRow* row : ranked(comparison, network)) {
    if (before != nullptr) {
      text += before->figures->makespan == row->figures->makespan ? " = " : " < ";
    }
    text += row->embedding;
    before = row;
  }
  return fmt::format("{}: {}\n", network, text.empty() ? "nothing completed" : text);
}

}  // namespace

std::vector<std::string> networks_of(const Comparison& comparison) {
  return comparison.networks.empty() ? std::vector<std::string>{{}} : comparison.networks;
}

std::string network_rankings(const Comparison& comparison) {
  return joined(comparison.networks, "",
                [&](const std::string& network) { return ranking(comparison, network); });
}

ordered_json by_network(const Comparison& comparison, const OfEmbeddings& value) {
  ordered_json json = ordered_json::object();
  for (const std::string& network : comparison.networks) {
    json[network] = value(mapped(ranked(comparison, network), &ComparisonRow::embedding));
  }
  return json;
}

}  // namespace dcube::app
