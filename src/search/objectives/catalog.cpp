#include <algorithm>
#include <array>

#include "core/mapped.hpp"
#include "objective_kind.hpp"

namespace dcube {
namespace {

#define DCUBE_OBJECTIVE_ADDRESS(name) &name##_objective,
constexpr std::array kinds{DCUBE_OBJECTIVES(DCUBE_OBJECTIVE_ADDRESS)};
#undef DCUBE_OBJECTIVE_ADDRESS

}  // namespace

const ObjectiveKind& kind_of(Objective objective) {
  return *kinds[static_cast<std::size_t>(objective)];
}

std::unique_ptr<MapCost> make_map_cost(const SearchProblem& problem, const Distances& distances) {
  return kind_of(problem.objective).map_cost(problem, distances);
}

const ObjectiveTraits& traits_of(Objective objective) { return kind_of(objective).traits; }

std::string_view to_string(Objective objective) { return traits_of(objective).name; }

std::span<const Objective> objective_catalog() {
#define DCUBE_OBJECTIVE_KEY(name) Objective::name,
  static constexpr Objective all[] = {DCUBE_OBJECTIVES(DCUBE_OBJECTIVE_KEY)};
#undef DCUBE_OBJECTIVE_KEY
  return all;
}

std::span<const std::string> objective_names() {
  static const std::vector<std::string> names =
      mapped(kept(kinds, [](const ObjectiveKind* kind) { return !kind->traits.is_composed; }),
             [](const ObjectiveKind* kind) { return kind->traits.name; });
  return names;
}

std::vector<Objective> objectives_with(bool ObjectiveTraits::*property) {
  std::vector<Objective> list =
      kept(objective_catalog(), [&](Objective one) { return traits_of(one).*property; });
  std::ranges::stable_sort(list, {}, [](Objective one) { return one != usual_objective; });
  return list;
}

std::string listed(std::span<const Objective> objectives) {
  std::string text;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    text += i == 0 ? "" : i + 1 < objectives.size() ? ", " : " and ";
    text += to_string(objectives[i]);
  }
  return text;
}

}  // namespace dcube
