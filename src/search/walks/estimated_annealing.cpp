#include "estimated_annealing.hpp"

#include "dcube/search/partners.hpp"
#include "moves.hpp"
#include "temperature.hpp"

namespace dcube {

std::vector<NodeId> anneal_estimate(const SearchProblem& problem, std::vector<NodeId> map,
                                    const TimeModel::Weights& weights, std::uint64_t steps,
                                    SplitMix64& random, const SearchControl& control) {
  constexpr double hot = 0.003;  // of the estimate
  constexpr double cooling = 0.97;
  constexpr int coolings = 100;  // to a twentieth
  const Partners partners{problem.traffic, problem.objective};
  Moves moves{problem, partners};
  TimeModel model{problem, weights};
  Temperature temperature;
  temperature.set(hot);
  moves.assign(map);
  double present = 1;
  double least = 1;
  std::vector<NodeId> best = map;
  for (int i = 0; i < coolings; ++i, temperature.cool(cooling)) {
    if (control.should_stop && control.should_stop()) {
      break;
    }
    model.assign(map);
    for (std::uint64_t step = 0; step < steps / coolings; ++step) {
      const auto changes = moves.draw(random);
      const double increase = model.estimate(model.increases(changes));
      if (!temperature.accepts(increase, random)) {
        continue;
      }
      present *= 1 + increase;
      for (const Relocation& change : changes) {
        map[change.process.index()] = change.node;
      }
      model.keep(changes);
      moves.keep();
      if (present < least) {
        least = present;
        best = map;
      }
    }
  }
  return best;
}

}  // namespace dcube
