#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/load_summary.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/network/network.hpp"

namespace dcube {

/// How processes run; never changes a result. Actors are SimGrid's. Coroutines, several times as
/// fast and smaller, are run by one actor. `automatic` means coroutines.
enum class Execution { automatic, actors, coroutines };

/// What carries messages. `machine`: its network. `contention_free`, for lower bounds: messages
/// take their LeastTransfer, and every process has a core of its own. A process ends where it would
/// act by the time; another that waits for it in vain ends where its wait began.
enum class Transport { machine, contention_free };

/// Is told now and then, on long runs, how many processes have ended and the simulated time.
using RunProgress = std::function<void(std::uint32_t ended, Ticks time)>;

/// Is told of every message when it is sent, with the stage of its sender (or no_stage).
using SendListener = std::function<void(ProcessId from, ProcessId to, std::uint32_t stage)>;

/// Input of a run. The machine, the map and the observer must outlive it.
struct SimulationInput {
  const Machine& machine;
  std::span<const NodeId> map;  ///< node of each process; no node hosts more than its slots
  /// The program: called once for each process.
  std::function<Task<>(Process&)> body;
  std::uint32_t stage_count = 0;
  Execution execution = Execution::automatic;
  Observer* observer = nullptr;
  RunProgress progress{};
  SendListener on_send{};
  /// Whether the program accounts for endpoint costs and the eager limit by itself.
  bool program_pays_endpoints = false;
  Jitter jitter{};
  Transport transport = Transport::machine;
  /// Whether to report the costs of each stage; see counted_stages_bytes().
  bool counts_stages = false;
};

/// How a run ended. `unreachable`: failures have cut a message off from its destination. The last
/// three are given only by the batch that a run is part of.
enum class Outcome { completed, deadlock, not_verified, unreachable, crashed, timed_out, refused };
/// The word used in results: "completed", "not_verified".
std::string to_string(Outcome outcome);

/// A time over all processes.
struct TimeSummary {
  double total_s = 0;
  double mean_s = 0;
  Ticks max{0};
};

struct StageReport {
  Ticks finish_max{0};
  double waiting_total_s = 0;
};

/// Costs of a stage, over all visits. A process is in a stage until it enters another or ends. A
/// message belongs to the stage its sender is in when sending.
struct StageCosts {
  std::uint64_t iterations = 0;  ///< the most entries of any process
  TimeSummary time;              ///< time of processes in the stage
  /// [Activity] without idle: seconds over all processes.
  std::array<double, activity_count - 1> total_s{};
  std::uint64_t messages = 0, bytes = 0;
  std::uint64_t queued_hops = 0;
  double queued_s = 0;
};

/// A process that can never continue.
struct BlockedProcess {
  ProcessId process;
  ProcessId awaits;  ///< a process, or `anyone`
  Ticks since{0};
  Awaits what = Awaits::message;  ///< message, partner, receiver; nothing: one of several requests
};

/// A link and the messages that crossed it.
struct BusyLink {
  LinkId link;
  std::uint64_t load = 0;
};

/// Messages that two processes exchanged: each sent the other the same number.
struct Exchanged {
  ProcessId process;
  ProcessId partner;
  std::uint64_t bytes = 0;  ///< of each message of `process`
  std::uint64_t messages = 0;
};

/// All measurements of a run.
struct RunReport {
  Outcome outcome = Outcome::completed;
  Ticks makespan{0};
  TimeSummary compute, communication, waiting, endpoint, idle;
  const TimeSummary& time_of(Activity activity) const {
    constexpr std::array times{&RunReport::compute, &RunReport::communication, &RunReport::waiting,
                               &RunReport::endpoint, &RunReport::idle};
    return this->*times.at(static_cast<std::size_t>(activity));
  }
  std::uint64_t waiting_intervals = 0;
  std::uint32_t waiting_processes = 0;
  Ticks longest_wait{0};
  std::uint64_t messages = 0, bytes = 0, hops = 0;
  std::uint64_t queued_hops = 0;
  double queued_s = 0;
  LoadSummary link_load;  ///< messages over each directed link (half duplex: over each link)
  double utilisation_max = 0, utilisation_mean = 0;  ///< busy time / makespan
  LoadSummary node_load;                  ///< messages, or packets, forwarded by each node
  LinkCounters link_counters;             ///< half duplex: see LinkCounters
  std::vector<std::uint64_t> node_loads;  ///< [node]: messages, or packets, forwarded
  /// Up to ten links, by descending load, then ascending number. Half duplex: the lower number.
  std::vector<BusyLink> busiest_links;
  std::vector<StageReport> stages;
  /// [stage], and last the share outside all stages; empty unless the run counts stages. Times plus
  /// idle time add up to the makespan, messages and queues to those of the run.
  std::vector<StageCosts> stage_costs;
  std::vector<Ticks> process_ends;
  std::vector<BlockedProcess> blocked;  ///< after a deadlock or a cut-off
  std::optional<CutOff> cut_off;
  /// Whether a process received from anyone, waited for one of several requests or with a timeout,
  /// tested a request, or asked for the time. Only such a program may depend on when messages
  /// arrive. Collectives of several ports do not count: each port depends on itself alone.
  bool heeds_time = false;
  /// Whether a process waited for a collective of several ports, which it served as messages came.
  bool ports_depend = false;
  bool has_jitter = false;  ///< of computing
  // Contention-free runs only:
  std::vector<Exchanged> exchanges;  ///< ascending
  bool takes_all_messages = false;   ///< every message sent was received
  Execution execution = Execution::coroutines;
  std::uint64_t events = 0;
  double wall_s = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t fingerprint = 0;
};

/// Name of a link in results: "2->3", half duplex "2-3", by the lower of its two numbers.
std::string link_name(const Machine& machine, LinkId link);

/// Runs a program on a machine, on SimGrid. Throws exceptions of the program and the observer, and
/// InputError when simulated time exceeds 63 bits.
///
/// Any number of runs may follow each other in one thread: SimGrid's engine belongs to the thread
/// of the first. A run in another thread or during another run, and a map that puts a process on no
/// node or too many on one, are ContractViolations.
RunReport simulate(const SimulationInput& input);

}  // namespace dcube
