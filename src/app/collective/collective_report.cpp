#include "collective_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/runs/runs_options.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "dcube/scenario/setting_words.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::app {
namespace {

std::string algorithm_text(const CollectiveRow& row, const CollectiveWay& way) {
  return row.algorithm.empty() || row.algorithm == way.algorithm
             ? way.algorithm
             : fmt::format("{} ({})", way.algorithm, row.algorithm);
}

/// "swing_latency on identity", with its ports where those differ.
std::string way_text(const CollectiveAnswer& answer, const CollectiveWay& way) {
  std::string text = answer.has_several(&CollectiveWay::embedding)
                         ? fmt::format("{} on {}", way.algorithm, way.embedding)
                         : way.algorithm;
  if (!answer.request.ports) {
    text += ", " + counted(way.ports, "port");
  }
  return printable(text);
}

/// Unit in which bandwidths are shown.
struct RateUnit {
  double size;
  const char* name;
};

/// Unit of rates: GB/s as in nccl-tests, unless all rates are small.
RateUnit rate_unit(const CollectiveAnswer& answer) {
  double most = 0;
  for (const CollectiveRow& row : answer.rows) {
    if (const std::optional<CollectiveBandwidth> rates = bandwidth_of(answer, row)) {
      most = std::max(most, rates->algorithm);
    }
  }
  return most >= 1e8   ? RateUnit{1e9, "GB/s"}
         : most >= 1e5 ? RateUnit{1e6, "MB/s"}
                       : RateUnit{1e3, "kB/s"};
}

/// "gray = xor": the embedding of the fastest, and those that are as good.
std::string equal_embeddings(const CollectiveAnswer& answer, const CollectiveRow& best) {
  constexpr std::size_t most = 3;
  const std::vector<const CollectiveRow*> equals = answer.equals(best);
  std::string text = answer.way_of(best).embedding;
  for (const CollectiveRow* const row : first_of(equals, most)) {
    text += " = " + answer.way_of(*row).embedding;
  }
  return equals.size() > most ? text + " = .." : text;
}

enum class EqualEmbeddings { named, left_out };

/// The columns of a table of rows.
Columns<CollectiveRow> columns_of(const CollectiveAnswer& answer, EqualEmbeddings equals) {
  const RateUnit unit = rate_unit(answer);
  const auto rate = [&answer, unit](auto which) {
    return [&answer, unit, which](const CollectiveRow& row) {
      const std::optional<CollectiveBandwidth> rates = bandwidth_of(answer, row);
      const std::optional<double> value = rates ? (*rates).*which : std::optional<double>{};
      return value ? CellValue{*value / unit.size} : CellValue{};
    };
  };
  Columns<CollectiveRow> columns{
      {"network", Shown::text, [&](const auto& row) { return answer.way_of(row).network; }},
      {"size", Shown::figure, [](const auto& row) { return size_text(row.bytes); }},
      {"algorithm", Shown::text,
       [&](const auto& row) { return algorithm_text(row, answer.way_of(row)); }},
      {"embedding", Shown::text,
       [&answer, equals](const auto& row) {
         return equals == EqualEmbeddings::named ? equal_embeddings(answer, row)
                                                 : answer.way_of(row).embedding;
       }},
      {"ports", Shown::figure,
       [](const auto& row) { return row.ports > 0 ? CellValue{row.ports} : CellValue{}; }},
      {"time", Shown::figure,
       [](const auto& row) {
         return row.is_complete() ? format_time(row.makespan) : to_string(row.outcome);
       }},
      {fmt::format("algbw {}", unit.name), Shown::hundredths,
       rate(&CollectiveBandwidth::algorithm)},
      {fmt::format("busbw {}", unit.name), Shown::hundredths, rate(&CollectiveBandwidth::bus)}};
  if (answer.request.networks.empty()) {
    columns.erase(columns.begin());
  }
  return columns;
}

const CollectiveRow* best_beside(const CollectiveAnswer& answer, const CollectiveRow& row) {
  return answer.best(answer.way_of(row).network, row.bytes);
}

std::string next_text(const CollectiveAnswer& answer, const CollectiveRow& best) {
  const CollectiveRow* const next = answer.next(best);
  const std::optional<double> ratio = next != nullptr ? ratio_to_best(*next, best) : std::nullopt;
  return ratio ? fmt::format("{:.3f} x  {}", *ratio, way_text(answer, answer.way_of(*next))) : "-";
}

std::string best_table(const CollectiveAnswer& answer) {
  Columns<CollectiveRow> columns = columns_of(answer, EqualEmbeddings::named);
  columns.push_back(
      {"next best", Shown::text, [&](const auto& best) { return next_text(answer, best); }});
  std::vector<const CollectiveRow*> rows = answer.ranked_rows();
  std::erase_if(rows, [&](const auto* row) { return row != best_beside(answer, *row); });
  return text_table(columns, rows).text();
}

std::string all_rows_table(const CollectiveAnswer& answer) {
  Columns<CollectiveRow> columns = columns_of(answer, EqualEmbeddings::left_out);
  columns.push_back({"to best", Shown::thousandths, [&](const auto& row) {
                       return row.is_complete() ? ratio_to_best(row, *best_beside(answer, row))
                                                : std::nullopt;
                     }});
  columns.push_back({"", Shown::text, &CollectiveRow::problem});
  return text_table(columns, answer.ranked_rows()).text();
}

/// "swing_latency below 24.3 KiB, bucket from there on".
std::string answer_by_crossovers(const CollectiveAnswer& answer, const CollectiveRow& first,
                                 const std::string& network) {
  std::string text = way_text(answer, answer.way_of(first));
  bool changes = false;
  std::size_t shown = first.way;
  for (const Crossover& crossover : answer.crossovers) {
    if (answer.ways[crossover.from].network == network && !answer.are_equal(shown, crossover.to)) {
      changes = true;
      shown = crossover.to;
      text += fmt::format(" below {}, {}", size_text(crossover.bytes),
                          way_text(answer, answer.ways[crossover.to]));
    }
  }
  return changes ? text + " from there on" : text;
}

/// "swing_latency up to 16 KiB, bucket from 64 KiB on".
std::string answer_by_sizes(const CollectiveAnswer& answer, const CollectiveRow& first,
                            const std::string& network) {
  std::string text = way_text(answer, answer.way_of(first));
  const CollectiveRow* before = &first;
  const CollectiveRow* change = nullptr;
  std::size_t shown = first.way;
  for (const std::uint64_t bytes : answer.sizes) {
    const CollectiveRow* const best = answer.best(network, bytes);
    if (best != nullptr && !answer.are_equal(best->way, shown)) {
      shown = best->way;
      text += fmt::format(" up to {}, {}", size_text(before->bytes),
                          way_text(answer, answer.way_of(*best)));
      change = best;
    }
    before = best != nullptr ? best : before;
  }
  return change != nullptr ? fmt::format("{} from {} on", text, size_text(change->bytes)) : text;
}

std::string answer_under(const CollectiveAnswer& answer, const std::string& network) {
  for (const std::uint64_t bytes : answer.sizes) {
    if (const CollectiveRow* const first = answer.best(network, bytes)) {
      return answer.has_crossovers ? answer_by_crossovers(answer, *first, network)
                                   : answer_by_sizes(answer, *first, network);
    }
  }
  return "nothing completed";
}

/// Whether one way completed under the network and so is faster than none. Others may follow while
/// the report is not complete.
bool ran_alone(const CollectiveAnswer& answer, const std::string& network) {
  if (!answer.is_complete()) {
    return false;
  }
  std::set<std::size_t> ways;
  for (const CollectiveRow& row : answer.rows) {
    if (row.is_complete() && answer.way_of(row).network == network) {
      ways.insert(row.way);
    }
  }
  return ways.size() == 1;
}

std::string answer_lines(const CollectiveAnswer& answer) {
  std::string text;
  for (const std::string& network : answer.networks()) {
    text += fmt::format("{}{}{}: {}\n", ran_alone(answer, network) ? "ran alone" : "fastest",
                        answer.is_complete() ? "" : " so far",
                        network.empty() ? "" : " under " + network, answer_under(answer, network));
  }
  return text;
}

/// ", root 3, 5ns to combine a byte": what the request says of them.
std::string request_words(const CollectiveRequest& request) {
  return (request.root ? fmt::format(", root {}", *request.root) : "") +
         (request.compute.empty() ? "" : fmt::format(", {} to combine a byte", request.compute));
}

std::string title_of(const CollectiveAnswer& answer) {
  const Machine& machine = *answer.machine;
  const std::uint32_t groups = answer.processes / answer.group_size;
  return fmt::format("{} of {}{} on {} ({}): {}\n  {}{}\n", name_of(answer.kind),
                     counted(answer.group_size, "process"),
                     groups == 1
                         ? ""
                         : fmt::format(" over {}, {} at once,", joined(answer.request.over, " x "),
                                       counted(groups, "group")),
                     printable(machine.name), describe(*machine.topology), hop_words(machine),
                     network_words(machine, answer.network_words()), request_words(answer.request));
}

std::string refusal_line(const CollectiveAnswer& answer) {
  const auto refused = static_cast<std::uint64_t>(std::ranges::count_if(
      answer.rows, [](const CollectiveRow& row) { return !row.is_complete(); }));
  return refused == 0 ? ""
                      : fmt::format("{} did not run (--all-rows says why)\n",
                                    counted(refused, "combination"));
}

/// "fair links: at 16 MiB swing_latency takes 3 us, 5.0 % less than bucket (packets of 12 KiB ..)".
std::string fair_line(const CollectiveAnswer& answer) {
  if (!answer.fair) {
    return {};
  }
  const FairRanking& fair = *answer.fair;
  if (!fair.was_tried) {
    return fair_links_not_tried(fair.queued_share);
  }
  if (fair.changes.empty()) {
    return answer.request.check_links ? "fair links: no other algorithm is faster\n" : "";
  }
  return fmt::format("fair links: {}\n", joined(fair.changes, "; ", [&](const FairChange& change) {
                       return fmt::format(
                           "at {} {} takes {}, {} less than {} (packets of {} in turn)",
                           size_text(change.bytes), way_text(answer, answer.ways[change.way]),
                           format_time(change.makespan), percent(change.saving()),
                           way_text(answer, answer.ways[change.best]),
                           size_text(change.packet_bytes));
                     }));
}

/// Says why sizes make no difference.
std::string size_line(const CollectiveAnswer& answer) {
  std::map<std::uint64_t, Ticks> least_times;
  for (const CollectiveRow& row : answer.rows) {
    if (row.is_complete()) {
      Ticks& least = least_times.try_emplace(row.bytes, row.makespan).first->second;
      least = std::min(least, row.makespan);
    }
  }
  const bool is_constant = std::ranges::all_of(least_times, [&](const auto& size_and_time) {
    return size_and_time.second == least_times.begin()->second && size_and_time.second > Ticks{0};
  });
  return least_times.size() > 1 && is_constant
             ? "sizes make no difference, as links have no bandwidth; give them one with --set "
               "/machine/link='{\"latency\": \"1us\", \"bandwidth\": \"50GBps\"}'\n"
             : "";
}

/// Says why a row may be faster than a node can be.
std::string node_line(const CollectiveAnswer& answer) {
  const std::optional<double> bandwidth = exceeded_node_bandwidth(answer);
  return bandwidth ? fmt::format(
                         "busbw above {}, all that a node has: messages inside a node wait for "
                         "nobody, but share its bandwidth in reality; write its processors as "
                         "nodes, such as blocks:switch:8,.. or dgx_h100-8\n",
                         readable_rate(*bandwidth))
                   : "";
}

}  // namespace

std::string collective_text(const CollectiveAnswer& answer, ShownRows rows) {
  std::string text = title_of(answer);
  text += rows == ShownRows::all ? all_rows_table(answer) + "\n" : "";
  text += best_table(answer);
  text += rows == ShownRows::all ? "" : refusal_line(answer);
  return text + answer_lines(answer) + fair_line(answer) + size_line(answer) + node_line(answer);
}

}  // namespace dcube::app
