#include "time_model.hpp"

#include <algorithm>
#include <cmath>

#include "dcube/search/partners.hpp"
#include "moves.hpp"
#include "temperature.hpp"

namespace dcube {
namespace {

/// The times of a link; without any, messages take their bytes.
const LinkTimes& times_of(const SearchProblem& problem, LinkId link) {
  static constexpr LinkTimes plain{.per_byte = 1, .busy_per_byte = 1};
  return problem.link_times.empty() ? plain : problem.link_times[link.index()];
}

/// Powers 2, 4 and 8.
std::array<double, 3> powers_of(double value) {
  const double square = value * value;
  const double fourth = square * square;
  return {square, fourth, fourth * fourth};
}

/// The relative increase of a norm whose sum of powers grows by this part. Square roots are rounded
/// the same everywhere.
double norm_increase(double part, std::size_t roots) {
  double value = std::max(0.0, 1 + part);
  for (std::size_t i = 0; i < roots; ++i) {
    value = std::sqrt(value);
  }
  return value - 1;
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

TimeModel::TimeModel(const SearchProblem& problem, const Weights& weights)
    : problem_{problem},
      routes_{problem.topology},
      flows_of_(problem.traffic.process_count()),
      server_(problem.topology.link_slots()),
      moved_to_(problem.traffic.process_count(), nowhere),
      busy_(problem.topology.link_slots()),
      busy_before_(problem.topology.link_slots()),
      is_touched_(problem.topology.link_slots()),
      weights_{weights} {
  const std::span<const Flow> flows = problem.traffic.flows();
  for (std::uint32_t i = 0; i < flows.size(); ++i) {
    flows_of_[flows[i].from.index()].push_back(i);
    flows_of_[flows[i].to.index()].push_back(i);
  }
  for (std::uint32_t slot = 0; slot < server_.size(); ++slot) {
    const LinkId link{slot};
    server_[slot] = problem.topology.link(link) ? problem.server_of(link).index() : slot;
  }
}

void TimeModel::assign(std::span<const NodeId> map) {
  map_.assign(map.begin(), map.end());
  std::ranges::fill(busy_, 0);
  more_way_ = 0;
  for (const Flow& flow : problem_.traffic.flows()) {
    add(flow, map_[flow.from.index()], map_[flow.to.index()], 1);
  }
  for (const std::uint32_t link : touched_) {
    is_touched_[link] = false;
  }
  touched_.clear();
  way_ = more_way_;
  const double most = busy_.empty() ? 0 : *std::ranges::max_element(busy_);
  scale_ = most > 0 ? 1 / most : 1;
  powers_ = {};
  for (const double busy : busy_) {
    const auto powers = powers_of(busy * scale_);
    for (std::size_t i = 0; i < powers.size(); ++i) {
      powers_[i] += powers[i];
    }
  }
}

void TimeModel::add(const Flow& flow, NodeId from, NodeId to, double sign) {
  const double bytes = sign * static_cast<double>(flow.bytes);
  const double messages = sign * static_cast<double>(flow.messages);
  routes_.for_each(from, to, [&](LinkId link) {
    const LinkTimes& times = times_of(problem_, link);
    const std::uint32_t server = server_[link.index()];
    if (!is_touched_[server]) {
      is_touched_[server] = true;
      touched_.push_back(server);
      busy_before_[server] = busy_[server];
    }
    more_way_ += messages * times.latency + bytes * times.per_byte;
    busy_[server] += messages * times.busy_latency + bytes * times.busy_per_byte;
  });
}

void TimeModel::move(std::span<const Relocation> changes) {
  for (const Relocation& change : changes) {
    moved_to_[change.process.index()] = change.node;
  }
  more_way_ = 0;
  for (const Relocation& change : changes) {
    for (const std::uint32_t i : flows_of_[change.process.index()]) {
      const Flow& flow = problem_.traffic.flows()[i];
      const ProcessId other = flow.from == change.process ? flow.to : flow.from;
      if (moved_to_[other.index()] == nowhere || other > change.process) {
        add(flow, map_[flow.from.index()], map_[flow.to.index()], -1);
        add(flow, new_node(flow.from), new_node(flow.to), 1);
      }
    }
  }
  for (const Relocation& change : changes) {
    moved_to_[change.process.index()] = nowhere;
  }
}

void TimeModel::keep(std::span<const Relocation> changes) {
  move(changes);
  way_ += more_way_;
  for (const std::uint32_t link : touched_) {
    const auto after = powers_of(busy_[link] * scale_);
    const auto before = powers_of(busy_before_[link] * scale_);
    for (std::size_t i = 0; i < powers_.size(); ++i) {
      powers_[i] += after[i] - before[i];
    }
    is_touched_[link] = false;
  }
  touched_.clear();
  for (const Relocation& change : changes) {
    map_[change.process.index()] = change.node;
  }
}

TimeModel::Increases TimeModel::increases(std::span<const Relocation> changes) {
  move(changes);
  std::array<double, 3> more{};
  for (const std::uint32_t link : touched_) {
    const auto after = powers_of(busy_[link] * scale_);
    const auto before = powers_of(busy_before_[link] * scale_);
    for (std::size_t i = 0; i < more.size(); ++i) {
      more[i] += after[i] - before[i];
    }
    busy_[link] = busy_before_[link];
    is_touched_[link] = false;
  }
  touched_.clear();
  Increases all{share_of(more_way_, way_)};
  for (std::size_t i = 0; i < more.size(); ++i) {
    all[i + 1] = norm_increase(share_of(more[i], powers_[i]), i + 1);
  }
  return all;
}

double TimeModel::estimate(const Increases& increases) const {
  double sum = 0;
  for (std::size_t i = 0; i < measure_count; ++i) {
    sum += weights_[i] * increases[i];
  }
  return sum;
}

void TimeModel::note(const Increases& increases, double simulated) {
  constexpr double great = 0.5;  // larger changes are no longer proportional
  constexpr double most = 0.2;
  constexpr double memory = 0.98;
  if (std::ranges::any_of(increases, [](double one) { return std::abs(one) > great; })) {
    return;
  }
  const double answer = std::clamp(simulated, -most, most);
  for (std::size_t i = 0; i < measure_count; ++i) {
    for (std::size_t k = 0; k < measure_count; ++k) {
      products_[i][k] = memory * products_[i][k] + increases[i] * increases[k];
    }
    answers_[i] = memory * answers_[i] + increases[i] * answer;
  }
}

/// Coordinate descent. The measures rise and fall together, so weights below 0 would say nothing.
void TimeModel::fit() {
  constexpr int rounds = 30;
  constexpr double trust = 0.01;  // in the usual weights
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < measure_count; ++i) {
      double rest = answers_[i] + trust * usual_weights[i];
      for (std::size_t k = 0; k < measure_count; ++k) {
        rest -= k == i ? 0 : products_[i][k] * weights_[k];
      }
      weights_[i] = std::max(0.0, rest / (products_[i][i] + trust));
    }
  }
}

std::vector<NodeId> anneal_estimate(const SearchProblem& problem, std::vector<NodeId> map,
                                    const TimeModel::Weights& weights, std::uint64_t steps,
                                    SplitMix64& random, const SearchControl& control) {
  constexpr double hot = 0.003;  // of the estimate
  constexpr double cooling = 0.97;
  constexpr int coolings = 100;  // to a twentieth
  const Partners partners{problem.traffic, problem.objective};
  Moves moves{problem, partners};
  TimeModel model{problem, weights};
  Temperature temperature;
  temperature.set(hot);
  moves.assign(map);
  double present = 1;
  double least = 1;
  std::vector<NodeId> best = map;
  for (int i = 0; i < coolings; ++i, temperature.cool(cooling)) {
    if (control.should_stop && control.should_stop()) {
      break;
    }
    model.assign(map);
    for (std::uint64_t step = 0; step < steps / coolings; ++step) {
      const auto changes = moves.draw(random);
      const double increase = model.estimate(model.increases(changes));
      if (!temperature.accepts(increase, random)) {
        continue;
      }
      present *= 1 + increase;
      for (const Relocation& change : changes) {
        map[change.process.index()] = change.node;
      }
      model.keep(changes);
      moves.keep();
      if (present < least) {
        least = present;
        best = map;
      }
    }
  }
  return best;
}

}  // namespace dcube
