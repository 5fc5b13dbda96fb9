#include "link_loads.hpp"

#include <utility>

#include "power_mean.hpp"
#include "route_links.hpp"

namespace dcube {
namespace {

/// The most loaded link. Annealing compares power means of all loads.
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
    for (const Flow& flow : flows_) {
      for_each_load(flow.bytes, node_of(flow.from.index()), node_of(flow.to.index()),
                    [&](std::uint32_t server, std::uint64_t more) { load_[server] += more; });
    }
    most_ = load_.empty() ? 0 : *std::ranges::max_element(load_);
    add_all();
    summarise();
  }

  void add_all() {
    mean_.reset(most_, topology_.link_count());
    for (const std::uint64_t load : load_) {
      mean_.add(load);
    }
  }

  /// All flows that change are taken off before any is added, so no load is ever greater than the
  /// greatest in the end. That is the greatest of the loads that grew, unless the link that was
  /// busiest before stays busier.
  void update() override {
    most_before_ = std::exchange(most_, 0);
    mean_before_ = mean_;
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
    if (mean_.is_passed_by(most_)) {
      add_all();
    }
    summarise();
  }

  void undo() override {
    most_ = most_before_;
    mean_ = mean_before_;
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
    for_each_load(bytes, from, to, [&](std::uint32_t server, std::uint64_t more) {
      change(server, load_[server] + more);
      most_ = std::max(most_, load_[server]);
    });
  }

  /// Calls `see(load)` with what each link carried before.
  template <class See>
  void take_off(std::uint64_t bytes, NodeId from, NodeId to, See see) {
    for_each_load(bytes, from, to, [&](std::uint32_t server, std::uint64_t less) {
      see(load_[server]);
      change(server, load_[server] - less);
    });
  }

  void change(std::uint32_t server, std::uint64_t load) {
    loads_before_.emplace_back(server, load_[server]);
    mean_.take(load_[server]);
    mean_.add(load);
    load_[server] = load;
  }

  /// Calls `visit(server, what the bytes are on it)` for the links of a route.
  template <class Visit>
  void for_each_load(std::uint64_t bytes, NodeId from, NodeId to, Visit visit) const {
    routes_.for_each(from, to, [&](LinkId link) {
      visit(server_[link.index()], rates_ == nullptr ? bytes : bytes * rates_->units[link.index()]);
    });
  }

  void summarise() {
    cost_ = rates_ == nullptr ? most_ : rates_->time_of(most_);
    energy_ = mean_.value();
    if (rates_ != nullptr) {
      energy_ *= static_cast<double>(rates_->unit.numerator()) /
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
  PowerMean mean_;  ///< of the loads
  PowerMean mean_before_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>>
      loads_before_;  ///< link and load, by update()
};

}  // namespace

std::unique_ptr<MapCost> link_load_cost(const SearchProblem& problem, const LinkRates* rates) {
  return std::make_unique<LinkCost>(problem, rates);
}

}  // namespace dcube
