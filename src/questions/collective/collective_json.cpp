#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/questions/collective.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/setting_words.hpp"
#include "dcube/show/columns.hpp"
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

/// Columns that tell a row from the others, and how its run ended.
Columns<CollectiveRow> way_columns(const CollectiveAnswer& answer) {
  const auto of_way = [&answer](std::string CollectiveWay::*member) {
    return [&answer, member](const CollectiveRow& row) { return answer.way_of(row).*member; };
  };
  return {
      {"", Shown::nowhere, of_way(&CollectiveWay::network), "network"},
      {"", Shown::nowhere, &CollectiveRow::bytes, "bytes"},
      {"", Shown::nowhere, of_way(&CollectiveWay::algorithm), "algorithm"},
      {"", Shown::nowhere, of_way(&CollectiveWay::embedding), "embedding"},
      {"", Shown::nowhere,
       [](const CollectiveRow& row) {
         return row.algorithm.empty() ? CellValue{} : CellValue{row.algorithm};
       },
       "taken"},
      {"", Shown::nowhere,
       [](const CollectiveRow& row) { return row.ports > 0 ? CellValue{row.ports} : CellValue{}; },
       "ports"},
      {"", Shown::nowhere, [](const CollectiveRow& row) { return to_string(row.outcome); },
       "outcome"}};
}

/// Columns of a run's times; missing where it did not complete.
Columns<CollectiveRow> time_columns(const CollectiveAnswer& answer) {
  Columns<CollectiveRow> columns;
  const auto add = [&](const char* key, std::function<CellValue(const CollectiveRow&)> value) {
    columns.push_back(
        {"", Shown::nowhere,
         [value](const CollectiveRow& row) { return row.is_complete() ? value(row) : CellValue{}; },
         key});
  };
  const auto rate = [&answer](auto which) {
    return [&answer, which](const CollectiveRow& row) {
      const std::optional<CollectiveBandwidth> rates = bandwidth_of(answer, row);
      return rates ? CellValue{(*rates).*which} : CellValue{};
    };
  };
  add("time_s", &CollectiveRow::makespan);
  add("time_ps", [](const CollectiveRow& row) { return row.makespan.count(); });
  add("algbw_bytes_per_s", rate(&CollectiveBandwidth::algorithm));
  add("busbw_bytes_per_s", rate(&CollectiveBandwidth::bus));
  add("ratio_to_best", [&answer](const CollectiveRow& row) {
    return ratio_to_best(row, *answer.best(answer.way_of(row).network, row.bytes));
  });
  add("fingerprint",
      [](const CollectiveRow& row) { return fmt::format("{:016x}", row.fingerprint); });
  return columns;
}

ordered_json json_of_row(const CollectiveAnswer& answer, const CollectiveRow& row) {
  ordered_json json;
  add_members(json, way_columns(answer), row);
  if (answer.way_of(row).network.empty()) {
    json.erase("network");
  }
  if (row.is_complete()) {
    add_members(json, time_columns(answer), row);
  } else {
    json["problem"] = row.problem;
  }
  return json;
}

ordered_json json_of_best(const CollectiveAnswer& answer, const CollectiveRow& best) {
  ordered_json json = json_of_row(answer, best);
  const CollectiveRow* const next = answer.next(best);
  json["equal_embeddings"] = mapped(
      answer.equals(best), [&](const CollectiveRow* row) { return answer.way_of(*row).embedding; });
  json["next"] = next != nullptr ? json_of_row(answer, *next) : ordered_json(nullptr);
  return json;
}

/// Null where fair links make no difference.
ordered_json json_of_fair(const CollectiveAnswer& answer) {
  if (!answer.fair) {
    return nullptr;
  }
  return {{"tried", answer.fair->was_tried},
          {"queued_share", answer.fair->queued_share},
          {"changes", mapped(answer.fair->changes, [&](const FairChange& change) {
             return ordered_json{{"bytes", change.bytes},
                                 {"from", json_of_way(answer.ways[change.best])},
                                 {"to", json_of_way(answer.ways[change.way])},
                                 {"time_s", change.makespan},
                                 {"time_of_from_s", change.of_best},
                                 {"packet", change.packet_bytes}};
           })}};
}

}  // namespace

std::string collective_json(const CollectiveAnswer& answer) {
  const Machine& machine = *answer.machine;
  ordered_json fastest = ordered_json::array();
  const std::vector<const CollectiveRow*> ranked = answer.ranked_rows();
  for (const CollectiveRow* const row : ranked) {
    if (row == answer.best(answer.way_of(*row).network, row->bytes)) {
      fastest.push_back(json_of_best(answer, *row));
    }
  }
  ordered_json crossovers = mapped(answer.crossovers, [&](const Crossover& crossover) {
    return ordered_json{{"bytes", crossover.bytes},
                        {"from", json_of_way(answer.ways[crossover.from])},
                        {"to", json_of_way(answer.ways[crossover.to])}};
  });
  const std::optional<double> above = exceeded_node_bandwidth(answer);
  ordered_json json{{"dcube", {{"version", version()}}},
                    {"id", answer.id},
                    {"collective", name_of(answer.kind)},
                    {"machine",
                     {{"name", machine.name},
                      {"topology", machine.topology->kind()},
                      {"shape", machine.topology->shape()},
                      {"nodes", machine.topology->terminal_count()},
                      {"hop", hop_words(machine)},
                      {"network", network_words(machine, answer.network_words())}}},
                    {"processes", answer.processes}};
  if (!answer.request.axes.empty()) {
    json["axes"] = Setting{Params::parse(answer.request.axes)};
    json["over"] = answer.request.over;
    json["group_size"] = answer.group_size;
  }
  if (has_root(answer.kind)) {
    json["root"] = answer.request.root.value_or(0);
  }
  if (!answer.request.compute.empty()) {
    json["compute"] = answer.request.compute;
  }
  json["settings"] = Setting{values_by_pointer(mapped(answer.request.settings, parse_override))};
  json.update(
      {{"value_bytes", answer.request.value_bytes},
       {"complete", answer.is_complete()},
       {"fastest", std::move(fastest)},
       {"crossovers", answer.has_crossovers ? std::move(crossovers) : ordered_json(nullptr)},
       {"fair_links", json_of_fair(answer)},
       {"exceeded_node_bandwidth_bytes_per_s",
        above ? ordered_json(*above) : ordered_json(nullptr)},
       {"rows",
        mapped(ranked, [&](const CollectiveRow* row) { return json_of_row(answer, *row); })}});
  return json_layout(json);
}

std::string collective_csv(const CollectiveAnswer& answer) {
  Columns<CollectiveRow> columns = way_columns(answer);
  std::erase_if(columns, [](const Column<CollectiveRow>& column) { return column.key == "taken"; });
  columns = columns + time_columns(answer);
  columns.push_back({"", Shown::nowhere, &CollectiveRow::problem, "problem"});
  return csv_table(columns, answer.ranked_rows());
}

}  // namespace dcube
