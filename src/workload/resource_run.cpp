#include "resource_run.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/collective/background.hpp"
#include "dcube/collective/collective.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

/// An operation whose requirements are all done since `time`.
struct Ready {
  Ticks time;
  std::uint32_t operation = 0;

  friend bool operator>(const Ready& a, const Ready& b) {
    return std::tie(a.time, a.operation) > std::tie(b.time, b.operation);
  }
};
using ReadyQueue = std::priority_queue<Ready, std::vector<Ready>, std::greater<>>;

class ResourceRun {
 public:
  ResourceRun(Process& process, const ResourceSchedule& resources)
      : process_{process},
        resources_{resources},
        operations_{resources.schedule.processes[process.rank().index()]},
        graph_{resources.schedule.graphs[process.rank().index()]},
        missing_{graph_.missing()},
        ready_since_(operations_.size(), Ticks{0}),
        eager_limit_{resources.endpoint.eager_limit_bytes.value_or(
            std::numeric_limits<std::uint64_t>::max())},
        background_{process} {
    for (const Operation& operation : operations_) {
      if (operation.interface > collective_networks_.size()) {
        collective_networks_.resize(operation.interface);
      }
    }
  }

  /// Handles events in order of time: before anything of a later instant, all arrivals up to now
  /// are taken. Only a collective passes time unseen; all its events come after those handled.
  Task<> run() {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (missing_[i] == 0) {
        ready_.push({Ticks{0}, i});
      }
    }
    bool may_have_arrived = false;
    while (done_ < operations_.size()) {
      if (may_have_arrived) {
        gather_requests();
        Completed completed = co_await wait_any(process_.now(), Activity::waiting);
        may_have_arrived = completed.index < requests_.size();
        if (may_have_arrived) {
          hear(completed);
        }
        if (co_await finish_collectives()) {
          may_have_arrived = true;
        }
        continue;
      }
      if (!ready_.empty() && ready_.top().time <= process_.now()) {
        const Ready next = ready_.top();
        ready_.pop();
        may_have_arrived = start(next);
        continue;
      }
      if (!sending_ && !network_.empty()) {
        const std::uint32_t next = network_.top().operation;
        network_.pop();
        may_have_arrived = true;
        const Operation& operation = operations_[next];
        if (operation.kind == Kind::send) {
          send(next);
        } else {
          co_await run_scheduled(process_, resources_.schedule.collectives[operation.amount],
                                 resources_.settings, tag_of_collective(operation.amount));
          finish(next, process_.now());
        }
        continue;
      }
      if (CollectiveNetwork* const network = network_to_start()) {
        may_have_arrived = true;
        co_await start_collective(*network);
        continue;
      }
      gather_requests();
      const Ticks until = next_instant();
      expects(!requests_.empty() || !background_.is_idle() || until < Ticks::max(),
              "operations of a graph do not wait for each other in a circle");
      Completed completed =
          co_await wait_any(until, until == Ticks::max() ? Activity::waiting : activity());
      if (completed.index < requests_.size()) {
        hear(completed);
        may_have_arrived = true;
      }
      if (co_await finish_collectives()) {
        may_have_arrived = true;
      }
    }
    while (next_instant() < Ticks::max()) {
      co_await process_.wait_any({}, next_instant(), activity());
    }
  }

 private:
  /// Returns whether something unknown may have arrived.
  bool start(const Ready& ready) {
    const Operation& operation = operations_[ready.operation];
    ready_since_[ready.operation] = ready.time;
    switch (operation.kind) {
      case Kind::receive:
        receives_.push_back(
            {process_.post_receive(operation.peer, operation.tag), ready.operation});
        return true;
      case Kind::send:
        // Followers of the send may be ready at this very instant, too.
        if (!sending_ && network_.empty()) {
          send(ready.operation);
          return true;
        }
        [[fallthrough]];
      case Kind::collective:
        if (operation.interface > 0) {
          collective_networks_[operation.interface - 1U].waiting.push(ready);
        } else {
          network_.push(ready);
        }
        return false;
      default:
        compute(ready);
        return false;
    }
  }

  void compute(const Ready& ready) {
    const Operation& operation = operations_[ready.operation];
    const Ticks duration =
        process_.varied(Ticks{static_cast<Ticks::rep>(operation.amount)}, ready.operation);
    if (operation.cpu >= free_.size()) {
      finish(ready.operation, checked_add(ready.time, duration));
      return;
    }
    Ticks& free = free_[operation.cpu];
    free = checked_add(std::max(free, ready.time), duration);
    finish(ready.operation, free);
  }

  void send(std::uint32_t operation) {
    const Operation& sent = operations_[operation];
    if (sent.amount <= eager_limit_ || sent.peer == process_.rank()) {
      process_.send(sent.peer, Payload::of_size(sent.amount), sent.tag);
      finish(operation, process_.now());
    } else {
      sending_ =
          Posted{process_.post_send(sent.peer, Payload::of_size(sent.amount), sent.tag), operation};
    }
  }

  /// Network of collectives in the background.
  struct CollectiveNetwork {
    ReadyQueue waiting;
    std::optional<std::pair<Background::Started, std::uint32_t>> running;  ///< its operation
  };

  /// Of the idle networks, that of the collective that could have started first.
  CollectiveNetwork* network_to_start() {
    CollectiveNetwork* first = nullptr;
    for (CollectiveNetwork& network : collective_networks_) {
      if (!network.running && !network.waiting.empty() &&
          (first == nullptr || first->waiting.top() > network.waiting.top())) {
        first = &network;
      }
    }
    return first;
  }

  Task<> start_collective(CollectiveNetwork& network) {
    const std::uint32_t next = network.waiting.top().operation;
    network.waiting.pop();
    const std::uint64_t number = operations_[next].amount;
    MemberCall member = member_call(process_, resources_.schedule.collectives[number],
                                    resources_.settings, tag_of_collective(number));
    const Background::Started started =
        co_await background_.start(std::move(member.group), member.call);
    network.running.emplace(started, next);
    co_await finish_collectives();
  }

  /// Returns whether one is done.
  Task<bool> finish_collectives() {
    bool is_some_done = false;
    for (CollectiveNetwork& network : collective_networks_) {
      if (network.running && background_.is_done(network.running->first)) {
        const auto [done, operation] = *std::exchange(network.running, std::nullopt);
        co_await background_.wait(done);
        finish(operation, process_.now());
        is_some_done = true;
      }
    }
    co_return is_some_done;
  }

  Task<Completed> wait_any(Ticks until, Activity meanwhile) {
    if (background_.is_idle()) {
      co_return co_await process_.wait_any(requests_, until, meanwhile);
    }
    co_return co_await background_.wait_any(requests_, until, meanwhile);
  }

  void gather_requests() {
    requests_.clear();
    for (const Posted& receive : receives_) {
      requests_.push_back(receive.request);
    }
    if (sending_) {
      requests_.push_back(sending_->request);
    }
  }
  void hear(const Completed& completed) {
    if (completed.index == receives_.size()) {
      const std::uint32_t sent = sending_->operation;
      sending_.reset();
      finish(sent, process_.now());
      return;
    }
    const auto posted = receives_.begin() + static_cast<std::ptrdiff_t>(completed.index);
    const std::uint32_t received = posted->operation;
    receives_.erase(posted);
    const std::uint64_t bytes = completed.message.payload.size_bytes();
    const bool is_free = resources_.endpoint.receive_time(bytes) == Ticks{0};
    finish(received,
           is_free ? std::max(ready_since_[received], completed.message.arrival) : process_.now());
  }

  void finish(std::uint32_t operation, Ticks time) {
    ++done_;
    for (const OperationGraph::Follower& follower : graph_.followers(operation)) {
      Ticks& since = ready_since_[follower.operation()];
      since = std::max(since, time);
      if (--missing_[follower.operation()] == 0) {
        ready_.push({since, follower.operation()});
      }
    }
  }

  /// When an operation may start next, or a processor becomes free.
  Ticks next_instant() const {
    Ticks next = ready_.empty() ? Ticks::max() : ready_.top().time;
    for (const Ticks free : free_) {
      if (free > process_.now()) {
        next = std::min(next, free);
      }
    }
    return next;
  }
  Activity activity() const {
    return std::ranges::max(free_) > process_.now() ? Activity::compute : Activity::waiting;
  }

  struct Posted {
    Request request;
    std::uint32_t operation = 0;
  };

  Process& process_;
  ResourceSchedule resources_;
  const std::vector<Operation>& operations_;
  const OperationGraph& graph_;
  std::vector<std::uint32_t> missing_;  ///< [operation]: requirements left
  /// [operation]: when its last known requirement was done.
  std::vector<Ticks> ready_since_;
  std::uint64_t eager_limit_;
  std::size_t done_ = 0;
  ReadyQueue ready_;
  ReadyQueue network_;  ///< operations that wait for network 0
  Background background_;
  std::vector<CollectiveNetwork> collective_networks_;        ///< 1, 2, ..
  std::array<Ticks, no_processor> free_{Ticks{0}, Ticks{0}};  ///< when each processor becomes free
  std::vector<Posted> receives_;   ///< without a message, in the order of posting
  std::optional<Posted> sending_;  ///< above the eager limit, not yet left
  std::vector<Request> requests_;  ///< of the present wait
};

}  // namespace

Task<> run_resources(Process& process, ResourceSchedule resources) {
  ResourceRun run{process, resources};
  co_await run.run();
}

}  // namespace dcube
