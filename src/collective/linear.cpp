#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// Passes each member's share between it and the root: one step of the member, and one of the root
/// with every other member in turn.
CollectivePlan between_root_and_all(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size,
                                    CollectiveStep (*step_of_member)(std::uint32_t, ElementRanges),
                                    CollectiveStep (*step_of_root)(std::uint32_t, ElementRanges)) {
  const Blocks blocks = Blocks::shares(call, size);
  CollectiveSteps steps;
  if (rank != call.root) {
    steps.add(step_of_member(call.root, blocks[rank]));
    return plan_of_steps(std::move(steps));
  }
  steps.add(size - 1, [blocks, rank, step_of_root](std::uint32_t index) {
    const std::uint32_t member = index < rank ? index : index + 1;
    return step_of_root(member, blocks[member]);
  });
  return plan_of_steps(std::move(steps));
}

CollectiveStep write_step(std::uint32_t from, ElementRanges ranges) {
  return receive_step(from, std::move(ranges));
}

CollectivePlan make_linear_gather(const CollectiveCall& call, std::uint32_t rank,
                                  std::uint32_t size) {
  return between_root_and_all(call, rank, size, send_step, write_step);
}

CollectivePlan make_linear_scatter(const CollectiveCall& call, std::uint32_t rank,
                                   std::uint32_t size) {
  return between_root_and_all(call, rank, size, write_step, send_step);
}

/// Goes from rank to rank. An exscan passes on `scratch`.
CollectivePlan make_linear_scan(const CollectiveCall& call, std::uint32_t rank,
                                std::uint32_t size) {
  const bool is_exclusive = call.kind == CollectiveKind::exscan;
  const ElementRanges elements = whole(call.count);
  CollectiveSteps steps;
  if (rank > 0) {
    CollectiveStep step = receive_step(rank - 1, elements, OnReceipt::combine_before);
    if (is_exclusive) {
      step.on_receipt = OnReceipt::write;
      if (rank + 1 < size) {
        step.in_scratch = OnReceipt::combine_before;
      }
    }
    steps.add(std::move(step));
  }
  if (rank + 1 < size) {
    CollectiveStep step = send_step(rank + 1, elements);
    step.source = is_exclusive ? ElementBuffer::scratch : ElementBuffer::work;
    steps.add(std::move(step));
  }
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm gather_linear_algorithm{
    CollectiveKind::gather, "linear", "everybody sends to the root", {}, make_linear_gather};
const CollectiveAlgorithm scatter_linear_algorithm{
    CollectiveKind::scatter, "linear", "the root sends to everybody", {}, make_linear_scatter};
const CollectiveAlgorithm scan_linear_algorithm{CollectiveKind::scan,
                                                "linear",
                                                "from rank to rank: (p-1) (a + n b + n g)",
                                                {},
                                                make_linear_scan};
const CollectiveAlgorithm exscan_linear_algorithm{CollectiveKind::exscan,
                                                  "linear",
                                                  "from rank to rank: (p-1) (a + n b) + (p-2) n g",
                                                  {},
                                                  make_linear_scan};

}  // namespace dcube
