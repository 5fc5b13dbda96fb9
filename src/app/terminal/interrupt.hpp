#pragma once

#include <csignal>

namespace dcube::app {

/// The signals that ask a program to end: SIGINT, SIGTERM and SIGHUP, less SIGHUP where `nohup` has
/// this program ignore it.
sigset_t interrupt_signals();

/// Makes every signal that ends this program remove its temporary files first, and an interrupt end
/// it with exit status 130. A full disk and a reader that has gone are noticed where something is
/// written, not by signals. Before any thread is started.
void handle_signals();

/// From now on an interrupt ends this program with exit status 130, whatever a library does to its
/// handlers.
void exit_on_interrupt();

/// Turns an interrupt into something to poll for, as long as it lives; child processes never see
/// it.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Readable once an interrupt has come.
  int descriptor() const { return descriptor_; }
  bool has_come() const;

 private:
  int descriptor_;
};

}  // namespace dcube::app
