#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/terminal/interrupt.hpp"
#include "app/terminal/progress.hpp"

namespace dcube::app {

/// What ends a search early, SIGINT or its time limit, and what shows how far it is.
class SearchWatch {
 public:
  SearchWatch(const InterruptWatch& interrupt, std::optional<std::chrono::nanoseconds> limit,
              ProgressOutput output);

  const InterruptWatch& interrupt() const { return interrupt_; }
  bool is_interrupted();
  bool is_late() const;
  bool should_stop() { return is_interrupted() || is_late(); }
  /// Until the limit, where there is one; at least a nanosecond.
  std::optional<std::chrono::nanoseconds> left() const;

  void show(const std::string& how_far);
  bool is_shown() const { return progress_ && progress_->is_on(); }
  /// Clears the line, for what is printed next.
  void end_progress() { progress_.reset(); }

 private:
  const InterruptWatch& interrupt_;
  std::optional<std::chrono::steady_clock::time_point> end_;
  bool was_interrupted_ = false;
  std::optional<Progress> progress_;
};

}  // namespace dcube::app
