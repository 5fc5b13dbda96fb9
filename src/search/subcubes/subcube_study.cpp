#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/search/subcubes.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Pair> all_pairs(std::uint32_t tasks) {
  const std::uint64_t count = std::uint64_t{tasks} * (tasks - std::uint64_t{tasks > 0}) / 2;
  expect_fits_in_memory("a random graph of so many tasks", count * (sizeof(Pair) + sizeof(Flow)),
                        "use fewer tasks");
  std::vector<Pair> pairs;
  pairs.reserve(count);
  for (std::uint32_t from = 0; from < tasks; ++from) {
    for (std::uint32_t to = from + 1; to < tasks; ++to) {
      pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

SubcubeMapping mapping_by(SubcubeMethod method, const SubcubeProblem& problem, MappingKind kind,
                          std::uint64_t seed) {
  if (method == SubcubeMethod::random) {
    return best_random_mapping(problem, kind, 1, seed).mapping;
  }
  const SubcubeAnnealing annealing =
      method == SubcubeMethod::published ? SubcubeAnnealing::published() : SubcubeAnnealing{};
  return anneal_subcubes(problem, kind, annealing, seed).mapping;
}

double measured(SubcubeMeasure measure, const SubcubeMetrics& metrics) {
  switch (measure) {
    case SubcubeMeasure::bandwidth:
      return static_cast<double>(metrics.bandwidth);
    case SubcubeMeasure::diameter:
      return metrics.diameter;
    case SubcubeMeasure::node_distance:
      return metrics.node_distance;
    case SubcubeMeasure::subcube_distance:
      break;
  }
  return metrics.subcube_distance;
}

}  // namespace

Traffic random_task_graph(const RandomTaskGraph& settings, SplitMix64& random) {
  std::vector<Pair> pairs = all_pairs(settings.tasks);
  if (settings.edges) {
    expects(*settings.edges <= pairs.size(), "there are pairs for all edges");
    for (std::size_t i = 0; i < *settings.edges; ++i) {
      std::swap(pairs[i], pairs[i + draw_below(random, pairs.size() - i)]);
    }
    pairs.resize(*settings.edges);
  } else {
    std::erase_if(pairs, [&](const Pair&) { return !(draw_unit(random) < settings.probability); });
  }
  return {settings.tasks, mapped(pairs, [&](const Pair& pair) {
            return Flow{ProcessId{pair.first}, ProcessId{pair.second}, settings.weight, 1};
          })};
}

double mean_of_study(const SubcubeStudy& study) {
  expects(study.repetitions > 0, "a study has repetitions");
  double sum = 0;
  for (std::uint32_t repetition = 0; repetition < study.repetitions; ++repetition) {
    SplitMix64 random{hash_of(study.seed, repetition)};
    const SubcubeProblem problem{random_task_graph(study.graph, random), study.subcube_dimensions,
                                 study.cube_dimensions};
    const SubcubeMapping mapping = mapping_by(study.method, problem, study.kind, random.next());
    sum += measured(study.measure, measure_subcubes(problem, mapping));
  }
  return sum / study.repetitions;
}

}  // namespace dcube
