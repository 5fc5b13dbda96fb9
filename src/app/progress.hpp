#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace dcube::app {

enum class ProgressOutput { off, on_terminal };

/// A line on standard error that says how far the work is: on a terminal only, once it has taken a
/// second, and then ten times a second at most. It is gone when the work is done.
class Progress {
 public:
  Progress(ProgressOutput output, std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `how_far`: "3 of 5 done".
  void show(std::string_view how_far);

 private:
  std::string what_;
  bool is_on_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ = start_ + std::chrono::seconds{1};
};

}  // namespace dcube::app
