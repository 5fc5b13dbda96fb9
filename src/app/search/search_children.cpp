#include "search_children.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/children/child_batch.hpp"
#include "app/children/child_message.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "search_report.hpp"

namespace dcube::app {
namespace {

struct Figures {
  bool is_completed;
  Ticks makespan;
};

std::string simulate(Params document, const std::string& source, const std::vector<NodeId>& map) {
  Params embedding;
  embedding.set("kind", "explicit");
  embedding.set("map", mapped(map, [](NodeId node) {
                  return Setting{Setting::Number{std::to_string(node.index())}};
                }));
  document.set("embedding", std::move(embedding));
  Scenario scenario = build_scenario(document, source);
  const RunResult result = run_scenario(scenario, nullptr, {}, Findings::report);
  return sent(Figures{result.report.outcome == Outcome::completed, result.report.makespan});
}

std::optional<std::uint64_t> cost_of_run(const ChildResult& result) {
  if (result.end != ChildEnd::finished) {
    return std::nullopt;
  }
  const auto figures = ChildReader{result.output}.read<Figures>();
  return figures.is_completed ? std::optional{static_cast<std::uint64_t>(figures.makespan.count())}
                              : std::nullopt;
}

/// The name and the map of each.
std::string sent_starts(const std::vector<Start>& starts) {
  std::string message;
  for (const Start& start : starts) {
    message += sent(start.embedding, start.map);
  }
  return message;
}

std::vector<Start> received_starts(const std::string& message) {
  std::vector<Start> starts;
  for (ChildReader reader{message}; !reader.is_at_end();) {
    std::string embedding = reader.read_text();
    starts.push_back({std::move(embedding), reader.read_list<NodeId>()});
  }
  return starts;
}

}  // namespace

Simulator::Simulator(const Params& document, const std::string& source, std::size_t at_once,
                     SearchWatch& watch)
    : document_{document}, source_{source}, watch_{watch}, at_once_{at_once} {}

std::vector<std::optional<std::uint64_t>> Simulator::operator()(
    std::span<const std::vector<NodeId>> maps) {
  const auto jobs = mapped(maps, [this](const std::vector<NodeId>& map) {
    return std::function<std::string()>{[this, &map] { return simulate(document_, source_, map); }};
  });
  BatchLimits limits{.at_once = at_once_, .timeout = std::nullopt};
  if (has_cost_) {
    limits.timeout = watch_.left();
  }
  std::vector<std::optional<std::uint64_t>> costs;
  for (const ChildResult& result :
       run_in_children(jobs, limits, watch_.interrupt(), [](std::size_t) {})) {
    if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
      return {};
    }
    costs.push_back(cost_of_run(result));
    has_cost_ = has_cost_ || costs.back();
  }
  return costs;
}

std::vector<Start> scotch_starts_in_child(const SearchProblem& problem, std::uint64_t seed,
                                          SearchWatch& watch) {
  const auto results = run_in_children({[&] { return sent_starts(scotch_starts(problem, seed)); }},
                                       {.at_once = 1, .timeout = watch.left()}, watch.interrupt(),
                                       [&](std::size_t) { watch.show("libscotch"); });
  const ChildResult& result = results.front();
  if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
    return {};
  }
  return received_starts(output_of(result));
}

}  // namespace dcube::app
