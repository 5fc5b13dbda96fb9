#include <fmt/format.h>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "objective_kind.hpp"

namespace dcube {
namespace {

void check_terms(const SearchProblem& problem) {
  for (const ObjectiveTerm& term : problem.terms) {
    kind_of(term.objective).check(problem);
  }
  UInt128 sum = 0;
  for (const ObjectiveTerm& term : problem.terms) {
    const ObjectiveKind& kind = kind_of(term.objective);
    expects(term.weight > 0 && kind.most_cost != nullptr, "terms are costs of maps, with weights");
    const UInt128 most = kind.most_cost(problem);
    refuse_if(most > greatest_cost / term.weight || (sum += most * term.weight) > greatest_cost, "",
              "the term {} of the sum may pass 2^63-1; use fewer digits in its weights, or a "
              "larger unit of bytes",
              kind.traits.name);
  }
}

/// Several costs of one map, each times its weight.
class WeightedCost final : public MapCost {
 public:
  WeightedCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()} {
    for (const ObjectiveTerm& term : problem.terms) {
      // Costs of links keep the rates that the problem holds.
      parts_.push_back({term.weight, problem.with_objective(term.objective)});
    }
    for (Part& part : parts_) {
      part.cost = make_map_cost(part.problem, distances);
    }
  }

 private:
  struct Part {
    std::uint64_t weight;
    SearchProblem problem;
    std::unique_ptr<MapCost> cost{};
  };

  void compute() override {
    for (const Part& part : parts_) {
      part.cost->assign(map());
    }
    add_up();
  }

  void update() override {
    changes_.clear();
    for (const std::uint32_t process : changed()) {
      changes_.push_back({ProcessId{process}, node_of(process)});
    }
    for (const Part& part : parts_) {
      part.cost->propose(changes_);
    }
    add_up();
  }

  void settle() override {
    for (const Part& part : parts_) {
      part.cost->keep();
    }
  }

  void undo() override {
    for (const Part& part : parts_) {
      part.cost->revert();
    }
  }

  void add_up() {
    cost_ = 0;
    energy_ = 0;
    for (const Part& part : parts_) {
      cost_ += part.weight * part.cost->cost();
      energy_ += static_cast<double>(part.weight) * part.cost->energy();
    }
  }

  std::vector<Part> parts_;
  std::vector<Relocation> changes_;
};

/// Every map costs at least the weighted sum of the bounds of the terms.
std::vector<CostBound> weighted_bounds(const SearchProblem& problem) {
  CostBound sum;
  for (const ObjectiveTerm& term : problem.terms) {
    const CostBound bound = cost_bounds(problem.with_objective(term.objective)).front();
    sum.cost += term.weight * bound.cost;
    sum.source += fmt::format("{}{}: {}", sum.source.empty() ? "the bounds of the terms: " : "; ",
                              to_string(term.objective), bound.source);
  }
  return {sum};
}

}  // namespace

/// The costs of several objectives, each times its weight.
const ObjectiveKind weighted_sum_objective{
    .traits = {.name = "weighted-sum",
               .quantity = "weighted sum",
               .per = [](const SearchProblem& problem) { return problem.scale; },
               .is_composed = true,
               .models = {Objective::hop_bytes}},
    .check = check_terms,
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return sum_of(problem.terms, [&](const ObjectiveTerm& term) {
            return term.weight * cost_of(problem.with_objective(term.objective), map);
          });
        },
    .map_cost = [](const SearchProblem& problem, const Distances& distances)
        -> std::unique_ptr<MapCost> { return std::make_unique<WeightedCost>(problem, distances); },
    .bounds = weighted_bounds};

}  // namespace dcube
