#include "search_children.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/children/child_figures.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
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
  Setting::List nodes;
  nodes.reserve(map.size());
  for (const NodeId node : map) {
    nodes.emplace_back(Setting::Number{std::to_string(node.index())});
  }
  Params embedding;
  embedding.set("kind", "explicit");
  embedding.set("map", std::move(nodes));
  document.set("embedding", std::move(embedding));
  Scenario scenario = build_scenario(document, source);
  const RunResult result = run_scenario(scenario);
  return sent_figures(Figures{result.report.outcome == Outcome::completed, result.report.makespan});
}

std::optional<std::uint64_t> cost_of_run(const ChildResult& result) {
  if (result.end != ChildEnd::finished) {
    return std::nullopt;
  }
  const auto figures = received_figures<Figures>(result.output);
  return figures.is_completed ? std::optional{static_cast<std::uint64_t>(figures.makespan.count())}
                              : std::nullopt;
}

/// One start after the other: the length of its name, its name, its map.
std::string sent_starts(const std::vector<Start>& starts) {
  std::string message;
  for (const Start& start : starts) {
    message += sent_figures(start.embedding.size()) + start.embedding;
    for (const NodeId node : start.map) {
      message += sent_figures(node);
    }
  }
  return message;
}

std::vector<Start> received_starts(std::string_view message, std::size_t processes) {
  std::vector<Start> starts;
  while (!message.empty()) {
    const auto length = received_figures<std::size_t>(message);
    message.remove_prefix(sizeof length);
    Start start{std::string{message.substr(0, length)}, std::vector<NodeId>(processes)};
    message.remove_prefix(length);
    expects(message.size() >= processes * sizeof(NodeId), "a finished child sends whole maps");
    for (NodeId& node : start.map) {
      node = received_figures<NodeId>(message);
      message.remove_prefix(sizeof node);
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace

Simulator::Simulator(const Params& document, const std::string& source, std::size_t at_once,
                     SearchWatch& watch)
    : document_{document}, source_{source}, watch_{watch}, at_once_{at_once} {}

std::vector<std::optional<std::uint64_t>> Simulator::operator()(
    std::span<const std::vector<NodeId>> maps) {
  std::vector<std::function<std::string()>> jobs;
  for (const std::vector<NodeId>& map : maps) {
    jobs.emplace_back([this, &map] { return simulate(document_, source_, map); });
  }
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
  return received_starts(output_of(result), problem.traffic.process_count());
}

}  // namespace dcube::app
