#include "clocks.hpp"

#include <algorithm>

namespace dcube {

Ticks Clocks::makespan() const {
  return clocks_.empty() ? Ticks{0} : *std::max_element(clocks_.begin(), clocks_.end());
}

void Clocks::compute(ProcessId process, Ticks duration) {
  clocks_[process.index()] = checked_add(now(process), duration);
}

Ticks Clocks::send(ProcessId from, ProcessId to, std::uint64_t bytes) {
  compute(from, machine_.endpoint.send.of(bytes));
  return checked_add(now(from), transfer(from, to, bytes));
}

void Clocks::receive(ProcessId process, Ticks arrival, std::uint64_t bytes) {
  clocks_[process.index()] =
      checked_add(std::max(now(process), arrival), machine_.endpoint.receive.of(bytes));
}

void Clocks::exchange(ProcessId a, ProcessId b, std::uint64_t a_bytes, std::uint64_t b_bytes,
                      ExchangeMode mode) {
  if (mode == ExchangeMode::rendezvous) {
    const Ticks both_ready = std::max(now(a), now(b));
    clocks_[a.index()] = both_ready;
    clocks_[b.index()] = both_ready;
  }
  const Ticks at_b = send(a, b, a_bytes);
  const Ticks at_a = send(b, a, b_bytes);
  receive(a, at_a, b_bytes);
  receive(b, at_b, a_bytes);
}

Ticks Clocks::transfer(ProcessId from, ProcessId to, std::uint64_t bytes) {
  const auto found = transfers_.try_emplace(bytes, machine_, bytes).first;
  return found->second(map_[from.index()], map_[to.index()]);
}

}  // namespace dcube
