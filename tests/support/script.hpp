#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "draw.hpp"

namespace dcube::testing {

/// A collective of some processes, and its plan expanded for one of them.
struct ScriptCollective {
  /// Sends, then receives and combines; each may be missing. To itself: only combines.
  struct PortStep {
    std::optional<ProcessId> to{};
    std::optional<ProcessId> from{};
    std::uint64_t bytes = 0;  ///< sent
    std::uint32_t combinations = 0;
    bool continues = false;    ///< sends a piece of the message before
    std::uint64_t pieces = 0;  ///< of memory that it sends
  };

  struct Port {
    std::uint32_t tag = 0;  ///< of its messages, among those of the collective
    std::vector<PortStep> steps{};
  };

  std::vector<std::uint32_t> members;
  CollectiveCall call;
  std::vector<Port> ports;
  CollectivePlan::Copied copied_first;
  CollectivePlan::Copied copied_last;
  std::shared_ptr<const void> numbers{};  ///< that the call names
};

/// The plan of the member `rank`, by world ranks.
ScriptCollective expanded(const std::vector<std::uint32_t>& members, const CollectiveCall& call,
                          std::uint32_t rank);

/// Step of a process that only moves data. A request is named by the step that posts it.
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
    test,
    call,   ///< takes part in a collective
    start,  ///< likewise, in the background
    finish  ///< waits for the collective of the step `requests`
  };
  Kind kind = Kind::compute;
  /// compute: duration; wait_any: timeout, 0: none.
  Ticks duration{0};
  ProcessId peer;  ///< receive, post_receive: may be `anyone`
  std::uint64_t bytes = 0;
  ExchangeMode mode = ExchangeMode::rendezvous;
  Tag tag = 0;
  std::vector<std::size_t> requests = {};  ///< those that a wait_any has taken are skipped
  Activity meanwhile = Activity::waiting;  ///< wait_any with a timeout
  SendMode send_mode = SendMode::by_size;  ///< send, post_send
  SendEnd send_end = SendEnd::left;        ///< post_send
  std::shared_ptr<const ScriptCollective> collective = {};
};

/// Result of a step for its process.
struct Observation {
  ProcessId process;
  std::size_t step = 0;
  Ticks time{0};
  /// Step that posted the completed request; on timeout, the number of steps; test: 0 or 1.
  std::size_t request = 0;
  ProcessId source;
  Tag tag = 0;
  std::uint64_t bytes = 0;

  friend auto operator<=>(const Observation&, const Observation&) = default;
};

/// A machine, a map and a script for every process: one case on which simulators must agree.
struct ScriptCase {
  Machine machine;
  std::vector<NodeId> map;
  std::vector<std::vector<Step>> scripts;  ///< of each process
  Jitter jitter{};
  std::string description;  ///< seed and shape, for the message of a failure
};

/// Variety of cases. `plain`: one process a node, and no requests, tags, collectives or receives
/// from anyone, on machines that store and forward whole messages. `all_programs`: all that
/// programs can do, on such machines. `all`: every kind of machine, too.
enum class Extent { plain, all_programs, all };

/// Random topology, costs, duplex, contention, map and programs, with times that make ties
/// frequent. Topologies are those of the catalogue and random graphs of up to 75 nodes, a few
/// complete graphs with more blocks of links than an event has directions, and all these with a
/// host computer. Nodes may have several slots and fewer cores, and large messages may wait for
/// their receivers. Groups take part in collectives, which have all options. One case in eight
/// loses a step and so may deadlock.
ScriptCase random_case(std::uint64_t seed, Extent extent = Extent::all);

/// The machine and map of random_case(). Processes start collectives of random groups, compute and
/// exchange messages meanwhile, and wait for them. One case in eight lacks a call of a process.
ScriptCase random_overlap(std::uint64_t seed);

/// Calls `change` with what each collective says that combining a byte takes.
template <class Change>
void for_each_combining(ScriptCase& scripted, Change change) {
  for (std::vector<Step>& script : scripted.scripts) {
    for (Step& step : script) {
      if (step.collective) {
        ScriptCollective other = *step.collective;
        if (std::optional<ExactTime>& compute = other.call.options.compute) {
          change(*compute);
        }
        step.collective = std::make_shared<const ScriptCollective>(std::move(other));
      }
    }
  }
}

/// Whether a process takes part in a collective, and whether one of them uses several ports, is of
/// unequal sizes or is on a twisted torus.
bool has_calls(const ScriptCase& scripted);
bool has_several_ports(const ScriptCase& scripted);
bool has_uneven_calls(const ScriptCase& scripted);
bool has_twisted_calls(const ScriptCase& scripted);

/// Whether messages may never leave because nobody receives them.
bool has_rendezvous(const ScriptCase& scripted);

/// Runs the script as a program of the engine.
Task<> run_script(Process& process, const std::vector<Step>& script,
                  std::vector<Observation>* observations);

/// The engine's input for a case, which must outlive it.
SimulationInput input_of(const ScriptCase& scripted, Observer* observer,
                         std::vector<Observation>* observations = nullptr);

}  // namespace dcube::testing
