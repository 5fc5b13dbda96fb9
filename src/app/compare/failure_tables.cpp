#include "failure_tables.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/terminal/json_values.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/show/text_table.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// "completed", or "9 completed, 1 unreachable".
std::string outcomes(const Degradation& degradation) {
  if (degradation.outcomes.size() == 1) {
    return to_string(degradation.outcomes.front().first);
  }
  return joined(degradation.outcomes, ", ", [](const auto& outcome) {
    return fmt::format("{} {}", outcome.second, to_string(outcome.first));
  });
}

/// "xor < gray = standard", by the mean of the runs that completed. Each is held against the first
/// of those before it that are equal.
std::string ranking(const std::vector<Degradation>& ranked) {
  std::string text;
  const Degradation* first = nullptr;
  bool are_exact = true;
  for (const Degradation& one : ranked) {
    const bool is_equal = first != nullptr && first->completed == one.completed &&
                          are_nearly_as_long(first->mean_s, one.mean_s);
    if (first != nullptr) {
      text += is_equal ? " = " : " < ";
    }
    text += one.embedding;
    first = is_equal ? first : &one;
    are_exact = are_exact && are_as_long(first->mean_s, one.mean_s);
  }
  return text.empty() ? "nothing completed"
         : are_exact  ? text
                      : fmt::format("{} ({})", text, nearly_as_long);
}

/// Calls `take` with each network, empty where none are compared, and each number of failures.
template <class Take>
void for_each_ranking(const Comparison& comparison, Take take) {
  for (const std::string& network :
       comparison.networks.empty() ? std::vector<std::string>{{}} : comparison.networks) {
    for (const std::uint32_t failures : comparison.failure_numbers()) {
      take(network, failures, ranked_under_failures(comparison, network, failures));
    }
  }
}

}  // namespace

std::string failure_table(const Comparison& comparison) {
  Columns<Degradation> columns = degradation_columns(comparison);
  if (!comparison.networks.empty()) {
    std::swap(columns[0], columns[1]);
  }
  columns.push_back({"outcome", Shown::text, outcomes});
  return text_table(columns, degradations(comparison)).text();
}

std::string rankings(const Comparison& comparison) {
  std::string text;
  for_each_ranking(comparison, [&](const auto& network, std::uint32_t failures, const auto& rows) {
    text += network;
    if (!comparison.failures.empty()) {
      text += (network.empty() ? "" : ", ") + counted(failures, "failed link");
    }
    text += fmt::format(": {}\n", ranking(rows));
  });
  return text;
}

ordered_json rankings_json(const Comparison& comparison, const OfEmbeddings& value) {
  ordered_json json = ordered_json::object();
  for_each_ranking(comparison, [&](const auto& network, std::uint32_t failures, const auto& rows) {
    ordered_json& part = network.empty() ? json : json[network];
    (comparison.failures.empty() ? part : part[std::to_string(failures)]) =
        value(mapped(rows, &Degradation::embedding));
  });
  return json;
}

ordered_json degradation_json(const Comparison& comparison) {
  const Columns<Degradation> columns = degradation_columns(comparison);
  return mapped(degradations(comparison), [&](const Degradation& degradation) {
    ordered_json json;
    for (const Column<Degradation>& column : columns) {
      json[column.key] = column.value(degradation);
      if (column.key == "runs") {
        for (const auto& [outcome, count] : degradation.outcomes) {
          json["outcomes"][to_string(outcome)] = count;
        }
      }
    }
    return json;
  });
}

}  // namespace dcube::app
