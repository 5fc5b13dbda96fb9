#pragma once

#include <csignal>

namespace dcube {

/// The signals that ask a program to end: SIGINT, SIGTERM and SIGHUP, less SIGHUP where `nohup` has
/// this program ignore it.
sigset_t interrupt_signals();

/// Whether that is what this process does with the signal.
bool has_disposition(int signal, void (*disposition)(int));

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

}  // namespace dcube
