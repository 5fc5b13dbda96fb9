#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "core/printable.hpp"
#include "output.hpp"

namespace dcube::app {
namespace {

constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

Progress::Progress(ProgressOutput output, std::string_view what)
    : what_{printable(what)},
      is_on_{output == ProgressOutput::on_terminal && isatty(STDERR_FILENO) != 0} {}

Progress::~Progress() {
  if (is_shown_) {
    print_error(clear_line);
  }
}

void Progress::show(std::string_view how_far) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_on_ || now < next_) {
    return;
  }
  next_ = now + std::chrono::milliseconds{100};
  is_shown_ = true;
  const std::chrono::duration<double> elapsed = now - start_;
  print_error(
      fmt::format("{}{}: {}, {:.0f} s", clear_line, what_, printable(how_far), elapsed.count()));
}

TickingProgress::TickingProgress(ProgressOutput output, std::string_view what)
    : progress_{output, what} {
  if (progress_.is_on()) {
    thread_ = std::jthread{[this](const std::stop_token& stop) { tick(stop); }};
  }
}

void TickingProgress::show(std::string how_far) {
  const std::lock_guard lock{mutex_};
  how_far_ = std::move(how_far);
}

void TickingProgress::tick(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (!stop.stop_requested()) {
    progress_.show(how_far_);
    wake_.wait_for(lock, stop, std::chrono::milliseconds{200}, [] { return false; });
  }
}

}  // namespace dcube::app
