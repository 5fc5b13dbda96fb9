#include "link_loads.hpp"

#include <cmath>
#include <utility>

#include "route_links.hpp"

namespace dcube {
namespace {

/// The most loaded link, then the sum of the squares of all loads. Loads times nodes are within 63
/// bits (check_problem), so the sum is within 126.
class LinkCost final : public MapCost {
 public:
  LinkCost(const SearchProblem& problem, const LinkRates* rates)
      : MapCost{problem.traffic.process_count()},
        topology_{problem.topology},
        routes_{problem.topology},
        flows_{problem.traffic.flows()},
        flows_of_(problem.traffic.process_count()),
        load_(problem.topology.link_slots()),
        server_(problem.topology.link_slots()),
        rates_{rates} {
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      flows_of_[flows_[i].from.index()].push_back(i);
      flows_of_[flows_[i].to.index()].push_back(i);
    }
    for (std::uint32_t slot = 0; slot < load_.size(); ++slot) {
      server_[slot] = topology_.link(LinkId{slot}) ? problem.server_of(LinkId{slot}).index() : slot;
    }
  }

 private:
  void compute() override {
    std::ranges::fill(load_, 0);
    squares_ = 0;
    most_ = 0;
    for (const Flow& flow : flows_) {
      add(flow.bytes, node_of(flow.from.index()), node_of(flow.to.index()));
      loads_before_.clear();
    }
    summarise();
  }

  /// All flows that change are taken off before any is added, so no load is ever greater than the
  /// greatest in the end. That is the greatest of the loads that grew, unless the link that was
  /// busiest before stays busier.
  void update() override {
    most_before_ = std::exchange(most_, 0);
    squares_before_ = squares_;
    loads_before_.clear();
    bool has_busiest_less = false;
    for_each_changed_flow([&](const Flow& flow) {
      take_off(flow.bytes, before(flow.from.index()), before(flow.to.index()),
               [&](std::uint64_t load) { has_busiest_less |= load == most_before_; });
    });
    for_each_changed_flow([&](const Flow& flow) {
      add(flow.bytes, node_of(flow.from.index()), node_of(flow.to.index()));
    });
    if (most_ < most_before_) {
      most_ = has_busiest_less ? *std::ranges::max_element(load_) : most_before_;
    }
    summarise();
  }

  void undo() override {
    most_ = most_before_;
    squares_ = squares_before_;
    for (std::size_t i = loads_before_.size(); i-- > 0;) {
      load_[loads_before_[i].first] = loads_before_[i].second;
    }
  }

  template <class Visit>
  void for_each_changed_flow(Visit visit) const {
    for (const std::uint32_t process : changed()) {
      for (const std::uint32_t i : flows_of_[process]) {
        const Flow& flow = flows_[i];
        const std::uint32_t other =
            flow.from.index() == process ? flow.to.index() : flow.from.index();
        if (!has_moved(other) || other > process) {
          visit(flow);
        }
      }
    }
  }

  void add(std::uint64_t bytes, NodeId from, NodeId to) {
    for_each_load(bytes, from, to, [&](std::uint64_t& load, std::uint64_t more) {
      squares_ += more * (2 * UInt128{load} + more);
      load += more;
      most_ = std::max(most_, load);
    });
  }

  /// Calls `see(load)` with what each link carried before.
  template <class See>
  void take_off(std::uint64_t bytes, NodeId from, NodeId to, See see) {
    for_each_load(bytes, from, to, [&](std::uint64_t& load, std::uint64_t less) {
      see(load);
      load -= less;
      squares_ -= less * (2 * UInt128{load} + less);
    });
  }

  /// Calls `change(load, what the bytes are on the link)`.
  template <class Change>
  void for_each_load(std::uint64_t bytes, NodeId from, NodeId to, Change change) {
    routes_.for_each(from, to, [&](LinkId link) {
      const std::uint32_t server = server_[link.index()];
      loads_before_.emplace_back(server, load_[server]);
      change(load_[server], rates_ == nullptr ? bytes : bytes * rates_->units[link.index()]);
    });
  }

  void summarise() {
    // Less than the load itself: the root mean square is no greater than the maximum.
    const double root = std::sqrt(static_cast<double>(squares_) /
                                  static_cast<double>(std::max<std::size_t>(load_.size(), 1)));
    if (rates_ == nullptr) {
      cost_ = most_;
      energy_ = static_cast<double>(cost_) + root;
    } else {
      cost_ = rates_->time_of(most_);
      energy_ = static_cast<double>(cost_) + root * static_cast<double>(rates_->unit.numerator()) /
                                                 static_cast<double>(rates_->unit.denominator());
    }
  }

  const Topology& topology_;
  RouteLinks routes_;
  std::span<const Flow> flows_;
  std::vector<std::vector<std::uint32_t>> flows_of_;
  std::vector<std::uint64_t> load_;
  std::vector<std::uint32_t> server_;  ///< the link that carries a directed link's messages
  const LinkRates* rates_;             ///< null: loads are bytes
  std::uint64_t most_ = 0;             ///< greatest load
  std::uint64_t most_before_ = 0;
  UInt128 squares_ = 0;
  UInt128 squares_before_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>>
      loads_before_;  ///< link and load, by update()
};

}  // namespace

std::unique_ptr<MapCost> link_load_cost(const SearchProblem& problem, const LinkRates* rates) {
  return std::make_unique<LinkCost>(problem, rates);
}

}  // namespace dcube
