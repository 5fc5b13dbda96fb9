#include "dcube/search/link_sections.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/search/semidefinite.hpp"
#include "machine_parts.hpp"
#include "search/pairs.hpp"
#include "semidefinite/least_section.hpp"
#include "whole_flows.hpp"

namespace dcube {
namespace {

constexpr const char* source =
    "section: what so many processes exchange with the others at least, over the links between two "
    "parts of the machine (semidefinite; Rendl, Rinaldi & Wiegele 2010)";

/// A section of so many processes that is small, though maybe not the least: grown from several
/// processes, then improved by exchanges.
class SmallSections {
 public:
  explicit SmallSections(const Partners& partners) : partners_{partners} {}

  std::uint64_t of(std::uint32_t part) {
    const std::uint32_t count = partners_.process_count();
    part = std::min(part, count - part);
    const auto [known, is_new] = known_.try_emplace(part, ~std::uint64_t{0});
    if (is_new) {
      constexpr std::uint32_t starts = 4;
      for (std::uint32_t start = 0; start < starts; ++start) {
        known->second = std::min(known->second, improved(start * count / starts, part));
      }
    }
    return known->second;
  }

 private:
  using Signed = std::int64_t;

  std::uint64_t improved(std::uint32_t first, std::uint32_t part) {
    const std::uint32_t count = partners_.process_count();
    is_inside_.assign(count, false);
    gain_ = mapped(pair_weights(partners_),
                   [](std::uint64_t weight) { return -static_cast<Signed>(weight); });
    section_ = 0;
    move(first);
    for (std::uint32_t inside = 1; inside < part; ++inside) {
      move(best(false));
    }
    for (std::uint32_t exchange = 0; exchange < count; ++exchange) {
      const Signed before = section_;
      const std::uint32_t leaving = best(true);
      move(leaving);
      const std::uint32_t coming = best(false);
      move(coming);
      if (section_ >= before) {
        move(coming);
        move(leaving);
        break;
      }
    }
    return static_cast<std::uint64_t>(section_);
  }

  /// The process whose move costs least, the lowest of equals.
  std::uint32_t best(bool is_inside) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t process = 0; process < is_inside_.size(); ++process) {
      if (is_inside_[process] == is_inside && (!best || gain_[process] > gain_[*best])) {
        best = process;
      }
    }
    return best.value();
  }
  void move(std::uint32_t process) {
    section_ -= gain_[process];
    gain_[process] = -gain_[process];
    is_inside_[process] = !is_inside_[process];
    for (const Partner& partner : partners_.of(process)) {
      const std::uint32_t other = partner.process.index();
      const auto twice = 2 * static_cast<Signed>(partner.weight);
      gain_[other] += is_inside_[other] == is_inside_[process] ? -twice : twice;
    }
  }

  const Partners& partners_;
  std::map<std::uint32_t, std::uint64_t> known_;
  std::vector<bool> is_inside_;
  std::vector<Signed> gain_;  ///< by which the section shrinks if the process moves
  Signed section_ = 0;
};

/// The least section of few processes, by trying all sets of so many.
class FewProcesses {
 public:
  explicit FewProcesses(const Partners& partners)
      : count_{partners.process_count()},
        weights_{weight_table(partners, count_)},
        all_{pair_weights(partners)} {}

  /// How many sets there are; where these are too many to try, a large number.
  double sets(std::uint32_t part) const {
    double sets = 1;
    for (std::uint32_t i = 0; i < part && sets <= most_sets; ++i) {
      sets = sets * (count_ - i) / (i + 1);
    }
    return sets;
  }
  bool can_try(std::uint32_t part) const { return sets(part) <= most_sets; }

  std::uint64_t least(std::uint32_t part) {
    least_ = ~std::uint64_t{0};
    add(0, part, 0);
    return least_;
  }

 private:
  static constexpr double most_sets = 2e6;

  void add(std::uint32_t first, std::uint32_t left, std::uint64_t section) {
    if (left == 0) {
      least_ = std::min(least_, section);
      return;
    }
    for (std::uint32_t process = first; process + left <= count_; ++process) {
      std::uint64_t inner = 0;
      for (const std::uint32_t other : set_) {
        inner += weights_[std::size_t{process} * count_ + other];
      }
      set_.push_back(process);
      add(process + 1, left - 1, section + all_[process] - 2 * inner);
      set_.pop_back();
    }
  }

  std::uint32_t count_ = 0;
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint64_t> all_;  ///< weight of a process's pairs
  std::vector<std::uint32_t> set_;
  std::uint64_t least_ = 0;
};

/// Cost of a link with this load, which counts its rate where the objective does.
std::uint64_t cost_of_load(const SearchProblem& problem, std::uint64_t load) {
  return traits_of(problem.objective).needs_rates ? problem.rates.time_of(load) : load;
}

class SectionSearch {
 public:
  SectionSearch(const SearchProblem& problem, const Partners& partners,
                const LinkSectionSettings& settings)
      : problem_{problem},
        partners_{partners},
        settings_{settings},
        small_{partners},
        few_{partners},
        work_{settings.work},
        best_{traits_of(problem.objective).needs_rates ? 0 : settings.above} {}

  /// The greatest bound of the busiest link's load; nothing where none is above what it has to be.
  std::optional<std::uint64_t> run() {
    struct Choice {
      std::uint64_t most = 0;  ///< that it can prove
      Parts parts;
    };
    std::vector<Choice> choices;
    MachineParts machine{problem_};
    machine.add_boxes();
    constexpr std::uint64_t most_steps = 5'000'000;
    const std::uint64_t nodes = problem_.topology.node_count();
    machine.add_balls(most_steps / (nodes * (nodes + machine.link_count()) + 1));
    for (const Parts& parts : machine.take()) {
      constexpr std::uint32_t most_sizes = 4;
      if (parts.most - parts.least >= most_sizes) {
        continue;
      }
      std::uint64_t section = ~std::uint64_t{0};
      for (std::uint32_t part = parts.least; part <= parts.most; ++part) {
        section = std::min(section, small_.of(part));
      }
      choices.push_back({parts.cost(section), parts});
    }
    // Few processes take little time.
    const std::uint32_t count = partners_.process_count();
    std::ranges::stable_sort(choices, std::greater{}, [&](const Choice& choice) {
      const Parts& parts = choice.parts;
      return std::pair{few_.can_try(std::min(parts.most, count - parts.least)), choice.most};
    });
    for (const Choice& choice : choices) {
      if (work_ <= 0 || is_over_) {
        break;
      }
      if (choice.most > best_) {
        look_at(choice.parts);
      }
    }
    return cost_of_load(problem_, best_) > settings_.above ? std::optional{best_} : std::nullopt;
  }

 private:
  void look_at(const Parts& parts) {
    std::uint64_t section = ~std::uint64_t{0};
    for (std::uint32_t part = parts.least; part <= parts.most; ++part) {
      section = std::min(section, least_of(part));
    }
    best_ = std::max(best_, parts.cost(section));
    const std::uint64_t cost = cost_of_load(problem_, best_);
    if (settings_.on_bound && cost > settings_.above) {
      settings_.on_bound(cost);
    }
    is_over_ = is_over_ || (settings_.reached && cost >= *settings_.reached);
  }

  std::uint64_t least_of(std::uint32_t part) {
    part = std::min(part, partners_.process_count() - part);
    const auto [known, is_new] = proved_.try_emplace(part, 0);
    if (!is_new) {
      return known->second;
    }
    if (few_.can_try(part)) {
      constexpr double of_a_set = 10;
      work_ -= of_a_set * few_.sets(part);
      return known->second = few_.least(part);
    }
    const double of_a_step = LeastSection::work_of_a_step(partners_.process_count());
    if (work_ < LeastSection::first_steps * of_a_step) {
      return 0;
    }
    const std::uint64_t reachable = small_.of(part);
    LeastSection section{partners_, part};
    is_over_ = is_over_ || !section.begin(settings_.should_stop);
    work_ -= LeastSection::first_steps * of_a_step;
    constexpr std::uint32_t most_rounds = 12;
    for (std::uint32_t round = 0; round < most_rounds && work_ > 0 && !is_over_; ++round) {
      const std::uint64_t before = section.proved();
      is_over_ = !section.add_round(settings_.should_stop);
      work_ -= LeastSection::steps_of_a_round * of_a_step;
      const bool is_idle = round > 2 && section.proved() - before <= before / 1000;
      if (section.proved() >= reachable || is_idle) {
        break;
      }
    }
    return known->second = section.proved();
  }

  const SearchProblem& problem_;
  const Partners& partners_;
  const LinkSectionSettings& settings_;
  SmallSections small_;
  FewProcesses few_;
  std::map<std::uint32_t, std::uint64_t> proved_;
  double work_ = 0;
  std::uint64_t best_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::optional<CostBound> link_section_bound(const SearchProblem& problem,
                                            const LinkSectionSettings& settings) {
  constexpr std::uint32_t most_processes = 300;
  constexpr std::uint32_t most_nodes = 4096;
  const std::uint32_t processes = problem.traffic.process_count();
  if (!traits_of(problem.objective).needs_routes || processes < 3 || processes > most_processes ||
      problem.topology.node_count() > most_nodes) {
    return std::nullopt;
  }
  const Partners partners{problem.traffic, problem.objective};
  // Least sections of cubes are known (machine_cuts.cpp).
  if (partners.total_weight() == 0 || partners.total_weight() >> 62U != 0 ||
      partners.cube_weights()) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> load = SectionSearch{problem, partners, settings}.run();
  if (!load) {
    return std::nullopt;
  }
  CostBound bound{*load, source};
  if (!traits_of(problem.objective).needs_rates || problem.rates.most() == 1) {
    WholeFlows{problem.traffic}.raise(bound);
  }
  bound.cost = cost_of_load(problem, bound.cost);
  return bound;
}

std::vector<CostBound> worked_link_bounds(const SearchProblem& problem,
                                          const LinkSectionSettings& settings) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  std::vector<CostBound> bounds;
  if (!traits.needs_routes || settings.work <= 0 || cube_weights(problem.traffic)) {
    return bounds;
  }
  if (std::optional<CostBound> section = link_section_bound(problem, settings)) {
    bounds.push_back(std::move(*section));
  }
  const SearchProblem sums = problem.with_objective(traits.models.front());
  for (const SemidefiniteLevel level :
       {SemidefiniteLevel::triangles, SemidefiniteLevel::matrices}) {
    const std::optional<double> work = semidefinite_work(sums, level);
    if (!work || *work > settings.work) {
      continue;
    }
    if (const std::optional<SemidefiniteProof> proof =
            semidefinite_bound(sums, {.level = level, .should_stop = settings.should_stop})) {
      SearchProblem measured = problem;
      measured.hop_bytes_bound = proof->bound;
      std::ranges::move(cost_bounds(measured), std::back_inserter(bounds));
    }
    break;
  }
  std::erase_if(bounds, [&](const CostBound& bound) { return bound.cost <= settings.above; });
  std::ranges::stable_sort(bounds, std::greater{}, &CostBound::cost);
  return bounds;
}

}  // namespace dcube
