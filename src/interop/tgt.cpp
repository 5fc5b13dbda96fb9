#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace tgt {
namespace {

// Scotch numbers the vertices of these targets with the first coordinate fastest, as dcube does.

constexpr std::size_t most_dimensions = 5;

std::string grid(std::string_view kind, std::vector<std::uint32_t> shape) {
  refuse_if(shape.size() > most_dimensions, "",
            "Scotch knows {} targets of up to {} dimensions, not {}", kind, most_dimensions,
            shape.size());
  if (shape.size() > 3) {
    return fmt::format("{}XD {} {}\n", kind, shape.size(), joined(shape, " "));
  }
  // meshXD is a last resort: Scotch 7.0.3 uses the distances of a torus there.
  shape.resize(std::max<std::size_t>(shape.size(), 2), 1);
  return fmt::format("{}{}D {}\n", kind, shape.size(), joined(shape, " "));
}

bool is_cube(std::span<const std::uint32_t> shape) {
  return std::ranges::all_of(shape, [](std::uint32_t side) { return side == 2; });
}

std::string write(const MapExport& content) {
  const Topology& topology = *content.machine.topology;
  const std::span<const std::uint32_t> shape = topology.shape();
  const bool has_wrap = wraps_around(topology);
  refuse_if(!has_wrap && !has_open_ends(topology), "",
            "Scotch has no target for the {}, only for whole meshes, tori and hypercubes",
            describe(topology));
  if (is_cube(shape)) {
    return fmt::format("hcub {}\n", shape.size());
  }
  return grid(has_wrap ? "torus" : "mesh", {shape.begin(), shape.end()});
}

}  // namespace
}  // namespace tgt

const MapFormat tgt_map_format{"tgt",
                               "the machine as a target of Scotch's gmap and gmtst",
                               "dcube embed torus:8x8 --embedding xor --write tgt:x.tgt",
                               ".tgt",
                               tgt::write,
                               nullptr};

}  // namespace dcube
