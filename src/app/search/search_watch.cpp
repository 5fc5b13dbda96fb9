#include "search_watch.hpp"

#include <algorithm>

namespace dcube::app {

using Clock = std::chrono::steady_clock;

SearchWatch::SearchWatch(const InterruptWatch& interrupt,
                         std::optional<std::chrono::nanoseconds> limit, ProgressOutput output)
    : interrupt_{interrupt} {
  if (limit) {
    end_ = Clock::now() + *limit;
  }
  progress_.emplace(output, "searching");
}

bool SearchWatch::is_interrupted() {
  was_interrupted_ = was_interrupted_ || interrupt_.has_come();
  return was_interrupted_;
}

bool SearchWatch::is_late() const { return end_ && Clock::now() >= *end_; }

std::optional<std::chrono::nanoseconds> SearchWatch::left() const {
  if (!end_) {
    return std::nullopt;
  }
  return std::max(std::chrono::nanoseconds{1},
                  std::chrono::duration_cast<std::chrono::nanoseconds>(*end_ - Clock::now()));
}

void SearchWatch::show(const std::string& how_far) {
  if (progress_) {
    progress_->show(how_far);
  }
}

}  // namespace dcube::app
