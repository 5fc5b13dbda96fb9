#include "spheres.hpp"

#include <algorithm>

#include "grid_kind.hpp"

namespace dcube {
namespace {

/// Around a node of a cycle, or around the middle node of a line: no other has more nodes within
/// any distance.
Spheres side_spheres(std::uint32_t side, std::uint32_t radius) {
  const std::uint32_t before = side / 2;
  const std::uint32_t after = side - 1 - before;
  Spheres spheres{1};
  for (std::uint32_t distance = 1; distance <= std::min(radius, before); ++distance) {
    spheres.push_back(distance <= after ? 2 : 1);
  }
  return spheres;
}

/// Distances of a product of graphs add up.
Spheres product_spheres(const Spheres& a, const Spheres& b, std::uint32_t radius) {
  Spheres product(std::min(a.size() + b.size() - 1, std::size_t{radius} + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size() && i + j < product.size(); ++j) {
      product[i + j] += a[i] * b[j];
    }
  }
  return product;
}

}  // namespace

Spheres widest_spheres(const Topology& topology, std::uint32_t radius) {
  Spheres spheres{1};
  if (is_grid(topology)) {
    for (const std::uint32_t side : topology.shape()) {
      spheres = product_spheres(spheres, side_spheres(side, radius), radius);
    }
    return spheres;
  }
  const std::uint64_t most_links = topology.link_directions().size();
  for (std::uint32_t distance = 1; distance <= radius; ++distance) {
    const std::uint64_t branches = distance == 1 ? most_links : most_links - 1;
    spheres.push_back(std::min<std::uint64_t>(spheres.back() * branches, topology.node_count()));
  }
  return spheres;
}

}  // namespace dcube
