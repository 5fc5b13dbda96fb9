#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/scenario/drawing.hpp"

namespace dcube {
namespace {

constexpr double most_tiles_a_side = 32;

double length_of(const Piece& piece) {
  return std::hypot(piece.end.x - piece.begin.x, piece.end.y - piece.begin.y);
}

}  // namespace

bool shows_lines(const Drawing& drawing) {
  constexpr std::size_t most_lines = 20'000;
  // Lines, one beside the other, would cover the paper so many times.
  constexpr double most_cover = 1.6;
  const double total = sum_of(drawing.links, [](const DrawnLink& link) {
    return length_of(link.first) + (link.has_two_pieces ? length_of(link.second) : 0);
  });
  return drawing.links.size() <= most_lines && !drawing.hides_links &&
         total * drawing.link_width <= most_cover * drawing.width * drawing.height;
}

Tiles cut_into_tiles(const Drawing& drawing) {
  Tiles tiles;
  const double longest = std::max(drawing.width, drawing.height);
  tiles.size = std::max(1.0, std::ceil(longest / most_tiles_a_side));
  std::map<std::pair<int, int>, std::uint32_t> known;
  for (const Point node : drawing.nodes) {
    const auto column = static_cast<int>((node.x - drawing_border + 0.5) / tiles.size);
    const auto row = static_cast<int>((node.y - drawing_border + 0.5) / tiles.size);
    const auto next = static_cast<std::uint32_t>(tiles.centres.size());
    const auto [tile, is_new] = known.try_emplace({row, column}, next);
    if (is_new) {
      const double corner = drawing_border - 0.5;
      tiles.centres.push_back(
          {corner + tiles.size * (column + 0.5), corner + tiles.size * (row + 0.5)});
      tiles.node_counts.push_back(0);
    }
    ++tiles.node_counts[tile->second];
    tiles.tile_of.push_back(tile->second);
  }
  return tiles;
}

}  // namespace dcube
