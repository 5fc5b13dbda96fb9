#include "subcubes_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/terminal/json_values.hpp"
#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_listed = 32;

/// Half of a number, such as M: "3" or "3.5".
std::string halves(std::uint32_t twice) {
  return fmt::format("{}{}", twice / 2, twice % 2 != 0 ? ".5" : "");
}

std::string how_found(const SubcubesAnswer& report) {
  if (report.method == "given") {
    return "mapping given";
  }
  const SubcubeSearchResult& result = report.result;
  const bool is_exhaustive = report.method == "exhaustive";
  std::string text =
      fmt::format("method    {} over {} mappings, ", report.method, to_string(report.kind));
  text += is_exhaustive
              ? counted(result.tried, "partial mapping")
              : fmt::format("seed {}, {}", report.seed,
                            counted(result.tried, report.method == "random" ? "mapping" : "move"));
  if (!result.is_complete) {
    text += ", interrupted";
  }
  return text;
}

std::string quality(const SubcubesAnswer& report) {
  std::string text = fmt::format("bandwidth {}", grouped(report.result.bandwidth));
  if (report.random_bandwidth.value_or(0) > 0) {
    text += fmt::format(", {} of a random mapping's {}",
                        percent(static_cast<double>(report.result.bandwidth) /
                                static_cast<double>(*report.random_bandwidth)),
                        grouped(*report.random_bandwidth));
  }
  const std::optional<double> gap = report.gap();
  const bool meets_bound = gap && *gap == 0;
  if (report.result.is_optimal || meets_bound) {
    const std::string which =
        report.kind == MappingKind::any ? "mapping" : to_string(report.kind) + " mapping";
    return text +
           fmt::format("; no {} has less{}", which, meets_bound ? " (it meets the bound)" : "");
  }
  return gap ? text + fmt::format("; at most {} above the optimum (bound {})", percent(*gap),
                                  grouped(report.bound))
             : text;
}

std::string left_out_text(const SubcubeProblem& problem, bool full) {
  const std::span<const NodeId> nodes = problem.left_out();
  if (nodes.empty()) {
    return "";
  }
  const std::size_t listed = full ? nodes.size() : std::min<std::size_t>(nodes.size(), most_listed);
  return fmt::format(
      "  left out  {} of the cube, which the machine cannot use: {}{}\n",
      counted(nodes.size(), "node"), fmt::join(nodes.first(listed), " "),
      listed < nodes.size() ? fmt::format(" .. and {} more (--full)", nodes.size() - listed) : "");
}

std::string tasks_table(const SubcubesAnswer& report, bool full) {
  const std::vector<MappedTask> tasks = mapped_tasks(report);
  const auto listed = first_of(tasks, full ? tasks.size() : most_listed);
  return text_table(task_columns(), listed).text(2) +
         (listed.size() < tasks.size()
              ? fmt::format("  .. and {} more (--full)\n", tasks.size() - listed.size())
              : "");
}

/// Mappings simulated on one kind of links.
struct Simulated {
  const char* links;
  Correlation correlation;
  std::string least;
  std::uint64_t bandwidth;  ///< of the mapping with the least makespan
  std::string of_least_bandwidth;
};

std::string simulation_text(const SubcubeSimulation& simulation) {
  std::vector<Simulated> rows;
  const auto add = [&](const char* links, const Correlation& correlation,
                       std::optional<double> SimulatedMapping::*makespan) {
    std::vector<SimulatedMapping> all = simulation.mappings;
    std::erase_if(all, [&](const SimulatedMapping& mapping) { return !(mapping.*makespan); });
    if (!all.empty()) {
      const auto time = [&](const SimulatedMapping& mapping) { return *(mapping.*makespan); };
      const TimeScale scale{mapped(all, time)};
      const SimulatedMapping& fastest = *std::ranges::min_element(all, {}, time);
      rows.push_back(
          {links, correlation, scale.text(time(fastest)), fastest.bandwidth,
           scale.text(time(*std::ranges::min_element(all, {}, &SimulatedMapping::bandwidth)))});
    }
  };
  add("one message at a time", simulation.contended, &SimulatedMapping::contended_s);
  add("never queueing", simulation.uncontended, &SimulatedMapping::uncontended_s);
  const Columns<Simulated> columns{
      {"links", Shown::text, &Simulated::links},
      {"Pearson", Shown::thousandths, [](const auto& row) { return row.correlation.pearson; }},
      {"Spearman", Shown::thousandths, [](const auto& row) { return row.correlation.spearman; }},
      {"least makespan", Shown::figure, &Simulated::least},
      {"of bandwidth", Shown::count, &Simulated::bandwidth},
      {"makespan of least bandwidth", Shown::figure, &Simulated::of_least_bandwidth}};
  return fmt::format("\nbandwidth against makespan: {} simulated on {}\n{}",
                     counted(simulation.mappings.size(), "mapping"), simulation.machine,
                     text_table(columns, rows).text(2));
}

// --- JSON ---

using nlohmann::ordered_json;

Columns<ConjectureCheck> conjecture_columns() {
  return {
      {"d", Shown::figure, &ConjectureCheck::subcube_dimensions, "subcube"},
      {"n", Shown::figure, &ConjectureCheck::cube_dimensions, "dimensions"},
      {"packings", Shown::count, &ConjectureCheck::packings, "packings"},
      {"by one", Shown::count, &ConjectureCheck::by_one, "by_one"},
      {"by a mixture", Shown::count, &ConjectureCheck::by_mixture, "by_mixture"},
      {"", Shown::nowhere,
       [](const auto& check) { return check.holds() ? CellValue{true} : CellValue{}; }, "holds"},
      {"conjecture", Shown::text, [](const auto& check) {
         return check.holds()
                    ? "holds for every task graph"
                    : fmt::format("undecided: {}", fmt::join(texts(*check.undecided), " "));
       }}};
}

}  // namespace

std::string subcube_text(const SubcubesAnswer& report, bool full) {
  const SubcubeProblem& problem = report.problem;
  const SubcubeMetrics metrics = measure_subcubes(problem, report.result.mapping);
  std::string text = fmt::format("{}: {}, {}, on {}-cubes of a {}-cube\n", printable(report.source),
                                 counted(problem.task_count(), "task"),
                                 counted(problem.graph().flows().size(), "message"),
                                 problem.subcube_dimensions(), problem.cube_dimensions());
  text += left_out_text(problem, full);
  text += fmt::format("  {}\n  {}\n", how_found(report), quality(report));
  text += fmt::format("  distances {:.3f} between partners, {:.3f} between subcubes, at most {}\n",
                      metrics.node_distance, metrics.subcube_distance, metrics.diameter);
  text += fmt::format("  subcubes  {}; greatest common frontier of {}\n\n",
                      metrics.is_parallel ? "parallel" : "not parallel",
                      counted(metrics.common_frontier, "dimension"));
  text += tasks_table(report, full);
  return report.simulation ? text + simulation_text(*report.simulation) : text;
}

std::string pair_text(const Subcube& a, const Subcube& b) {
  std::string text = fmt::format("{} and {}\n", a.text(), b.text());
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<36}{}\n", what, value);
  };
  line("Hamming distance H", std::to_string(hamming_distance(a, b)));
  if (a.dimensions() == b.dimensions()) {
    line("average distance of partners M", halves(twice_mean_distance(a, b)));
    line("total distance of partners T", grouped(pairing_distance(a, b)));
  } else {
    line("partners", "none (the subcubes differ in size)");
  }
  line("largest distance of nodes", std::to_string(largest_distance(a, b)));
  line("frontier of the first", frontier(a, b).text());
  line("frontier of the second", frontier(b, a).text());
  line("parallel", are_parallel(a, b) ? "yes" : "no");
  line("nodes in common", hamming_distance(a, b) == 0 ? "yes" : "no");
  return text;
}

std::string conjecture_text(const std::vector<ConjectureCheck>& checks) {
  return "Is the best parallel mapping of d-cubes in an n-cube the best of all mappings?\n"
         "A packing is a set of subcubes that are not parallel and to which none can be added.\n"
         "Packings are counted up to symmetry. One parallel mapping, or a mixture of several, is\n"
         "as short as a packing everywhere for so many of them:\n\n" +
         text_table(conjecture_columns(), checks).text(2);
}

std::string pair_json(const Subcube& a, const Subcube& b) {
  ordered_json json{{"first", a.text()},
                    {"second", b.text()},
                    {"H", hamming_distance(a, b)},
                    {"M", nullptr},
                    {"T", nullptr},
                    {"largest_distance", largest_distance(a, b)},
                    {"frontiers", {frontier(a, b).text(), frontier(b, a).text()}},
                    {"parallel", are_parallel(a, b)},
                    {"disjoint", hamming_distance(a, b) > 0}};
  if (a.dimensions() == b.dimensions()) {
    json["M"] = twice_mean_distance(a, b) / 2.0;
    json["T"] = pairing_distance(a, b);
  }
  return json_layout(json);
}

std::string conjecture_json(const std::vector<ConjectureCheck>& checks) {
  ordered_json json = json_rows<ordered_json>(conjecture_columns(), checks);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    json[i]["undecided"] =
        checks[i].holds() ? ordered_json(nullptr) : ordered_json(texts(*checks[i].undecided));
  }
  return json_layout(json);
}

}  // namespace dcube::app
