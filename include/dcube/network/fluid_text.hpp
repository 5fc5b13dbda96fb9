#pragma once

#include "dcube/network/machine.hpp"

namespace dcube {

/// The name of SimGrid's model and its factors: "CM02, factors 1".
inline const char* fluid_model_text(FluidModel model) {
  return model == FluidModel::cm02 ? "CM02, factors 1" : "LV08, latency * 13.01, bandwidth * 0.97";
}

}  // namespace dcube
