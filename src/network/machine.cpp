#include "dcube/network/machine.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"

namespace dcube {

Ticks hop_time(const TransferCost& cost, std::uint64_t bytes) {
  return std::max(cost.of(bytes), Ticks{1});
}

HopTime hop_time(Switching switching, const TransferCost& cost, std::uint64_t bytes) {
  const Ticks whole = hop_time(cost, bytes);
  const Ticks body = round_cost(ExactTime{}, cost.per_byte, bytes);
  const Ticks alone = std::max(body, Ticks{1});
  switch (switching) {
    case Switching::store_and_forward:
      break;
    case Switching::pipelined:
      return {whole, alone, Ticks{0}};
    case Switching::cut_through:
      return {hop_time(cost, 0), alone, body};
  }
  return {whole, whole, Ticks{0}};
}

TransferTime::TransferTime(const Machine& machine, std::uint64_t bytes)
    : machine_{&machine}, local_{hop_time(machine.node.local, bytes)} {
  if (machine.links.injection) {
    const Ticks one = hop_time(*machine.links.injection, bytes);
    injections_ = checked_add(one, one);
  }
  for (const TransferCost& cost : machine.links.per_dimension) {
    per_dimension_.push_back(hop_time(cost, bytes));
  }
  for (const auto& [link, cost] : machine.links.overrides) {
    overrides_.emplace(link, hop_time(cost, bytes));
  }
}

Ticks TransferTime::operator()(NodeId from, NodeId to) const {
  if (from == to) {
    return local_;
  }
  Ticks time = injections_;
  while (from != to) {
    const Run run = machine_->topology->next_run(from, to);
    time = checked_add(time, run_time(run));
    from = run.end;
  }
  return time;
}

Ticks TransferTime::run_time(const Run& run) const {
  const Ticks hop = per_dimension_[machine_->topology->link(run.first).value().dimension];
  if (overrides_.empty()) {
    Ticks::rep total = 0;
    const bool overflows = __builtin_mul_overflow(hop.count(), Ticks::rep{run.hops}, &total);
    return overflows ? checked_add(Ticks::max(), hop) : Ticks{total};  // which throws
  }
  Ticks time{0};
  std::uint32_t link = run.first.index();
  for (std::uint32_t i = 0; i < run.hops; ++i, link += static_cast<std::uint32_t>(run.stride)) {
    const auto found = overrides_.find(LinkId{link});
    time = checked_add(time, found == overrides_.end() ? hop : found->second);
  }
  return time;
}

LinkId injection_server(const Topology& topology, NodeId node, Passage passage) {
  const std::uint32_t before = passage == Passage::out ? 0 : topology.node_count();
  return LinkId{topology.link_slots() + before + node.index()};
}

std::optional<InjectionServer> injection_server_of(const Topology& topology, LinkId server) {
  if (server.index() < topology.link_slots()) {
    return std::nullopt;
  }
  const std::uint32_t number = server.index() - topology.link_slots();
  const std::uint32_t nodes = topology.node_count();
  return number < nodes ? InjectionServer{NodeId{number}, Passage::out}
                        : InjectionServer{NodeId{number - nodes}, Passage::in};
}

}  // namespace dcube
