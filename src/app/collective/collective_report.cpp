#include "collective_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "bandwidth.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "dcube/topology/topology.hpp"
#include "sizes.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// Whether several of something are compared, so that a table names it.
template <class Member>
bool has_several(const CollectiveReport& report, Member member) {
  return std::ranges::any_of(report.ways, [&](const CollectiveWay& way) {
    return std::invoke(member, way) != std::invoke(member, report.ways.front());
  });
}

std::optional<CollectiveBandwidth> bandwidth(const CollectiveReport& report,
                                             const CollectiveRow& row) {
  return row.is_complete()
             ? bandwidth_of(report.question.kind, report.subject.processes, row.bytes, row.makespan)
             : std::nullopt;
}

double ratio(const CollectiveRow& row, const CollectiveRow& best) {
  return static_cast<double>(row.makespan.count()) / static_cast<double>(best.makespan.count());
}

bool has_ratio(const CollectiveRow& best) { return best.makespan > Ticks{0}; }

// --- For people ---

std::string algorithm_text(const CollectiveRow& row, const CollectiveWay& way) {
  return row.algorithm.empty() || row.algorithm == way.algorithm
             ? way.algorithm
             : fmt::format("{} ({})", way.algorithm, row.algorithm);
}

/// "swing_latency on identity", with its ports where those differ.
std::string way_text(const CollectiveReport& report, const CollectiveWay& way) {
  std::string text = has_several(report, &CollectiveWay::embedding)
                         ? fmt::format("{} on {}", way.algorithm, way.embedding)
                         : way.algorithm;
  if (!report.question.ports) {
    text += ", " + counted(way.ports, "port");
  }
  return printable(text);
}

/// In which bandwidths are shown.
struct RateUnit {
  double size;
  const char* name;
};

/// GB/s as nccl-tests has it, unless all rates are small.
RateUnit rate_unit(const CollectiveReport& report) {
  double most = 0;
  for (const CollectiveRow& row : report.rows) {
    if (const std::optional<CollectiveBandwidth> rates = bandwidth(report, row)) {
      most = std::max(most, rates->algorithm);
    }
  }
  return most >= 1e8   ? RateUnit{1e9, "GB/s"}
         : most >= 1e5 ? RateUnit{1e6, "MB/s"}
                       : RateUnit{1e3, "kB/s"};
}

std::string rate_text(std::optional<double> rate, const RateUnit& unit) {
  return rate ? fmt::format("{:.2f}", *rate / unit.size) : "-";
}

std::vector<Table::Column> row_columns(bool has_networks, const RateUnit& unit) {
  std::vector<Table::Column> columns{{"size"},
                                     {"algorithm", Table::Align::left},
                                     {"embedding", Table::Align::left},
                                     {"ports"},
                                     {"time"},
                                     {fmt::format("algbw {}", unit.name)},
                                     {fmt::format("busbw {}", unit.name)}};
  if (has_networks) {
    columns.insert(columns.begin(), {"network", Table::Align::left});
  }
  return columns;
}

std::vector<std::string> row_cells(const CollectiveReport& report, const CollectiveRow& row,
                                   bool has_networks, const RateUnit& unit) {
  const CollectiveWay& way = report.way_of(row);
  const std::optional<CollectiveBandwidth> rates = bandwidth(report, row);
  std::vector<std::string> cells{
      size_text(row.bytes),
      algorithm_text(row, way),
      way.embedding,
      row.ports > 0 ? std::to_string(row.ports) : "-",
      row.is_complete() ? format_time(row.makespan) : to_string(row.outcome),
      rates ? rate_text(rates->algorithm, unit) : "-",
      rates ? rate_text(rates->bus, unit) : "-"};
  if (has_networks) {
    cells.insert(cells.begin(), way.network);
  }
  return cells;
}

std::string next_text(const CollectiveReport& report, const CollectiveRow& best) {
  const CollectiveRow* const next = report.next(best);
  return next == nullptr || !has_ratio(best) ? "-"
                                             : fmt::format("{:.3f} x  {}", ratio(*next, best),
                                                           way_text(report, report.way_of(*next)));
}

std::string best_table(const CollectiveReport& report) {
  const bool has_networks = !report.question.networks.empty();
  const RateUnit unit = rate_unit(report);
  std::vector<Table::Column> columns = row_columns(has_networks, unit);
  columns.push_back({"next best", Table::Align::left});
  Table table{std::move(columns)};
  for (const std::string& network : report.networks()) {
    for (const std::uint64_t bytes : report.sizes) {
      if (const CollectiveRow* const best = report.best(network, bytes)) {
        std::vector<std::string> cells = row_cells(report, *best, has_networks, unit);
        cells.push_back(next_text(report, *best));
        table.add_row(std::move(cells));
      }
    }
  }
  return table.text();
}

/// Of one size under one network, the fastest first, those that did not complete last.
std::vector<const CollectiveRow*> ranked_rows(const CollectiveReport& report,
                                              const std::string& network, std::uint64_t bytes) {
  std::vector<const CollectiveRow*> rows;
  for (const CollectiveRow& row : report.rows) {
    if (row.bytes == bytes && report.way_of(row).network == network) {
      rows.push_back(&row);
    }
  }
  std::ranges::stable_sort(rows, {}, [](const CollectiveRow* row) {
    return std::pair{!row->is_complete(), row->makespan};
  });
  return rows;
}

std::string all_rows_table(const CollectiveReport& report) {
  const bool has_networks = !report.question.networks.empty();
  const RateUnit unit = rate_unit(report);
  std::vector<Table::Column> columns = row_columns(has_networks, unit);
  columns.push_back({"to best"});
  columns.push_back({"", Table::Align::left});
  Table table{std::move(columns)};
  for (const std::string& network : report.networks()) {
    for (const std::uint64_t bytes : report.sizes) {
      const CollectiveRow* const best = report.best(network, bytes);
      for (const CollectiveRow* const row : ranked_rows(report, network, bytes)) {
        std::vector<std::string> cells = row_cells(report, *row, has_networks, unit);
        cells.push_back(row->is_complete() && has_ratio(*best)
                            ? fmt::format("{:.3f}", ratio(*row, *best))
                            : "-");
        cells.push_back(row->problem);
        table.add_row(std::move(cells));
      }
    }
  }
  return table.text();
}

/// "swing_latency below 24.3 KiB, bucket from there on".
std::string answer_by_crossovers(const CollectiveReport& report, const CollectiveRow& first,
                                 const std::string& network) {
  std::string text = way_text(report, report.way_of(first));
  bool changes = false;
  for (const Crossover& crossover : report.crossovers) {
    if (report.ways[crossover.from].network == network) {
      changes = true;
      text += fmt::format(" below {}, {}", size_text(crossover.bytes),
                          way_text(report, report.ways[crossover.to]));
    }
  }
  return changes ? text + " from there on" : text;
}

/// "swing_latency up to 16 KiB, bucket from 64 KiB on".
std::string answer_by_sizes(const CollectiveReport& report, const CollectiveRow& first,
                            const std::string& network) {
  std::string text = way_text(report, report.way_of(first));
  const CollectiveRow* before = &first;
  const CollectiveRow* change = nullptr;
  for (const std::uint64_t bytes : report.sizes) {
    const CollectiveRow* const best = report.best(network, bytes);
    if (best != nullptr && best->way != before->way) {
      text += fmt::format(" up to {}, {}", size_text(before->bytes),
                          way_text(report, report.way_of(*best)));
      change = best;
    }
    before = best != nullptr ? best : before;
  }
  return change != nullptr ? fmt::format("{} from {} on", text, size_text(change->bytes)) : text;
}

std::string answer_under(const CollectiveReport& report, const std::string& network) {
  for (const std::uint64_t bytes : report.sizes) {
    if (const CollectiveRow* const first = report.best(network, bytes)) {
      return report.has_crossovers ? answer_by_crossovers(report, *first, network)
                                   : answer_by_sizes(report, *first, network);
    }
  }
  return "nothing completed";
}

/// Whether one way completed under the network and so is faster than none. Others may follow while
/// the report is not complete.
bool ran_alone(const CollectiveReport& report, const std::string& network) {
  if (!report.is_complete) {
    return false;
  }
  std::set<std::size_t> ways;
  for (const CollectiveRow& row : report.rows) {
    if (row.is_complete() && report.way_of(row).network == network) {
      ways.insert(row.way);
    }
  }
  return ways.size() == 1;
}

std::string answer_lines(const CollectiveReport& report) {
  std::string text;
  for (const std::string& network : report.networks()) {
    text += fmt::format("{}{}{}: {}\n", ran_alone(report, network) ? "ran alone" : "fastest",
                        report.is_complete ? "" : " so far",
                        network.empty() ? "" : " under " + network, answer_under(report, network));
  }
  return text;
}

std::string title_of(const CollectiveReport& report) {
  const Machine& machine = *report.subject.machine;
  return fmt::format("{} of {} on {} ({})\n", name_of(report.question.kind),
                     counted(report.subject.processes, "process"), printable(machine.name),
                     describe(*machine.topology));
}

std::string refusal_line(const CollectiveReport& report) {
  const auto refused = static_cast<std::uint64_t>(std::ranges::count_if(
      report.rows, [](const CollectiveRow& row) { return !row.is_complete(); }));
  return refused == 0 ? ""
                      : fmt::format("{} did not run (--all-rows says why)\n",
                                    counted(refused, "combination"));
}

// --- For programs ---

ordered_json json_of_way(const CollectiveWay& way) {
  ordered_json json;
  if (!way.network.empty()) {
    json["network"] = way.network;
  }
  json["algorithm"] = way.algorithm;
  json["embedding"] = way.embedding;
  return json;
}

ordered_json json_of_row(const CollectiveReport& report, const CollectiveRow& row) {
  const CollectiveRow* const best = report.best(report.way_of(row).network, row.bytes);
  const std::optional<CollectiveBandwidth> rates = bandwidth(report, row);
  ordered_json json{{"bytes", row.bytes}};
  json.update(json_of_way(report.way_of(row)));
  json["taken"] = json_or_null(row.algorithm);
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
  json["ratio_to_best"] =
      has_ratio(*best) ? ordered_json(ratio(row, *best)) : ordered_json(nullptr);
  json["fingerprint"] = fmt::format("{:016x}", row.fingerprint);
  return json;
}

ordered_json json_of_best(const CollectiveReport& report, const CollectiveRow& best) {
  ordered_json json = json_of_row(report, best);
  const CollectiveRow* const next = report.next(best);
  json["next"] = next != nullptr ? json_of_row(report, *next) : ordered_json(nullptr);
  return json;
}

}  // namespace

std::vector<std::string> CollectiveReport::networks() const {
  return question.networks.empty() ? std::vector<std::string>{{}} : question.networks;
}

const CollectiveRow* CollectiveReport::best(const std::string& network, std::uint64_t bytes) const {
  const CollectiveRow* best = nullptr;
  for (const CollectiveRow& row : rows) {
    if (row.bytes == bytes && row.is_complete() && way_of(row).network == network &&
        (best == nullptr || row.makespan < best->makespan)) {
      best = &row;
    }
  }
  return best;
}

const CollectiveRow* CollectiveReport::next(const CollectiveRow& best) const {
  const CollectiveWay& own = way_of(best);
  const bool has_algorithms = has_several(*this, &CollectiveWay::algorithm);
  const CollectiveRow* next = nullptr;
  for (const CollectiveRow& row : rows) {
    const CollectiveWay& way = way_of(row);
    if (row.bytes == best.bytes && row.is_complete() && way.network == own.network &&
        (has_algorithms ? way.algorithm != own.algorithm : row.way != best.way) &&
        (next == nullptr || row.makespan < next->makespan)) {
      next = &row;
    }
  }
  return next;
}

std::string collective_text(const CollectiveReport& report, ShownRows rows) {
  std::string text = title_of(report);
  text += rows == ShownRows::all ? all_rows_table(report) + "\n" : "";
  text += best_table(report);
  text += rows == ShownRows::all ? "" : refusal_line(report);
  return text + answer_lines(report);
}

std::string collective_json(const CollectiveReport& report) {
  const Machine& machine = *report.subject.machine;
  ordered_json fastest = ordered_json::array();
  ordered_json rows = ordered_json::array();
  for (const std::string& network : report.networks()) {
    for (const std::uint64_t bytes : report.sizes) {
      if (const CollectiveRow* const best = report.best(network, bytes)) {
        fastest.push_back(json_of_best(report, *best));
      }
      for (const CollectiveRow* const row : ranked_rows(report, network, bytes)) {
        rows.push_back(json_of_row(report, *row));
      }
    }
  }
  ordered_json crossovers = ordered_json::array();
  for (const Crossover& crossover : report.crossovers) {
    crossovers.push_back({{"bytes", crossover.bytes},
                          {"from", json_of_way(report.ways[crossover.from])},
                          {"to", json_of_way(report.ways[crossover.to])}});
  }
  return json_layout(
      {{"dcube", json_of_dcube()},
       {"collective", name_of(report.question.kind)},
       {"machine",
        {{"name", machine.name},
         {"topology", machine.topology->kind()},
         {"shape", machine.topology->shape()},
         {"nodes", machine.topology->node_count()}}},
       {"processes", report.subject.processes},
       {"value_bytes", report.question.value_bytes},
       {"complete", report.is_complete},
       {"fastest", std::move(fastest)},
       {"crossovers", report.has_crossovers ? std::move(crossovers) : ordered_json(nullptr)},
       {"rows", std::move(rows)}});
}

std::string collective_csv(const CollectiveReport& report) {
  std::string text =
      "network,bytes,algorithm,embedding,ports,outcome,time_s,time_ps,algbw_bytes_per_s,"
      "busbw_bytes_per_s,ratio_to_best,fingerprint,problem\n";
  for (const std::string& network : report.networks()) {
    for (const std::uint64_t bytes : report.sizes) {
      for (const CollectiveRow* const row : ranked_rows(report, network, bytes)) {
        const ordered_json json = json_of_row(report, *row);
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

}  // namespace dcube::app
