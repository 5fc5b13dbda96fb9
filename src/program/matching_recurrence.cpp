#include "matching_recurrence.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace dcube {
namespace {

/// Messages of one size.
class Messages {
 public:
  Messages(const Machine& machine, std::span<const NodeId> map, std::uint64_t bytes)
      : map_{map},
        transfer_{machine, bytes},
        send_{machine.endpoint.send.of(bytes)},
        receive_{machine.endpoint.receive.of(bytes)} {}

  /// Moves the sender's clock on and says when the message is there; one to itself is at once.
  Ticks send(Ticks& clock, ProcessId from, ProcessId to) const {
    if (from == to) {
      return clock;
    }
    clock = checked_add(clock, send_);
    return checked_add(clock, transfer_(map_[from.index()], map_[to.index()]));
  }
  void receive(Ticks& clock, Ticks arrival, ProcessId from, ProcessId to) const {
    if (from != to) {
      clock = checked_add(std::max(clock, arrival), receive_);
    }
  }

 private:
  std::span<const NodeId> map_;
  TransferTime transfer_;
  Ticks send_;
  Ticks receive_;
};

class Recurrence {
 public:
  Recurrence(const Machine& machine, std::span<const NodeId> map, const MatchingProblem& problem,
             const MatchingCosts& costs)
      : machine_{machine},
        map_{map},
        problem_{problem},
        costs_{costs},
        count_{problem.process_count()},
        clocks_(count_, costs.start_of(count_)) {}

  Ticks makespan() {
    if (problem_.uses_host) {
      distribute();
    }
    expand();
    if (problem_.uses_host) {
      receive_blocks();
    }
    convolve();
    collapse();
    if (problem_.uses_host) {
      report_to_host();
    }
    return std::max(host_clock_, *std::max_element(clocks_.begin(), clocks_.end()));
  }

 private:
  Messages of_bytes(std::uint64_t bytes) const { return {machine_, map_, bytes}; }
  Ticks& clock(ProcessId process) { return clocks_[process.index()]; }

  void distribute() {
    host_clock_ = round_cost(costs_.host_start, {}, 0);
    const Messages pattern = of_bytes(problem_.template_message_bytes());
    const Ticks arrival = pattern.send(host_clock_, host(), ProcessId{0});
    const Messages blocks = of_bytes(problem_.block_message_bytes());
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      block_arrivals_.push_back(blocks.send(host_clock_, host(), ProcessId{rank}));
    }
    pattern.receive(clock(ProcessId{0}), arrival, host(), ProcessId{0});
  }

  void receive_blocks() {
    const Messages blocks = of_bytes(problem_.block_message_bytes());
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      blocks.receive(clocks_[rank], block_arrivals_[rank], host(), ProcessId{rank});
    }
  }

  void expand() {
    const Messages messages = of_bytes(problem_.template_message_bytes());
    // Parents have lower numbers in the tree than their children.
    for (std::uint32_t number = 0; number < count_; ++number) {
      const ProcessId parent = problem_.at_tree_number(number);
      const TreePlace place = problem_.tree_place(parent);
      std::vector<Ticks> arrivals;
      for (const ProcessId child : place.children()) {
        arrivals.push_back(messages.send(clock(parent), parent, child));
      }
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const ProcessId child = place.children()[i];
        messages.receive(clock(child), arrivals[i], parent, child);
      }
    }
  }

  void convolve() {
    if (!problem_.exchanges()) {
      const std::uint64_t pairs = std::uint64_t{problem_.block_side()} * problem_.pattern.side;
      for (Ticks& time : clocks_) {
        time = checked_add(time, costs_.of_direct(pairs * pairs));
      }
      return;
    }
    std::array<std::vector<Ticks>, sent_quarters.size()> arrivals;
    arrivals.fill(std::vector<Ticks>(count_));
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      send_quarters(ProcessId{rank}, arrivals);
    }
    for (std::size_t i = 0; i < sent_quarters.size(); ++i) {
      receive_quarter(sent_quarters[i], arrivals[i]);
    }
  }

  void work(ProcessId process, Quarter quarter) {
    clock(process) = checked_add(clock(process), costs_.of(problem_.work(quarter)));
  }

  void send_quarters(ProcessId process,
                     std::array<std::vector<Ticks>, sent_quarters.size()>& arrivals) {
    const bool overlaps = problem_.variant == MatchingVariant::overlap;
    if (!overlaps) {
      for (const Quarter quarter :
           {Quarter::self, Quarter::north, Quarter::west, Quarter::northwest}) {
        work(process, quarter);
      }
    }
    for (std::size_t i = 0; i < sent_quarters.size(); ++i) {
      if (overlaps) {
        work(process, sent_quarters[i]);
      }
      const ProcessId owner = problem_.owner(process, sent_quarters[i]);
      arrivals[i][owner.index()] =
          quarter_messages(sent_quarters[i]).send(clock(process), process, owner);
    }
    if (overlaps) {
      work(process, Quarter::self);
    }
  }

  void receive_quarter(Quarter quarter, const std::vector<Ticks>& arrivals) {
    const Messages messages = quarter_messages(quarter);
    const Ticks update = costs_.of_values(count_ > 1 ? problem_.values_sent(quarter) : 0);
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      const ProcessId process{rank};
      messages.receive(clocks_[rank], arrivals[rank], problem_.contributor(process, quarter),
                       process);
      clocks_[rank] = checked_add(clocks_[rank], update);
    }
  }

  Messages quarter_messages(Quarter quarter) const {
    return of_bytes(problem_.result_bytes * problem_.values_sent(quarter));
  }

  void collapse() {
    const Messages messages = of_bytes(end_signal_bytes);
    std::vector<Ticks> arrivals(count_);
    for (std::uint32_t number = count_; number-- > 0;) {
      const ProcessId process = problem_.at_tree_number(number);
      const TreePlace place = problem_.tree_place(process);
      for (auto child = place.children().rbegin(); child != place.children().rend(); ++child) {
        messages.receive(clock(process), arrivals[child->index()], *child, process);
      }
      if (number != 0) {
        arrivals[process.index()] = messages.send(clock(process), process, place.parent());
      }
    }
  }

  void report_to_host() {
    const Messages signal = of_bytes(end_signal_bytes);
    const Ticks arrival = signal.send(clock(ProcessId{0}), ProcessId{0}, host());
    signal.receive(host_clock_, arrival, ProcessId{0}, host());
    if (!problem_.host_collects) {
      return;
    }
    const Messages results = of_bytes(problem_.result_message_bytes());
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      const Ticks result = results.send(clocks_[rank], ProcessId{rank}, host());
      results.receive(host_clock_, result, ProcessId{rank}, host());
    }
  }

  ProcessId host() const { return ProcessId{count_}; }

  const Machine& machine_;
  std::span<const NodeId> map_;
  const MatchingProblem& problem_;
  const MatchingCosts& costs_;
  std::uint32_t count_;
  std::vector<Ticks> clocks_;
  Ticks host_clock_{0};
  std::vector<Ticks> block_arrivals_;
};

}  // namespace

Ticks predict_matching(const Machine& machine, std::span<const NodeId> map,
                       const MatchingProblem& problem, const MatchingCosts& costs) {
  return Recurrence{machine, map, problem, costs}.makespan();
}

}  // namespace dcube
