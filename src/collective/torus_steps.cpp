#include "torus_steps.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace dcube {

std::int64_t swing_distance(std::uint32_t step) {
  const std::int64_t power = std::int64_t{1} << (step + 1);
  return (1 - (step % 2 == 0 ? -power : power)) / 3;
}

TorusSteps::TorusSteps(Torus torus, std::uint32_t port, StepDistance distance)
    : torus_{std::move(torus)},
      is_mirrored_{way_of_port(port, torus_.dimensions()) == Around::down},
      distance_{distance} {
  const std::vector<std::uint32_t> order = dimensions_of_port(port, torus_.dimensions());
  const std::uint32_t count = log2_of(torus_.size());
  for (std::uint32_t step = 0; steps_.size() < count; ++step) {
    for (const std::uint32_t dimension : order) {
      if (step < log2_of(torus_.side(dimension))) {
        steps_.push_back({dimension, step});
      }
    }
  }
}

std::uint32_t TorusSteps::coordinate(std::uint32_t member, std::uint32_t dimension) const {
  const std::uint32_t own = torus_.coordinate(member, dimension);
  return is_mirrored_ && own != 0 ? torus_.side(dimension) - own : own;
}

std::uint32_t TorusSteps::peer(std::uint32_t member, std::uint32_t step) const {
  const auto [dimension, in_dimension] = steps_[step];
  const std::uint32_t own = coordinate(member, dimension);
  const std::uint32_t side = torus_.side(dimension);
  std::uint32_t to = own ^ (std::uint32_t{1} << in_dimension);
  if (distance_ == StepDistance::swing) {
    const std::int64_t distance = swing_distance(in_dimension);
    const std::int64_t moved = (own % 2 == 0 ? own + distance : own - distance) % side;
    to = static_cast<std::uint32_t>(moved < 0 ? moved + side : moved);
  }
  return torus_.moved(member, dimension, is_mirrored_ && to != 0 ? side - to : to);
}

void TorusSteps::add_peers(std::vector<std::uint32_t>& members, std::uint32_t step) const {
  const std::size_t before = members.size();
  for (std::size_t i = 0; i < before; ++i) {
    members.push_back(peer(members[i], step));
  }
}

// In one dimension a way from 0 goes up and down in turn: the steps a < b < c lead to rho(a) -
// rho(b) + rho(c). From step s on all distances are 1/3 modulo 2^(s+1), because rho(s) is (1 -
// (-2)^(s+1)) / 3. So a way that begins after step s leads to 0 or to 1/3 modulo 2^(s+2); rho(s)
// and rho(s) - 1/3 are neither there. A way that takes step s goes on from rho(s) like a mirrored
// one from 0.
std::uint32_t TorusSteps::place(std::uint32_t member) const {
  std::vector<std::uint64_t> coordinates;
  for (std::uint32_t dimension = 0; dimension < torus_.dimensions(); ++dimension) {
    coordinates.push_back(coordinate(member, dimension));
  }
  std::uint32_t place = 0;
  for (std::uint32_t step = 0; step < count(); ++step) {
    const auto [dimension, in_dimension] = steps_[step];
    std::uint64_t& way = coordinates[dimension];
    if (distance_ == StepDistance::power_of_two) {
      place |= static_cast<std::uint32_t>(way >> in_dimension & 1) << step;
      continue;
    }
    const std::uint32_t bits = std::min(
        in_dimension + 2, log2_of(torus_.side(dimension)));  // after the last step, equality
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    constexpr std::uint64_t third = 0xAAAAAAAAAAAAAAAB;  // modulo 2^64
    const bool is_last = in_dimension + 1 == log2_of(torus_.side(dimension));
    const bool is_without = (way & mask) == 0 || (!is_last && ((way - third) & mask) == 0);
    if (!is_without) {
      place |= std::uint32_t{1} << step;
      way = static_cast<std::uint64_t>(swing_distance(in_dimension)) - way;
    }
  }
  return place;
}

std::vector<std::uint32_t> TorusSteps::responsible(std::uint32_t member,
                                                   std::uint32_t steps) const {
  std::vector<std::uint32_t> members{member};
  for (std::uint32_t step = steps; step < count(); ++step) {
    add_peers(members, step);
  }
  std::ranges::sort(members);
  return members;
}

std::uint32_t TorusTree::turns_to(std::uint32_t member) const {
  if (distances_ == TreeDistances::doubling) {
    return static_cast<std::uint32_t>(std::bit_width(steps_.place(member)));
  }
  // The lowest step of a way backwards is that of the way forwards: ways of the steps from s on, in
  // whatever order, lead to the coordinates that are 0 or 1/3 modulo 2^(s+1).
  const std::uint32_t place = steps_.place(member);
  return place == 0 ? 0 : steps_.count() - static_cast<std::uint32_t>(std::countr_zero(place));
}

std::optional<std::uint32_t> TorusTree::parent(std::uint32_t member) const {
  const std::uint32_t turns = turns_to(member);
  return turns == 0 ? std::nullopt : std::optional{steps_.peer(member, step(turns - 1))};
}

std::vector<std::uint32_t> TorusTree::children(std::uint32_t member) const {
  std::vector<std::uint32_t> children;
  for (std::uint32_t turn = turns_to(member); turn < steps_.count(); ++turn) {
    children.push_back(steps_.peer(member, step(turn)));
  }
  return children;
}

std::vector<std::uint32_t> TorusTree::subtree(std::uint32_t member) const {
  std::vector<std::uint32_t> members{member};
  for (std::uint32_t turn = turns_to(member); turn < steps_.count(); ++turn) {
    steps_.add_peers(members, step(turn));
  }
  return members;
}

}  // namespace dcube
