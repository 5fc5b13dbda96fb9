#include "dcube/workload/graph_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/mapped.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

bool has_processor(const Schedule& schedule, const Operation& operation) {
  return schedule.rules == GraphRules::loggp || operation.cpu != no_processor;
}

/// Numbers the operations of all processes from 0, with their dependencies. Further numbers are
/// ends of receives with a known message: such a receive starts without it.
class OperationChains {
 public:
  OperationChains(const Schedule& schedule, const Machine& machine)
      : schedule_{schedule}, machine_{machine} {
    for (const std::vector<Operation>& process : schedule.processes) {
      first_.push_back(operations_.size());
      for (const Operation& operation : process) {
        operations_.push_back(&operation);
      }
    }
    waits_.resize(operations_.size());
    followers_.resize(operations_.size());
    match_messages();
    for (std::size_t process = 0; process < schedule.graphs.size(); ++process) {
      for (std::uint32_t i = 0; i < schedule.processes[process].size(); ++i) {
        const std::size_t before = first_[process] + i;
        for (const OperationGraph::Follower& follower : schedule.graphs[process].followers(i)) {
          const std::size_t after = first_[process] + follower.operation();
          if (follower.is_started()) {
            add(before, after, Ticks{0});
          } else {
            add(end_of(before), after, duration(*operations_[before]));
          }
        }
      }
    }
    start_.resize(waits_.size());
  }

  std::optional<Ticks> longest() {
    std::vector<std::size_t> ready = kept(numbered<std::size_t>(operations_.size()),
                                          [&](std::size_t i) { return waits_[i] == 0; });
    Ticks end{0};
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::size_t before = ready[i];
      // Nothing waits for the end of an operation without a resource.
      const bool is_occupied =
          before < operations_.size() && has_processor(schedule_, *operations_[before]);
      end = std::max(end, checked_add(start_[before],
                                      is_occupied ? duration(*operations_[before]) : Ticks{0}));
      for (const Follower& follower : followers_[before]) {
        start_[follower.operation] =
            std::max(start_[follower.operation], checked_add(start_[before], follower.after));
        if (--waits_[follower.operation] == 0) {
          ready.push_back(follower.operation);
        }
      }
    }
    return ready.size() == waits_.size() ? std::optional{end} : std::nullopt;
  }

 private:
  struct Follower {
    std::size_t operation = 0;
    Ticks after{0};  ///< earliest start after that of the other
  };
  struct Ends {
    std::vector<std::size_t> sends;
    std::vector<std::size_t> receives;
  };

  static Ticks duration(const Operation& operation) {
    return operation.kind == Kind::compute ? Ticks{static_cast<Ticks::rep>(operation.amount)}
                                           : Ticks{0};
  }

  void add(std::size_t before, std::size_t after, Ticks time) {
    followers_[before].push_back({after, time});
    ++waits_[after];
  }

  /// Number whose followers are those of the operation's end.
  std::size_t end_of(std::size_t operation) const {
    const auto found = ends_.find(operation);
    return found == ends_.end() ? operation : found->second;
  }

  /// Finds the messages that only one receive can get; this receive ends when they arrive.
  void match_messages() {
    std::map<std::tuple<std::size_t, std::size_t, Tag>, Ends> messages;
    std::vector<bool> is_open(schedule_.processes.size());  // receives from anyone, or any tag
    for (std::size_t process = 0; process < schedule_.processes.size(); ++process) {
      for (std::size_t i = 0; i < schedule_.processes[process].size(); ++i) {
        const Operation& operation = schedule_.processes[process][i];
        const std::size_t number = first_[process] + i;
        if (operation.kind == Kind::send) {
          messages[{process, operation.peer.index(), operation.tag}].sends.push_back(number);
        } else if (operation.kind == Kind::receive) {
          if (operation.peer == anyone || operation.tag == any_tag) {
            is_open[process] = true;
          } else {
            messages[{operation.peer.index(), process, operation.tag}].receives.push_back(number);
          }
        }
      }
    }
    const Ticks before_leaving =
        schedule_.rules == GraphRules::loggp ? machine_.endpoint.send.of(0) : Ticks{0};
    for (const auto& [name, ends] : messages) {
      const auto& [from, to, tag] = name;
      if (from != to && ends.sends.size() == 1 && ends.receives.size() == 1 && !is_open[to]) {
        const std::uint64_t bytes = operations_[ends.sends.front()]->amount;
        const std::size_t end = waits_.size();
        waits_.push_back(0);
        followers_.emplace_back();
        ends_.emplace(ends.receives.front(), end);
        add(ends.receives.front(), end, Ticks{0});
        add(ends.sends.front(), end,
            checked_add(before_leaving, LeastTransfer{machine_, bytes}.time()));
      }
    }
  }

  const Schedule& schedule_;
  const Machine& machine_;
  std::vector<std::size_t> first_;  ///< [process]: its first number
  std::vector<const Operation*> operations_;
  std::map<std::size_t, std::size_t> ends_;  ///< of receives, by operation
  std::vector<std::uint32_t> waits_;
  std::vector<Ticks> start_;
  std::vector<std::vector<Follower>> followers_;
};

/// Longest sum of computations on one processor, which computes one thing at a time.
Ticks busiest_processor(const Schedule& schedule) {
  Ticks most{0};
  for (const std::vector<Operation>& process : schedule.processes) {
    std::map<std::uint8_t, Ticks> busy;
    for (const Operation& operation : process) {
      if (operation.kind == Kind::compute && has_processor(schedule, operation)) {
        Ticks& time = busy[operation.cpu];
        time = checked_add(time, Ticks{static_cast<Ticks::rep>(operation.amount)});
        most = std::max(most, time);
      }
    }
  }
  return most;
}

class Receives {
 public:
  void see(const Operation& operation) {
    switch (operation.kind) {
      case Kind::receive:
        ++taken_;
        break;
      case Kind::post_receive:
        ++taken_;
        is_clear_ = posted_.insert(operation.request).second && is_clear_;
        break;
      case Kind::wait:
        posted_.erase(operation.request);
        break;
      case Kind::wait_all:
        posted_.clear();
        break;
      default:
        break;
    }
  }
  /// Whether they take all `sent` messages, and the process waits for each.
  bool are_all_of(std::uint64_t sent) const {
    return is_clear_ && posted_.empty() && taken_ == sent;
  }

 private:
  std::uint64_t taken_ = 0;
  std::set<std::uint32_t> posted_;  ///< not waited for
  bool is_clear_ = true;            ///< no two requests with one number at a time
};

}  // namespace

ScheduleWork work_of(const Schedule& schedule) {
  ScheduleWork work;
  std::vector<std::uint64_t> sent_to(schedule.processes.size());
  std::vector<Receives> receives(schedule.processes.size());
  for (std::uint32_t process = 0; process < schedule.processes.size(); ++process) {
    Ticks computing{0};
    for (const Operation& operation : schedule.processes[process]) {
      receives[process].see(operation);
      if (operation.kind == Kind::compute) {
        computing = checked_add(computing, Ticks{static_cast<Ticks::rep>(operation.amount)});
      } else if (operation.kind == Kind::send || operation.kind == Kind::post_send) {
        ++sent_to[operation.peer.index()];
        if (operation.peer != ProcessId{process}) {
          work.messages.push_back({ProcessId{process}, operation.peer, operation.amount});
        }
      }
    }
    if (schedule.graphs.empty()) {
      work.most_computing = std::max(work.most_computing, computing);
    }
  }
  work.takes_all_messages = true;
  for (std::size_t process = 0; process < receives.size(); ++process) {
    work.takes_all_messages =
        work.takes_all_messages && receives[process].are_all_of(sent_to[process]);
  }
  return work;
}

std::optional<Ticks> least_time_of_graphs(const Schedule& schedule, const Machine& machine) {
  const std::optional<Ticks> chain = OperationChains{schedule, machine}.longest();
  return chain ? std::optional{std::max(*chain, busiest_processor(schedule))} : std::nullopt;
}

}  // namespace dcube
