#include "search_watch.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "core/child_message.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/simulator.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/traffic_recorder.hpp"

namespace dcube {
namespace {

/// Object that keeps a program from others while it runs in this process; may be null.
std::shared_ptr<void> held(const SearchWatch& watch, const Program& program) {
  return watch.local_runs().hold ? watch.local_runs().hold(program) : nullptr;
}

RunProgress progress_of(const SearchWatch& watch, const Scenario& scenario) {
  return watch.local_runs().progress
             ? watch.local_runs().progress(scenario.program->guest().process_count())
             : RunProgress{};
}

Traffic record(Scenario& scenario, const RunProgress& progress) {
  TrafficRecorder recorder{scenario.program->guest().process_count()};
  const RunResult result = run_scenario(scenario, &recorder, progress, Findings::report);
  refuse_if(result.report.outcome != Outcome::completed, scenario.source,
            "its run ends in {}, so it shows no whole traffic", to_string(result.report.outcome));
  return recorder.traffic();
}

std::optional<std::uint64_t> cost_of_report(const RunReport& report) {
  return report.outcome == Outcome::completed
             ? std::optional{static_cast<std::uint64_t>(report.makespan.count())}
             : std::nullopt;
}

/// Simulates one map after the other in a child, which builds the scenario for the first.
class MapSimulation {
 public:
  MapSimulation(const Params& document, std::string source)
      : document_{document}, source_{std::move(source)} {}

  std::string operator()(std::string_view request) {
    if (!runs_) {
      runs_ = std::make_shared<RepeatedRuns>(build_scenario(document_, source_));
    }
    const auto cost = cost_of_report(runs_->run(ChildReader{request}.read_list<NodeId>()));
    return cost ? sent(*cost) : std::string{};
  }

 private:
  Params document_;
  std::string source_;
  std::shared_ptr<RepeatedRuns> runs_;
};

/// Simulates maps in children.
class ChildSimulator {
 public:
  ChildSimulator(const Scenario& scenario, std::size_t at_once, SearchWatch& watch)
      : children_{std::make_shared<ChildPool>(MapSimulation{scenario.document, scenario.source})},
        watch_{watch},
        at_once_{at_once} {
    load_simulator();
  }

  std::vector<std::optional<std::uint64_t>> operator()(std::span<const std::vector<NodeId>> maps) {
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
      const bool has_completed = result.end == ChildEnd::finished && !result.output.empty();
      costs.push_back(has_completed
                          ? std::optional{ChildReader{result.output}.read<std::uint64_t>()}
                          : std::nullopt);
      has_cost_ = has_cost_ || has_completed;
    }
    return costs;
  }

 private:
  std::shared_ptr<ChildPool> children_;  ///< shared by all copies
  SearchWatch& watch_;
  std::size_t at_once_;
  bool has_cost_ = false;
};

/// Runs of one scenario in this process.
struct HeldRuns {
  HeldRuns(Scenario scenario, const SearchWatch& watch)
      : hold{held(watch, *scenario.program)},
        progress{progress_of(watch, scenario)},
        runs{std::move(scenario)} {
    runs.on_progress(progress);
  }

  std::shared_ptr<void> hold;
  RunProgress progress;
  RepeatedRuns runs;
};

/// The name and the map of each.
Start received_start(const std::string& message) {
  ChildReader reader{message};
  std::string embedding = reader.read_text();
  return {std::move(embedding), reader.read_list<NodeId>()};
}

}  // namespace

std::optional<Traffic> recorded_traffic(Scenario& scenario, SearchWatch& watch) {
  watch.tell({.step = SearchNews::Step::recording});
  if (watch.is_local()) {
    const std::shared_ptr<void> hold = held(watch, *scenario.program);
    return record(scenario, progress_of(watch, scenario));
  }
  load_simulator();
  const auto results = run_in_children(
      {[&] { return sent(record(scenario, {}).flows()); }}, BatchLimits{}, watch.interrupt(),
      [&](std::size_t) { watch.tell({.step = SearchNews::Step::recording}); });
  const ChildResult& result = results.front();
  if (result.end == ChildEnd::interrupted) {
    return std::nullopt;
  }
  refuse_if(result.end != ChildEnd::finished, scenario.source, "no traffic to place ({})",
            result.problem);
  return Traffic{scenario.program->guest().process_count(),
                 ChildReader{result.output}.read_list<Flow>()};
}

std::optional<CostBound> simulated_bound(const Scenario& scenario, double link_work,
                                         SearchWatch& watch) {
  std::optional<MakespanBound> bound;
  if (watch.is_local()) {
    const std::shared_ptr<void> hold = held(watch, *scenario.program);
    bound = makespan_bound(scenario, nullptr, link_work);
  } else {
    const auto look = [&] {
      const std::optional<MakespanBound> least = makespan_bound(scenario, nullptr, link_work);
      return least ? sent(least->makespan, least->source) : std::string{};
    };
    const auto results =
        run_in_children({look}, BatchLimits{}, watch.interrupt(), [](std::size_t) {});
    bound = closed_makespan_bound(scenario);
    if (results.front().end == ChildEnd::finished && !results.front().output.empty()) {
      ChildReader message{results.front().output};
      const auto makespan = message.read<Ticks>();
      bound = MakespanBound{makespan, message.read_text()};
    }
  }
  return bound ? std::optional{CostBound{static_cast<std::uint64_t>(bound->makespan.count()),
                                         bound->source}}
               : std::nullopt;
}

Simulate simulate_maps(const Scenario& scenario, std::size_t at_once, SearchWatch& watch) {
  if (!watch.is_local()) {
    return ChildSimulator{scenario, at_once, watch};
  }
  const auto all =
      std::make_shared<HeldRuns>(build_scenario(scenario.document, scenario.source), watch);
  return [all](std::span<const std::vector<NodeId>> maps) {
    return mapped(maps, [&](const auto& map) { return cost_of_report(all->runs.run(map)); });
  };
}

std::vector<Start> watched_scotch_starts(const SearchProblem& problem, std::uint64_t seed,
                                         SearchWatch& watch, const ScotchTime& time) {
  const std::vector<std::function<Start()>> mappings = scotch_mappings(problem, seed);
  const std::vector<std::function<std::string()>> jobs = mapped(mappings, [](const auto& mapping) {
    return std::function<std::string()>{[&mapping] {
      const Start start = mapping();
      return sent(start.embedding, start.map);
    }};
  });
  const auto partition = [&](const InterruptWatch& interrupt) {
    return run_in_children(
        jobs, {.at_once = time.at_once, .deadline = watch.end_of_share(time.of, time.parts)},
        interrupt, [&](std::size_t) {
          watch.tell({.step = SearchNews::Step::partitioning});
          if (watch.is_local() && watch.is_interrupted()) {
            throw ContractViolation("who has ended the search knows why");
          }
        });
  };
  const auto has_ended = [](ChildEnd end) {
    return [end](const ChildResult& result) { return result.end == end; };
  };
  std::vector<ChildResult> results;
  if (watch.is_local()) {
    do {  // again where the caller has made nothing of the interrupt
      const KeptSignalMask mask;
      const InterruptWatch interrupt;
      results = partition(interrupt);
    } while (std::ranges::any_of(results, has_ended(ChildEnd::interrupted)));
  } else {
    results = partition(watch.interrupt());
  }
  if (std::ranges::any_of(results, has_ended(ChildEnd::interrupted))) {
    return {};
  }
  std::erase_if(results, has_ended(ChildEnd::timed_out));
  return mapped(results,
                [](const ChildResult& result) { return received_start(output_of(result)); });
}

}  // namespace dcube
