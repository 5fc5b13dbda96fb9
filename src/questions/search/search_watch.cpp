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

using Times = std::vector<Ticks>;
using Maps = std::span<const std::vector<NodeId>>;

/// Makespans of a map under so many seeds of the jitter, the scenario's and the next ones. Nothing
/// where a run failed.
std::optional<Times> times_of(RepeatedRuns& runs, const std::vector<NodeId>& map, Jitter jitter,
                              std::uint32_t seeds) {
  Times times;
  for (std::uint32_t i = 0; i < seeds; ++i, ++jitter.seed) {
    const RunReport report = runs.run(map, jitter);
    if (report.outcome != Outcome::completed) {
      return std::nullopt;
    }
    times.push_back(report.makespan);
  }
  return times;
}

/// Adds what `simulate`, called with the next maps and the instant that ends them, gives. The time
/// limit ends nothing before there is a map to keep.
Simulated<Times> within_limit(Maps maps, SearchWatch& watch, const auto& simulate) {
  Simulated<Times> all;
  const auto take = [&](Maps next, std::optional<SearchWatch::Clock::time_point> end) {
    Simulated<Times> more = simulate(next, end);
    std::ranges::move(more.results, std::back_inserter(all.results));
    all.is_cut_short |= more.is_cut_short;
  };
  const auto rest = [&] { return maps.subspan(all.results.size()); };
  bool has_map = !watch.end() || !watch.history().empty();
  while (!has_map && !rest().empty() && !watch.is_interrupted()) {
    take(rest().first(1), {});
    has_map = all.results.back().has_value();
  }
  if (!rest().empty() && !watch.should_stop()) {
    take(rest(), watch.end());
  }
  all.is_cut_short |= !rest().empty();
  all.results.resize(maps.size());
  return all;
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
      append_sent(answer,
                  times_of(*runs_, maps.read_list<NodeId>(), jitter_, seeds_).value_or(Times{}));
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

/// Simulates maps in children. Each gets several at a time where simulations are small, because a
/// message between processes takes as long; those of a child are lost where it is ended.
class ChildSimulator {
 public:
  ChildSimulator(const Scenario& scenario, std::uint32_t seeds, std::size_t at_once,
                 SearchWatch& watch)
      : children_{std::make_shared<ChildPool>(MapSimulation{scenario, seeds})},
        watch_{watch},
        at_once_{at_once} {
    load_simulator();
  }

  Simulated<Times> operator()(Maps maps) {
    const Clock::time_point begin = Clock::now();
    const std::size_t of_a_child = is_small_ ? (maps.size() + at_once_ - 1) / at_once_ : 1;
    Simulated<Times> times = within_limit(
        maps, watch_, [&](Maps next, const auto& end) { return simulate(next, of_a_child, end); });
    constexpr std::chrono::milliseconds small{1};
    is_small_ = (Clock::now() - begin) * at_once_ < small * maps.size();
    return times;
  }

 private:
  using Clock = SearchWatch::Clock;

  Simulated<Times> simulate(Maps maps, std::size_t of_a_child,
                            const std::optional<Clock::time_point>& end) {
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (i % of_a_child == 0) {
        requests.emplace_back();
      }
      append_sent(requests.back(), maps[i]);
    }
    const BatchLimits limits{.at_once = at_once_, .deadline = end, .life = ChildLife::many_jobs};
    Simulated<Times> all;
    for (const ChildResult& result : children_->run(requests, limits, watch_.interrupt())) {
      const Maps rest = maps.subspan(all.results.size());
      const Maps own = rest.first(std::min(of_a_child, rest.size()));
      if (result.end == ChildEnd::finished) {
        for (ChildReader answer{result.output}; !answer.is_at_end();) {
          Times times = answer.read_list<Ticks>();
          all.results.push_back(times.empty() ? std::nullopt : std::optional{std::move(times)});
        }
      } else if (result.end == ChildEnd::interrupted || result.end == ChildEnd::timed_out) {
        all.is_cut_short = true;
        all.results.resize(all.results.size() + own.size());
      } else if (own.size() == 1) {
        all.results.emplace_back();
      } else {  // one of them has ended the child
        Simulated<Times> each = simulate(own, 1, end);
        all.is_cut_short |= each.is_cut_short;
        std::ranges::move(each.results, std::back_inserter(all.results));
      }
    }
    return all;
  }

  std::shared_ptr<ChildPool> children_;  ///< shared by all copies
  SearchWatch& watch_;
  std::size_t at_once_;
  bool is_small_ = false;  ///< whether the latest simulations took little time
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
  return [all, seeds, jitter = scenario.jitter, &watch](Maps maps) {
    return within_limit(maps, watch, [&](Maps next, const auto& end) {
      Simulated<Times> times;
      for (const std::vector<NodeId>& map : next) {
        if (end && watch.should_stop()) {
          break;
        }
        times.results.push_back(times_of(all->runs, map, jitter, seeds));
      }
      return times;
    });
  };
}

Simulate mean_over_seeds(SimulateTimes simulate) {
  return [simulate = std::move(simulate)](Maps maps) {
    const auto [times, is_cut_short] = simulate(maps);
    return Simulated<std::uint64_t>{mapped(times,
                                           [](const std::optional<Times>& one) {
                                             return one ? std::optional{mean_of(*one)}
                                                        : std::nullopt;
                                           }),
                                    is_cut_short};
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
