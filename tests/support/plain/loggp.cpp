#include "loggp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>

namespace dcube::testing {
namespace {

using Kind = PlainOperation::Kind;

/// The place of what an operation names by an int, in which -1 is anyone.
constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

class PlainRun {
 public:
  PlainRun(const PlainSchedule& schedule, const LogGp& costs)
      : schedule_{schedule}, costs_{costs}, ranks_(schedule.size()) {}

  std::vector<std::int64_t> run() {
    std::vector<std::pair<int, int>> free;
    for (int rank = 0; rank < static_cast<int>(schedule_.size()); ++rank) {
      ranks_[at(rank)].missing.resize(schedule_[at(rank)].size());
      for (int i = 0; i < static_cast<int>(schedule_[at(rank)].size()); ++i) {
        ++unfinished_;
        ranks_[at(rank)].missing[at(i)] =
            static_cast<int>(schedule_[at(rank)][at(i)].requires_of.size());
        if (ranks_[at(rank)].missing[at(i)] == 0) {
          free.emplace_back(rank, i);
        }
      }
    }
    enter(free, 0);
    while (!events_.empty()) {
      const Event event = *events_.begin();
      events_.erase(events_.begin());
      handle(event);
    }
    std::vector<std::int64_t> ends;
    for (const Rank& rank : ranks_) {
      ends.push_back(rank.last_busy);
    }
    return ends;
  }
  /// Whether nothing waits for ever.
  bool is_done() const { return unfinished_ == 0; }

 private:
  using Free = std::vector<std::pair<int, int>>;  ///< rank and operation
  enum class What { start, done, arrival };
  struct Event {
    std::int64_t time, place;
    int rank, index;
    What what;
    int sender = 0;

    bool operator<(const Event& other) const {
      return std::tie(time, place) < std::tie(other.time, other.place);
    }
  };
  struct Message {
    int sender, operation;
  };
  struct Rank {
    std::map<int, std::int64_t> cpu, send_nic, receive_nic;
    std::vector<int> missing;
    std::vector<Message> unexpected;
    std::vector<int> posted;
    std::int64_t last_busy = 0;
  };

  void busy(int rank, int cpu, std::int64_t until) {
    std::int64_t& free = ranks_[at(rank)].cpu[cpu];
    free = std::max(free, until);
    ranks_[at(rank)].last_busy = std::max(ranks_[at(rank)].last_busy, until);
  }

  /// It comes back with its old place.
  bool comes_back(const Event& event, std::int64_t free) {
    if (free <= event.time) {
      return false;
    }
    Event later = event;
    later.time = free;
    events_.insert(later);
    return true;
  }

  /// All that one event frees.
  void enter(Free& free, std::int64_t now) {
    std::ranges::sort(free, {}, [&](const std::pair<int, int>& of) {
      const Kind kind = schedule_[at(of.first)][at(of.second)].kind;
      return std::tuple{of.first,
                        kind == Kind::send      ? 0
                        : kind == Kind::receive ? 1
                                                : 2,
                        of.second};
    });
    for (const auto& [rank, i] : free) {
      const PlainOperation& operation = schedule_[at(rank)][at(i)];
      const bool is_receive = operation.kind == Kind::receive;
      const std::int64_t time =
          is_receive ? std::max(now, ranks_[at(rank)].cpu[operation.cpu]) : now;
      events_.insert({time, next_++, rank, i, What::start});
    }
  }
  void let_in(int rank, int i, Free& free) {
    if (--ranks_[at(rank)].missing[at(i)] == 0) {
      free.emplace_back(rank, i);
    }
  }
  /// `done` is when the cpu is free of it.
  void release(int rank, int operation, bool starts, bool ends, std::int64_t now, std::int64_t done,
               Free& free) {
    bool are_all = true;
    const auto& operations = schedule_[at(rank)];
    for (int i = 0; i < static_cast<int>(operations.size()); ++i) {
      for (const auto& [before, only_started] : operations[at(i)].requires_of) {
        if (before != operation || !(only_started ? starts : ends)) {
          continue;
        }
        if (only_started || done <= now || operations[at(i)].cpu == operations[at(operation)].cpu) {
          let_in(rank, i, free);
        } else {
          are_all = false;
        }
      }
    }
    unfinished_ -= ends ? 1 : 0;
    if (!are_all) {
      events_.insert({done, next_++, rank, operation, What::done});
    }
  }

  const PlainOperation& sent(const Message& message) const {
    return schedule_[at(message.sender)][at(message.operation)];
  }
  bool suits(const PlainOperation& receive, const Message& message) const {
    return (receive.peer < 0 || receive.peer == message.sender) &&
           (receive.tag < 0 || receive.tag == sent(message).tag);
  }
  void matched(int rank, int receive, const Message& message, bool starts, std::int64_t now,
               std::int64_t done, Free& free) {
    const PlainOperation& send = sent(message);
    if (send.amount > costs_.S) {
      busy(message.sender, send.cpu, now);
      std::int64_t& nic = ranks_[at(message.sender)].send_nic[send.nic];
      nic = std::max(nic, now);
      release(message.sender, message.operation, false, true, now, now, free);
    }
    release(rank, receive, starts, true, now, done, free);
  }

  void handle(const Event& event) {
    Free free;
    switch (event.what) {
      case What::done:
        for (int i = 0; i < static_cast<int>(schedule_[at(event.rank)].size()); ++i) {
          for (const auto& [before, only_started] : schedule_[at(event.rank)][at(i)].requires_of) {
            if (before == event.index && !only_started &&
                schedule_[at(event.rank)][at(i)].cpu !=
                    schedule_[at(event.rank)][at(event.index)].cpu) {
              let_in(event.rank, i, free);
            }
          }
        }
        break;
      case What::arrival:
        arrive(event, free);
        break;
      case What::start:
        start(event, free);
        break;
    }
    enter(free, event.time);
  }
  void arrive(const Event& event, Free& free) {
    const std::int64_t now = event.time;
    Rank& rank = ranks_[at(event.rank)];
    const Message message{event.sender, event.index};
    const PlainOperation& send = sent(message);
    if (comes_back(event, std::max(rank.cpu[send.cpu], rank.receive_nic[send.nic]))) {
      return;
    }
    const std::int64_t more = std::max<std::int64_t>(send.amount - 1, 0);
    const std::int64_t done = now + costs_.o + std::max(more * costs_.O, more * costs_.G);
    busy(event.rank, send.cpu, done);
    rank.receive_nic[send.nic] = now + costs_.g + more * costs_.G;
    const auto posted = std::ranges::find_if(rank.posted, [&](int receive) {
      return suits(schedule_[at(event.rank)][at(receive)], message);
    });
    if (posted == rank.posted.end()) {
      rank.unexpected.push_back(message);
      return;
    }
    const int receive = *posted;
    rank.posted.erase(posted);
    matched(event.rank, receive, message, false, now, done, free);
  }
  void start(const Event& event, Free& free) {
    const std::int64_t now = event.time;
    Rank& rank = ranks_[at(event.rank)];
    const PlainOperation& operation = schedule_[at(event.rank)][at(event.index)];
    if (operation.kind == Kind::calc) {
      if (comes_back(event, rank.cpu[operation.cpu])) {
        return;
      }
      const std::int64_t done = now + operation.amount;
      busy(event.rank, operation.cpu, done);
      release(event.rank, event.index, true, true, now, done, free);
    } else if (operation.kind == Kind::send) {
      if (comes_back(event, std::max(rank.cpu[operation.cpu], rank.send_nic[operation.nic]))) {
        return;
      }
      const std::int64_t more = std::max<std::int64_t>(operation.amount - 1, 0);
      const std::int64_t done = now + costs_.o + more * costs_.O;
      busy(event.rank, operation.cpu, done);
      rank.send_nic[operation.nic] = now + costs_.g + more * costs_.G;
      events_.insert({now + costs_.o + costs_.L, next_++, operation.peer, event.index,
                      What::arrival, event.rank});
      release(event.rank, event.index, true, operation.amount <= costs_.S, now, done, free);
    } else {
      const auto waiting = std::ranges::find_if(
          rank.unexpected, [&](const Message& message) { return suits(operation, message); });
      if (waiting == rank.unexpected.end()) {
        rank.posted.push_back(event.index);
        release(event.rank, event.index, true, false, now, now, free);
        return;
      }
      const Message message = *waiting;
      rank.unexpected.erase(waiting);
      matched(event.rank, event.index, message, true, now, now, free);
    }
  }

  const PlainSchedule& schedule_;
  LogGp costs_;
  std::vector<Rank> ranks_;
  std::set<Event> events_;
  std::int64_t next_ = 0;
  int unfinished_ = 0;  ///< operations
};

}  // namespace

std::string goal_text(const PlainSchedule& schedule) {
  std::string text = fmt::format("num_ranks {}\n", schedule.size());
  for (std::size_t rank = 0; rank < schedule.size(); ++rank) {
    text += fmt::format("\nrank {} {{\n", rank);
    for (std::size_t i = 0; i < schedule[rank].size(); ++i) {
      const PlainOperation& operation = schedule[rank][i];
      text += fmt::format("l{}: ", i);
      if (operation.kind == Kind::calc) {
        text += fmt::format("calc {} cpu {}\n", operation.amount, operation.cpu);
      } else {
        const bool sends = operation.kind == Kind::send;
        text += fmt::format("{} {}b {} {} tag {} cpu {} nic {}\n", sends ? "send" : "recv",
                            operation.amount, sends ? "to" : "from", operation.peer, operation.tag,
                            operation.cpu, operation.nic);
      }
    }
    for (std::size_t i = 0; i < schedule[rank].size(); ++i) {
      for (const auto& [before, started] : schedule[rank][i].requires_of) {
        text += fmt::format("l{} {} l{}\n", i, started ? "irequires" : "requires", before);
      }
    }
    text += "}\n";
  }
  return text;
}

std::vector<std::int64_t> last_busy(const PlainSchedule& schedule, const LogGp& costs) {
  return PlainRun{schedule, costs}.run();
}
bool ends(const PlainSchedule& schedule, const LogGp& costs, std::vector<std::int64_t>& last_busy) {
  PlainRun run{schedule, costs};
  last_busy = run.run();
  return run.is_done();
}

}  // namespace dcube::testing
