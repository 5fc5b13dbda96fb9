#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "grid.hpp"

namespace dcube {
namespace {

/// 2 * 26 * 2^26 link numbers fit into 32 bits, those of 27 dimensions do not.
constexpr std::int64_t most_dimensions = 26;

}  // namespace

const TopologyKind hypercube_kind{
    "hypercube",
    "binary d-cube: nodes whose numbers differ in one bit are linked",
    "dimensions=3",
    {{"dimensions", "log2 of the number of nodes, 0 to 26", ""}},
    [](const Params& params) -> std::unique_ptr<Topology> {
      const std::int64_t dimensions =
          params.integer("dimensions", 0, most_dimensions, "a number of dimensions (0 to 26)");
      std::vector<std::uint32_t> shape(static_cast<std::size_t>(dimensions), 2);
      return make_grid({"hypercube", Ends::open}, std::move(shape), params, "dimensions");
    }};

}  // namespace dcube
