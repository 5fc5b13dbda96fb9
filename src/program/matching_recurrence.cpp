#include "matching_recurrence.hpp"

#include <array>
#include <vector>

#include "clocks.hpp"

namespace dcube {
namespace {

class Recurrence {
 public:
  Recurrence(const Machine& machine, std::span<const NodeId> map, const MatchingProblem& problem,
             const MatchingCosts& costs)
      : problem_{problem},
        costs_{costs},
        count_{problem.process_count()},
        clocks_{machine, map},
        tree_(count_) {
    for (std::uint32_t number = 0; number < count_; ++number) {
      tree_[number] = problem_.at_tree_number(number);
      clocks_.compute(ProcessId{number}, costs.start_of(count_));
    }
  }

  Ticks makespan() {
    if (problem_.uses_host) {
      distribute();
    }
    clocks_.broadcast(tree_, problem_.template_message_bytes());
    for (const Clocks::Message& block : blocks_) {
      clocks_.receive(block);
    }
    convolve();
    clocks_.collapse(tree_, end_signal_bytes, Ticks{0});
    if (problem_.uses_host) {
      report_to_host();
    }
    return clocks_.makespan();
  }

 private:
  void distribute() {
    clocks_.compute(host(), round_cost(costs_.host_start, {}, 0));
    const Clocks::Message pattern =
        clocks_.send(host(), ProcessId{0}, problem_.template_message_bytes());
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      blocks_.push_back(clocks_.send(host(), ProcessId{rank}, problem_.block_message_bytes()));
    }
    clocks_.receive(pattern);
  }

  void convolve() {
    if (!problem_.exchanges()) {
      const std::uint64_t pairs = std::uint64_t{problem_.block_side()} * problem_.pattern.side;
      for (std::uint32_t rank = 0; rank < count_; ++rank) {
        clocks_.compute(ProcessId{rank}, costs_.of_direct(pairs * pairs));
      }
      return;
    }
    for (std::vector<Clocks::Message>& messages : quarters_) {
      messages.resize(count_);
    }
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      send_quarters(ProcessId{rank});
    }
    for (std::size_t i = 0; i < sent_quarters.size(); ++i) {
      receive_quarter(sent_quarters[i], quarters_[i]);
    }
  }

  void work(ProcessId process, Quarter quarter) {
    clocks_.compute(process, costs_.of(problem_.work(quarter)));
  }

  void send_quarters(ProcessId process) {
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
      quarters_[i][owner.index()] = clocks_.send(
          process, owner, problem_.result_bytes * problem_.values_sent(sent_quarters[i]));
    }
    if (overlaps) {
      work(process, Quarter::self);
    }
  }

  void receive_quarter(Quarter quarter, const std::vector<Clocks::Message>& messages) {
    const Ticks update = costs_.of_values(count_ > 1 ? problem_.values_sent(quarter) : 0);
    for (const Clocks::Message& message : messages) {
      clocks_.receive(message);
      clocks_.compute(message.to, update);
    }
  }

  void report_to_host() {
    clocks_.receive(clocks_.send(ProcessId{0}, host(), end_signal_bytes));
    for (std::uint32_t rank = 0; problem_.host_collects && rank < count_; ++rank) {
      clocks_.receive(clocks_.send(ProcessId{rank}, host(), problem_.result_message_bytes()));
    }
  }

  ProcessId host() const { return ProcessId{count_}; }

  const MatchingProblem& problem_;
  const MatchingCosts& costs_;
  std::uint32_t count_;
  Clocks clocks_;
  std::vector<ProcessId> tree_;          ///< process with each number in the tree
  std::vector<Clocks::Message> blocks_;  ///< that the host has sent
  /// Messages with partial results, by the process they go to.
  std::array<std::vector<Clocks::Message>, sent_quarters.size()> quarters_;
};

}  // namespace

Ticks predict_matching(const Machine& machine, std::span<const NodeId> map,
                       const MatchingProblem& problem, const MatchingCosts& costs) {
  return Recurrence{machine, map, problem, costs}.makespan();
}

}  // namespace dcube
