#include "dcube/core/interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace dcube {

sigset_t interrupt_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!has_disposition(SIGHUP, SIG_IGN)) {
    sigaddset(&signals, SIGHUP);
  }
  return signals;
}

bool has_disposition(int signal, void (*disposition)(int)) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == disposition;
}

InterruptWatch::InterruptWatch() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC);
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "waiting for interrupts");
  }
}

// Signals stay blocked: a pending one must not end the program before results are written.
InterruptWatch::~InterruptWatch() { close(descriptor_); }

bool InterruptWatch::has_come() const {
  pollfd descriptor{descriptor_, POLLIN, 0};
  return poll(&descriptor, 1, 0) > 0;
}

}  // namespace dcube
