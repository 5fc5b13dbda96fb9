#include "hamiltonian_rings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/random.hpp"
#include "phases.hpp"

// Every link of a torus has a colour, at first that of its dimension, and each colour has two links
// at every node, so the links of a colour are rings. A square with two opposite links of one colour
// and two of another can swap them:
//
//      o---o        o   o         Two rings of the colour become one, or one becomes two, or one
//               ->  |   |         ring is passed through in another order.
//      o---o        o   o
//
// In two dimensions, r <= c, node (i, j), square s joins columns s and s + 1 at the rows w(s) and
// w(s) + 1, where w = 0 1 0 1 .. 0 1 2 3 .. r-2. Neighbouring squares differ in their rows, so c -
// 1 squares join all columns. The rows see a word of generators of the Temperley-Lieb algebra,
// where 0 1 0 is 0, so they are joined as by 0 1 .. r-2: to one ring. If c - r is odd, one square
// more changes the order of a ring alone: for odd r it joins the last row to the first, which pass
// it in the same direction; for odd c the last column to the first.
//
// The product of two tori with rings of their own takes these in pairs. If one is left over, its
// copies are joined by squares that a search finds [Foregger 1978 proves that there are rings].

namespace dcube {
namespace {

/// Limits of the search: nodes, and nodes that it numbers anew, which take some two seconds.
constexpr std::uint32_t most_searched = std::uint32_t{1} << 15;
constexpr std::uint64_t most_numbered = std::uint64_t{1} << 27;

/// Nodes of a ring, each next to the one before.
using Walk = std::vector<std::uint32_t>;

/// Links of a graph in directions that commute, and their colours.
class ColouredLinks {
 public:
  /// next[d][x]: the node one step from x in direction d; its link has colour d.
  explicit ColouredLinks(std::vector<std::vector<std::uint32_t>> next)
      : next_{std::move(next)}, before_(next_.size()), colours_(next_.size()) {
    for (std::size_t d = 0; d < next_.size(); ++d) {
      before_[d].resize(next_[d].size());
      for (std::uint32_t x = 0; x < next_[d].size(); ++x) {
        before_[d][next_[d][x]] = x;
      }
      colours_[d].assign(next_[d].size(), static_cast<std::uint32_t>(d));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(next_.front().size()); }
  std::uint32_t directions() const { return static_cast<std::uint32_t>(next_.size()); }
  std::uint32_t next(std::uint32_t direction, std::uint32_t x) const { return next_[direction][x]; }

  /// Gives the links between consecutive nodes of a ring a colour.
  void paint(const Walk& ring, std::uint32_t colour) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::uint32_t x = ring[i];
      const std::uint32_t y = ring[i + 1 == ring.size() ? 0 : i + 1];
      for (std::uint32_t d = 0; d < directions(); ++d) {
        if (next_[d][x] == y) {
          colours_[d][x] = colour;
        } else if (next_[d][y] == x) {
          colours_[d][y] = colour;
        }
      }
    }
  }

  /// The square of node x and two directions, if it can be swapped.
  struct Square {
    std::uint32_t x, i, j;
    std::uint32_t along_i, along_j;  ///< colours
  };
  std::optional<Square> square(std::uint32_t x, std::uint32_t i, std::uint32_t j) const {
    const Square square{x, i, j, colours_[i][x], colours_[j][x]};
    const bool can_swap = square.along_i != square.along_j &&
                          colours_[i][next_[j][x]] == square.along_i &&
                          colours_[j][next_[i][x]] == square.along_j;
    return can_swap ? std::optional{square} : std::nullopt;
  }
  void swap(const Square& square) {
    const auto [x, i, j, along_i, along_j] = square;
    colours_[i][x] = colours_[i][next_[j][x]] = along_j;
    colours_[j][x] = colours_[j][next_[i][x]] = along_i;
  }

  /// The two nodes that links of the colour lead to.
  std::array<std::uint32_t, 2> neighbours(std::uint32_t colour, std::uint32_t x) const {
    std::array<std::uint32_t, 2> found{};
    std::size_t count = 0;
    for (std::uint32_t d = 0; d < directions(); ++d) {
      if (colours_[d][x] == colour) {
        found[count++] = next_[d][x];
      }
      if (colours_[d][before_[d][x]] == colour) {
        found[count++] = before_[d][x];
      }
    }
    return found;
  }

  /// The ring of the colour through a node, from there on.
  Walk ring(std::uint32_t colour, std::uint32_t first) const {
    Walk ring{first};
    for (std::uint32_t x = neighbours(colour, first)[0]; x != first;) {
      const auto [one, other] = neighbours(colour, x);
      const std::uint32_t next = one == ring.back() ? other : one;
      ring.push_back(x);
      x = next;
    }
    return ring;
  }

 private:
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::vector<std::uint32_t>> colours_;  ///< [direction][node]: of the link to the next
};

/// Swaps squares that never make more rings, at random, until each colour is one ring.
class RingSearch {
 public:
  explicit RingSearch(ColouredLinks& links) : links_{links}, places_(links.directions()) {
    for (std::uint32_t colour = 0; colour < links.directions(); ++colour) {
      places_[colour].resize(links.size());
      std::vector<bool> is_known(links.size());
      for (std::uint32_t x = 0; x < links.size(); ++x) {
        if (!is_known[x]) {
          for (const std::uint32_t node : number(colour, x)) {
            is_known[node] = true;
          }
          ++rings_;
        }
      }
    }
  }

  bool run() {
    const std::uint64_t most_tries = std::uint64_t{64} * links_.size() * links_.directions() + 4096;
    for (std::uint64_t i = 0;
         i < most_tries && numbered_ < most_numbered && rings_ > links_.directions(); ++i) {
      try_square(i);
    }
    return rings_ == links_.directions();
  }

 private:
  struct Place {
    std::uint32_t ring;
    std::uint32_t position;
  };

  /// Numbers the nodes of a ring anew.
  Walk number(std::uint32_t colour, std::uint32_t first) {
    Walk ring = links_.ring(colour, first);
    for (std::uint32_t i = 0; i < ring.size(); ++i) {
      places_[colour][ring[i]] = {last_ring_, i};
    }
    ++last_ring_;
    numbered_ += ring.size();
    return ring;
  }

  /// By how much the rings of a colour would be more without its links a-b and c-d, but with a-c
  /// and b-d.
  int change(std::uint32_t colour, std::uint32_t a, std::uint32_t b, std::uint32_t c,
             std::uint32_t d) const {
    const std::vector<Place>& places = places_[colour];
    if (places[a].ring != places[c].ring) {
      return -1;
    }
    const auto is_forward = [&](std::uint32_t from, std::uint32_t to) {
      return places[to].position == places[from].position + 1 ||
             (places[to].position == 0 && places[from].position != 1);
    };
    return is_forward(a, b) == is_forward(c, d) ? 0 : 1;
  }

  void try_square(std::uint64_t number_of_try) {
    const std::uint64_t drawn = hash_of(number_of_try);
    const auto x = static_cast<std::uint32_t>(drawn % links_.size());
    const std::uint32_t directions = links_.directions();
    const auto i = static_cast<std::uint32_t>((drawn >> 32) % directions);
    const auto j =
        (i + 1 + static_cast<std::uint32_t>((drawn >> 40) % (directions - 1))) % directions;
    const std::optional<ColouredLinks::Square> square = links_.square(x, i, j);
    if (!square) {
      return;
    }
    const std::uint32_t right = links_.next(i, x);
    const std::uint32_t above = links_.next(j, x);
    const std::uint32_t opposite = links_.next(i, above);
    const int more = change(square->along_i, x, right, above, opposite) +
                     change(square->along_j, x, above, right, opposite);
    if (more > 0) {
      return;
    }
    links_.swap(*square);
    rings_ = static_cast<std::uint32_t>(static_cast<int>(rings_) + more);
    for (const std::uint32_t colour : {square->along_i, square->along_j}) {
      number(colour, x);
      if (places_[colour][opposite].ring + 1 != last_ring_) {
        number(colour, opposite);
      }
    }
  }

  ColouredLinks& links_;
  std::vector<std::vector<Place>> places_;  ///< [colour][node]
  std::uint32_t rings_ = 0;
  std::uint32_t last_ring_ = 0;
  std::uint64_t numbered_ = 0;
};

std::vector<Walk> rings_of(const ColouredLinks& links) {
  return numbered(links.directions(), [&](std::uint32_t colour) { return links.ring(colour, 0); });
}

/// Colours become rings, or nothing is found.
std::vector<Walk> searched(ColouredLinks links) {
  if (links.size() > most_searched || (links.directions() > 1 && !RingSearch{links}.run())) {
    return {};
  }
  std::vector<Walk> rings = rings_of(links);
  const bool is_found =
      std::ranges::all_of(rings, [&](const Walk& ring) { return ring.size() == links.size(); });
  return is_found ? rings : std::vector<Walk>{};
}

/// Directions of a torus, the first side counting fastest.
std::vector<std::vector<std::uint32_t>> directions_of(std::span<const std::uint32_t> sides) {
  const std::uint32_t size = std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies{});
  std::vector<std::vector<std::uint32_t>> next;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : sides) {
    next.push_back(numbered(size, [&](std::uint32_t x) {
      return x / stride % side + 1 == side ? x - (side - 1) * stride : x + stride;
    }));
    stride *= side;
  }
  return next;
}

/// Word of the squares that join `columns` columns and `rows` rows, rows <= columns.
std::vector<std::uint32_t> word_of_squares(std::uint32_t rows, std::uint32_t columns) {
  std::uint32_t length = columns - 1;
  std::uint32_t ascent = rows - 1;  // 0 1 2 .. at the end
  if ((columns - rows) % 2 != 0) {
    (rows % 2 != 0 ? ascent : length) += 1;
  }
  std::vector<std::uint32_t> word;
  for (std::uint32_t i = 0; i < length - ascent; ++i) {
    word.push_back(i % 2);
  }
  for (std::uint32_t i = 0; i < ascent; ++i) {
    word.push_back(i);
  }
  return word;
}

/// The product of two rings. A node of it is its place in the first + its place in the second times
/// the first's size.
std::vector<Walk> rings_of_product(std::uint32_t first, std::uint32_t second) {
  const std::array sides{first, second};
  ColouredLinks links{directions_of(sides)};
  const bool is_turned = first < second;  // the first is a column then
  const std::vector<std::uint32_t> word =
      word_of_squares(std::min(first, second), std::max(first, second));
  for (std::uint32_t column = 0; column < word.size(); ++column) {
    const std::uint32_t row = word[column];
    const std::uint32_t x = is_turned ? row + column * first : column + row * first;
    links.swap(links.square(x, 0, 1).value());
  }
  return rings_of(links);
}

/// Rings of a torus whose sides are 3 or more.
std::vector<Walk> rings_of_torus(std::span<const std::uint32_t> sides) {
  if (sides.size() == 1) {
    return {numbered(sides.front())};
  }
  const std::size_t half = (sides.size() + 1) / 2;
  const std::vector<Walk> firsts = rings_of_torus(sides.first(half));
  const std::vector<Walk> seconds = rings_of_torus(sides.subspan(half));
  if (firsts.empty() || seconds.empty()) {
    return {};
  }
  const auto first_size = static_cast<std::uint32_t>(firsts.front().size());
  const auto second_size = static_cast<std::uint32_t>(seconds.front().size());
  std::vector<Walk> rings;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    for (Walk ring : rings_of_product(first_size, second_size)) {
      for (std::uint32_t& x : ring) {
        x = firsts[i][x % first_size] + seconds[i][x / first_size] * first_size;
      }
      rings.push_back(std::move(ring));
    }
  }
  if (firsts.size() == seconds.size()) {
    return rings;
  }
  ColouredLinks links{directions_of(sides)};
  for (std::uint32_t colour = 0; colour < rings.size(); ++colour) {
    links.paint(rings[colour], colour);
  }
  for (std::uint32_t copy = 0; copy < second_size; ++copy) {
    Walk ring = firsts.back();
    for (std::uint32_t& x : ring) {
      x += copy * first_size;
    }
    links.paint(ring, static_cast<std::uint32_t>(rings.size()));
  }
  return searched(std::move(links));
}

/// A copy of every ring beside the ranks, `stride` ranks further, and one ring of both: each leaves
/// out a link and its copy, and goes over at their ends. No two rings go over at the same node.
void double_rings(std::vector<Walk>& rings, std::uint32_t stride) {
  std::vector<std::uint32_t> taken;
  const auto is_free = [&](std::uint32_t x) { return std::ranges::find(taken, x) == taken.end(); };
  for (Walk& ring : rings) {
    std::size_t cut = 1;
    while (cut < ring.size() && !(is_free(ring[cut - 1]) && is_free(ring[cut]))) {
      ++cut;
    }
    // Clang 14 does not compile that of std::ranges.
    std::rotate(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(cut % ring.size()),
                ring.end());
    taken.insert(taken.end(), {ring.front(), ring.back()});
    for (std::size_t i = ring.size(); i-- > 0;) {
      ring.push_back(ring[i] + stride);
    }
  }
}

std::vector<Walk> made_rings(std::span<const std::uint32_t> torus) {
  // Places along each factor of the torus: a side, or two sides of 2, which are a ring of 4.
  std::vector<std::vector<std::uint32_t>> factors;
  std::uint32_t stride = 1;
  std::uint32_t pending = 0;  // stride of a side of 2 without another
  for (const std::uint32_t side : torus) {
    if (side == 2 && pending != 0) {
      factors.push_back({0, pending, pending + stride, stride});
      pending = 0;
    } else if (side == 2) {
      pending = stride;
    } else if (side > 2) {
      for (std::uint32_t i = 0; i < side; ++i) {
        (i == 0 ? factors.emplace_back() : factors.back()).push_back(i * stride);
      }
    }
    stride *= side;
  }
  std::vector<Walk> rings{{0}};
  if (!factors.empty()) {
    rings = rings_of_torus(mapped(
        factors, [](const auto& factor) { return static_cast<std::uint32_t>(factor.size()); }));
    for (Walk& ring : rings) {
      for (std::uint32_t& x : ring) {
        std::uint32_t rank = 0;
        for (const std::vector<std::uint32_t>& factor : factors) {
          rank += factor[x % factor.size()];
          x /= static_cast<std::uint32_t>(factor.size());
        }
        x = rank;
      }
    }
  }
  if (pending != 0) {
    double_rings(rings, pending);
  }
  return rings;
}

bool is_twisted(const CollectiveOptions& options, std::uint32_t dimension) {
  const std::size_t sides = options.sides.sides().size();
  return !options.twist.empty() &&
         std::ranges::any_of(options.twist.subspan(dimension * sides, sides),
                             [](std::uint32_t by) { return by != 0; });
}

/// Rings of a twisted torus, found by search. A side of 2 without a twist gives none.
std::vector<Walk> twisted_rings(const CollectiveOptions& options) {
  const std::span<const std::uint32_t> sides = options.sides.sides();
  const Torus torus{{.options = options},
                    std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies{})};
  std::vector<std::vector<std::uint32_t>> next;
  for (std::uint32_t d = 0; d < torus.dimensions(); ++d) {
    if (torus.side(d) > 2 || is_twisted(options, d)) {
      next.push_back(
          numbered(torus.size(), [&](std::uint32_t x) { return torus.stepped(x, d, 1); }));
    }
  }
  return next.empty() ? std::vector<Walk>{} : searched(ColouredLinks{std::move(next)});
}

}  // namespace

std::uint32_t ring_count(const CollectiveOptions& options) {
  const std::span<const std::uint32_t> sides = options.sides.sides();
  std::uint32_t rings = 0;
  std::uint32_t twos = 0;
  for (std::uint32_t d = 0; d < sides.size(); ++d) {
    const bool is_ring = sides[d] > 2 || is_twisted(options, d);
    rings += is_ring ? 1 : 0;
    twos += !is_ring && sides[d] == 2 ? 1 : 0;
  }
  return std::max(1U, rings + twos / 2);
}

std::shared_ptr<const HamiltonianRings> edge_disjoint_rings(const CollectiveOptions& options) {
  static std::mutex mutex;
  static std::map<std::vector<std::uint32_t>, std::shared_ptr<const HamiltonianRings>> known;
  const std::span<const std::uint32_t> sides = options.sides.sides();
  std::vector<std::uint32_t> torus{sides.begin(), sides.end()};
  torus.insert(torus.end(), options.twist.begin(), options.twist.end());
  const std::scoped_lock lock{mutex};
  auto& rings = known[torus];
  if (!rings) {
    HamiltonianRings made;
    for (Walk& walk : options.twist.empty() ? made_rings(sides) : twisted_rings(options)) {
      std::vector<std::uint32_t> places(walk.size());
      for (std::uint32_t place = 0; place < walk.size(); ++place) {
        places[walk[place]] = place;
      }
      made.push_back({std::move(walk), std::move(places)});
    }
    rings = std::make_shared<const HamiltonianRings>(std::move(made));
  }
  return rings;
}

}  // namespace dcube
