#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace dcube::app {

enum class ProgressOutput { off, on_terminal };

/// A line on standard error that says how far the work is: on a terminal only, once it has taken a
/// second, and then ten times a second at most. It is gone when the work is done.
class Progress {
 public:
  Progress(ProgressOutput output, std::string_view what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `how_far`: "3 of 5 done".
  void show(std::string_view how_far);
  bool is_on() const { return is_on_; }

 private:
  std::string what_;
  bool is_on_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ = start_ + std::chrono::seconds{1};
};

/// A Progress that goes on counting seconds by itself while the work says nothing. It runs a
/// thread, so it is not for work that forks.
class TickingProgress {
 public:
  TickingProgress(ProgressOutput output, std::string_view what);

  /// Sets the text to show from now on.
  void show(std::string how_far);

 private:
  void tick(const std::stop_token& stop);

  Progress progress_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string how_far_ = "started";
  std::jthread thread_;  ///< last, so that it ends first
};

}  // namespace dcube::app
