#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Traffic to be placed, as a request describes it.
struct NamedTraffic {
  std::string name;            ///< "cube:8, weights doubling", "matrix.csv"
  std::optional<Guest> guest;  ///< the shape of its processes, where it is known
  Traffic traffic;
};

/// A process shape with weights ("doubling", "halving" or a number for each dimension; empty: all
/// 1), a file, or the name of `matrix`, where that is not null. Throws InputError that names the
/// field, also for a shape of more processes than `machine`, where it is not null, has slots,
/// before it takes memory.
NamedTraffic traffic_option(const std::string& shape_or_file, const std::string& weights,
                            const std::shared_ptr<const Traffic>& matrix,
                            const Machine* machine = nullptr);

}  // namespace dcube
