#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "relaxation.hpp"
#include "search/pairs.hpp"
#include "search/proofs/open_cases.hpp"

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

/// Which classes the difference of each pair of talkers a < b may have, a bit each.
using PairMasks = std::vector<std::uint64_t>;

/// What follows from masks: of three processes two differences restrict the third, and processes
/// that may be exchanged are sorted by their hops to one that is not among them.
class MaskPropagation {
 public:
  MaskPropagation(const DifferenceClasses& classes, const Talkers& talkers)
      : classes_{classes},
        talkers_{talkers},
        thirds_(classes.class_count() * classes.class_count()) {
    const std::size_t count = classes.class_count();
    for (std::size_t of = talkers.slots == 1 ? 1 : 0; of < count; ++of) {
      known_ |= std::uint64_t{1} << of;
    }
    const std::size_t nodes = classes.node_count;
    for (std::size_t a = 0; a < nodes; ++a) {
      const std::uint32_t* const from = &classes.class_of[a * nodes];
      for (std::size_t b = 0; b < nodes; ++b) {
        for (std::size_t c = 0; c < nodes; ++c) {
          thirds_[from[b] * count + from[c]] |= std::uint64_t{1} << classes.class_of[b * nodes + c];
        }
      }
    }
    find_twins();
  }

  /// Every difference that there is.
  PairMasks all() const { return PairMasks(talkers_.count() * (talkers_.count() - 1) / 2, known_); }

  std::size_t pair_of(std::size_t a, std::size_t b) const {
    const auto [low, high] = std::minmax(a, b);
    return talkers_.pair_of(low, high);
  }

  /// Takes away what cannot be. False where nothing is left of a pair.
  bool restrict(PairMasks& masks) const {
    if (std::ranges::find(masks, 0U) != masks.end()) {
      return false;
    }
    const std::size_t count = talkers_.count();
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      if (!sort_twins(masks, has_changed)) {
        return false;
      }
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          if (a == b || masks[pair_of(a, b)] == known_) {
            continue;
          }
          for (std::size_t c = 0; c < count; ++c) {
            if (c == a || c == b) {
              continue;
            }
            std::uint64_t& mask = masks[pair_of(b, c)];
            const std::uint64_t left = mask & third(masks[pair_of(a, b)], masks[pair_of(a, c)]);
            has_changed = has_changed || left != mask;
            mask = left;
            if (left == 0) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  /// Classes of at most so many hops.
  std::uint64_t within(std::uint32_t hops) const {
    std::uint64_t mask = 0;
    for (std::size_t of = 0; of < classes_.class_count(); ++of) {
      mask |= classes_.hops[of] <= hops ? std::uint64_t{1} << of : 0;
    }
    return mask;
  }

 private:
  void find_twins() {
    std::vector<std::vector<std::size_t>> kinds(talkers_.count());
    const std::vector<std::uint32_t> kind_of = kinds_of(talkers_.weights, talkers_.count());
    for (std::size_t a = 0; a < talkers_.count(); ++a) {
      kinds[kind_of[a]].push_back(a);
    }
    std::erase_if(kinds, [](const auto& kind) { return kind.empty(); });
    // Kinds are sorted one after the other, each by a process of a kind that is sorted already: its
    // number then stays.
    std::ranges::stable_sort(kinds, {}, [](const auto& kind) { return kind.size(); });
    std::vector<std::size_t> sorted;
    for (const std::vector<std::size_t>& kind : kinds) {
      // The lowest of equals.
      const auto rank = [&](std::size_t other) {
        return std::pair{talkers_.weight(kind.front(), other), ~other};
      };
      const auto heaviest = std::ranges::max_element(sorted, {}, rank);
      if (kind.size() > 1 && heaviest != sorted.end()) {
        chains_.push_back(mapped(kind, [&](std::size_t a) { return pair_of(a, *heaviest); }));
      }
      if (kind.size() == 1 || heaviest != sorted.end()) {
        sorted.insert(sorted.end(), kind.begin(), kind.end());
      }
    }
  }

  bool sort_twins(PairMasks& masks, bool& has_changed) const {
    // Classes ascend by hops, so a mask's lowest bit has the least and its highest the most.
    const auto limit = [&](std::size_t pair, std::uint64_t to) {
      has_changed = has_changed || (masks[pair] & to) != masks[pair];
      masks[pair] &= to;
      return masks[pair] != 0;
    };
    for (const std::vector<std::size_t>& chain : chains_) {
      for (std::size_t i = 1; i < chain.size(); ++i) {
        const auto least = static_cast<std::size_t>(std::countr_zero(masks[chain[i - 1]]));
        const std::uint32_t hops = classes_.hops[least];
        if (hops > 0 && !limit(chain[i], ~within(hops - 1))) {
          return false;
        }
      }
      for (std::size_t i = chain.size() - 1; i > 0; --i) {
        const auto most = static_cast<std::size_t>(63 - std::countl_zero(masks[chain[i]]));
        if (!limit(chain[i - 1], within(classes_.hops[most]))) {
          return false;
        }
      }
    }
    return true;
  }

  std::uint64_t third(std::uint64_t one, std::uint64_t other) const {
    std::uint64_t mask = 0;
    for (std::uint64_t a = one; a != 0; a &= a - 1) {
      const auto row = static_cast<std::size_t>(std::countr_zero(a)) * classes_.class_count();
      for (std::uint64_t b = other; b != 0; b &= b - 1) {
        mask |= thirds_[row + static_cast<std::size_t>(std::countr_zero(b))];
      }
    }
    return mask;
  }

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  std::uint64_t known_ = 0;
  /// [first][second]: classes of b - c where a - b and a - c have these classes.
  std::vector<std::uint64_t> thirds_;
  /// Pairs, each with no fewer hops than the one before.
  std::vector<std::vector<std::size_t>> chains_;
};

class Branching {
 public:
  Branching(const Relaxation& relaxation, const CasesSettings& settings)
      : classes_{relaxation.classes()},
        talkers_{relaxation.talkers()},
        relaxations_(std::max(1U, settings.jobs), relaxation),
        propagation_{classes_, talkers_},
        root_{std::make_shared<const Relaxation::State>(relaxation.state())},
        most_states_{most_state_bytes / bytes_of(*root_)},
        settings_{settings},
        open_{settings} {}

  BranchedBound run() {
    Case root{.bound = settings_.bound, .value = 0, .masks = propagation_.all(), .state = root_};
    narrowed_bound(classes_, talkers_, relaxations_.front().dual(), root.masks, settings_.reached);
    if (propagation_.restrict(root.masks)) {
      open_.push(std::move(root));
    }
    const std::uint64_t cost = open_.work_off(
        [this](std::uint32_t worker, const Case& one) { split(relaxations_[worker], one); });
    return {cost, cases_};
  }

 private:
  struct Case {
    std::uint64_t bound = 0;
    Int128 value = 0;
    PairMasks masks{};
    std::shared_ptr<const Relaxation::State> state{};

    /// Whether the other one is split before.
    friend bool operator<(const Case& a, const Case& b) { return a.value > b.value; }
  };
  /// Pairs that are near if the class is in `near`.
  struct Split {
    std::size_t pair = 0;
    std::uint64_t near = 0;
  };

  void split(Relaxation& relaxation, const Case& one) {
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

  Split best_split(const Relaxation& relaxation, const PairMasks& masks) const {
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

  /// False where the work has to end.
  bool solve(Relaxation& relaxation, Case& one) {
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

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  std::vector<Relaxation> relaxations_;  ///< by worker
  MaskPropagation propagation_;
  std::shared_ptr<const Relaxation::State> root_;
  std::size_t most_states_ = 0;
  CasesSettings settings_;
  OpenCases<Case> open_;
  std::atomic<std::uint64_t> cases_ = 0;
};

}  // namespace

BranchedBound branched_bound(const Relaxation& relaxation, const CasesSettings& settings) {
  constexpr std::size_t most_classes = 64;  // of a mask
  return relaxation.classes().class_count() > most_classes ? BranchedBound{}
                                                           : Branching{relaxation, settings}.run();
}

}  // namespace dcube
