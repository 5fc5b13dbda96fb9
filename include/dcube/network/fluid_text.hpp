#pragma once

#include "dcube/network/machine.hpp"

namespace dcube {

/// "CM02, factors 1": SimGrid's model, and what it multiplies.
inline const char* fluid_model_text(FluidModel model) {
  return model == FluidModel::cm02 ? "CM02, factors 1" : "LV08, latency * 13.01, bandwidth * 0.97";
}

}  // namespace dcube
