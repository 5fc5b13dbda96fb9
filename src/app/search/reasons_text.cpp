#include "reasons_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/search.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/show/text_table.hpp"

namespace dcube::app {
namespace {

std::string link_name(const SearchProblem& problem, const CrossedLink& link) {
  return fmt::format("{}{}{}", link.from.index(),
                     problem.sharing == LinkSharing::directed ? "->" : "-", link.to.index());
}

std::string flow_words(const CrossedLink& link) {
  std::string text = joined(link.heaviest, ", ", [](const CrossingFlow& flow) {
    return fmt::format("{}->{} ({})", flow.from.index(), flow.to.index(), grouped(flow.bytes));
  });
  return link.flows > link.heaviest.size()
             ? fmt::format("{} and {} more", text, grouped(link.flows - link.heaviest.size()))
             : text;
}

std::string links_table(const MapReasons& reasons, const SearchProblem& problem) {
  const bool has_times =
      !reasons.busiest_links.empty() && reasons.busiest_links.front().time_ps.has_value();
  std::vector<Table::Column> columns{
      {"busiest link", Table::Align::left}, {"bytes"}, {"times the mean"}};
  if (has_times) {
    columns.push_back({"time"});
  }
  columns.push_back({"who crosses it (bytes)", Table::Align::left});
  Table table{columns};
  for (const CrossedLink& link : reasons.busiest_links) {
    std::vector<std::string> row{link_name(problem, link), grouped(link.bytes),
                                 fmt::format("{:.2f}", link.of_mean)};
    if (has_times) {
      row.push_back(readable_seconds(static_cast<double>(*link.time_ps) * 1e-12));
    }
    row.push_back(flow_words(link));
    table.add_row(std::move(row));
  }
  return table.text(2);
}

std::string pairs_table(const MapReasons& reasons, std::span<const NodeId> map) {
  Table table{{{"costliest pair", Table::Align::left},
               {"nodes", Table::Align::left},
               {"bytes"},
               {"hops"},
               {"of all hop-bytes"}}};
  for (const CostlyPair& pair : reasons.costly_pairs) {
    table.add_row(
        {fmt::format("{} and {}", pair.process.index(), pair.other.index()),
         fmt::format("{}, {}", map[pair.process.index()].index(), map[pair.other.index()].index()),
         grouped(pair.bytes), grouped(pair.hops), percent(pair.share)});
  }
  return table.text(2);
}

/// "61.2 % of the bytes at 1 hop, ..".
std::string distance_words(const MapReasons& reasons) {
  double all = 0;
  for (const std::uint64_t bytes : reasons.bytes_apart) {
    all += static_cast<double>(bytes);
  }
  std::vector<std::string> words;
  double rest = 0;
  constexpr std::size_t most_listed = 5;
  for (std::size_t hops = 0; hops < reasons.bytes_apart.size(); ++hops) {
    const double share = static_cast<double>(reasons.bytes_apart[hops]) / std::max(all, 1.0);
    if (hops < most_listed && share > 0) {
      words.push_back(
          fmt::format("{} {}", percent(share), hops == 0 ? "inside nodes" : counted(hops, "hop")));
    } else {
      rest += share;
    }
  }
  if (rest > 0) {
    words.push_back(fmt::format("{} farther", percent(rest)));
  }
  return joined(words, ", ", [](const std::string& one) { return one; });
}

/// "1.238 hops a byte", "3.69 us".
std::string amount(const MeasuredObjective& measured, std::uint64_t cost) {
  return cost_text(measured.problem, cost);
}

/// The bound of all maps, and by how much this one is above it.
std::string bound_words(const MeasuredObjective& measured) {
  const CostBound& bound = measured.bounds.front();
  const std::string found =
      fmt::format("{}: {}", to_string(measured.problem.objective), amount(measured, measured.cost));
  if (measured.cost <= bound.cost) {
    return fmt::format("{}, and no map has less ({})", found, bound.source);
  }
  const std::string gap =
      bound.cost == 0
          ? ""
          : fmt::format(
                ", {} above",
                percent(static_cast<double>(measured.cost) / static_cast<double>(bound.cost) - 1));
  return fmt::format("{}{}; no map has less than {} ({})", found, gap, amount(measured, bound.cost),
                     bound.source);
}

}  // namespace

std::string reasons_text(const MapReasons& reasons, const SearchProblem& problem,
                         std::span<const NodeId> map) {
  std::string text = "why\n";
  if (!reasons.knows_routes) {
    text += "  which links are busiest is unknown: messages draw or choose their routes\n";
  } else if (!reasons.busiest_links.empty()) {
    text += links_table(reasons, problem);
  }
  if (!reasons.costly_pairs.empty()) {
    text += "\n" + pairs_table(reasons, map);
  }
  text += fmt::format("\n  distances: {}\n", distance_words(reasons));
  for (const LosingProcess& one : reasons.losing) {
    text += fmt::format(
        "  process {} on node {} loses {} hop-bytes: it has {}, on its nearest nodes {}\n",
        one.process.index(), map[one.process.index()].index(), grouped(one.hop_bytes - one.least),
        grouped(one.hop_bytes), grouped(one.least));
  }
  text += "\n";
  for (const MeasuredObjective& measured : reasons.measured) {
    text += fmt::format("  {}\n", bound_words(measured));
  }
  return text;
}

}  // namespace dcube::app
