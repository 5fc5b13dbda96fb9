#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"

namespace dcube::testing {

/// One step of a process that only moves data about. Requests are named by the steps that post
/// them.
struct Step {
  enum class Kind {
    compute,
    send,
    receive,
    exchange,
    post_send,
    post_receive,
    wait_all,
    wait_any,
    test
  };
  Kind kind = Kind::compute;
  /// compute; wait_any: how long it waits at most, or for ever when 0.
  Ticks duration{0};
  ProcessId peer;  ///< receive, post_receive: perhaps `anyone`
  std::uint64_t bytes = 0;
  ExchangeMode mode = ExchangeMode::rendezvous;
  Tag tag = 0;
  std::vector<std::size_t> requests = {};  ///< those of which wait_any took one are skipped
  Activity meanwhile = Activity::waiting;  ///< wait_any for a time
  SendMode send_mode = SendMode::by_size;  ///< send, post_send
};

/// What a process learned from a step.
struct Observation {
  ProcessId process;
  std::size_t step = 0;
  Ticks time{0};
  /// The step that posted what is complete, or the number of steps when the time was over; test: 1
  /// when it is.
  std::size_t request = 0;
  ProcessId source;
  Tag tag = 0;
  std::uint64_t bytes = 0;

  friend auto operator<=>(const Observation&, const Observation&) = default;
};

/// A machine, a placement and what every process does: one case for the simulators to agree on.
struct ScriptCase {
  Machine machine;
  std::vector<NodeId> map;
  std::vector<std::vector<Step>> scripts;  ///< of each process
  Jitter jitter{};
  std::string description;  ///< seed and shape, for the message of a failure
};

/// What cases are made of. `plain`: one process a node, and no requests, tags or receives from
/// anyone, on machines that store and forward whole messages. `all_programs`: everything that
/// programs can do, on such machines. `all`: every kind of machine, too.
enum class Extent { plain, all_programs, all };

/// What the seed stands for: topology, costs, duplex, contention, placement and programs, with
/// times that make ties frequent. Topologies are those of the catalogue and random graphs of up to
/// 75 nodes, a few complete graphs with more blocks of links than an event has directions, and all
/// these with a host computer. Nodes may have several slots and fewer cores, and large messages may
/// wait for their receivers. One case in eight loses a step and so may deadlock.
ScriptCase random_case(std::uint64_t seed, Extent extent = Extent::all);

/// Whether there may be messages that never leave, because nobody receives them.
bool has_rendezvous(const ScriptCase& scripted);

/// Runs the script as a program of the engine.
Task<> run_script(Process& process, const std::vector<Step>& script,
                  std::vector<Observation>* observations);

/// The engine's input for a case, which must outlive it.
SimulationInput input_of(const ScriptCase& scripted, Observer* observer,
                         std::vector<Observation>* observations = nullptr);

}  // namespace dcube::testing
