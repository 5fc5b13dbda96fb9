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
#include "dcube/core/int128.hpp"
#include "dcube/engine/simulator.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/superstep_recorder.hpp"
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

RecordedTraffic record(Scenario& scenario, const RunProgress& progress, std::size_t most_steps) {
  const std::uint32_t processes = scenario.program->guest().process_count();
  TrafficRecorder flows{processes};
  SuperstepRecorder steps{processes};
  ObserverList observers;
  observers.add(flows);
  if (most_steps > 0) {
    observers.add(steps);
  }
  const RunResult result = run_scenario(scenario, observers.observer(), progress, Findings::report);
  refuse_if(result.report.outcome != Outcome::completed, scenario.source,
            "its run ends in {}, so it shows no whole traffic", to_string(result.report.outcome));
  return {flows.traffic(), steps.supersteps(most_steps)};
}

std::string sent_traffic(const RecordedTraffic& recorded) {
  std::string message = sent(recorded.traffic.flows());
  for (const Superstep& step : recorded.supersteps) {
    append_sent(message, step.flows);
    append_sent(message, step.times);
  }
  return message;
}

RecordedTraffic received_traffic(std::uint32_t processes, const std::string& message) {
  ChildReader reader{message};
  RecordedTraffic recorded{{processes, reader.read_list<Flow>()}, {}};
  while (!reader.is_at_end()) {
    std::vector<Flow> flows = reader.read_list<Flow>();
    recorded.supersteps.push_back({std::move(flows), reader.read<std::uint64_t>()});
  }
  return recorded;
}

/// Makespans of a map under so many seeds of the jitter, the scenario's and the next ones. Empty
/// where a run failed.
std::vector<Ticks> times_of(RepeatedRuns& runs, const std::vector<NodeId>& map, Jitter jitter,
                            std::uint32_t seeds) {
  std::vector<Ticks> times;
  for (std::uint32_t i = 0; i < seeds; ++i, ++jitter.seed) {
    const RunReport report = runs.run(map, jitter);
    if (report.outcome != Outcome::completed) {
      return {};
    }
    times.push_back(report.makespan);
  }
  return times;
}

/// Simulates maps in a child, which builds the scenario for the first.
class MapSimulation {
 public:
  MapSimulation(const Scenario& scenario, std::uint32_t seeds)
      : document_{scenario.document},
        source_{scenario.source},
        jitter_{scenario.jitter},
        seeds_{seeds} {}

  std::string operator()(std::string_view request) {
    if (!runs_) {
      runs_ = std::make_shared<RepeatedRuns>(build_scenario(document_, source_));
    }
    std::string answer;
    for (ChildReader maps{request}; !maps.is_at_end();) {
      append_sent(answer, times_of(*runs_, maps.read_list<NodeId>(), jitter_, seeds_));
    }
    return answer;
  }

 private:
  Params document_;
  std::string source_;
  Jitter jitter_;
  std::uint32_t seeds_;
  std::shared_ptr<RepeatedRuns> runs_;
};

/// Simulates maps in children. Each gets several at a time, because a message between processes
/// takes as long as a small simulation.
class ChildSimulator {
 public:
  ChildSimulator(const Scenario& scenario, std::uint32_t seeds, std::size_t at_once,
                 SearchWatch& watch)
      : children_{std::make_shared<ChildPool>(MapSimulation{scenario, seeds})},
        watch_{watch},
        at_once_{at_once} {
    load_simulator();
  }

  std::vector<std::vector<Ticks>> operator()(std::span<const std::vector<NodeId>> maps) {
    return simulate(maps, (maps.size() + at_once_ - 1) / at_once_);
  }

 private:
  std::vector<std::vector<Ticks>> simulate(std::span<const std::vector<NodeId>> maps,
                                           std::size_t of_a_child) {
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (i % of_a_child == 0) {
        requests.emplace_back();
      }
      append_sent(requests.back(), maps[i]);
    }
    BatchLimits limits{.at_once = at_once_, .life = ChildLife::many_jobs};
    if (has_cost_) {
      limits.deadline = watch_.end();
    }
    std::vector<std::vector<Ticks>> times;
    for (const ChildResult& result : children_->run(requests, limits, watch_.interrupt())) {
      if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
        return {};
      }
      const auto own =
          maps.subspan(times.size()).first(std::min(of_a_child, maps.size() - times.size()));
      if (result.end == ChildEnd::finished) {
        for (ChildReader answer{result.output}; !answer.is_at_end();) {
          times.push_back(answer.read_list<Ticks>());
          has_cost_ = has_cost_ || !times.back().empty();
        }
      } else if (own.size() == 1) {
        times.emplace_back();
      } else {  // one of them has ended the child
        const auto each = simulate(own, 1);
        if (each.empty()) {
          return {};
        }
        times.insert(times.end(), each.begin(), each.end());
      }
    }
    return times;
  }

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

/// Rounded down, as the bound is.
std::uint64_t mean_of(std::span<const Ticks> times) {
  UInt128 sum = 0;
  for (const Ticks time : times) {
    sum += static_cast<std::uint64_t>(time.count());
  }
  return static_cast<std::uint64_t>(sum / times.size());
}

CostBound cost_bound(const MakespanBound& bound) {
  return {static_cast<std::uint64_t>(bound.makespan.count()), bound.source};
}

/// The mean of the bounds under each seed, with the source of the first.
std::optional<CostBound> mean_bound_over_seeds(Scenario& scenario, std::uint32_t seeds,
                                               double link_work) {
  const std::vector<MakespanBound> bounds = makespan_bounds_over_seeds(scenario, seeds, link_work);
  if (bounds.empty()) {
    return std::nullopt;
  }
  return CostBound{mean_of(mapped(bounds, [](const MakespanBound& one) { return one.makespan; })),
                   bounds.front().source};
}

/// A name and a map.
Start received_start(const std::string& message) {
  ChildReader reader{message};
  std::string embedding = reader.read_text();
  return {std::move(embedding), reader.read_list<NodeId>()};
}

}  // namespace

std::optional<RecordedTraffic> recorded_traffic(Scenario& scenario, SearchWatch& watch,
                                                std::size_t most_steps) {
  watch.tell({.step = SearchNews::Step::recording});
  if (watch.is_local()) {
    const std::shared_ptr<void> hold = held(watch, *scenario.program);
    return record(scenario, progress_of(watch, scenario), most_steps);
  }
  load_simulator();
  const auto results = run_in_children(
      {[&] { return sent_traffic(record(scenario, {}, most_steps)); }}, BatchLimits{},
      watch.interrupt(), [&](std::size_t) { watch.tell({.step = SearchNews::Step::recording}); });
  const ChildResult& result = results.front();
  if (result.end == ChildEnd::interrupted) {
    return std::nullopt;
  }
  refuse_if(result.end != ChildEnd::finished, scenario.source, "no traffic to place ({})",
            result.problem);
  return received_traffic(scenario.program->guest().process_count(), result.output);
}

std::optional<CostBound> simulated_bound(Scenario& scenario, std::uint32_t seeds, double link_work,
                                         SearchWatch& watch) {
  if (watch.is_local()) {
    const std::shared_ptr<void> hold = held(watch, *scenario.program);
    return mean_bound_over_seeds(scenario, seeds, link_work);
  }
  const auto look = [&] {
    const std::optional<CostBound> least = mean_bound_over_seeds(scenario, seeds, link_work);
    return least ? sent(least->cost, least->source) : std::string{};
  };
  const auto results =
      run_in_children({look}, BatchLimits{}, watch.interrupt(), [](std::size_t) {});
  if (results.front().end == ChildEnd::finished && !results.front().output.empty()) {
    ChildReader message{results.front().output};
    const auto cost = message.read<std::uint64_t>();
    return CostBound{cost, message.read_text()};
  }
  const std::optional<MakespanBound> closed = closed_makespan_bound(scenario);
  return closed ? std::optional{cost_bound(*closed)} : std::nullopt;
}

SimulateTimes simulate_maps(const Scenario& scenario, std::uint32_t seeds, std::size_t at_once,
                            SearchWatch& watch) {
  if (!watch.is_local()) {
    return ChildSimulator{scenario, seeds, at_once, watch};
  }
  const auto all =
      std::make_shared<HeldRuns>(build_scenario(scenario.document, scenario.source), watch);
  return [all, seeds, jitter = scenario.jitter](std::span<const std::vector<NodeId>> maps) {
    return mapped(maps, [&](const auto& map) { return times_of(all->runs, map, jitter, seeds); });
  };
}

Simulate mean_over_seeds(SimulateTimes simulate) {
  return [simulate = std::move(simulate)](std::span<const std::vector<NodeId>> maps) {
    return mapped(simulate(maps), [](const std::vector<Ticks>& times) {
      return times.empty() ? std::nullopt : std::optional{mean_of(times)};
    });
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
