#pragma once

#include <csignal>
#include <stdexcept>

namespace dcube {

/// Signals that ask a program to end: SIGINT, SIGTERM and, unless it is ignored (`nohup`), SIGHUP.
sigset_t interrupt_signals();

/// Whether `signal` has this disposition in this process.
bool has_disposition(int signal, void (*disposition)(int));

/// Makes interrupts pollable while it lives; child processes never see them.
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

/// An interrupt has come before there was anything to keep. `main` prints it and exits 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Puts the thread's mask of signals back at its end: those that came meanwhile are delivered then.
class KeptSignalMask {
 public:
  KeptSignalMask() { pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
  KeptSignalMask(const KeptSignalMask&) = delete;
  KeptSignalMask& operator=(const KeptSignalMask&) = delete;
  ~KeptSignalMask() { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

 private:
  sigset_t mask_{};
};

}  // namespace dcube
