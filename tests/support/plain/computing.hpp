#pragma once

// Computations of the plain simulator, and the cores of nodes that they need.

#include "actors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/random.hpp"

namespace dcube::testing {

class PlainComputing : public PlainActors {
 protected:
  using PlainActors::PlainActors;

  /// Begins a computation; false while the process waits for a core.
  bool compute(ProcessId p, Ticks duration) {
    PlainActor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    if (duration > Ticks{0}) {
      duration = varied(p, duration, actor.computations++);
    }
    if (duration > Ticks{0} && case_.machine.node.cores) {
      actor.wants_core = duration;
      actor.blocked_since = now_;
    } else {
      run(p, duration);
    }
    return true;
  }

  /// Up to the jitter's part more or less.
  Ticks varied(ProcessId p, Ticks duration, std::uint64_t number) const {
    const auto most = static_cast<std::int64_t>(static_cast<UInt128>(duration.count()) *
                                                case_.jitter.part / Jitter::whole);
    const auto values = static_cast<std::uint64_t>(2 * most + 1);
    const auto of_run =
        static_cast<std::int64_t>(bounded(hash_of(case_.jitter.seed), values)) - most;
    const auto own =
        static_cast<std::int64_t>(bounded(hash_of(case_.jitter.seed, p.index(), number), values)) -
        most;
    const std::int64_t sum = of_run + own;
    return duration + Ticks{sum >= 0 ? sum / 2 : -((1 - sum) / 2)};  // rounded down
  }

  /// Whether the processes of the node are more than its cores.
  bool has_scarce_cores(ProcessId p) const {
    return case_.machine.node.cores &&
           std::ranges::count(case_.map, case_.map[p.index()]) > *case_.machine.node.cores;
  }

  /// The cores of each node go to those that were ready first.
  bool serve_cores() {
    std::map<NodeId, std::vector<std::pair<Ticks, ProcessId>>> ready;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      if (actors_[p].wants_core) {
        ready[case_.map[p]].emplace_back(actors_[p].blocked_since, ProcessId{p});
      }
    }
    bool is_served = false;
    for (auto& [node, processes] : ready) {
      std::ranges::sort(processes);
      std::vector<std::pair<Ticks, ProcessId>>& cores = core_ends_[node];
      for (const auto& [since, p] : processes) {
        std::ranges::sort(cores);
        const bool is_new = cores.size() < *case_.machine.node.cores;
        if (!is_new && cores.front().first > now_) {
          break;
        }
        const Ticks duration = *std::exchange(actors_[p.index()].wants_core, std::nullopt);
        const ProcessId before = is_new ? p : cores.front().second;
        if (!is_new) {
          cores.erase(cores.begin());
        }
        cores.emplace_back(now_ + duration, p);
        note(p, Activity::waiting, since, now_, before, std::nullopt, Awaits::core);
        run(p, duration);
        is_served = true;
      }
    }
    return is_served;
  }

 private:
  void run(ProcessId p, Ticks duration) {
    PlainActor& actor = actors_[p.index()];
    if (!actor.serving && !actor.calling) {
      ++actor.step;
    }
    occupy(p, Activity::compute, duration, p, std::nullopt);
  }

  std::map<NodeId, std::vector<std::pair<Ticks, ProcessId>>> core_ends_;  ///< and who has them
};

}  // namespace dcube::testing
