#include <algorithm>
#include <array>
#include <utility>

#include "relaxation.hpp"

namespace dcube {
namespace {

using Table = Relaxation::Matrix;
using Index = Eigen::Index;

/// A scaled distance has to be violated by so much.
constexpr double least_violation = 0.01;

ProcessCut cut_of(std::size_t distance, std::vector<std::pair<Index, int>> points) {
  std::ranges::sort(points);
  ProcessCut cut{.distance = static_cast<std::uint8_t>(distance),
                 .points = static_cast<std::uint8_t>(points.size())};
  for (std::size_t i = 0; i < points.size(); ++i) {
    cut.talkers[i] = static_cast<std::uint16_t>(points[i].first);
    cut.signs[i] = static_cast<std::int8_t>(points[i].second * points[0].second);
  }
  return cut;
}

struct Violated {
  double by = 0;
  ProcessCut cut;
};

void find_triangles(const Relaxation& relaxation, std::size_t distance,
                    std::vector<Violated>& found) {
  const Table table = relaxation.distance_table(distance);
  const Index points = table.rows();
  const auto total = static_cast<double>(relaxation.classes().distances[distance].total);
  const double most = total > 0 ? 2 * total / relaxation.scale_of(distance) : 1e300;
  for (Index i = 0; i < points; ++i) {
    for (Index j = i + 1; j < points; ++j) {
      const double a = table(i, j);
      for (Index k = j + 1; k < points; ++k) {
        const double b = table(i, k);
        const double c = table(j, k);
        const auto look = [&](double violation, int first, int second, int third) {
          if (violation > least_violation) {
            found.push_back({violation, cut_of(distance, {{i, first}, {j, second}, {k, third}})});
          }
        };
        look(a - b - c, 1, 1, -1);
        look(b - a - c, 1, -1, 1);
        look(c - a - b, -1, 1, 1);
        look(a + b + c - most, 1, 1, 1);
      }
    }
  }
}

/// Two processes more beside triangles that bind.
void find_pentagons(const Relaxation& relaxation, std::size_t distance,
                    std::vector<Violated>& found) {
  const auto total = static_cast<double>(relaxation.classes().distances[distance].total) /
                     relaxation.scale_of(distance);
  if (total <= 0) {
    return;
  }
  const Table table = relaxation.distance_table(distance);
  const std::size_t talkers = relaxation.talkers().count();
  const auto points = static_cast<Index>(talkers);
  std::vector<double> pull(talkers);
  for (std::size_t n = 0; n < relaxation.cuts().size(); ++n) {
    const ProcessCut& base = relaxation.cuts()[n];
    if (base.distance != distance || base.points != 3 || relaxation.multiplier(n) <= 1e-6 ||
        base.talkers[2] == talkers) {
      continue;
    }
    const std::array<Index, 3> corners{base.talkers[0], base.talkers[1], base.talkers[2]};
    const std::array<int, 3> signs{base.signs[0], base.signs[1], base.signs[2]};
    const double inside = signs[0] * signs[1] * table(corners[0], corners[1]) +
                          signs[0] * signs[2] * table(corners[0], corners[2]) +
                          signs[1] * signs[2] * table(corners[1], corners[2]);
    const int sum = signs[0] + signs[1] + signs[2];
    for (Index l = 0; l < points; ++l) {
      pull[static_cast<std::size_t>(l)] = signs[0] * table(corners[0], l) +
                                          signs[1] * table(corners[1], l) +
                                          signs[2] * table(corners[2], l);
    }
    double best = least_violation;
    std::array<std::pair<Index, int>, 2> added{};
    const auto is_corner = [&](Index l) {
      return l == corners[0] || l == corners[1] || l == corners[2];
    };
    for (Index l = 0; l < points; ++l) {
      for (Index h = l + 1; h < points && !is_corner(l); ++h) {
        if (is_corner(h)) {
          continue;
        }
        for (const int first : {-1, 1}) {
          for (const int second : {-1, 1}) {
            const int all = sum + first + second;
            const double violation = inside + first * pull[static_cast<std::size_t>(l)] +
                                     second * pull[static_cast<std::size_t>(h)] +
                                     first * second * table(l, h) - total * ((all * all - 1) / 4);
            if (violation > best) {
              best = violation;
              added = {{{l, first}, {h, second}}};
            }
          }
        }
      }
    }
    if (best > least_violation) {
      // Twice as many terms as a triangle.
      found.push_back({best / 2, cut_of(distance, {{corners[0], signs[0]},
                                                   {corners[1], signs[1]},
                                                   {corners[2], signs[2]},
                                                   added[0],
                                                   added[1]})});
    }
  }
}

}  // namespace

void add_violated_cuts(Relaxation& relaxation, std::size_t most, bool with_pentagons) {
  std::vector<Violated> found;
  for (std::size_t distance = 0; distance < relaxation.classes().distances.size(); ++distance) {
    find_triangles(relaxation, distance, found);
    if (with_pentagons) {
      find_pentagons(relaxation, distance, found);
    }
  }
  std::vector<ProcessCut> known = relaxation.cuts();
  std::ranges::sort(known);
  std::erase_if(found,
                [&](const Violated& one) { return std::ranges::binary_search(known, one.cut); });
  std::ranges::sort(found, [](const Violated& a, const Violated& b) {
    return a.by != b.by ? a.by > b.by : a.cut < b.cut;
  });
  std::vector<ProcessCut> added;
  for (const Violated& one : found) {
    // Two triangles may lead to one pentagon, with one violation.
    if (added.size() < most && (added.empty() || added.back() != one.cut)) {
      added.push_back(one.cut);
    }
  }
  relaxation.add_cuts(added);
}

}  // namespace dcube
