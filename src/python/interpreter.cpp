#include "interpreter.hpp"

#include <array>
#include <csignal>
#include <memory>

#include "dcube/core/errors.hpp"
#include "dcube/scenario/machines.hpp"

namespace dcube::python {
namespace {

// Read and written by whoever holds the interpreter's lock.
bool has_engine = false;
bool is_running = false;
/// Unlike its number, this does not pass to a later thread. A child process inherits it.
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

}  // namespace

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
