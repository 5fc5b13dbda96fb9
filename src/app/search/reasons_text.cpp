#include "reasons_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/search.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

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

std::string reasons_text(const MapReasons& reasons, std::span<const NodeId> map) {
  std::string text = "why\n";
  if (!reasons.knows_routes) {
    text += "  which links are busiest is unknown: messages draw or choose their routes\n";
  } else if (!reasons.busiest_links.empty()) {
    text += text_table(link_columns(reasons), reasons.busiest_links).text(2);
  }
  if (!reasons.costly_pairs.empty()) {
    text += "\n" + text_table(pair_columns(map), reasons.costly_pairs).text(2);
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
