#include "clocks.hpp"

#include <algorithm>

#include "collectives.hpp"

namespace dcube {

Ticks Clocks::makespan() const {
  return clocks_.empty() ? Ticks{0} : *std::max_element(clocks_.begin(), clocks_.end());
}

void Clocks::compute(ProcessId process, Ticks duration) {
  clocks_[process.index()] = checked_add(now(process), duration);
}

Clocks::Message Clocks::send(ProcessId from, ProcessId to, std::uint64_t bytes) {
  Message message{.from = from, .to = to, .bytes = bytes, .arrival = now(from)};
  if (from != to) {
    compute(from, costs(bytes).send);
    message.arrival =
        checked_add(now(from), costs(bytes).transfer(map_[from.index()], map_[to.index()]));
  }
  return message;
}

void Clocks::receive(const Message& message) {
  if (message.from != message.to) {
    Ticks& clock = clocks_[message.to.index()];
    clock = checked_add(std::max(clock, message.arrival), costs(message.bytes).receive);
  }
}

void Clocks::exchange(ProcessId a, ProcessId b, std::uint64_t a_bytes, std::uint64_t b_bytes,
                      ExchangeMode mode) {
  if (mode == ExchangeMode::rendezvous) {
    const Ticks both_ready = std::max(now(a), now(b));
    clocks_[a.index()] = both_ready;
    clocks_[b.index()] = both_ready;
  }
  const Message to_b = send(a, b, a_bytes);
  const Message to_a = send(b, a, b_bytes);
  receive(to_a);
  receive(to_b);
}

// Parents have lower numbers in the tree than their children.

void Clocks::broadcast(std::span<const ProcessId> tree, std::uint64_t bytes) {
  const auto size = static_cast<std::uint32_t>(tree.size());
  std::vector<Message> to_child(size);
  for (std::uint32_t number = 0; number < size; ++number) {
    if (number != 0) {
      receive(to_child[number]);
    }
    const TreePlace place{number, size};
    for (const ProcessId child : place.children()) {
      to_child[child.index()] = send(tree[number], tree[child.index()], bytes);
    }
  }
}

void Clocks::collapse(std::span<const ProcessId> tree, std::uint64_t bytes, Ticks combine) {
  const auto size = static_cast<std::uint32_t>(tree.size());
  std::vector<Message> to_parent(size);
  for (std::uint32_t number = size; number-- > 0;) {
    const TreePlace place{number, size};
    for (auto child = place.children().rbegin(); child != place.children().rend(); ++child) {
      receive(to_parent[child->index()]);
      compute(tree[number], combine);
    }
    if (number != 0) {
      to_parent[number] = send(tree[number], tree[place.parent().index()], bytes);
    }
  }
}

const Clocks::Costs& Clocks::costs(std::uint64_t bytes) {
  return costs_.try_emplace(bytes, machine_, bytes).first->second;
}

std::vector<ProcessId> tree_by_rank(std::uint32_t count) {
  std::vector<ProcessId> tree;
  tree.reserve(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    tree.emplace_back(rank);
  }
  return tree;
}

}  // namespace dcube
