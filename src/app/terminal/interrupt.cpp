#include "interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "core/named_temporary.hpp"
#include "exit_status.hpp"

namespace dcube::app {
namespace {

[[noreturn]] void end_interrupted() {
  remove_named_temporaries(getpid());
  _exit(static_cast<int>(ExitStatus::interrupted));
}

bool has_disposition(int signal, void (*disposition)(int)) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == disposition;
}

bool is_interrupt(int signal) {
  const sigset_t signals = interrupt_signals();
  return sigismember(&signals, signal) == 1;
}

void end_by(int signal) {
  if (is_interrupt(signal)) {
    end_interrupted();
  }
  remove_named_temporaries(getpid());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

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

void handle_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGABRT, SIGBUS, SIGFPE,
                           SIGSEGV, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    if (has_disposition(signal, SIG_DFL)) {  // not ignored, no sanitizer's
      std::signal(signal, end_by);
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// SimGrid installs a SIGINT handler of its own, which exits with 1. A blocked signal reaches no
// handler, only who waits for it.
void exit_on_interrupt() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    end_interrupted();
  }).detach();
}

InterruptWatch::InterruptWatch() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC);
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "waiting for interrupts");
  }
}

// The signals stay blocked: one that came meanwhile must not end the program before it has written
// what it finished.
InterruptWatch::~InterruptWatch() { close(descriptor_); }

bool InterruptWatch::has_come() const {
  pollfd descriptor{descriptor_, POLLIN, 0};
  return poll(&descriptor, 1, 0) > 0;
}

}  // namespace dcube::app
