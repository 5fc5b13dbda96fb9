#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/activity.hpp"
#include "dcube/engine/process.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Request of a process that is about to yield for it.
struct Action {
  enum class Kind {
    none,
    compute,
    compute_operation,
    compute_each,
    receive,
    receive_any,
    exchange,
    wait,
    wait_all,
    wait_any,
    wait_until,
    test,
    collective,
    start,
    wait_started
  };

  Kind kind = Kind::none;
  const char* call = "";  ///< the name of the function
  Ticks duration{0};      ///< wait_until: the instant
  ExactTime each{};
  std::string operation{};
  std::uint64_t count = 1;
  ProcessId peer{};
  Tag tag = 0;
  Payload payload{};
  ExchangeMode mode = ExchangeMode::rendezvous;
  Activity meanwhile = Activity::waiting;
  std::vector<Request> requests{};
  std::unique_ptr<CollectiveAction> collective{};
  std::uint64_t started = 0;  ///< wait_started: its number
};

/// Answer to the generator of a process for what it has yielded.
struct Answer {
  enum class Kind { nothing, data, received, several, first, truth, started };

  Kind kind = Kind::nothing;
  Payload payload{};                 ///< data
  std::vector<Received> messages{};  ///< received, first: one
  std::size_t index = 0;             ///< first; started: its number
  bool truth = false;
};

/// One process while it runs: what its Python object, the groups made from it and its coroutine
/// share.
class ProcessState {
 public:
  /// The names of its program's stages and the agreements must outlive the process.
  ProcessState(Process& process, std::uint32_t stages, const std::vector<std::string>& stage_names,
               Agreements& agreements)
      : process_{&process}, stages_{stages}, stage_names_{stage_names}, agreements_{agreements} {}

  /// Throws ContractViolation when the process has ended.
  Process& process();
  /// The process, which `call` is made of. Throws ContractViolation, too, when other code than its
  /// own makes it.
  Process& acting(const char* call);
  /// `stage` is a name or a number.
  void enter_stage(const py::object& stage);
  /// Notes what is to be yielded for, and gives the object to yield.
  py::object ask(Action action);
  /// Has the collective that was asked for started only.
  py::object start_asked();

  /// Takes the action that was asked for. Throws ContractViolation when there is none.
  Action take_action(py::handle yielded);
  /// Throws ContractViolation when something has been asked for and not yielded.
  void expect_nothing_asked(const char* before) const;
  void end() { process_ = nullptr; }

  /// The process whose code runs now.
  static ProcessState* running;

 private:
  Process* process_;
  std::uint32_t stages_;
  const std::vector<std::string>& stage_names_;
  Agreements& agreements_;
  Agreements::Calls calls_;
  Action action_;
};

/// A process as Python code sees it.
struct ProcessView {
  std::shared_ptr<ProcessState> state;

  /// Where a message goes; the engine checks the rank.
  ProcessId destination(std::uint32_t rank) const { return ProcessId{rank}; }
  /// The process of that rank. Throws ContractViolation, with what the process `does`.
  ProcessId peer(std::uint32_t rank, const char* does) const;
  Group members() const { return state->process().world(); }

  static GroupKey key() { return key_of_world; }
};

/// The object that all awaitable calls return. Needs the lock.
py::object awaitable();

/// A message of an object. `bytes` may be None: then those of an array, of a number of numpy or of
/// bytes, none of None, or as many as the pickled object has. Arrays are copied. Needs the lock.
Payload payload_of(const py::object& data, const py::object& bytes);
/// The data that payload_of() was given; None where the message has only a size. Needs the lock.
py::object data_of(Payload& payload);
/// Needs the lock.
py::object object_of(Answer& answer);

}  // namespace dcube::python
