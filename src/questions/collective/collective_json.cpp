#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_writing.hpp"
#include "core/text.hpp"
#include "dcube/questions/collective.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

ordered_json json_of_way(const CollectiveWay& way) {
  ordered_json json;
  if (!way.network.empty()) {
    json["network"] = way.network;
  }
  json["algorithm"] = way.algorithm;
  json["embedding"] = way.embedding;
  return json;
}

ordered_json json_of_row(const CollectiveAnswer& answer, const CollectiveRow& row) {
  const CollectiveRow* const best = answer.best(answer.way_of(row).network, row.bytes);
  const std::optional<CollectiveBandwidth> rates = bandwidth_of(answer, row);
  ordered_json json{{"bytes", row.bytes}};
  json.update(json_of_way(answer.way_of(row)));
  json["taken"] = row.algorithm.empty() ? ordered_json(nullptr) : ordered_json(row.algorithm);
  json["ports"] = row.ports > 0 ? ordered_json(row.ports) : ordered_json(nullptr);
  json["outcome"] = to_string(row.outcome);
  if (!row.is_complete()) {
    json["problem"] = row.problem;
    return json;
  }
  json["time_s"] = row.makespan;
  json["time_ps"] = row.makespan.count();
  json["algbw_bytes_per_s"] = rates ? ordered_json(rates->algorithm) : ordered_json(nullptr);
  json["busbw_bytes_per_s"] = rates ? ordered_json(rates->bus) : ordered_json(nullptr);
  json["ratio_to_best"] = ratio_to_best(row, *best);
  json["fingerprint"] = fmt::format("{:016x}", row.fingerprint);
  return json;
}

ordered_json json_of_best(const CollectiveAnswer& answer, const CollectiveRow& best) {
  ordered_json json = json_of_row(answer, best);
  const CollectiveRow* const next = answer.next(best);
  json["next"] = next != nullptr ? json_of_row(answer, *next) : ordered_json(nullptr);
  return json;
}

}  // namespace

std::string collective_json(const CollectiveAnswer& answer) {
  const Machine& machine = *answer.machine;
  ordered_json fastest = ordered_json::array();
  ordered_json rows = ordered_json::array();
  for (const std::string& network : answer.networks()) {
    for (const std::uint64_t bytes : answer.sizes) {
      if (const CollectiveRow* const best = answer.best(network, bytes)) {
        fastest.push_back(json_of_best(answer, *best));
      }
      for (const CollectiveRow* const row : answer.ranked(network, bytes)) {
        rows.push_back(json_of_row(answer, *row));
      }
    }
  }
  ordered_json crossovers = ordered_json::array();
  for (const Crossover& crossover : answer.crossovers) {
    crossovers.push_back({{"bytes", crossover.bytes},
                          {"from", json_of_way(answer.ways[crossover.from])},
                          {"to", json_of_way(answer.ways[crossover.to])}});
  }
  return json_layout(
      {{"dcube", {{"version", version()}}},
       {"collective", name_of(answer.kind)},
       {"machine",
        {{"name", machine.name},
         {"topology", machine.topology->kind()},
         {"shape", machine.topology->shape()},
         {"nodes", machine.topology->node_count()}}},
       {"processes", answer.processes},
       {"value_bytes", answer.request.value_bytes},
       {"complete", answer.is_complete()},
       {"fastest", std::move(fastest)},
       {"crossovers", answer.has_crossovers ? std::move(crossovers) : ordered_json(nullptr)},
       {"rows", std::move(rows)}});
}

std::string collective_csv(const CollectiveAnswer& answer) {
  std::string text =
      "network,bytes,algorithm,embedding,ports,outcome,time_s,time_ps,algbw_bytes_per_s,"
      "busbw_bytes_per_s,ratio_to_best,fingerprint,problem\n";
  for (const std::string& network : answer.networks()) {
    for (const std::uint64_t bytes : answer.sizes) {
      for (const CollectiveRow* const row : answer.ranked(network, bytes)) {
        const ordered_json json = json_of_row(answer, *row);
        const auto cell = [&](const char* key) {
          const auto found = json.find(key);
          return found == json.end() || found->is_null() ? std::string{}
                 : found->is_string()                    ? csv_text(found->get<std::string>())
                                                         : found->dump();
        };
        text += network;
        for (const char* const key : {"bytes", "algorithm", "embedding", "ports", "outcome",
                                      "time_s", "time_ps", "algbw_bytes_per_s", "busbw_bytes_per_s",
                                      "ratio_to_best", "fingerprint", "problem"}) {
          text += "," + cell(key);
        }
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace dcube
