#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/terminal/progress.hpp"
#include "dcube/core/params.hpp"
#include "dcube/search/search.hpp"
#include "runs/child_batch.hpp"
#include "runs/interrupt.hpp"

namespace dcube::app {

/// From so many seconds on, a map of this cost was known.
struct SearchStep {
  double wall_s = 0;
  std::uint64_t cost = 0;
};

/// Ends a search early, on SIGINT or at its time limit, shows how far it is, and remembers
/// when it became better.
class SearchWatch {
 public:
  SearchWatch(const InterruptWatch& interrupt, std::optional<std::chrono::nanoseconds> limit,
              ProgressOutput output)
      : interrupt_{interrupt}, progress_{std::in_place, output, "searching"} {
    if (limit) {
      end_ = Clock::now() + *limit;
    }
  }

  const InterruptWatch& interrupt() const { return interrupt_; }
  bool is_interrupted() {
    was_interrupted_ = was_interrupted_ || interrupt_.has_come();
    return was_interrupted_;
  }
  bool is_late() const { return end_ && Clock::now() >= *end_; }
  bool should_stop() { return is_interrupted() || is_late(); }
  /// The time limit, where there is one.
  const std::optional<std::chrono::steady_clock::time_point>& end() const { return end_; }

  /// When one part in `share` of the time from now to the limit will have passed.
  std::optional<std::chrono::steady_clock::time_point> end_of_share(std::uint32_t share) const {
    return end_ ? std::optional{Clock::now() + (*end_ - Clock::now()) / share} : std::nullopt;
  }

  void show(const std::string& how_far) {
    if (progress_) {
      progress_->show(how_far);
    }
  }
  bool is_shown() const { return progress_ && progress_->is_on(); }

  /// Begins the history of a search whose cost no map brings below `bound`.
  void begin(std::uint64_t bound) {
    start_ = Clock::now();
    bound_ = bound;
    history_.clear();
  }
  std::uint64_t bound() const { return bound_; }
  /// Keeps when a cost is the best so far.
  void note(std::uint64_t best) {
    if (history_.empty() || best < history_.back().cost) {
      const std::chrono::duration<double> elapsed = Clock::now() - start_;
      history_.push_back({elapsed.count(), best});
    }
  }
  const std::vector<SearchStep>& history() const { return history_; }

  /// Clears the line, for what is printed next.
  void end_progress() { progress_.reset(); }

 private:
  using Clock = std::chrono::steady_clock;

  const InterruptWatch& interrupt_;
  std::optional<Clock::time_point> end_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t bound_ = 0;
  std::vector<SearchStep> history_;
  bool was_interrupted_ = false;
  std::optional<Progress> progress_;
};

/// Costs by simulation in child processes, which live as long as it does: the Simulate of a
/// SearchProblem. The referenced values must outlive it.
class Simulator {
 public:
  /// `document`: of the scenario, which stands in `source`.
  Simulator(const Params& document, const std::string& source, std::size_t at_once,
            SearchWatch& watch);

  /// The time limit ends simulations too, once there is a map to keep.
  std::vector<std::optional<std::uint64_t>> operator()(std::span<const std::vector<NodeId>> maps);

 private:
  std::shared_ptr<ChildPool> children_;  ///< of all copies
  SearchWatch& watch_;
  std::size_t at_once_;
  bool has_cost_ = false;
};

/// Runs scotch_starts() in a child process, because libscotch cannot be stopped early. Returns
/// nothing after SIGINT, or when one part in `share` of the time that is left has passed. Throws
/// InputError as scotch_starts() does.
std::vector<Start> scotch_starts_in_child(const SearchProblem& problem, std::uint64_t seed,
                                          SearchWatch& watch, std::uint32_t share);

}  // namespace dcube::app
