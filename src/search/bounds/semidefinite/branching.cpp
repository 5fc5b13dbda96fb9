#include "branching.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace dcube {
namespace {

constexpr std::size_t most_state_bytes = std::size_t{1} << 29U;

std::size_t bytes_of(const Relaxation::State& state) {
  std::size_t numbers = static_cast<std::size_t>(state.shares.size() + state.orbit_shares.size()) +
                        state.cut_multipliers.size();
  for (const Relaxation::Matrix& matrix : state.projected) {
    numbers += 2 * static_cast<std::size_t>(matrix.size());
  }
  return numbers * sizeof(double);
}

}  // namespace

Branching::Branching(const DifferenceClasses& classes, const Talkers& talkers,
                     Relaxation& relaxation, Settings settings)
    : classes_{classes},
      talkers_{talkers},
      relaxation_{relaxation},
      settings_{std::move(settings)},
      propagation_{classes, talkers},
      root_{std::make_shared<const Relaxation::State>(relaxation.state())},
      most_states_{most_state_bytes / bytes_of(*root_)},
      least_closed_{std::numeric_limits<std::uint64_t>::max()} {}

std::uint64_t Branching::run() {
  Case root{.bound = settings_.bound, .value = 0, .masks = propagation_.all(), .state = root_};
  if (propagation_.restrict(root.masks)) {
    open_.push(std::move(root));
  }
  std::uint64_t bound = settings_.bound;
  while (!open_.empty() && !is_over_) {
    const Case next = open_.top();
    const std::uint64_t least = std::min({least_closed_, next.bound, settings_.reached});
    if (least > bound) {
      bound = least;
      settings_.on_bound(bound);
    }
    if (next.bound >= settings_.reached || least_closed_ <= next.bound) {
      return bound;
    }
    open_.pop();
    if (!split(next)) {
      return bound;
    }
  }
  if (is_over_) {
    return bound;
  }
  return std::max(bound, std::min(least_closed_, settings_.reached));
}

Branching::Split Branching::best_split(const PairMasks& masks) const {
  Split best;
  double most = 0;
  for (std::size_t a = 0; a < talkers_.count(); ++a) {
    for (std::size_t b = a + 1; b < talkers_.count(); ++b) {
      const std::size_t pair = propagation_.pair_of(a, b);
      const auto weight = static_cast<double>(talkers_.weight(a, b));
      double low = 0;
      std::uint64_t near = 0;
      for (std::size_t of = 0; of < classes_.class_count() && weight > 0; ++of) {
        if ((masks[pair] >> of & 1U) == 0) {
          continue;
        }
        // All classes before have fewer hops.
        if (near != 0 && (propagation_.within(classes_.hops[of]) & near) == near &&
            (propagation_.within(classes_.hops[of] - 1) & near) == near) {
          constexpr double undecided = 1e-3;
          const double gain = weight * (std::min(low, 1 - low) + undecided);
          if (gain > most) {
            most = gain;
            best = {pair, near};
          }
        }
        near |= std::uint64_t{1} << of;
        low += relaxation_.share(pair, of);
      }
    }
  }
  return best;
}

bool Branching::split(const Case& one) {
  relaxation_.restore(*one.state);
  const Split at = best_split(one.masks);
  if (at.near == 0) {
    least_closed_ = std::min(least_closed_, one.bound);
    return true;
  }
  for (const bool is_near : {true, false}) {
    Case part{.bound = one.bound, .value = one.value, .masks = one.masks, .state = one.state};
    part.masks[at.pair] &= is_near ? at.near : ~at.near;
    ++cases_;
    if (!propagation_.restrict(part.masks)) {
      continue;
    }
    if (!solve(part)) {
      return false;
    }
    if (part.bound < settings_.reached) {
      open_.push(std::move(part));
    }
  }
  return true;
}

bool Branching::solve(Case& one) {
  constexpr int rounds = 3;
  constexpr int steps = 30;
  relaxation_.restore(*one.state);
  relaxation_.allow(one.masks);
  for (int round = 0; round < rounds && one.bound < settings_.reached; ++round) {
    for (int step = 0; step < steps && !is_over_; ++step) {
      is_over_ = !relaxation_.step(settings_.should_stop);
    }
    if (is_over_) {
      break;
    }
    const ProvedBound proved = proved_bound(classes_, talkers_, relaxation_.dual(), one.masks);
    if (proved.is_known && proved.value > one.value) {
      one.value = proved.value;
      one.bound = std::max(one.bound, proved.cost);
    }
  }
  one.state = open_.size() < most_states_
                  ? std::make_shared<const Relaxation::State>(relaxation_.state())
                  : root_;
  relaxation_.allow({});
  return !is_over_;
}

}  // namespace dcube
