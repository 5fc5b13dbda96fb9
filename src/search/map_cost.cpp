#include "map_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/search/partners.hpp"
#include "route_links.hpp"

namespace dcube {

void MapCost::assign(std::span<const NodeId> map) {
  std::ranges::copy(map, node_.begin());
  before_ = node_;
  changed_.clear();
  compute();
}

void MapCost::propose(std::span<const Relocation> changes) {
  changed_.clear();
  cost_before_ = cost_;
  energy_before_ = energy_;
  for (const Relocation& change : changes) {
    node_[change.process.index()] = change.node;
    changed_.push_back(change.process.index());
  }
  update();
}

void MapCost::keep() {
  settle();
  for (const std::uint32_t process : changed_) {
    before_[process] = node_[process];
  }
}

void MapCost::revert() {
  for (const std::uint32_t process : changed_) {
    node_[process] = before_[process];
  }
  undo();
  cost_ = cost_before_;
  energy_ = energy_before_;
}

namespace {

/// Costs of pairs of partners that are so far apart.
class PairCost : public MapCost {
 public:
  PairCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()},
        partners_{problem.traffic, problem.objective},
        distances_{distances} {}

 protected:
  /// Calls `visit(weight, distance)` for every pair.
  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (std::uint32_t process = 0; process < partners_.process_count(); ++process) {
      for (const Partner& partner : partners_.of(process)) {
        if (process < partner.process.index()) {
          visit(partner.weight, distances_(node_of(process), node_of(partner.process.index())));
        }
      }
    }
  }

  /// Calls `visit(weight, distance before, distance)` for every pair of which a process has moved.
  template <class Visit>
  void for_each_changed_pair(Visit visit) const {
    for (const std::uint32_t process : changed()) {
      for (const Partner& partner : partners_.of(process)) {
        const std::uint32_t other = partner.process.index();
        if (!has_moved(other) || other > process) {  // a pair of two that have moved counts once
          visit(partner.weight, distances_(before(process), before(other)),
                distances_(node_of(process), node_of(other)));
        }
      }
    }
  }

  std::uint64_t total_weight() const { return partners_.total_weight(); }

 private:
  Partners partners_;
  const Distances& distances_;
};

/// Sum of weight times distance: average_dilation, hop_bytes.
class SumCost final : public PairCost {
 public:
  using PairCost::PairCost;

 private:
  void compute() override {
    cost_ = 0;
    for_each_pair(
        [&](std::uint64_t weight, std::uint32_t distance) { cost_ += weight * distance; });
    energy_ = static_cast<double>(cost_);
  }

  void update() override {
    // Unsigned sums wrap around and come back.
    for_each_changed_pair([&](std::uint64_t weight, std::uint64_t was, std::uint64_t distance) {
      cost_ += weight * (distance - was);
    });
    energy_ = static_cast<double>(cost_);
  }

  void undo() override {}
};

/// The longest flow. Of two maps with equally long longest flows, the one with fewer of them is
/// nearer to a better map.
class LongestCost final : public PairCost {
 public:
  LongestCost(const SearchProblem& problem, const Distances& distances)
      : PairCost{problem, distances}, pairs_(problem.topology.node_count() + 1) {}

 private:
  void compute() override {
    std::ranges::fill(pairs_, 0);
    for_each_pair([&](std::uint64_t, std::uint32_t distance) { ++pairs_[distance]; });
    summarise(pairs_.size() - 1);
  }

  void update() override {
    moved_pairs_.clear();
    for_each_changed_pair([&](std::uint64_t, std::uint32_t was, std::uint32_t distance) {
      --pairs_[was];
      ++pairs_[distance];
      moved_pairs_.emplace_back(was, distance);
      cost_ = std::max<std::uint64_t>(cost_, distance);
    });
    summarise(cost_);
  }

  void undo() override {
    for (const auto& [was, distance] : moved_pairs_) {
      ++pairs_[was];
      --pairs_[distance];
    }
  }

  /// Needs that no pair is farther apart than `longest`.
  void summarise(std::uint64_t longest) {
    while (longest > 0 && pairs_[longest] == 0) {
      --longest;
    }
    cost_ = longest;
    // Pairs one hop short of the longest weigh a hundredth of it: they are the next in the way.
    const double most = static_cast<double>(pairs_[longest]);
    const double next = longest > 0 ? static_cast<double>(pairs_[longest - 1]) : 0;
    const double all = static_cast<double>(total_weight()) + 1;
    energy_ = static_cast<double>(cost_) + (most + 0.01 * next) / (1.01 * all + 1);
  }

  std::vector<std::uint64_t> pairs_;                                  ///< by distance
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moved_pairs_;  ///< by update()
};

/// The most loaded link, then the sum of the squares of all loads. A load is in bytes, or for
/// link_time in units of time. Loads times nodes are within 63 bits (check_problem), so the sum is
/// within 126.
class LinkCost final : public MapCost {
 public:
  explicit LinkCost(const SearchProblem& problem)
      : MapCost{problem.traffic.process_count()},
        topology_{problem.topology},
        routes_{problem.topology},
        flows_{problem.traffic.flows()},
        flows_of_(problem.traffic.process_count()),
        load_(problem.topology.link_slots()),
        server_(problem.topology.link_slots()),
        rates_{problem.objective == Objective::link_time ? &problem.rates : nullptr} {
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      flows_of_[flows_[i].from.index()].push_back(i);
      flows_of_[flows_[i].to.index()].push_back(i);
    }
    for (std::uint32_t slot = 0; slot < load_.size(); ++slot) {
      server_[slot] = slot;
      if (problem.sharing == LinkSharing::undirected && topology_.link(LinkId{slot})) {
        server_[slot] = std::min(slot, topology_.reverse(LinkId{slot}).index());
      }
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
  std::uint64_t most_ = 0;             ///< of all loads
  std::uint64_t most_before_ = 0;
  UInt128 squares_ = 0;
  UInt128 squares_before_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>>
      loads_before_;  ///< link and load, by update()
};

/// The recurrence of [X IV.A], computed in full for every map: one move can delay every process.
class CcCost final : public MapCost {
 public:
  CcCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()},
        distances_{distances},
        compute_{static_cast<std::uint64_t>(problem.cc_compute.count())},
        hop_{static_cast<std::uint64_t>(problem.cc_hop.count())},
        local_{static_cast<std::uint64_t>(problem.cc_local.count())},
        finish_(problem.traffic.process_count()) {}

 private:
  void compute() override {
    std::ranges::fill(finish_, 0);
    const std::size_t processes = finish_.size();
    for (std::size_t bit = 1; bit < processes; bit *= 2) {
      for (std::size_t base = 0; base < processes; base += 2 * bit) {
        for (std::size_t lower = base; lower < base + bit; ++lower) {
          const std::size_t higher = lower + bit;
          const std::uint64_t hops = distances_(node_of(static_cast<std::uint32_t>(lower)),
                                                node_of(static_cast<std::uint32_t>(higher)));
          finish_[lower] = finish_[higher] = std::max(finish_[lower], finish_[higher]) + compute_ +
                                             (hops == 0 ? local_ : hops * hop_);
        }
      }
    }
    cost_ = 0;
    double sum = 0;
    for (const std::uint64_t finish : finish_) {
      cost_ = std::max(cost_, finish);
      sum += static_cast<double>(finish);
    }
    energy_ = static_cast<double>(cost_) + sum / static_cast<double>(processes);
  }

  void update() override { compute(); }
  void undo() override {}

  const Distances& distances_;
  std::uint64_t compute_;
  std::uint64_t hop_;
  std::uint64_t local_;
  std::vector<std::uint64_t> finish_;
};

/// Several costs of one map, each times its weight.
class WeightedCost final : public MapCost {
 public:
  WeightedCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()} {
    for (const ObjectiveTerm& term : problem.terms) {
      // Costs of links keep the rates that the problem holds.
      parts_.push_back({term.weight, problem.with_objective(term.objective)});
    }
    for (Part& part : parts_) {
      part.cost = make_map_cost(part.problem, distances);
    }
  }

 private:
  struct Part {
    std::uint64_t weight;
    SearchProblem problem;
    std::unique_ptr<MapCost> cost{};
  };

  void compute() override {
    for (const Part& part : parts_) {
      part.cost->assign(map());
    }
    add_up();
  }

  void update() override {
    changes_.clear();
    for (const std::uint32_t process : changed()) {
      changes_.push_back({ProcessId{process}, node_of(process)});
    }
    for (const Part& part : parts_) {
      part.cost->propose(changes_);
    }
    add_up();
  }

  void settle() override {
    for (const Part& part : parts_) {
      part.cost->keep();
    }
  }

  void undo() override {
    for (const Part& part : parts_) {
      part.cost->revert();
    }
  }

  void add_up() {
    cost_ = 0;
    energy_ = 0;
    for (const Part& part : parts_) {
      cost_ += part.weight * part.cost->cost();
      energy_ += static_cast<double>(part.weight) * part.cost->energy();
    }
  }

  std::vector<Part> parts_;
  std::vector<Relocation> changes_;
};

}  // namespace

std::unique_ptr<MapCost> make_map_cost(const SearchProblem& problem, const Distances& distances) {
  switch (problem.objective) {
    case Objective::average_dilation:
    case Objective::hop_bytes:
      return std::make_unique<SumCost>(problem, distances);
    case Objective::longest_dilation:
      return std::make_unique<LongestCost>(problem, distances);
    case Objective::link_load:
    case Objective::link_time:
      return std::make_unique<LinkCost>(problem);
    case Objective::weighted_sum:
      return std::make_unique<WeightedCost>(problem, distances);
    case Objective::cc_time:
      return std::make_unique<CcCost>(problem, distances);
    case Objective::makespan:
      break;
  }
  throw ContractViolation("a makespan comes from a simulation");
}

}  // namespace dcube
