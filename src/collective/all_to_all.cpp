#include <bit>
#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// Messages of an all-to-all: blocks of `input` by receiver, and of `work` by sender. An
/// all_to_allv sends no empty ones.
class Exchanges {
 public:
  Exchanges(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size)
      : rank_{rank},
        skips_empty_{call.kind == CollectiveKind::all_to_allv},
        sent_{skips_empty_ ? Blocks::unequal(call.send_counts) : Blocks::equal(call.count, size)},
        received_{skips_empty_ ? Blocks::unequal(call.receive_counts)
                               : Blocks::equal(call.count, size)} {}

  CollectiveStep step(std::uint32_t to, std::uint32_t from) const {
    CollectiveStep step;
    step.source = ElementBuffer::input;
    if (to != CollectiveStep::nobody) {
      step.sent = sent_[to];
      step.to = skips_empty_ && to != rank_ && step.sent.empty() ? CollectiveStep::nobody : to;
    }
    if (from != CollectiveStep::nobody) {
      step.received = received_[from];
      step.from =
          skips_empty_ && from != rank_ && step.received.empty() ? CollectiveStep::nobody : from;
    }
    return step;
  }

 private:
  std::uint32_t rank_;
  bool skips_empty_;
  Blocks sent_;
  Blocks received_;
};

/// Round `round` of an exchange in which all send the same distance up.
CollectiveStep shift(const Exchanges& exchanges, std::uint32_t rank, std::uint32_t size,
                     std::uint32_t round) {
  return exchanges.step(rank_above(rank, round, size),
                        round == 0 ? rank : rank_above(rank, size - round, size));
}

CollectivePlan make_shifted_exchange(const CollectiveCall& call, std::uint32_t rank,
                                     std::uint32_t size) {
  return plan_of_steps(size,
                       [exchanges = Exchanges{call, rank, size}, rank, size](std::uint32_t round) {
                         return shift(exchanges, rank, size, round);
                       });
}

CollectivePlan make_pairwise_exchange(const CollectiveCall& call, std::uint32_t rank,
                                      std::uint32_t size) {
  return plan_of_steps(size,
                       [exchanges = Exchanges{call, rank, size}, rank, size](std::uint32_t round) {
                         if (std::has_single_bit(size)) {
                           return exchanges.step(rank ^ round, rank ^ round);
                         }
                         return shift(exchanges, rank, size, round);
                       });
}

CollectivePlan make_linear_exchange(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size) {
  const Exchanges exchanges{call, rank, size};
  CollectiveSteps steps;
  steps.add(size, [exchanges, rank, size](std::uint32_t round) {
    return exchanges.step(rank_above(rank, round, size),
                          round == 0 ? rank : CollectiveStep::nobody);
  });
  steps.add(size - 1, [exchanges, rank, size](std::uint32_t round) {
    return exchanges.step(CollectiveStep::nobody, rank_above(rank, size - round - 1, size));
  });
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm all_to_all_pairwise_algorithm{
    CollectiveKind::all_to_all,
    "pairwise",
    "in round i with rank xor i, or to rank + i and from rank - i: (p-1) a + n (p-1)/p b",
    {},
    make_pairwise_exchange};
// Open MPI's pairwise (coll_base_alltoall.c) shifts whatever the number of processes, MPICH's does
// where that is no power of two.
const CollectiveAlgorithm all_to_all_shifted_algorithm{
    CollectiveKind::all_to_all,
    "shifted",
    "in round i to rank + i and from rank - i (Open MPI's pairwise): (p-1) a + n (p-1)/p b",
    {},
    make_shifted_exchange};
const CollectiveAlgorithm all_to_all_linear_algorithm{CollectiveKind::all_to_all,
                                                      "linear",
                                                      "all messages are sent, then all received",
                                                      {},
                                                      make_linear_exchange};
const CollectiveAlgorithm all_to_allv_pairwise_algorithm{
    CollectiveKind::all_to_allv,
    "pairwise",
    "in round i with rank xor i, or to rank + i and from rank - i",
    {},
    make_pairwise_exchange};
const CollectiveAlgorithm all_to_allv_linear_algorithm{CollectiveKind::all_to_allv,
                                                       "linear",
                                                       "all messages are sent, then all received",
                                                       {},
                                                       make_linear_exchange};

}  // namespace dcube
