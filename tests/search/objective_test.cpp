#include "dcube/search/objective.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "problems.hpp"
#include "search/objectives/objective_kind.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

TEST(Objectives, AreChosenByNameUnlessTheyAreSums) {
  std::vector<std::string> names;
  for (const Objective objective : objective_catalog()) {
    const ObjectiveTraits& traits = traits_of(objective);
    EXPECT_NE(std::string{traits.quantity}, "");
    if (!traits.is_composed) {
      names.push_back(traits.name);
      EXPECT_EQ(parse_goal(traits.name).objective, objective);
    }
  }
  EXPECT_TRUE(std::ranges::equal(names, objective_names()));
  EXPECT_THROW(parse_goal("weighted-sum"), InputError);
}

TEST(Objectives, HaveModelsThatAreComputedWithoutModels) {
  for (const Objective objective : objective_catalog()) {
    for (const Objective model : traits_of(objective).models) {
      EXPECT_NE(model, objective);
      EXPECT_FALSE(traits_of(model).is_simulated || traits_of(model).is_composed);
      EXPECT_FALSE(traits_of(model).needs_rates || traits_of(model).needs_cube);
    }
  }
}

TEST(Objectives, AreListedWithTheUsualOneFirst) {
  EXPECT_EQ(objectives_with(&ObjectiveTraits::is_reason).front(), usual_objective);
  EXPECT_EQ(listed(std::vector{Objective::hop_bytes}), "hop-bytes");
  EXPECT_EQ(listed(std::vector{Objective::hop_bytes, Objective::cc_time, Objective::makespan}),
            "hop-bytes, cc-time and makespan");
  EXPECT_EQ(listed({}), "");
}

TEST(Objectives, NoMapCostsMoreThanTheMost) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic cube = searching::cube(4);
  SplitMix64 random{1};
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < 16; ++node) {
    map.emplace_back(node);
  }
  for (int i = 0; i < 20; ++i) {
    std::swap(map[random.next() % 16], map[random.next() % 16]);
    for (const Objective objective : searching::objectives(cube)) {
      if (const auto most_cost = kind_of(objective).most_cost) {
        const SearchProblem problem = searching::problem(*torus, cube, objective);
        EXPECT_LE(cost_of(problem, map), most_cost(problem)) << to_string(objective);
      }
    }
  }
}

TEST(Goal, OfOneObjectiveIsItsName) {
  for (const std::string& name : objective_names()) {
    EXPECT_EQ(to_string(parse_goal(name)), name);
    EXPECT_TRUE(parse_goal(name).terms.empty());
  }
  EXPECT_EQ(parse_goal("hop-bytes").objective, Objective::hop_bytes);
  EXPECT_EQ(parse_goal("link-time").objective, Objective::link_time);
}

TEST(Goal, OfASumHasExactWeights) {
  const Goal goal = parse_goal("hop-bytes + 0.2*link-load");
  EXPECT_EQ(goal.objective, Objective::weighted_sum);
  EXPECT_EQ(goal.terms,
            (std::vector<ObjectiveTerm>{{Objective::hop_bytes, 5}, {Objective::link_load, 1}}));
  EXPECT_EQ(goal.scale, 5U);
  EXPECT_EQ(to_string(goal), "hop-bytes+0.2*link-load");
  EXPECT_EQ(parse_goal("1e3*hop-bytes+0.125*link-time").terms,
            (std::vector<ObjectiveTerm>{{Objective::hop_bytes, 8000}, {Objective::link_time, 1}}));
  EXPECT_EQ(to_string(parse_goal("2*hop-bytes+4*link-load")), "2*hop-bytes+4*link-load");
  EXPECT_EQ(to_string(parse_goal(".5*cc-time+1.25*longest-dilation")),
            "0.5*cc-time+1.25*longest-dilation");
}

TEST(Goal, MayHaveWeightsInPercentOfTheBounds) {
  const Goal goal = parse_goal("hop-bytes + 20 % * link-load");
  EXPECT_TRUE(goal.is_relative);
  EXPECT_EQ(goal.terms,
            (std::vector<ObjectiveTerm>{{Objective::hop_bytes, 5}, {Objective::link_load, 1}}));
  EXPECT_EQ(to_string(goal), "hop-bytes+20%*link-load");
  EXPECT_EQ(to_string(parse_goal("12.5%*hop-bytes")), "12.5%*hop-bytes");
  EXPECT_EQ(to_string(parse_goal("100%*hop-bytes")), "100%*hop-bytes");
  EXPECT_FALSE(parse_goal("hop-bytes+0.2*link-load").is_relative);
}

TEST(Goal, WeightsInPercentBecomeThoseOfCosts) {
  // A byte each way between neighbours of a ring: 32 hop-bytes at least, and a byte on a link.
  const auto ring = make_topology(Params::parse("kind=ring,nodes=16"));
  const Traffic traffic = Traffic::of(Guest::parse("ring:16"));
  SearchProblem problem{
      .topology = *ring, .traffic = traffic, .objective = Objective::weighted_sum};
  const auto weighed = [&](const std::string& text) {
    const Goal goal = parse_goal(text);
    problem.terms = goal.terms;
    problem.scale = goal.scale;
    weigh_by_bounds(problem);
    return to_string(Goal{problem.objective, problem.terms, problem.scale});
  };
  const std::string sum = weighed("hop-bytes+20%*link-load");
  EXPECT_EQ(sum, "hop-bytes+6.4*link-load");
  EXPECT_EQ(weighed("20%*link-load+hop-bytes"), "6.4*link-load+hop-bytes");
  EXPECT_EQ(weighed("50%*hop-bytes+50%*longest-dilation"), "hop-bytes+32*longest-dilation");
  EXPECT_EQ(weighed("300%*longest-dilation+7%*hop-bytes"), "1371*longest-dilation+hop-bytes");
  EXPECT_FALSE(parse_goal(sum).is_relative);
}

TEST(Goal, SaysWhichTermIsWrong) {
  const auto complaint_of = [](const std::string& text) {
    return complaint([&] { parse_goal(text); });
  };
  EXPECT_EQ(complaint_of("hop-byte+link-load"),
            "\"hop-byte\" is no objective; did you mean `hop-bytes`?");
  EXPECT_EQ(complaint_of("hop-bytes+0*link-load"),
            "0 is not the weight of a term (a positive number, as in 0.2*link-load)");
  EXPECT_EQ(complaint_of("hop-bytes+-1*link-load"),
            "-1 is not the weight of a term (a positive number, as in 0.2*link-load)");
  EXPECT_EQ(complaint_of("hop-bytes+hop-bytes"), "hop-bytes is there twice; add its weights up");
  EXPECT_EQ(complaint_of("hop-bytes+makespan"),
            "makespan cannot be a term of a sum (it comes from a simulation; give it alone)");
  EXPECT_EQ(complaint_of("2*hop-bytes+20%*link-load"),
            "the weight of hop-bytes is no percentage; give all weights in percent of the terms' "
            "bounds, or none");
  EXPECT_EQ(complaint_of("hop-bytes+0%*link-load"),
            "\"0%\" is not the weight of a term (a positive number, as in 0.2*link-load)");
  for (const char* far : {"1e9*hop-bytes+1e-9*link-load", "1e-99999999999*hop-bytes",
                          "1e99999999*hop-bytes", "1e-16*hop-bytes"}) {
    EXPECT_EQ(complaint_of(far),
              "the weights of a sum are too far apart (up to 15 digits together)");
  }
  for (const char* wrong :
       {"", "+", "*", "hop-bytes+", "+hop-bytes", "2*", "*hop-bytes", "2**cc-time", "weighted-sum",
        "2*3*hop-bytes", "20%hop-bytes", "%*hop-bytes", "20%%*hop-bytes", "hop-bytes hop-bytes",
        "0x2*hop-bytes"}) {
    EXPECT_THROW(parse_goal(wrong), InputError) << wrong;
  }
}

/// Whatever is read can be written and read again; whatever cannot is one line.
TEST(Goal, AnyTextIsReadOrRefused) {
  const std::vector<std::string> pieces{"hop-bytes", "link-load", "+",       "*", "0.2", "1e-3",
                                        " ",         "-",         "cc-time", "7", "e",   ".",
                                        "makespan",  "\x1b",      "",        "%"};
  SplitMix64 random{4};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t n = bounded(random.next(), 8); n > 0; --n) {
      text += pieces[bounded(random.next(), pieces.size())];
    }
    try {
      const Goal goal = parse_goal(text);
      ASSERT_EQ(parse_goal(to_string(goal)), goal) << text;
    } catch (const InputError& error) {
      ASSERT_EQ(error.problem().find('\n'), std::string::npos) << text;
    }
  }
}

TEST(LinkRates, AreWholeNumbersOfTheirUnit) {
  const std::vector<ExactTime> times{ExactTime{5, 2}, ExactTime{10, 1}, ExactTime{},
                                     ExactTime{15, 4}};
  const LinkRates rates = link_rates(times);
  EXPECT_EQ(rates.units, (std::vector<std::uint64_t>{2, 8, 0, 3}));
  EXPECT_EQ(rates.unit, (ExactTime{5, 4}));
  EXPECT_EQ(rates.time_of(2), 3U);  // 2.5 ps
  EXPECT_EQ(rates.time_of(8'000'000'000'000'000'000 / 5), 2'000'000'000'000'000'000U);
  EXPECT_THROW(link_rates(std::vector<ExactTime>{ExactTime{}, ExactTime{}}), InputError);
  EXPECT_EQ(complaint([] { link_rates({}); }),
            "the machine has no links, so link-time tells nothing");
  EXPECT_THROW(link_rates(std::vector<ExactTime>{ExactTime{1, 4611686018427387847},
                                                 ExactTime{1, 4611686018427387817}}),
               InputError);
}

/// The time of the bytes on every link, counted without the search.
TEST(LinkTime, IsThatOfTheSlowestLink) {
  const auto ring = searching::machine("kind=ring,nodes=4");
  const Traffic traffic{3,
                        {{ProcessId{0}, ProcessId{1}, 5, 1}, {ProcessId{1}, ProcessId{2}, 4, 1}}};
  SearchProblem problem{
      .topology = *ring, .traffic = traffic, .objective = Objective::link_time, .slots = 1};
  problem.rates = {std::vector<std::uint64_t>(ring->link_slots(), 3), ExactTime{1, 2}};
  const std::vector<NodeId> line{NodeId{0}, NodeId{1}, NodeId{2}};
  EXPECT_EQ(cost_of(problem, line), 8U);  // 5 bytes x 3 / 2, rounded up
  for_each_link(*ring, NodeId{1}, NodeId{2},
                [&](LinkId link) { problem.rates.units[link.index()] = 30; });
  EXPECT_EQ(cost_of(problem, line), 60U);
  const ExhaustiveProof proof = enumerate(problem, {});
  EXPECT_EQ(proof.found.cost, 8U);
  EXPECT_EQ(cost_bounds(problem).front().cost, 8U);  // the 5 bytes are on one link
}

TEST(WeightedSum, PastSixtyThreeBitsIsRefused) {
  const auto ring = searching::machine("kind=ring,nodes=4");
  const Traffic traffic{2, {{ProcessId{0}, ProcessId{1}, std::uint64_t{1} << 50U, 1}}};
  SearchProblem problem{
      .topology = *ring, .traffic = traffic, .objective = Objective::weighted_sum, .slots = 1};
  problem.terms = {{Objective::longest_dilation, 1}, {Objective::hop_bytes, 5000}};
  EXPECT_EQ(complaint([&] { check_problem(problem); }),
            "the term hop-bytes of the sum may pass 2^63-1; use fewer digits in its weights, or a "
            "larger unit of bytes");
}

}  // namespace
}  // namespace dcube
