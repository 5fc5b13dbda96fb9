#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

/// Collectives of one process that go on while it does other things, as those of MPI_Iallreduce.
///
/// They take their steps whenever the process computes or waits by this object, at the instants at
/// which their messages arrive. A step costs the process what the machine's send and receive
/// overheads and CollectiveOptions::compute say, and nothing else. While the process waits in
/// another way, they rest.
///
/// Overlap makes no process end later than "collective, then compute" where a step costs the
/// process nothing and messages never queue, or each pair of processes has a link of its own and
/// one collective of one port is under way at a time. Collectives that share links or overheads
/// delay each other, and the whole may take longer.
class Background {
 public:
  explicit Background(Process process);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  /// A collective that has been started.
  class Started {
   public:
    Started() = default;

   private:
    friend class Background;
    explicit Started(std::uint64_t number) : number_{number} {}
    std::uint64_t number_ = ~std::uint64_t{0};
  };

  /// When a collective is waited for. `at_once`: the process does nothing else before, so that no
  /// overlap is lost.
  enum class Awaited { later, at_once };

  /// Begins a collective by sizes, with values if `elements` are given, which must outlive it.
  /// Collectives that are under way at once in two common processes need different
  /// CollectiveOptions::tag. Throws InputError when the call is unusable.
  Task<Started> start(Group group, CollectiveCall call, Elements* elements = nullptr,
                      Awaited awaited = Awaited::later);
  /// Whether none is under way.
  bool is_idle() const;
  /// Whether it has taken all its steps.
  bool is_done(Started collective) const;

  /// Process::compute(). Where cores are fewer than processes, collectives rest meanwhile.
  Task<> compute(Ticks duration);
  /// Waits until the collective is done. Each is waited for once.
  Task<> wait(Started collective);
  /// Process::wait_all().
  Task<std::vector<Received>> wait_all(std::vector<Request> requests);
  /// Process::wait_any(), which also ends, as on timeout, when a collective is done. The requests
  /// must outlive it. The process heeds the time.
  Task<Completed> wait_any(std::span<const Request> requests, Ticks until, Activity meanwhile);

 private:
  struct Running;

  struct Event;

  struct Waited;

  Task<Event> next(std::span<const Request> own, std::optional<Ticks> until = {});
  Waited with_those_of_collectives(std::span<const Request> own) const;
  std::pair<Running&, std::size_t> port_of(std::size_t request);
  Task<> serve(Running& running, std::size_t place, const Received& message);
  void tell(const Running& running, Ticks end, Ticks awaited) const;

  Process process_;
  std::vector<std::unique_ptr<Running>> running_;  ///< until waited for
  std::uint64_t started_ = 0;                      ///< number so far
  /// Number of the next computation, for jitter; other computations have small numbers.
  std::uint64_t computation_ = std::uint64_t{1} << 32;
};

}  // namespace dcube
