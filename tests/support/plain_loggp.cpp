#include "plain_loggp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dcube::testing {
namespace {

using Kind = PlainOperation::Kind;

class PlainRun {
 public:
  PlainRun(const PlainSchedule& schedule, const LogGp& costs)
      : schedule_{schedule}, costs_{costs}, ranks_(schedule.size()) {}

  std::vector<std::int64_t> run() {
    for (int rank = 0; rank < static_cast<int>(schedule_.size()); ++rank) {
      ranks_[rank].missing.resize(schedule_[rank].size());
      for (int i = 0; i < static_cast<int>(schedule_[rank].size()); ++i) {
        ranks_[rank].missing[i] = static_cast<int>(schedule_[rank][i].requires_of.size());
        if (ranks_[rank].missing[i] == 0) {
          add({0, 0, 0, next_++, rank, i, What::start});
        }
      }
    }
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

 private:
  enum class What { start, done, arrival };
  struct Event {
    std::int64_t time, ready;
    int phase;  ///< of those at one time: made before, messages, made at that time
    std::int64_t order;
    int rank, index;
    What what;
    int sender = 0;

    bool operator<(const Event& other) const {
      return std::tie(time, ready, phase, order) <
             std::tie(other.time, other.ready, other.phase, other.order);
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
    int sent = 0;
  };

  void add(const Event& event) { events_.insert(event); }

  void busy(int rank, int cpu, std::int64_t until) {
    std::int64_t& free = ranks_[rank].cpu[cpu];
    free = std::max(free, until);
    ranks_[rank].last_busy = std::max(ranks_[rank].last_busy, until);
  }

  bool wait_until(const Event& event, std::int64_t free) {
    if (free <= event.time) {
      return false;
    }
    Event later = event;
    later.time = free;
    add(later);
    return true;
  }

  void release(int rank, int operation, bool started, std::int64_t time) {
    for (int i = 0; i < static_cast<int>(schedule_[rank].size()); ++i) {
      for (const auto& [before, only_started] : schedule_[rank][i].requires_of) {
        if (before == operation && only_started == started && --ranks_[rank].missing[i] == 0) {
          add({time, time, 2, next_++, rank, i, What::start});
        }
      }
    }
  }
  void done(int rank, int operation, std::int64_t time, std::int64_t now) {
    if (time <= now) {
      release(rank, operation, false, now);
    } else {
      add({time, time, 0, next_++, rank, operation, What::done});
    }
  }

  const PlainOperation& sent(const Message& message) const {
    return schedule_[message.sender][message.operation];
  }
  bool suits(const PlainOperation& receive, const Message& message) const {
    return (receive.peer < 0 || receive.peer == message.sender) &&
           (receive.tag < 0 || receive.tag == sent(message).tag);
  }
  void matched(int rank, int receive, const Message& message, std::int64_t now,
               std::int64_t finished) {
    const PlainOperation& send = sent(message);
    if (send.amount > costs_.S) {
      busy(message.sender, send.cpu, now);
      std::int64_t& nic = ranks_[message.sender].send_nic[send.nic];
      nic = std::max(nic, now);
      release(message.sender, message.operation, false, now);
    }
    done(rank, receive, finished, now);
  }

  void handle(const Event& event) {
    const std::int64_t now = event.time;
    Rank& rank = ranks_[event.rank];
    if (event.what == What::done) {
      release(event.rank, event.index, false, now);
      return;
    }
    if (event.what == What::arrival) {
      const Message message{event.sender, event.index};
      const PlainOperation& send = sent(message);
      if (wait_until(event, std::max(rank.cpu[send.cpu], rank.receive_nic[send.nic]))) {
        return;
      }
      const std::int64_t more = std::max<std::int64_t>(send.amount - 1, 0);
      const std::int64_t finished = now + costs_.o + std::max(more * costs_.O, more * costs_.G);
      busy(event.rank, send.cpu, finished);
      rank.receive_nic[send.nic] = now + costs_.g + more * costs_.G;
      for (std::size_t i = 0; i < rank.posted.size(); ++i) {
        const int receive = rank.posted[i];
        if (suits(schedule_[event.rank][receive], message)) {
          rank.posted.erase(rank.posted.begin() + static_cast<std::ptrdiff_t>(i));
          matched(event.rank, receive, message, now, finished);
          return;
        }
      }
      rank.unexpected.push_back(message);
      return;
    }
    const PlainOperation& operation = schedule_[event.rank][event.index];
    if (operation.kind == Kind::calc) {
      if (wait_until(event, rank.cpu[operation.cpu])) {
        return;
      }
      busy(event.rank, operation.cpu, now + operation.amount);
      done(event.rank, event.index, now + operation.amount, now);
    } else if (operation.kind == Kind::send) {
      if (wait_until(event, std::max(rank.cpu[operation.cpu], rank.send_nic[operation.nic]))) {
        return;
      }
      const std::int64_t more = std::max<std::int64_t>(operation.amount - 1, 0);
      const std::int64_t cpu_free = now + costs_.o + more * costs_.O;
      const std::int64_t nic_free = now + costs_.g + more * costs_.G;
      busy(event.rank, operation.cpu, cpu_free);
      rank.send_nic[operation.nic] = nic_free;
      const std::int64_t arrival = now + costs_.o + costs_.L;
      const std::int64_t order = std::int64_t{event.rank} * 1000 + rank.sent++;
      add({arrival, arrival, 1, order, operation.peer, event.index, What::arrival, event.rank});
      if (operation.amount <= costs_.S) {
        done(event.rank, event.index, std::max(cpu_free, nic_free), now);
      }
    } else {
      bool is_matched = false;
      for (std::size_t i = 0; i < rank.unexpected.size() && !is_matched; ++i) {
        const Message message = rank.unexpected[i];
        if (suits(operation, message)) {
          rank.unexpected.erase(rank.unexpected.begin() + static_cast<std::ptrdiff_t>(i));
          matched(event.rank, event.index, message, now, now);
          is_matched = true;
        }
      }
      if (!is_matched) {
        rank.posted.push_back(event.index);
      }
    }
    release(event.rank, event.index, true, now);
  }

  const PlainSchedule& schedule_;
  LogGp costs_;
  std::vector<Rank> ranks_;
  std::set<Event> events_;
  std::int64_t next_ = 0;
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

}  // namespace dcube::testing
