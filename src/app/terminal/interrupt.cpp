#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "core/named_temporary.hpp"
#include "dcube/core/interrupt.hpp"
#include "exit_status.hpp"

namespace dcube::app {
namespace {

[[noreturn]] void end_interrupted() {
  remove_named_temporaries(getpid());
  _exit(static_cast<int>(ExitStatus::interrupted));
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
// handler, only a thread that waits for it.
void exit_on_interrupt() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    end_interrupted();
  }).detach();
}

InterruptibleReading::InterruptibleReading() {
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, &before_);
}

InterruptibleReading::~InterruptibleReading() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace dcube::app
