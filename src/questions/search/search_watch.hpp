#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/core/interrupt.hpp"
#include "dcube/questions/search.hpp"

namespace dcube {

/// Ends a search early, on an interrupt or at its time limit, tells how far it is, and remembers
/// when it became better. The listeners must outlive it.
class SearchWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SearchWatch(const SearchListeners& listeners) : listeners_{listeners} {
    if (!is_local()) {
      interrupt_.emplace();
    }
  }

  /// Whether all is simulated in this process.
  bool is_local() const { return listeners_.local_runs.has_value(); }
  const LocalRuns& local_runs() const { return *listeners_.local_runs; }
  /// Watch for interrupts; there is none when is_local().
  const InterruptWatch& interrupt() const { return *interrupt_; }

  void limit(std::optional<std::chrono::nanoseconds> time) {
    end_ = time ? std::optional{Clock::now() + *time} : std::nullopt;
  }
  /// The time limit, where there is one.
  const std::optional<Clock::time_point>& end() const { return end_; }
  /// Instant at which so many parts of the time from now to the limit have passed.
  std::optional<Clock::time_point> end_of_share(std::uint32_t of, std::uint32_t parts = 1) const {
    return end_ ? std::optional{Clock::now() + (*end_ - Clock::now()) * parts / of} : std::nullopt;
  }

  bool is_interrupted() {
    was_interrupted_ = was_interrupted_ || (interrupt_ && interrupt_->has_come()) ||
                       (listeners_.should_stop && listeners_.should_stop());
    return was_interrupted_;
  }
  bool should_stop() { return is_interrupted() || (end_ && Clock::now() >= *end_); }

  void tell(const SearchNews& news) const {
    if (listeners_.on_news) {
      listeners_.on_news(news);
    }
  }

  void begin() {
    start_ = Clock::now();
    history_.clear();
    bounds_.clear();
  }
  /// Keeps when a cost is the best so far.
  void note(std::uint64_t best) {
    if (history_.empty() || best < history_.back().cost) {
      const std::chrono::duration<double> elapsed = Clock::now() - start_;
      history_.push_back({elapsed.count(), best});
    }
  }
  const std::vector<SearchStep>& history() const { return history_; }
  /// Keeps when a bound is the greatest so far.
  void note_bound(std::uint64_t bound) {
    if (bounds_.empty() || bound > bounds_.back().cost) {
      const std::chrono::duration<double> elapsed = Clock::now() - start_;
      bounds_.push_back({elapsed.count(), bound});
    }
  }
  const std::vector<SearchStep>& bounds() const { return bounds_; }

 private:
  const SearchListeners& listeners_;
  std::optional<InterruptWatch> interrupt_;
  std::optional<Clock::time_point> end_;
  Clock::time_point start_ = Clock::now();
  std::vector<SearchStep> history_;
  std::vector<SearchStep> bounds_;
  bool was_interrupted_ = false;
};

/// Without a host computer's messages.
struct RecordedTraffic {
  Traffic traffic;
  std::vector<Superstep> supersteps;  ///< empty where there are too many different ones
};

/// The traffic of a run of the scenario. Throws InputError when the run fails; nothing on an
/// interrupt.
std::optional<RecordedTraffic> recorded_traffic(Scenario& scenario, SearchWatch& watch,
                                                std::size_t most_steps = 0);

/// Bound of the scenario, which has run already: under jitter the mean of those of so many seeds,
/// the scenario's and the next ones. `link_work`: see makespan_bound().
std::optional<CostBound> simulated_bound(Scenario& scenario, std::uint32_t seeds, double link_work,
                                         SearchWatch& watch);

/// Makespans of several maps: of each under every seed of the jitter.
using SimulateTimes =
    std::function<Simulated<std::vector<Ticks>>(std::span<const std::vector<NodeId>>)>;

/// Makespans by simulation, under so many seeds of the jitter: the scenario's and the next ones.
/// Child processes live as long as what is returned, up to `at_once` of them; the time limit ends
/// them too, once a search has a map to keep: the first that completes. Maps begin in their order.
/// `watch` must outlive it.
SimulateTimes simulate_maps(const Scenario& scenario, std::uint32_t seeds, std::size_t at_once,
                            SearchWatch& watch);

Simulate mean_over_seeds(SimulateTimes simulate);

/// How long libscotch may take: `parts` of `of` of the time that is left, if that is limited.
struct ScotchTime {
  std::uint32_t of = 1;
  std::uint32_t parts = 1;
  std::uint32_t at_once = 1;  ///< mappings
};

/// scotch_starts(), each in a child process, because libscotch cannot be stopped early. Returns
/// those that came in time, and nothing after an interrupt. Throws InputError as scotch_starts()
/// does, and a ContractViolation after an interrupt where all is local, whose caller knows better
/// what that means.
std::vector<Start> watched_scotch_starts(const SearchProblem& problem, std::uint64_t seed,
                                         SearchWatch& watch, const ScotchTime& time);

}  // namespace dcube
