#include "branching.hpp"

#include <algorithm>
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
                     const Relaxation& relaxation, const CasesSettings& settings)
    : classes_{classes},
      talkers_{talkers},
      relaxations_(std::max(1U, settings.jobs), relaxation),
      propagation_{classes, talkers},
      root_{std::make_shared<const Relaxation::State>(relaxation.state())},
      most_states_{most_state_bytes / bytes_of(*root_)},
      settings_{settings},
      open_{settings} {}

std::uint64_t Branching::run() {
  Case root{.bound = settings_.bound, .value = 0, .masks = propagation_.all(), .state = root_};
  narrowed_bound(classes_, talkers_, relaxations_.front().dual(), root.masks, settings_.reached);
  if (propagation_.restrict(root.masks)) {
    open_.push(std::move(root));
  }
  return open_.work_off(
      [this](std::uint32_t worker, const Case& one) { split(relaxations_[worker], one); });
}

Branching::Split Branching::best_split(const Relaxation& relaxation, const PairMasks& masks) const {
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
        low += relaxation.share(pair, of);
      }
    }
  }
  return best;
}

void Branching::split(Relaxation& relaxation, const Case& one) {
  relaxation.restore(*one.state);
  const Split at = best_split(relaxation, one.masks);
  if (at.near == 0) {
    open_.give_up(one.bound);
    return;
  }
  for (const bool is_near : {true, false}) {
    Case part{.bound = one.bound, .value = one.value, .masks = one.masks, .state = one.state};
    part.masks[at.pair] &= is_near ? at.near : ~at.near;
    ++cases_;
    if (!propagation_.restrict(part.masks)) {
      continue;
    }
    if (!solve(relaxation, part)) {
      return;
    }
    if (part.bound < settings_.reached) {
      open_.push(std::move(part));
    }
  }
}

/// False where the work has to end.
bool Branching::solve(Relaxation& relaxation, Case& one) {
  constexpr int rounds = 2;
  constexpr int steps = 30;
  relaxation.restore(*one.state);
  relaxation.allow(one.masks);
  const auto should_stop = [this] { return open_.has_to_stop(); };
  bool is_over = false;
  for (int round = 0; !is_over; ++round) {
    const ProvedBound proved =
        narrowed_bound(classes_, talkers_, relaxation.dual(), one.masks, settings_.reached);
    if (proved.is_known && proved.value > one.value) {
      one.value = proved.value;
      one.bound = std::max(one.bound, proved.cost);
    }
    if (!propagation_.restrict(one.masks)) {
      one.bound = settings_.reached;
    }
    if (round == rounds || one.bound >= settings_.reached) {
      break;
    }
    for (int step = 0; step < steps && !is_over; ++step) {
      is_over = !relaxation.step(should_stop);
    }
  }
  one.state = open_.waiting() < most_states_
                  ? std::make_shared<const Relaxation::State>(relaxation.state())
                  : root_;
  relaxation.allow({});
  return !is_over;
}

}  // namespace dcube
