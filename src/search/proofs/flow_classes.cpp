#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "class_placements.hpp"
#include "core/mapped.hpp"

namespace dcube {
namespace {

/// Within a class of one process.
constexpr std::uint64_t no_pairs = std::numeric_limits<std::uint64_t>::max();

struct Merge {
  std::uint64_t loss = 0;
  std::size_t gone = 0;
  std::optional<std::size_t> into{};  ///< a lower class, or none: its flows are dropped
};

std::uint64_t pairs_of(std::uint64_t members) { return members * (members - 1) / 2; }

std::uint64_t merged_weight(const FlowClasses& classes, std::size_t a, std::size_t b) {
  return std::min({classes.weight(a, a), classes.weight(b, b), classes.weight(a, b)});
}

std::uint64_t loss_of(const FlowClasses& classes, std::size_t a, std::size_t b) {
  const std::uint64_t of_a = classes.member_count(a);
  const std::uint64_t of_b = classes.member_count(b);
  std::uint64_t loss = classes.own_flow(a) + classes.own_flow(b) + classes.flow(a, b) -
                       merged_weight(classes, a, b) * pairs_of(of_a + of_b);
  for (std::size_t other = 0; other < classes.size(); ++other) {
    if (other != a && other != b) {
      const std::uint64_t to_a = classes.weight(a, other);
      const std::uint64_t to_b = classes.weight(b, other);
      const std::uint64_t least = std::min(to_a, to_b);
      loss += classes.member_count(other) * (of_a * (to_a - least) + of_b * (to_b - least));
    }
  }
  return loss;
}

Merge least_loss(const FlowClasses& classes) {
  Merge best{.loss = no_pairs};
  for (std::size_t a = 0; a < classes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (const std::uint64_t loss = loss_of(classes, a, b); loss < best.loss) {
        best = {loss, a, b};
      }
    }
    if (const std::uint64_t loss = classes.flow_of(a); loss < best.loss) {
      best = {loss, a, std::nullopt};
    }
  }
  return best;
}

/// The classes in another order, perhaps without some.
FlowClasses selected(const FlowClasses& classes, const std::vector<std::size_t>& order) {
  FlowClasses result;
  for (const std::size_t a : order) {
    result.members.push_back(classes.members[a]);
    for (const std::size_t b : order) {
      result.weights.push_back(classes.weight(a, b));
    }
  }
  return result;
}

void apply(const Merge& merge, FlowClasses& classes) {
  const std::size_t size = classes.size();
  if (merge.into) {
    const std::size_t into = *merge.into;
    const std::uint64_t within = merged_weight(classes, into, merge.gone);
    for (std::size_t other = 0; other < size; ++other) {
      std::uint64_t& weight = classes.weights[into * size + other];
      weight = std::min(weight, classes.weight(merge.gone, other));
      classes.weights[other * size + into] = weight;
    }
    classes.weights[into * size + into] = within;
    const std::vector<std::uint32_t>& more = classes.members[merge.gone];
    classes.members[into].insert(classes.members[into].end(), more.begin(), more.end());
  }
  classes = selected(
      classes, kept(numbered<std::size_t>(size), [&](std::size_t a) { return a != merge.gone; }));
}

FlowClasses ordered(const FlowClasses& classes) {
  std::vector<std::size_t> order;
  std::vector<std::uint64_t> to_placed(classes.size());
  while (order.size() < classes.size()) {
    const std::vector<std::size_t> left =
        kept(numbered<std::size_t>(classes.size()),
             [&](std::size_t a) { return std::ranges::find(order, a) == order.end(); });
    const auto rank = [&](std::size_t a) {
      return std::tuple{to_placed[a] + classes.own_flow(a), classes.flow_of(a)};
    };
    const std::size_t best = *std::ranges::max_element(left, {}, rank);
    for (std::size_t a = 0; a < classes.size(); ++a) {
      to_placed[a] += a == best ? 0 : classes.flow(a, best);
    }
    order.push_back(best);
  }
  return selected(classes, order);
}

}  // namespace

std::uint64_t FlowClasses::own_flow(std::size_t of_class) const {
  const std::uint64_t pairs = pairs_of(member_count(of_class));
  return pairs == 0 ? 0 : pairs * weight(of_class, of_class);
}

std::uint64_t FlowClasses::flow(std::size_t a, std::size_t b) const {
  return member_count(a) * member_count(b) * weight(a, b);
}

std::uint64_t FlowClasses::flow_of(std::size_t of_class) const {
  std::uint64_t sum = own_flow(of_class);
  for (std::size_t other = 0; other < size(); ++other) {
    sum += other == of_class ? 0 : flow(of_class, other);
  }
  return sum;
}

std::uint64_t FlowClasses::total_flow() const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < size(); ++a) {
    sum += own_flow(a);
    for (std::size_t b = 0; b < a; ++b) {
      sum += flow(a, b);
    }
  }
  return sum;
}

FlowClasses merged_classes(std::span<const std::uint64_t> weights, std::size_t process_count,
                           std::span<const std::uint32_t> processes, std::size_t most) {
  FlowClasses classes;
  for (const std::uint32_t process : processes) {
    classes.members.push_back({process});
    for (const std::uint32_t other : processes) {
      classes.weights.push_back(process == other ? no_pairs
                                                 : weights[process * process_count + other]);
    }
  }
  while (classes.size() > 0) {
    const Merge merge = least_loss(classes);
    if (classes.size() <= most && merge.loss > 0) {
      break;
    }
    apply(merge, classes);
  }
  for (std::size_t a = 0; a < classes.size(); ++a) {
    std::uint64_t& within = classes.weights[a * classes.size() + a];
    within = within == no_pairs ? 0 : within;
  }
  return ordered(classes);
}

}  // namespace dcube
