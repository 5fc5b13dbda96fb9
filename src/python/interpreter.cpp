#include "interpreter.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <thread>

#include "dcube/core/errors.hpp"
#include "dcube/scenario/machines.hpp"

namespace dcube::python {
namespace {

// Read and written by whoever holds the interpreter's lock.
bool has_engine = false;
bool is_running = false;
/// Unlike its number, this does not pass to a later thread. A child process has one thread, which
/// gets it.
thread_local bool is_engine_thread = false;

/// SimGrid's engine, when it is made, takes over signals. Python's handlers come back.
void make_engine() {
  constexpr std::array signals{SIGINT, SIGTERM, SIGSEGV, SIGABRT};
  std::array<struct sigaction, signals.size()> handlers{};
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals.at(i), nullptr, &handlers.at(i));
  }
  const std::shared_ptr<const Machine> machine = load_machine("ring:2");
  const std::array<NodeId, 1> map{NodeId{0}};
  simulate({.machine = *machine, .map = map, .body = [](Process&) -> Task<> { co_return; }});
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals.at(i), &handlers.at(i), nullptr);
  }
}

/// Threads that are in C++ code for a caller in Python. Read and written by whoever holds the
/// interpreter's lock.
std::multiset<unsigned long> busy;
/// The thread that ends the interpreter, or 0.
std::atomic<unsigned long> ending_thread{0};

/// Waits until no other thread is busy in C++ code; at most this long, because a program of Python
/// may wait for something that never comes.
void wait_for_others() {
  constexpr std::chrono::seconds longest{10};
  constexpr std::chrono::milliseconds turn{5};
  constexpr int patience = 40;
  for (int turns = 1; !busy.empty() && turns * turn < longest; ++turns) {
    if (turns % patience == 0) {  // a thread's own code may not end, either
      for (const unsigned long thread : busy) {
        PyThreadState_SetAsyncExc(thread, PyExc_SystemExit);
      }
    }
    const py::gil_scoped_release to_others;
    std::this_thread::sleep_for(turn);
  }
}

}  // namespace

Unlocked::Unlocked() {
  if (is_late()) {
    end_thread();
  }
  busy.insert(PyThread_get_thread_ident());
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  PyEval_RestoreThread(state_);
  busy.erase(busy.find(PyThread_get_thread_ident()));
}

bool Unlocked::is_late() {
  const unsigned long ending = ending_thread.load(std::memory_order_relaxed);
  return ending != 0 && ending != PyThread_get_thread_ident();
}

void Unlocked::end_thread() {
  PyErr_SetNone(PyExc_SystemExit);
  throw py::error_already_set();
}

void Unlocked::wait_at_exit() {
  py::module_::import("atexit").attr("register")(py::cpp_function{[] {
    ending_thread = PyThread_get_thread_ident();
    wait_for_others();
  }});
  // A child process has the thread alone that forked.
  pthread_atfork(nullptr, nullptr, [] {
    std::erase_if(busy, [](unsigned long thread) { return thread != PyThread_get_thread_ident(); });
    is_engine_thread = has_engine;
  });
}

Turn::Turn() {
  if (is_running) {
    throw ContractViolation(
        is_engine_thread
            ? "a simulation is asked for during a simulation; make one after the other"
            : "another thread is simulating; make one simulation after the other, or each in a "
              "process of its own (multiprocessing)");
  }
  if (!has_engine) {
    has_engine = is_engine_thread = true;
    make_engine();
  } else if (!is_engine_thread) {
    throw ContractViolation(
        "the first simulation was made in another thread, and SimGrid's engine belongs to that; "
        "make all of them in one thread, or in processes of their own (multiprocessing)");
  }
  is_running = true;
}

Turn::~Turn() { is_running = false; }

RunProgress Watch::of_run(std::uint32_t processes) {
  return [this, processes](std::uint32_t ended, Ticks time) {
    look([&] { return py::make_tuple(ended, processes, time.count()); });
  };
}

}  // namespace dcube::python
