#include "search_children.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "engine/simulator.hpp"
#include "runs/child_message.hpp"
#include "search_report.hpp"

namespace dcube::app {
namespace {

struct Figures {
  bool is_completed;
  Ticks makespan;
};

/// Simulates one map after the other in a child, which builds the scenario for the first.
class MapSimulation {
 public:
  MapSimulation(const Params& document, const std::string& source)
      : document_{document}, source_{source} {}

  std::string operator()(std::string_view request) {
    if (!runs_) {
      runs_ = std::make_shared<RepeatedRuns>(build_scenario(document_, source_));
    }
    const RunReport report = runs_->run(ChildReader{request}.read_list<NodeId>());
    return sent(Figures{report.outcome == Outcome::completed, report.makespan});
  }

 private:
  const Params& document_;
  const std::string& source_;
  std::shared_ptr<RepeatedRuns> runs_;
};

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
    : children_{std::make_shared<ChildPool>(MapSimulation{document, source})},
      watch_{watch},
      at_once_{at_once} {
  load_simulator();
}

std::vector<std::optional<std::uint64_t>> Simulator::operator()(
    std::span<const std::vector<NodeId>> maps) {
  const std::vector<std::string> requests =
      mapped(maps, [](const std::vector<NodeId>& map) { return sent(map); });
  BatchLimits limits{.at_once = at_once_, .life = ChildLife::many_jobs};
  if (has_cost_) {
    limits.deadline = watch_.end();
  }
  std::vector<std::optional<std::uint64_t>> costs;
  for (const ChildResult& result : children_->run(requests, limits, watch_.interrupt())) {
    if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
      return {};
    }
    costs.push_back(cost_of_run(result));
    has_cost_ = has_cost_ || costs.back();
  }
  return costs;
}

std::vector<Start> scotch_starts_in_child(const SearchProblem& problem, std::uint64_t seed,
                                          SearchWatch& watch, std::uint32_t share) {
  const auto results = run_in_children({[&] { return sent_starts(scotch_starts(problem, seed)); }},
                                       {.deadline = watch.end_of_share(share)}, watch.interrupt(),
                                       [&](std::size_t) { watch.show("libscotch"); });
  const ChildResult& result = results.front();
  if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
    return {};
  }
  return received_starts(output_of(result));
}

}  // namespace dcube::app
