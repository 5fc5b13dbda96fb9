#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "dcube/engine/process.hpp"

namespace dcube {
class Observer;
}

namespace dcube::detail {

/// Clocks for a process that works at several ports at once, as collectives do. The steps at each
/// port have an order of their own and need nothing from another port. Taking up messages as they
/// come changes only the order of the steps.
///
/// So the process does not heed the time (see RunReport). In a contention-free run every port has a
/// clock of its own, as if the others cost no time: the order of messages then does not matter, and
/// no run is faster at any port. The cost of all ports together is counted.
class PortClocks {
 public:
  explicit PortClocks(const Process& process)
      : process_{process}, begin_{process.now_for_the_record()}, end_{begin_} {}

  /// Gives each of so many ports a core of its own, so that each has a clock in any run. What one
  /// computes in the mean is counted then, and the rest of the time as the endpoint's. Returns
  /// whether they lacked clocks.
  bool begin_cores(std::size_t ports);
  /// Call where the process works at several ports in turn: a change may then save more time than
  /// a chain of causes tells.
  void let_ports_depend();
  /// Call before a port takes its first step.
  void begin_port();
  /// Call after the steps that a port takes at once.
  void end_steps() { end_ = std::max(end_, process_.now_for_the_record()); }
  /// Waits for the first of the ports' receives. Its port then continues at its own time.
  Process::WaitAny wait_any(std::span<const Request> requests);
  /// Call when all ports are done.
  void end();

  // For more ports than one object knows.

  /// Whether each port has a clock in this run, as in contention-free ones.
  static bool are_apart(const Process& process);
  /// Whether ports rest while the process computes: their clocks are apart, or cores are scarce.
  static bool rest_meanwhile(const Process& process);
  /// Sets the process's clock to that of a port, where these are apart.
  static void go_to(const Process& process, Ticks time);
  /// Requests of ports, and of each the stage to which the cost of receiving belongs (null: that of
  /// the process).
  struct Requests {
    std::span<const Request> requests;
    const std::uint32_t* stages = nullptr;
  };
  /// wait_any() with a timeout: until then, the process computes.
  static Process::WaitAny compute_until(const Process& process, const Requests& requests,
                                        Ticks until);
  /// Waits for the first of the ports' receives.
  static Process::WaitAny wait_any(const Process& process, const Requests& requests);
  /// Process::wait_any(), of which the process heeds the time.
  static Process::WaitAny wait_any(const Process& process, const Requests& requests, Ticks until,
                                   Activity meanwhile);
  /// What the process has paid for the message of a wait.
  static Ticks cost_of_receiving(const Process& process, const Received& message);

  /// The stage that the process is in, or no_stage.
  static std::uint32_t stage_of(const Process& process);
  /// Work of the process that belongs to another stage than the one which it is in.
  class OtherStage {
   public:
    OtherStage(const Process& process, std::uint32_t stage);
    OtherStage(const OtherStage&) = delete;
    OtherStage& operator=(const OtherStage&) = delete;
    ~OtherStage();

   private:
    const Process& process_;
    Ticks begin_;
    std::uint32_t own_;
  };
  /// Whether receiving costs, and somebody asks for its stages.
  static bool tells_stages_of_costs(const Process& process);
  /// Who is to hear of background work, or null. Clocks that are apart have no order to tell.
  static Observer* observer(const Process& process);
  /// Number of messages that the process has sent.
  static std::uint32_t send_count(const Process& process);

 private:
  const Process& process_;
  Ticks begin_;
  Ticks end_;
};

}  // namespace dcube::detail
