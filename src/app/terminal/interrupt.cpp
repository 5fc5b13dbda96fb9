#include "interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "exit_status.hpp"

namespace dcube::app {
namespace {

sigset_t interrupt_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

// SimGrid installs a SIGINT handler of its own, which exits with 1. A blocked signal reaches no
// handler, only who waits for it.
void exit_on_interrupt() {
  const sigset_t signals = interrupt_signal();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    std::_Exit(static_cast<int>(ExitStatus::interrupted));
  }).detach();
}

InterruptWatch::InterruptWatch() {
  const sigset_t signals = interrupt_signal();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC);
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
}

// SIGINT stays blocked: one that came meanwhile must not end the program before it has written what
// it finished.
InterruptWatch::~InterruptWatch() { close(descriptor_); }

bool InterruptWatch::has_come() const {
  pollfd descriptor{descriptor_, POLLIN, 0};
  return poll(&descriptor, 1, 0) > 0;
}

}  // namespace dcube::app
