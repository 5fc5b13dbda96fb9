#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/search/subcubes.hpp"
#include "subcube_addresses.hpp"
#include "subcube_placement.hpp"

// Tasks are placed one after the other, always the one with the heaviest messages to those placed.
// The cost of a partial mapping is that of its messages plus a lower bound for the messages to
// come; it is given up when this is no less than the cost of the best mapping known. Of the
// mappings that a symmetry of the cube turns into each other, one is tried: see
// is_first_of_its_kind(). Nodes that are left out stand in the cube from the beginning, as subcubes
// of one node to which nobody sends.

namespace dcube {
namespace {

class BranchAndBound {
 public:
  /// `start` is empty when no mapping is known.
  BranchAndBound(const SubcubeProblem& problem, MappingKind kind, SubcubeMapping start,
                 const SubcubeSearchProgress& progress)
      : problem_{problem},
        kind_{kind},
        progress_{progress},
        tasks_{problem.task_count()},
        weights_(std::size_t{tasks_} * tasks_),
        addresses_{all_subcubes(problem.cube_dimensions(), problem.subcube_dimensions())} {
    for (const Flow& flow : problem.graph().flows()) {
      weight(flow.from.index(), flow.to.index()) += flow.bytes;
      weight(flow.to.index(), flow.from.index()) += flow.bytes;
    }
    for (const NodeId node : problem.left_out()) {
      standing_.emplace_back(problem.cube_dimensions(), 0, node.index());
    }
    order_tasks();
    if (start.empty()) {
      best_ = unknown;
    } else {
      result_.start_bandwidth = bandwidth(problem, start);
      best_ = twice(result_.start_bandwidth);
    }
    result_.mapping = std::move(start);
    bound_ = twice(bandwidth_bound(problem, kind));
    if (best_ != bound_) {  // less shows that it is no bound, and ends nothing
      place(0, 0, 0, 1);
    }
    result_.is_optimal = result_.is_complete;
    if (!result_.mapping.empty()) {
      result_.bandwidth = bandwidth(problem, result_.mapping);
    }
  }

  SubcubeSearchResult take_result() { return std::move(result_); }

 private:
  /// Twice the bandwidth between single partners.
  using Cost = std::uint64_t;

  static constexpr Cost unknown = std::numeric_limits<Cost>::max();

  std::span<const Subcube> placed() const {
    return std::span{standing_}.subspan(problem_.left_out().size());
  }
  Cost& weight(std::uint32_t a, std::uint32_t b) { return weights_[std::size_t{a} * tasks_ + b]; }
  Cost twice(std::uint64_t total) const { return 2 * total >> problem_.subcube_dimensions(); }

  void order_tasks() {
    std::vector<std::uint32_t> left = numbered(tasks_);
    while (!left.empty()) {
      const auto pull = [&](std::uint32_t task) {
        Cost placed = 0;
        Cost all = 0;
        for (std::uint32_t other = 0; other < tasks_; ++other) {
          all += weight(task, other);
          placed += std::ranges::find(order_, other) != order_.end() ? weight(task, other) : 0;
        }
        return std::pair{placed, all};
      };
      const auto next = std::max_element(left.begin(), left.end(),
                                         [&](auto a, auto b) { return pull(a) < pull(b); });
      order_.push_back(*next);
      left.erase(next);
    }
    // A lower bound for the messages among the tasks from each place of the order on.
    among_rest_.assign(tasks_ + 1, 0);
    for (std::uint32_t i = tasks_; i-- > 0;) {
      among_rest_[i] = among_rest_[i + 1];
      for (std::uint32_t j = i + 1; j < tasks_; ++j) {
        among_rest_[i] += 2 * weight(order_[i], order_[j]);
      }
    }
  }

  bool may_stand(const Subcube& address) const {
    if (kind_ == MappingKind::parallel && !placed().empty() &&
        !are_parallel(address, placed().front())) {
      return false;
    }
    return std::ranges::all_of(
        standing_, [&](const Subcube& other) { return hamming_distance(address, other) > 0; });
  }

  /// The cost of the messages between a task and those placed, if the task were at `address`.
  Cost cost_at(std::uint32_t task, const Subcube& address) {
    Cost cost = 0;
    const std::span<const Subcube> others = placed();
    for (std::size_t i = 0; i < others.size(); ++i) {
      cost += weight(task, order_[i]) * twice_mean_distance(address, others[i]);
    }
    return cost;
  }

  /// A lower bound for the messages between the tasks to come and those placed.
  Cost least_to_placed(std::size_t first) {
    const std::vector<Subcube> free =
        kept(addresses_, [&](const Subcube& address) { return may_stand(address); });
    Cost sum = 0;
    for (std::size_t i = first; i < order_.size(); ++i) {
      Cost least = unknown;
      for (const Subcube& address : free) {
        least = std::min(least, cost_at(order_[i], address));
      }
      if (least == unknown) {
        return least;  // no room
      }
      sum += least;
    }
    return sum;
  }

  void keep(Cost cost) {
    if (kind_ == MappingKind::non_parallel && is_parallel(placed())) {
      return;
    }
    best_ = cost;
    result_.mapping.resize(order_.size(), standing_.front());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      result_.mapping[order_[i]] = placed()[i];
    }
  }

  bool goes_on(double done) {
    ++result_.tried;
    // Every partial mapping is held against all addresses, and a large cube has millions.
    constexpr std::uint64_t addresses_between = 10'000'000;
    const std::uint64_t every =
        std::clamp<std::uint64_t>(addresses_between / addresses_.size(), 1, 256);
    if (progress_ && result_.tried % every == 0 &&
        !progress_({done, best_ == unknown ? 0 : (best_ << problem_.subcube_dimensions()) / 2})) {
      result_.is_complete = false;
    }
    return result_.is_complete && best_ != bound_;
  }

  /// `done` is the part of the search before this partial mapping, `share` the part within it.
  void place(std::size_t index, Cost cost, double done, double share) {
    if (index == order_.size()) {
      keep(cost);
      return;
    }
    std::vector<std::pair<Cost, const Subcube*>> choices;
    for (const Subcube& address : addresses_) {
      if (may_stand(address) && is_first_of_its_kind(standing_, address)) {
        choices.emplace_back(cost + cost_at(order_[index], address), &address);
      }
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const double part = share / static_cast<double>(std::max<std::size_t>(1, choices.size()));
    for (const auto& [with, address] : choices) {
      if (!goes_on(done)) {
        return;
      }
      standing_.push_back(*address);
      const Cost at_least = with + among_rest_[index + 1];
      if (at_least < best_) {
        const Cost rest = least_to_placed(index + 1);
        if (rest < best_ - at_least) {
          place(index + 1, with, done, part);
        }
      }
      standing_.pop_back();
      done += part;
    }
  }

  const SubcubeProblem& problem_;
  MappingKind kind_;
  const SubcubeSearchProgress& progress_;
  std::uint32_t tasks_;
  std::vector<Cost> weights_;
  std::vector<Subcube> addresses_;
  std::vector<std::uint32_t> order_;
  std::vector<Cost> among_rest_;
  std::vector<Subcube> standing_;  ///< nodes that are left out, then the tasks placed
  Cost best_ = 0;
  Cost bound_ = 0;
  SubcubeSearchResult result_;
};

}  // namespace

SubcubeSearchResult best_mapping(const SubcubeProblem& problem, MappingKind kind,
                                 const SubcubeSearchProgress& progress) {
  const auto annealing = SubcubeAnnealing::thorough(problem);
  const auto watch = [&](const SubcubeSearchState& state) {
    return !progress || progress({0, state.best_bandwidth});
  };
  std::optional<SubcubeSearchResult> start =
      problem.left_out().empty() ? anneal_subcubes(problem, kind, annealing, 0, watch)
                                 : try_to_anneal(problem, kind, annealing, 0, watch);
  if (start && !start->is_complete) {
    return std::move(*start);
  }
  SubcubeSearchResult best =
      BranchAndBound{problem, kind, start ? std::move(start->mapping) : SubcubeMapping{}, progress}
          .take_result();
  refuse_if(best.mapping.empty(), "", "no mapping of the kind {}",
            best.is_complete ? "exists" : "was found before the interrupt");
  return best;
}

}  // namespace dcube
