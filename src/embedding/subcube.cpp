#include "dcube/embedding/subcube.hpp"

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Removes the lowest bit of `mask` and returns it.
std::uint32_t take_lowest(std::uint32_t& mask) {
  const std::uint32_t lowest = mask & (~mask + 1);
  mask ^= lowest;
  return lowest;
}

}  // namespace

Subcube::Subcube(std::uint32_t cube_dimensions, std::uint32_t stars, std::uint32_t bits)
    : cube_dimensions_{cube_dimensions}, stars_{stars}, bits_{bits} {
  expects(cube_dimensions >= 1 && cube_dimensions <= most_cube_dimensions,
          "a subcube lies in a cube of 1 to 30 dimensions");
  expects(((stars | bits) >> cube_dimensions) == 0 && (stars & bits) == 0,
          "every symbol of an address is 0, 1 or *");
}

Subcube Subcube::parse(std::string_view text) {
  refuse_if(text.empty() || text.size() > most_cube_dimensions ||
                text.find_first_not_of("01*") != std::string_view::npos,
            "", "\"{}\" is not the address of a subcube (1 to {} symbols 0, 1, *)", text,
            most_cube_dimensions);
  std::uint32_t stars = 0;
  std::uint32_t bits = 0;
  for (const char symbol : text) {
    stars = stars << 1U | (symbol == '*' ? 1U : 0U);
    bits = bits << 1U | (symbol == '1' ? 1U : 0U);
  }
  return {static_cast<std::uint32_t>(text.size()), stars, bits};
}

NodeId Subcube::node(std::uint32_t index) const {
  expects(index < node_count(), "a node of the subcube");
  std::uint32_t node = bits_;
  for (std::uint32_t free = stars_; free != 0; index >>= 1U) {
    const std::uint32_t position = take_lowest(free);
    node |= (index & 1U) != 0 ? position : 0;
  }
  return NodeId{node};
}

std::string Subcube::text() const {
  std::string text;
  for (std::uint32_t position = cube_dimensions_; position-- > 0;) {
    text += (stars_ >> position & 1U) != 0 ? '*' : (bits_ >> position & 1U) != 0 ? '1' : '0';
  }
  return text;
}

std::uint64_t pairing_distance(const Subcube& a, const Subcube& b) {
  expects(a.dimensions() == b.dimensions(), "subcubes of one size are paired");
  // Whole even for d = 0: points have no stars, so nothing is halved.
  return (std::uint64_t{twice_mean_distance(a, b)} << a.dimensions()) / 2;
}

Subcube frontier(const Subcube& a, const Subcube& towards) {
  return {a.cube_dimensions(), a.stars() & towards.stars(),
          a.bits() | (a.stars() & towards.bits())};
}

std::uint32_t common_stars(std::span<const Subcube> subcubes) {
  std::uint32_t stars = subcubes.empty() ? 0 : subcubes.front().stars();
  for (const Subcube& subcube : subcubes) {
    stars &= subcube.stars();
  }
  return stars;
}

NodeId partner(const Subcube& a, const Subcube& b, NodeId node, Pairing pairing) {
  expects(a.dimensions() == b.dimensions(), "subcubes of one size are paired");
  expects(a.contains(node), "partners are given to nodes of the first subcube");
  std::uint32_t partner = b.bits() | (node.index() & a.stars() & b.stars());
  // A position free in `a` alone is matched with one free in `b` alone. Half of the nodes must move
  // in the former, half of the partners in the latter; the pairing says whether they are the same.
  std::uint32_t left = a.stars() & ~b.stars();
  std::uint32_t joined = b.stars() & ~a.stars();
  while (left != 0) {
    const bool moves = ((node.index() ^ b.bits()) & take_lowest(left)) != 0;
    const bool moves_again = pairing == Pairing::nearest ? moves : !moves;
    const std::uint32_t position = take_lowest(joined);
    partner |= (a.bits() & position) ^ (moves_again ? position : 0);
  }
  return NodeId{partner};
}

}  // namespace dcube
