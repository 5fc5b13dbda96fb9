#include "dcube/topology/hop_weights.hpp"

#include <algorithm>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "fabric.hpp"
#include "rerouted.hpp"

namespace dcube {
namespace {

class Weighted final : public Rerouted {
 public:
  Weighted(std::shared_ptr<const Topology> network, std::vector<std::uint32_t> by_class)
      : Rerouted{std::move(network)}, weights_{std::move(by_class)} {}

  std::span<const std::uint32_t> weights() const { return weights_; }

  bool are_routes_by_flow() const override { return base().are_routes_by_flow(); }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    return base().next_run_of(flow, at, to);
  }

 private:
  std::vector<std::uint32_t> weights_;
};

/// The next network below one with other routes, failures or weights; null for any other.
const Topology* below(const Topology& topology) {
  const auto* const rerouted = dynamic_cast<const Rerouted*>(&topology);
  return rerouted != nullptr ? &rerouted->base() : nullptr;
}

/// The fabric whose lengths of ways between terminals are those of the network, or null.
const Fabric* fabric_of(const Topology& topology) {
  const Topology* network = &topology;
  while (const Topology* const next = below(*network)) {
    network = next;
  }
  const auto* const fabric = dynamic_cast<const Fabric*>(network);
  if (fabric == nullptr || fabric->link_count() != topology.link_count()) {
    return nullptr;
  }
  const std::string_view routing = topology.routing();
  const bool is_shortest = routing == "shortest" || routing.starts_with("ecmp");
  const bool are_equal = routing == fabric->routing()
                             ? fabric->weighs_usual_ways()
                             : is_shortest && fabric->weighs_shortest_ways();
  return are_equal ? fabric : nullptr;
}

}  // namespace

std::shared_ptr<const Topology> with_hop_weights(std::shared_ptr<const Topology> base,
                                                 std::vector<std::uint32_t> by_class) {
  expects(by_class.size() == base->class_count(), "every class of links has a weight");
  for (const std::uint32_t weight : by_class) {
    expects(weight >= 1 && weight <= most_hop_weight, "weights are positive and limited");
  }
  if (std::ranges::count(by_class, 1U) == static_cast<std::ptrdiff_t>(by_class.size())) {
    return base;
  }
  return std::make_shared<Weighted>(std::move(base), std::move(by_class));
}

std::span<const std::uint32_t> hop_weights_of(const Topology& topology) {
  for (const Topology* network = &topology; network != nullptr; network = below(*network)) {
    if (const auto* const weighted = dynamic_cast<const Weighted*>(network)) {
      return weighted->weights();
    }
  }
  return {};
}

const Topology& without_hop_weights(const Topology& topology) {
  const auto* const weighted = dynamic_cast<const Weighted*>(&topology);
  return weighted != nullptr ? weighted->base() : topology;
}

HopLengths::HopLengths(const Topology& topology)
    : topology_{&topology}, weights_{hop_weights_of(topology)} {
  if (weights_.empty()) {
    return;
  }
  fabric_ = fabric_of(topology);
  form_ = fabric_ != nullptr ? Form::fabric : is_grid(topology) ? Form::grid : Form::walked;
}

std::uint32_t HopLengths::least_weight() const {
  return weights_.empty() ? 1 : *std::ranges::min_element(weights_);
}

std::uint32_t HopLengths::greatest_weight() const {
  return weights_.empty() ? 1 : *std::ranges::max_element(weights_);
}

std::uint64_t HopLengths::operator()(NodeId from, NodeId to) const {
  switch (form_) {
    case Form::hops:
      return topology_->distance(from, to);
    case Form::grid:
      return on_grid(from, to);
    case Form::fabric:
      return fabric_->is_terminal(from) && fabric_->is_terminal(to)
                 ? fabric_->weight_between(from, to, weights_)
                 : walked(from, to);
    case Form::walked:
      return walked(from, to);
  }
  return 0;
}

std::uint64_t HopLengths::on_grid(NodeId from, NodeId to) const {
  const std::span<const std::uint32_t> shape = topology_->shape();
  std::uint32_t a = from.index();
  std::uint32_t b = to.index();
  std::uint64_t sum = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::uint32_t here = a % shape[d];
    const std::uint32_t there = b % shape[d];
    const std::uint32_t apart = here < there ? there - here : here - there;
    const std::uint32_t hops = is_cycle(*topology_, d) ? std::min(apart, shape[d] - apart) : apart;
    sum += std::uint64_t{weights_[d]} * hops;
    a /= shape[d];
    b /= shape[d];
  }
  return sum;
}

std::uint64_t HopLengths::walked(NodeId from, NodeId to) const {
  const std::span<const LinkDirection> directions = topology_->link_directions();
  const std::uint64_t flow = Topology::flow_between(from, to);
  std::uint64_t sum = 0;
  while (from != to) {
    const Run run = topology_->next_run_of(flow, from, to);
    const std::uint32_t block =
        run.block != Run::unknown ? run.block : BlockOfLink{*topology_}(run.first);
    sum += std::uint64_t{run.hops} * weights_[directions[block].dimension];
    from = run.end;
  }
  return sum;
}

}  // namespace dcube
