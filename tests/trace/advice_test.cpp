#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dcube/trace/critical_path.hpp"
#include "explained_case.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"
#include "support/script.hpp"

// Every advice is followed: what it promises is held against a run with what it changes.

namespace dcube::testing {
namespace {

constexpr std::uint64_t usual_cases = 1500;

using Pair = std::pair<NodeId, NodeId>;

/// A network and one more link for each of some pairs of nodes, which messages between them take.
/// The links of a pair make up a dimension of their own.
class WithShortcuts final : public Topology {
 public:
  WithShortcuts(std::shared_ptr<const Topology> base, std::vector<Pair> pairs)
      : base_{std::move(base)},
        first_{base_->link_slots()},
        pairs_{std::move(pairs)},
        shape_{base_->shape().begin(), base_->shape().end()},
        directions_{base_->link_directions().begin(), base_->link_directions().end()} {
    const std::uint32_t dimension = base_->class_count();
    const auto count = static_cast<std::uint32_t>(pairs_.size());
    shape_.push_back(1);
    directions_.push_back({LinkId{first_}, count, 0, dimension});
    directions_.push_back({LinkId{first_ + count}, count, 0, dimension});
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto [a, b] = pairs_[i];
      link_of_[{a, b}] = LinkId{first_ + i};
      link_of_[{b, a}] = LinkId{first_ + count + i};
    }
  }

  std::string_view kind() const override { return "with_shortcuts"; }
  std::span<const std::uint32_t> shape() const override { return shape_; }
  std::uint32_t class_count() const override { return base_->class_count() + 1; }
  std::uint32_t node_count() const override { return base_->node_count(); }
  std::uint64_t link_count() const override { return base_->link_count() + pairs_.size(); }
  std::vector<NodeId> neighbours(NodeId node) const override { return base_->neighbours(node); }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    return link_of_.contains({from, to}) ? 1 : base_->distance(from, to);
  }
  Run next_run(NodeId at, NodeId to) const override {
    const auto found = link_of_.find({at, to});
    return found == link_of_.end() ? base_->next_run(at, to) : Run{found->second, 0, 1, to};
  }
  bool are_routes_by_flow() const override { return base_->are_routes_by_flow(); }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    return link_of_.contains({at, to}) ? next_run(at, to) : base_->next_run_of(flow, at, to);
  }
  bool is_alive(NodeId node) const override { return base_->is_alive(node); }
  bool is_usable(NodeId node) const override { return base_->is_usable(node); }
  bool reaches(NodeId from, NodeId to) const override { return base_->reaches(from, to); }
  std::uint32_t link_slots() const override {
    return first_ + 2 * static_cast<std::uint32_t>(pairs_.size());
  }
  std::optional<Link> link(LinkId link) const override {
    if (link.index() < first_) {
      return base_->link(link);
    }
    const std::uint32_t dimension = base_->class_count();
    const std::size_t number = link.index() - first_;
    const auto [a, b] = pairs_[number % pairs_.size()];
    return number < pairs_.size() ? Link{a, b, dimension} : Link{b, a, dimension};
  }
  LinkId reverse(LinkId link) const override {
    if (link.index() < first_) {
      return base_->reverse(link);
    }
    const auto count = static_cast<std::uint32_t>(pairs_.size());
    return LinkId{link.index() < first_ + count ? link.index() + count : link.index() - count};
  }
  std::span<const LinkDirection> link_directions() const override { return directions_; }

 private:
  std::shared_ptr<const Topology> base_;
  std::uint32_t first_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> shape_;
  std::vector<LinkDirection> directions_;
  std::map<Pair, LinkId> link_of_;
};

ExactTime times(const ExactTime& time, std::int64_t numerator, std::int64_t denominator) {
  return {time.numerator() * numerator, time.denominator() * denominator};
}
const TransferCost& cost_of(const Machine& machine, LinkId link) {
  const auto found = machine.links.overrides.find(link);
  return found == machine.links.overrides.end()
             ? machine.links.per_dimension[machine.topology->link(link)->dimension]
             : found->second;
}

/// The machine with half as long a way for every pair of the group that is several hops apart.
/// Nothing where that would change other messages too.
std::optional<Machine> with_shorter_ways(const ExplainedCase& of, const PairGroup& group) {
  const Machine& machine = of.machine;
  const bool cuts_through = machine.links.switching == Switching::cut_through;
  if (machine.links.routing.kind != Routing::fixed || !machine.links.faults.empty() ||
      (machine.links.packet_bytes && !cuts_through)) {
    return std::nullopt;
  }
  std::set<Pair> others;
  std::vector<Pair> shortened;
  std::set<Pair> known;
  for (const Delivery& delivery : of.history.deliveries) {
    const Pair pair{of.map[delivery.source.index()], of.map[delivery.destination.index()]};
    if (pair.first == pair.second) {
      continue;
    }
    if (pair_group(of.guest, delivery.source, delivery.destination) != group ||
        machine.topology->distance(pair.first, pair.second) < 2) {
      others.insert(pair);
    } else if (known.insert({std::min(pair.first, pair.second), std::max(pair.first, pair.second)})
                   .second) {
      shortened.push_back(pair);
    }
  }
  const auto is_shortened = [&](NodeId a, NodeId b) {
    return known.contains({std::min(a, b), std::max(a, b)});
  };
  for (const auto& [from, to] : others) {
    for (const NodeId node : machine.topology->route(from, to)) {
      if (is_shortened(node, to)) {
        return std::nullopt;
      }
    }
  }
  Machine shorter = machine;
  shorter.topology = std::make_shared<WithShortcuts>(machine.topology, shortened);
  shorter.links.per_dimension.emplace_back();
  for (std::uint32_t slot = machine.topology->link_slots(); slot < shorter.topology->link_slots();
       ++slot) {
    const Link ends = shorter.topology->link(LinkId{slot}).value();
    TransferCost sum;
    ExactTime slowest;
    if (!machine.topology->reaches(ends.from, ends.to)) {
      continue;
    }
    for_each_link(*machine.topology, ends.from, ends.to, [&](LinkId link) {
      const TransferCost& cost = cost_of(machine, link);
      sum = {sum.fixed + cost.fixed, sum.per_byte + cost.per_byte};
      slowest = slowest.seconds() < cost.per_byte.seconds() ? cost.per_byte : slowest;
    });
    shorter.links.overrides[LinkId{slot}] = {times(sum.fixed, 1, 2),
                                             cuts_through ? slowest : times(sum.per_byte, 1, 2)};
  }
  return shorter;
}

/// Calls `change` with each time of computing that the case's collectives say.
template <class Change>
void change_computing_of_collectives(ScriptCase& scripted, Change change) {
  for_each_cost_of_collectives(scripted.machine.endpoint, change);
  for_each_combining(scripted, change);
}

/// Times of hops that are even and at least 2 ps, and even times of computing in collectives, so
/// that halving rounds nothing; bytes matter more in some cases than in others.
void even_out(ScriptCase& scripted, std::uint64_t seed) {
  const std::int64_t per_byte = seed % 2 == 0 ? 2 : 20;
  const auto even = [per_byte](TransferCost& cost) {
    cost = {ExactTime{2 * cost.fixed.numerator() + 2, 1},
            ExactTime{per_byte * cost.per_byte.numerator(), 1}};
  };
  for_each_cost_of_links(scripted.machine.links, even);
  change_computing_of_collectives(scripted, [](ExactTime& time) {
    time = {2 * time.numerator(), 1};
  });
}

struct Count {
  std::uint64_t bounds = 0;
  std::uint64_t reached = 0;  ///< bounds
  std::uint64_t hints = 0;
  std::uint64_t surpassed = 0;  ///< hints
};

/// The run after the change, where it can be made.
std::optional<RunReport> follow(const Advice& advice, const ScriptCase& scripted,
                                const ExplainedCase& explained) {
  ScriptCase other = scripted;
  if (advice.change == Change::faster_computing) {
    for (std::vector<Step>& script : other.scripts) {
      for (Step& step : script) {
        // What takes no time has no draw of jitter, so that all later ones would be others.
        if (step.kind == Step::Kind::compute && step.duration > Ticks{1}) {
          step.duration /= 2;
        }
      }
    }
    change_computing_of_collectives(other, [](ExactTime& time) { time = times(time, 1, 2); });
  } else if (advice.change == Change::shorter_ways) {
    std::optional<Machine> shorter = with_shorter_ways(explained, advice.group);
    if (!shorter) {
      return std::nullopt;
    }
    other.machine = *std::move(shorter);
  } else {
    other.machine = changed(scripted.machine, advice.change);
  }
  return run_without_simgrid(input_of(other, nullptr));
}

ScriptCase any_case(std::uint64_t seed) {
  return random_case(seed, seed % 4 == 0 ? Extent::all : Extent::all_programs);
}

/// Follows every advice of random cases, which `fit` makes fit for it.
template <class Fit, class Make>
std::array<Count, change_kinds> follow_all(Fit fit, Make make, std::uint64_t cases) {
  std::array<Count, change_kinds> counts;
  const auto [first, number] = random_cases(cases);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = make(seed);
    even_out(scripted, seed);
    fit(scripted.machine, seed);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    if (explained.report.outcome != Outcome::completed) {
      EXPECT_TRUE(path.advice.empty()) << scripted.description;
      continue;
    }
    const Ticks advised = path.length - path.of(CauseKind::endpoint);  // which may be of ports
    EXPECT_TRUE(!path.advice.empty() || advised == Ticks{0}) << scripted.description;
    EXPECT_TRUE(path.advice.empty() || path.length > Ticks{0}) << scripted.description;
    for (const Advice& advice : path.advice) {
      Count& count = counts[static_cast<std::size_t>(advice.change)];
      const std::optional<RunReport> run = follow(advice, scripted, explained);
      if (!run) {
        continue;
      }
      EXPECT_EQ(advice.gain.has_value(),
                advice.change != Change::more_cores && advice.change != Change::no_eager_limit);
      const Ticks gained = explained.report.makespan - run->makespan;
      // Jitter draws a part of every duration anew. That of half a duration is less than 3 ps below
      // half of that part: the half, the greatest change and the two draws are rounded.
      const Ticks rounding{advice.change == Change::faster_computing && scripted.jitter.part > 0
                               ? 3 * static_cast<Ticks::rep>(path.computations)
                               : 0};
      if (!advice.is_bound) {
        ++count.hints;
        count.surpassed += gained > advice.gain.value_or(Ticks{0}) ? 1 : 0;
        continue;
      }
      EXPECT_FALSE(has_several_ports(scripted)) << scripted.description;
      ++count.bounds;
      count.reached += gained == *advice.gain ? 1 : 0;
      EXPECT_EQ(run->outcome, Outcome::completed)
          << to_string(advice.change) << ", " << scripted.description;
      EXPECT_LE(gained, *advice.gain + rounding)
          << to_string(advice.change) << ", " << scripted.description;
    }
    if (::testing::Test::HasFailure()) {
      break;
    }
  }
  for (std::size_t change = 0; change < change_kinds; ++change) {
    const Count& count = counts[change];
    fmt::print("{}: a bound {} times, reached {} times; a hint {} times, surpassed {} times\n",
               change_names[change], count.bounds, count.reached, count.hints, count.surpassed);
  }
  return counts;
}

template <class Fit>
void follow_all(Fit fit) {
  const std::array<Count, change_kinds> counts = follow_all(fit, any_case, usual_cases);
  for (std::size_t change = 0; change < change_kinds; ++change) {
    const Count& count = counts[change];
    const bool has_number = static_cast<Change>(change) != Change::more_cores &&
                            static_cast<Change>(change) != Change::no_eager_limit;
    EXPECT_GT(count.hints, 0U) << change_names[change];
    EXPECT_EQ(count.bounds > 20, has_number) << change_names[change];
    // On links of 1 ps, what takes no time elsewhere is not quite nothing.
    if (has_number && static_cast<Change>(change) != Change::free_network) {
      EXPECT_GT(count.reached, 0U) << change_names[change];
    }
  }
}

TEST(RandomCasesOfAdvice, PromiseNoLessThanTheChangeGainsUnderStoreAndForward) {
  follow_all([](Machine& machine, std::uint64_t) {
    machine.links.switching = Switching::store_and_forward;
  });
}

TEST(RandomCasesOfAdvice, PromiseNoLessThanTheChangeGainsOnPipelinedLinksAndInPackets) {
  follow_all([](Machine& machine, std::uint64_t seed) {
    machine.links.switching = Switching::pipelined;
    if (seed % 3 == 0 && machine.links.faults.empty()) {
      machine.links.packet_bytes = 1 + seed % 2;
    }
  });
}

TEST(RandomCasesOfAdvice, PromiseNoLessThanTheChangeGainsUnderCutThrough) {
  follow_all(
      [](Machine& machine, std::uint64_t) { machine.links.switching = Switching::cut_through; });
}

TEST(RandomCasesOfAdvice, PromiseNoLessThanTheChangeGainsUnderCutThroughWithInjection) {
  follow_all([](Machine& machine, std::uint64_t seed) {
    machine.links.switching = Switching::cut_through;
    const TransferCost cost{ExactTime{static_cast<std::int64_t>(seed % 3), 1},
                            ExactTime{static_cast<std::int64_t>(seed % 7) * 4, 1}};
    const TransferCost other{ExactTime{static_cast<std::int64_t>(seed % 4), 1},
                             ExactTime{static_cast<std::int64_t>(seed % 3) * 8, 1}};
    machine.links.injection = seed % 11 == 0   ? Injection{cost, std::nullopt}
                              : seed % 11 == 1 ? Injection{std::nullopt, cost}
                              : seed % 11 < 4  ? Injection{cost, other}
                                               : Injection{cost};
    if (seed % 5 == 0 && machine.links.faults.empty()) {
      machine.links.packet_bytes = 2;
    }
  });
}

TEST(RandomCasesOfAdvice, PromiseNoLessThanTheChangeGainsWhereCollectivesOverlap) {
  const auto counts = follow_all([](Machine&, std::uint64_t) {}, random_overlap, 2 * usual_cases);
  for (const Change change : {Change::faster_computing, Change::free_network, Change::faster_links,
                              Change::no_queueing, Change::shorter_ways}) {
    const Count& count = counts.at(static_cast<std::size_t>(change));
    EXPECT_GT(count.bounds, 20U) << to_string(change);
    EXPECT_GT(count.hints, 0U) << to_string(change);
  }
}

Step message_step(Step::Kind kind, std::uint32_t peer, std::uint64_t bytes) {
  return {kind, {}, ProcessId{peer}, bytes, ExchangeMode::eager};
}

/// One message from one end of a line to the other.
ScriptCase one_message(std::uint32_t nodes, std::uint64_t bytes) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=line,nodes=" + std::to_string(nodes));
  scripted.scripts.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    scripted.map.emplace_back(node);
  }
  scripted.scripts.front() = {message_step(Step::Kind::send, nodes - 1, bytes)};
  scripted.scripts.back() = {message_step(Step::Kind::receive, 0, bytes)};
  return scripted;
}

/// An allgather around a ring that a member starts in the background, and its wait for it.
std::vector<Step> started(const std::vector<std::uint32_t>& members, std::uint32_t rank,
                          std::uint64_t bytes, std::size_t place) {
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = members.size() * bytes};
  call.options.algorithm = "ring";
  call.options.element_bytes = 1;
  call.options.plans = 1;
  Step start{.kind = Step::Kind::start, .peer = {}};
  start.collective = std::make_shared<const ScriptCollective>(expanded(members, call, rank));
  return {start, {.kind = Step::Kind::finish, .peer = {}, .requests = {place}}};
}

/// Computations of collectives in the background draw their jitter in the order in which messages
/// come.
TEST(Advice, IsNoBoundForCollectivesInTheBackgroundUnderJitter) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=ring,nodes=2");
  scripted.map = {NodeId{0}, NodeId{1}};
  scripted.machine.endpoint.plan = ExactTime{Ticks{1'000'000}};
  for (const std::uint32_t rank : {0U, 1U}) {
    scripted.scripts.push_back(started({0, 1}, rank, 2, 0));
  }
  EXPECT_EQ(ExplainedCase{input_of(scripted, nullptr)}.path().unbound, Unbound::nothing);
  scripted.jitter = {Jitter::whole / 2, 1};
  EXPECT_EQ(ExplainedCase{input_of(scripted, nullptr)}.path().unbound,
            Unbound::takes_what_comes_first);
}

/// Process 1 passes on what comes while it prepares a large message; on faster links that comes
/// before.
TEST(Advice, IsNoBoundWhereAProcessWasBusyWhenItsMessageCame) {
  for (const bool is_busy : {false, true}) {
    ScriptCase scripted;
    scripted.machine = unit_machine("kind=ring,nodes=4");
    scripted.machine.endpoint.larger = {{10, {ExactTime{50'000'000'000'000, 1}, {}}, {}}};
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      scripted.map.emplace_back(rank);
      scripted.scripts.push_back(rank < 3 ? started({0, 1, 2}, rank, 1, 0) : std::vector<Step>{});
    }
    const auto computing = [](std::chrono::milliseconds time) {
      return Step{.kind = Step::Kind::compute, .duration = time, .peer = {}};
    };
    scripted.scripts[1].insert(scripted.scripts[1].begin() + 1,
                               computing(std::chrono::milliseconds{750}));
    scripted.scripts[2].push_back(computing(std::chrono::seconds{100}));
    if (is_busy) {
      const std::vector<Step> large = started({1, 3}, 0, 100, 2);
      scripted.scripts[1].insert(scripted.scripts[1].begin() + 2, large.front());
      scripted.scripts[1].push_back(large.back());
      scripted.scripts[3] = started({1, 3}, 1, 100, 0);
    }
    EXPECT_EQ(ExplainedCase{input_of(scripted, nullptr)}.path().unbound,
              is_busy ? Unbound::takes_what_comes_first : Unbound::nothing);
  }
}

/// Process 1 passes on what comes while it computes, and does not wait for the end. Were it faster,
/// process 2 would wait for ever.
TEST(Advice, IsNoBoundWhereAProcessLeavesACollective) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=ring,nodes=3");
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    scripted.map.emplace_back(rank);
    scripted.scripts.push_back(started({0, 1, 2}, rank, 1, 0));
  }
  std::vector<Step>& script = scripted.scripts[1];
  script.insert(
      script.begin() + 1,
      {.kind = Step::Kind::compute, .duration = std::chrono::milliseconds{1500}, .peer = {}});
  EXPECT_EQ(ExplainedCase{input_of(scripted, nullptr)}.path().unbound, Unbound::nothing);
  script.pop_back();
  const ExplainedCase explained{input_of(scripted, nullptr)};
  EXPECT_EQ(explained.report.outcome, Outcome::completed);
  EXPECT_EQ(explained.path().unbound, Unbound::takes_what_comes_first);
  script[1].duration /= 2;
  EXPECT_EQ(run_without_simgrid(input_of(scripted, nullptr)).outcome, Outcome::deadlock);
}

TransferCost cost(std::int64_t fixed, std::int64_t per_byte) {
  return {ExactTime{fixed, 1}, ExactTime{per_byte, 1}};
}

std::optional<Ticks> gain_of(const CriticalPath& path, Change change) {
  const auto found = std::ranges::find(path.advice, change, &Advice::change);
  return found == path.advice.end() ? std::nullopt : found->gain;
}

TEST(Advice, OnAMessageWhoseBytesFlowOverLinksAndInjectionNamesTheSlower) {
  ScriptCase scripted = one_message(4, 1000);
  scripted.machine.links.switching = Switching::cut_through;
  scripted.machine.links.per_dimension = {cost(10, 10)};
  scripted.machine.links.injection = cost(1, 8);
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  EXPECT_EQ(path.length, Ticks{10'032});  // 3 latencies, 2 of injection, the bytes once
  EXPECT_EQ(path.of(CauseKind::endpoint), Ticks{2});
  EXPECT_EQ(path.of(CauseKind::hop), Ticks{10'030});
  EXPECT_EQ(path.by_group[0].total.bytes, Ticks{10'000});
  EXPECT_EQ(gain_of(path, Change::no_endpoint_costs), Ticks{2});
  EXPECT_EQ(gain_of(path, Change::shorter_ways), Ticks{15});
  EXPECT_EQ(gain_of(path, Change::faster_links), Ticks{2015});  // then injection is the slower
  EXPECT_EQ(path.advice.front().change, Change::faster_links);

  scripted.machine.links.injection = cost(1, 13);
  const CriticalPath slow = ExplainedCase{input_of(scripted, nullptr)}.path();
  EXPECT_EQ(slow.length, Ticks{13'032});
  EXPECT_EQ(slow.of(CauseKind::endpoint), Ticks{3002});
  EXPECT_EQ(gain_of(slow, Change::no_endpoint_costs), Ticks{3002});
  EXPECT_EQ(gain_of(slow, Change::faster_links), Ticks{15});
}

TEST(Advice, OnAMessageInPacketsDoesNotTakeThePacketsBeforeForQueues) {
  ScriptCase scripted = one_message(4, 100);
  scripted.machine.links.packet_bytes = 10;
  scripted.machine.links.per_dimension = {cost(0, 10)};
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  EXPECT_EQ(path.length, Ticks{1200});  // 3 hops of the first packet, and 9 packets after it
  EXPECT_EQ(path.of(CauseKind::queueing), Ticks{0});
  EXPECT_EQ(path.of(CauseKind::hop), Ticks{1200});
  EXPECT_EQ(path.by_group[0].total.bytes, Ticks{900});
  EXPECT_EQ(gain_of(path, Change::shorter_ways), Ticks{150});
  EXPECT_EQ(gain_of(path, Change::faster_links), Ticks{600});
}

}  // namespace
}  // namespace dcube::testing
