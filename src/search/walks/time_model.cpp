#include "time_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

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

double eighth_power(double value) { return powers_of(value)[2]; }

/// Square roots are rounded the same everywhere.
double root(double value, std::size_t roots) {
  value = std::max(0.0, value);
  for (std::size_t i = 0; i < roots; ++i) {
    value = std::sqrt(value);
  }
  return value;
}

/// Square roots that make a norm of its sum of powers: those of ways, and of busy times.
constexpr std::array<std::size_t, 4> roots{3, 1, 2, 3};

/// The relative increase of a norm whose sum of powers grows by this part.
double norm_increase(double part, std::size_t norm) { return root(1 + part, roots[norm]) - 1; }

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// All measures weigh the same.
TimeModel::Weights even_weights(const SearchProblem& problem) {
  TimeModel::Weights weights{};
  const std::size_t used =
      problem.supersteps.empty() ? TimeModel::measure_count / 2 : TimeModel::measure_count;
  std::fill_n(weights.begin(), used, 1 / static_cast<double>(used));
  return weights;
}

}  // namespace

TimeModel::TimeModel(const SearchProblem& problem) : TimeModel{problem, even_weights(problem)} {}

TimeModel::TimeModel(const SearchProblem& problem, const Weights& weights)
    : problem_{problem},
      routes_{problem.topology},
      layers_(problem.supersteps.size() + 1),
      pairs_of_(problem.traffic.process_count()),
      server_(problem.topology.link_slots()),
      moved_to_(problem.traffic.process_count(), nowhere),
      busy_(layers_.size() * server_.size()),
      touched_(busy_.size()),
      usual_{even_weights(problem)},
      weights_{weights} {
  add_pairs();
  for (std::uint32_t slot = 0; slot < server_.size(); ++slot) {
    const LinkId link{slot};
    server_[slot] = problem.topology.link(link) ? problem.server_of(link).index() : slot;
  }
}

void TimeModel::add_pairs() {
  struct Placed {
    Flow flow;
    std::uint32_t layer;
  };
  std::vector<Placed> all;
  for (const Flow& flow : problem_.traffic.flows()) {
    all.push_back({flow, 0});
  }
  for (std::uint32_t i = 0; i < problem_.supersteps.size(); ++i) {
    layers_[i + 1].times = static_cast<double>(problem_.supersteps[i].times);
    for (const Flow& flow : problem_.supersteps[i].flows) {
      all.push_back({flow, i + 1});
    }
  }
  std::ranges::stable_sort(all, std::less{}, [](const Placed& one) {
    return std::pair{one.flow.from, one.flow.to};
  });
  for (const auto& [flow, layer] : all) {
    const auto share = static_cast<std::uint32_t>(shares_.size());
    if (pairs_.empty() || pairs_.back().from != flow.from || pairs_.back().to != flow.to) {
      pairs_of_[flow.from.index()].push_back(static_cast<std::uint32_t>(pairs_.size()));
      pairs_of_[flow.to.index()].push_back(static_cast<std::uint32_t>(pairs_.size()));
      pairs_.push_back({flow.from, flow.to, share, share});
    }
    const auto bytes = static_cast<double>(flow.bytes);
    const auto messages = static_cast<double>(flow.messages);
    shares_.push_back({layer, bytes, messages, bytes / messages});
    ++pairs_.back().end;
  }
}

void TimeModel::assign(std::span<const NodeId> map) {
  map_.assign(map.begin(), map.end());
  std::ranges::fill(busy_, Busy{});
  ++change_;
  for (Layer& layer : layers_) {
    layer.powers = {};
  }
  more_way_ = 0;
  for (const Pair& pair : pairs_) {
    add(pair, map_[pair.from.index()], map_[pair.to.index()], 1);
  }
  way_ = more_way_;
  std::vector<double> longest(layers_.size());
  for (Share& share : shares_) {
    share.way = share.way_now;
    longest[share.layer] = std::max(longest[share.layer], share.way);
  }
  std::vector<double> busiest(layers_.size());
  for (std::size_t place = 0; place < busy_.size(); ++place) {
    double& most = busiest[place % layers_.size()];
    most = std::max(most, busy_[place].time);
  }
  const auto inverse = [](double greatest) { return greatest > 0 ? 1 / greatest : 1; };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].busy_scale = inverse(busiest[i]);
    layers_[i].way_scale = inverse(longest[i]);
  }
  for (std::size_t place = 0; place < busy_.size(); ++place) {
    Layer& layer = layers_[place % layers_.size()];
    const auto powers = powers_of(busy_[place].time * layer.busy_scale);
    for (std::size_t k = 0; k < powers.size(); ++k) {
      layer.powers[k + 1] += powers[k];
    }
  }
  for (const Share& share : shares_) {
    Layer& layer = layers_[share.layer];
    layer.powers[0] += eighth_power(share.way * layer.way_scale);
  }
  sums_ = {};
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    layers_[i].norms = norms_of(layers_[i], layers_[i].powers);
    for (std::size_t k = 0; k < norm_count; ++k) {
      sums_[k] += layers_[i].times * layers_[i].norms[k];
    }
  }
  forget_change();
}

TimeModel::Norms TimeModel::norms_of(const Layer& layer, const Norms& powers) {
  Norms norms{};
  for (std::size_t k = 0; k < norm_count; ++k) {
    norms[k] = root(powers[k], roots[k]) / (k == 0 ? layer.way_scale : layer.busy_scale);
  }
  return norms;
}

/// Takes a pair's messages off the links between two nodes, or puts them there.
void TimeModel::add(const Pair& pair, NodeId from, NodeId to, double sign) {
  const std::span<Share> shares = shares_of(pair);
  const std::size_t layers = layers_.size();
  double latency = 0;
  double per_byte = 0;
  routes_.for_each(from, to, [&](LinkId link) {
    const LinkTimes& times = times_of(problem_, link);
    const std::size_t first = server_[link.index()] * layers;
    for (const Share& share : shares) {
      Busy& busy = busy_[first + share.layer];
      if (busy.change != change_) {
        busy.change = change_;
        busy.before = busy.time;
        touched_[touched_count_++] = {static_cast<std::uint32_t>(first + share.layer), share.layer};
      }
      busy.time += sign * (share.messages * times.busy_latency + share.bytes * times.busy_per_byte);
    }
    latency += times.latency;
    per_byte += times.per_byte;
  });
  if (sign > 0) {
    for (Share& share : shares) {
      share.way_now = latency + share.size * per_byte;
    }
  }
  if (const Share& whole = shares.front(); whole.layer == 0) {
    more_way_ += sign * (whole.messages * latency + whole.bytes * per_byte);
  }
}

void TimeModel::move(std::span<const Relocation> changes) {
  for (const Relocation& change : changes) {
    moved_to_[change.process.index()] = change.node;
  }
  more_way_ = 0;
  for (const Relocation& change : changes) {
    for (const std::uint32_t i : pairs_of_[change.process.index()]) {
      const Pair& pair = pairs_[i];
      const ProcessId other = pair.from == change.process ? pair.to : pair.from;
      if (moved_to_[other.index()] == nowhere || other > change.process) {
        add(pair, map_[pair.from.index()], map_[pair.to.index()], -1);
        add(pair, new_node(pair.from), new_node(pair.to), 1);
        changed_.push_back(i);
      }
    }
  }
  for (const Relocation& change : changes) {
    moved_to_[change.process.index()] = nowhere;
  }
  add_up_powers();
}

/// What the change makes of the sums of powers.
void TimeModel::add_up_powers() {
  const auto layer_of_change = [&](std::size_t number) -> Layer& {
    Layer& layer = layers_[number];
    if (!layer.is_touched) {
      layer.is_touched = true;
      touched_layers_.push_back(static_cast<std::uint32_t>(number));
    }
    return layer;
  };
  for (const auto& [place, number] : std::span{touched_}.first(touched_count_)) {
    Layer& layer = layer_of_change(number);
    const auto after = powers_of(busy_[place].time * layer.busy_scale);
    const auto before = powers_of(busy_[place].before * layer.busy_scale);
    for (std::size_t i = 0; i < after.size(); ++i) {
      layer.more[i + 1] += after[i] - before[i];
    }
  }
  for (const std::uint32_t i : changed_) {
    for (const Share& share : shares_of(pairs_[i])) {
      Layer& layer = layer_of_change(share.layer);
      layer.more[0] +=
          eighth_power(share.way_now * layer.way_scale) - eighth_power(share.way * layer.way_scale);
    }
  }
}

/// A change that is kept has become part of the sums.
void TimeModel::forget_change() {
  for (const std::uint32_t i : touched_layers_) {
    layers_[i].is_touched = false;
    layers_[i].more = {};
  }
  touched_count_ = 0;
  ++change_;
  touched_layers_.clear();
  changed_.clear();
}

void TimeModel::keep(std::span<const Relocation> changes) {
  move(changes);
  way_ += more_way_;
  for (const std::uint32_t i : touched_layers_) {
    Layer& layer = layers_[i];
    for (std::size_t k = 0; k < norm_count; ++k) {
      layer.powers[k] += layer.more[k];
    }
    const Norms before = std::exchange(layer.norms, norms_of(layer, layer.powers));
    for (std::size_t k = 0; k < norm_count && i > 0; ++k) {
      sums_[k] += layer.times * (layer.norms[k] - before[k]);
    }
  }
  for (const std::uint32_t i : changed_) {
    for (Share& share : shares_of(pairs_[i])) {
      share.way = share.way_now;
    }
  }
  forget_change();
  for (const Relocation& change : changes) {
    map_[change.process.index()] = change.node;
  }
}

TimeModel::Increases TimeModel::increases(std::span<const Relocation> changes) {
  move(changes);
  Norms more_sums{};
  for (const std::uint32_t i : touched_layers_) {
    const Layer& layer = layers_[i];
    Norms powers = layer.powers;
    for (std::size_t k = 0; k < norm_count; ++k) {
      powers[k] += layer.more[k];
    }
    const Norms norms = norms_of(layer, powers);
    for (std::size_t k = 0; k < norm_count && i > 0; ++k) {
      more_sums[k] += layer.times * (norms[k] - layer.norms[k]);
    }
  }
  Increases all{share_of(more_way_, way_)};
  for (std::size_t k = 0; k < norm_count; ++k) {
    const Layer& whole = layers_.front();
    if (k > 0) {
      all[k] = norm_increase(share_of(whole.more[k], whole.powers[k]), k);
    }
    all[norm_count + k] = share_of(more_sums[k], sums_[k]);
  }
  for (const Touched& touched : std::span{touched_}.first(touched_count_)) {
    busy_[touched.place].time = busy_[touched.place].before;
  }
  forget_change();
  return all;
}

double TimeModel::estimate(const Increases& increases) const {
  return std::inner_product(weights_.begin(), weights_.end(), increases.begin(), 0.0);
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
      double rest = answers_[i] + trust * usual_[i];
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
