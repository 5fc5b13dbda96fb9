#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "dcube/questions/comparison.hpp"
#include "dcube/runs/measures.hpp"

namespace dcube {

/// Figures of a run with these measures and this makespan.
inline RunFigures figures_with(
    Ticks makespan, std::initializer_list<std::pair<std::string_view, double>> measures = {}) {
  RunFigures figures;
  figures.makespan = makespan;
  figures.values.resize(measure_catalog().size());
  for (const auto& [name, value] : measures) {
    const auto place = &measure_named(name) - measure_catalog().data();
    figures.values[static_cast<std::size_t>(place)] = value;
  }
  return figures;
}

}  // namespace dcube
