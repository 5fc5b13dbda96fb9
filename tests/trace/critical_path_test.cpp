#include "dcube/trace/critical_path.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "explained_case.hpp"
#include "plain_causes.hpp"
#include "support/cc_runs.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

/// Processes 0 and 2 of a line send to process 1 at once, which asks for both.
Task<> both_neighbours_send(Process& process) {
  const ProcessId middle{1};
  if (process.rank() != middle) {
    process.send(middle, Payload::of_size(process.rank().index() + 1));
    co_return;
  }
  const Request from_0 = process.post_receive(ProcessId{0});
  const Request from_2 = process.post_receive(ProcessId{2});
  co_await process.wait_all(from_2, from_0);
  co_await process.compute(std::chrono::seconds{1});
}

TEST(CriticalPath, KnowsTheMessageThatWasWaitedForOfSeveralAtOneInstant) {
  const Machine machine = unit_machine("kind=line,nodes=3");
  const std::vector<NodeId> map{NodeId{0}, NodeId{1}, NodeId{2}};
  const ExplainedCase explained{{.machine = machine, .map = map, .body = both_neighbours_send}};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 2U);
  EXPECT_EQ(path.parts[0].kind, CauseKind::hop);
  EXPECT_EQ(path.parts[0].process, ProcessId{2});
  EXPECT_EQ(explained.record.message(ProcessId{1}, 0).bytes, 3U);
  EXPECT_EQ(path.parts[1].kind, CauseKind::compute);
}

/// Inner processes of two trees have several ports, others one, which waits for theirs.
TEST(CriticalPath, GoesThroughCoresOfPorts) {
  Machine machine = unit_machine("kind=ring,nodes=8");
  machine.endpoint.send = {ExactTime{Ticks{100}}, {}};
  machine.endpoint.plan = ExactTime{Ticks{30}};
  machine.endpoint.several_ports.threads = true;
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 64};
  call.options.algorithm = "double_tree";
  call.options.plans = 1;
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < 8; ++node) {
    map.emplace_back(node);
  }
  const ExplainedCase explained{{.machine = machine, .map = map, .body = [&](Process& process) {
                                   return run_collective(process.world(), call);
                                 }}};
  const CriticalPath path = explained.path();
  Ticks time{0};
  for (const PathPart& part : path.parts) {
    EXPECT_EQ(part.begin, time);
    time = part.end;
  }
  EXPECT_EQ(time, explained.report.makespan);
  EXPECT_GT(path.of(CauseKind::endpoint), Ticks{0});
  // Its endpoint time holds that of messages, which stays without endpoint costs.
  EXPECT_EQ(std::ranges::count(path.advice, Change::no_endpoint_costs, &Advice::change), 0);
  explained.waiting();
}

/// Messages of four packets, from 0 over 1 to 2 and from 1 to 2, take turns on the link from 1.
TEST(CriticalPath, OfAMessageInTurnCountsAsQueueingThePacketsOfOthers) {
  ScriptCase scripted;
  scripted.machine.topology = make_topology(Params::parse("kind=line,nodes=3"));
  scripted.machine.links.per_dimension = {{ExactTime{Ticks{10}}, ExactTime{}}};
  scripted.machine.links.packet_bytes = 1;
  scripted.machine.links.service = Service::round_robin;
  scripted.map = {NodeId{0}, NodeId{1}, NodeId{2}};
  for (const auto& [awaited, alone, queueing] : {std::tuple{0U, 50, 30}, std::tuple{1U, 40, 20}}) {
    Step send{.kind = Step::Kind::send, .peer = ProcessId{2}, .bytes = 4};
    scripted.scripts = {
        {send}, {send}, {{.kind = Step::Kind::receive, .peer = ProcessId{awaited}}}};
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    EXPECT_EQ(path.length, Ticks{alone + queueing});
    EXPECT_EQ(path.of(CauseKind::hop), Ticks{alone});
    EXPECT_EQ(path.of(CauseKind::queueing), Ticks{queueing});
    for (const PathPart& part : path.parts) {
      if (part.kind == CauseKind::queueing) {
        EXPECT_EQ(part.link, scripted.machine.topology->next_run(NodeId{1}, NodeId{2}).first);
      }
    }
  }
}

double seconds(const CriticalPath& path, CauseKind kind) { return to_seconds(path.of(kind)); }

TEST(CriticalPath, OfXorOnA8x8TorusIsSixComputationsAndTenHops) {
  const CriticalPath path = ExplainedCase{CcRun{"kind=torus,shape=8x8", "xor"}}.path();
  EXPECT_EQ(to_seconds(path.length), 16);
  EXPECT_EQ(seconds(path, CauseKind::compute), 6);
  EXPECT_EQ(seconds(path, CauseKind::hop), 10);
  EXPECT_EQ(path.computations, 6U);
  EXPECT_EQ(path.messages, 6U);
  EXPECT_EQ(path.last, ProcessId{0});
  ASSERT_EQ(path.by_group.size(), 6U);
  // Distances 1 2 2 in both dimensions of the torus [X III].
  EXPECT_EQ(path.by_group[0].group, (PairGroup{PairGroup::Kind::guest_dimension, 1}));
  EXPECT_EQ(path.by_group[0].most_hops, 2U);
  EXPECT_EQ(to_seconds(path.by_group[0].total.hop_time), 2);
  EXPECT_EQ(path.by_group[5].most_hops, 1U);
}

TEST(CriticalPath, OfByWeightOnALineOf8IsAsInFigure4) {
  // [X] Fig. 4: the last to end do so at 12; 3 of that is computing, the rest hops.
  const CriticalPath path = ExplainedCase{CcRun{"kind=line,nodes=8", "by_weight"}}.path();
  EXPECT_EQ(to_seconds(path.length), 12);
  EXPECT_EQ(seconds(path, CauseKind::compute), 3);
  EXPECT_EQ(seconds(path, CauseKind::hop), 9);
  EXPECT_EQ(path.last, ProcessId{1});
}

TEST(CriticalPath, OfByWeightOnALineOf16QueuesForTheSecondThatTheRecurrenceDoesNotKnow) {
  CcRun run{"kind=line,nodes=16", "by_weight"};
  const CriticalPath queued = ExplainedCase{run}.path();
  EXPECT_EQ(to_seconds(queued.length), 26);
  EXPECT_EQ(seconds(queued, CauseKind::compute), 4);
  EXPECT_GE(seconds(queued, CauseKind::queueing), 1);
  run.machine->links.contention = Contention::off;
  const CriticalPath free = ExplainedCase{run}.path();
  EXPECT_EQ(to_seconds(free.length), 25);
  EXPECT_EQ(seconds(free, CauseKind::compute), 4);
  EXPECT_EQ(seconds(free, CauseKind::hop), 21);
  EXPECT_EQ(seconds(free, CauseKind::queueing), 0);
}

Step send_to(std::uint32_t to) {
  return {Step::Kind::send, {}, ProcessId{to}, 0, ExchangeMode::eager};
}
Step receive_from(std::uint32_t from) {
  return {Step::Kind::receive, {}, ProcessId{from}, 0, ExchangeMode::eager};
}
Step compute_for(std::int64_t duration) {
  return {Step::Kind::compute, std::chrono::seconds{duration}, {}, 0, ExchangeMode::eager};
}

ScriptCase on_a_line(std::vector<std::vector<Step>> scripts) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=line,nodes=" + std::to_string(scripts.size()));
  for (std::uint32_t node = 0; node < scripts.size(); ++node) {
    scripted.map.emplace_back(node);
  }
  scripted.scripts = std::move(scripts);
  return scripted;
}

TEST(CriticalPath, OfTwoMessagesForOneLinkQueuesOnIt) {
  // Both reach 1->2 at 1 s, that of process 0 goes first.
  const ScriptCase scripted =
      on_a_line({{send_to(2)}, {compute_for(1), send_to(2)}, {receive_from(0), receive_from(1)}});
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 3U);
  EXPECT_EQ(path.parts[0].kind, CauseKind::compute);
  EXPECT_EQ(path.parts[0].process, ProcessId{1});
  EXPECT_EQ(path.parts[1].kind, CauseKind::queueing);
  EXPECT_EQ(link_name(explained.machine, path.parts[1].link), "1->2");
  EXPECT_EQ(to_seconds(path.parts[1].begin), 1);
  EXPECT_EQ(to_seconds(path.parts[1].end), 2);
  EXPECT_EQ(path.parts[2].kind, CauseKind::hop);
  EXPECT_EQ(to_seconds(path.parts[2].end), 3);
  ASSERT_EQ(path.by_link.size(), 1U);
  EXPECT_EQ(to_seconds(path.by_link[0].total.queueing), 1);
}

TEST(CriticalPath, OfADeadlockEndsWithTheLastToDoAnything) {
  const ScriptCase scripted =
      on_a_line({{compute_for(1), receive_from(1)}, {compute_for(3), receive_from(0)}});
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  EXPECT_EQ(path.last, ProcessId{1});
  ASSERT_EQ(path.parts.size(), 1U);
  EXPECT_EQ(path.parts[0].kind, CauseKind::compute);
  EXPECT_EQ(to_seconds(path.length), 3);
}

TEST(CriticalPath, OfADeadlockWithAMessageUnderWayIsBlockedAtTheEnd) {
  // Nobody receives the message that is on its way until 2 s.
  const ScriptCase scripted = on_a_line({{send_to(2), receive_from(1)}, {receive_from(0)}, {}});
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  ASSERT_EQ(path.parts.size(), 1U);
  EXPECT_EQ(path.parts[0].kind, CauseKind::blocked);
  EXPECT_EQ(path.parts[0].peer, ProcessId{1});
  EXPECT_EQ(to_seconds(path.of(CauseKind::blocked)), 2);
}

TEST(CriticalPath, OfARunWithoutTimeIsEmpty) {
  const ScriptCase scripted = on_a_line({{}, {}});
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  EXPECT_TRUE(path.parts.empty());
  EXPECT_EQ(path.length, Ticks{0});
}

// --- Large messages, cores, receives from anyone ---

Step with_bytes(Step step, std::uint64_t bytes) {
  step.bytes = bytes;
  return step;
}
Step with_tag(Step step, Tag tag) {
  step.tag = tag;
  return step;
}
Step posted(Step step) {
  step.kind = step.kind == Step::Kind::receive ? Step::Kind::post_receive : Step::Kind::post_send;
  return step;
}
Step wait_for(std::size_t request) {
  return {Step::Kind::wait_all, {}, {}, 0, ExchangeMode::eager, 0, {request}};
}

void expect_part(const PathPart& part, CauseKind kind, std::uint32_t process, int begin_s,
                 int end_s, Follows follows) {
  EXPECT_EQ(part.kind, kind);
  EXPECT_EQ(part.process, ProcessId{process});
  EXPECT_EQ(to_seconds(part.begin), begin_s);
  EXPECT_EQ(to_seconds(part.end), end_s);
  EXPECT_EQ(part.follows, follows);
}

TEST(CriticalPath, OfALargeMessageBeginsWithTheReceiverThatItWaitsFor) {
  ScriptCase scripted =
      on_a_line({{with_bytes(send_to(1), 8)}, {compute_for(3), receive_from(0), compute_for(1)}});
  scripted.machine.endpoint.eager_limit_bytes = 4;
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  ASSERT_EQ(path.parts.size(), 3U);
  expect_part(path.parts[0], CauseKind::compute, 1, 0, 3, Follows::own);
  expect_part(path.parts[1], CauseKind::hop, 0, 3, 4, Follows::receiver);
  expect_part(path.parts[2], CauseKind::compute, 1, 4, 5, Follows::own);
}

TEST(CriticalPath, OfALargeMessageBeginsWithItsSenderWhereThatIsLater) {
  ScriptCase scripted =
      on_a_line({{compute_for(5), with_bytes(send_to(1), 8)}, {compute_for(3), receive_from(0)}});
  scripted.machine.endpoint.eager_limit_bytes = 4;
  const CriticalPath path = ExplainedCase{input_of(scripted, nullptr)}.path();
  ASSERT_EQ(path.parts.size(), 2U);
  expect_part(path.parts[0], CauseKind::compute, 0, 0, 5, Follows::own);
  expect_part(path.parts[1], CauseKind::hop, 0, 5, 6, Follows::own);
}

TEST(CriticalPath, OfAPostedSendThatIsWaitedForGoesOnFromItsReceiver) {
  ScriptCase scripted = on_a_line({{posted(with_bytes(send_to(1), 8)), wait_for(0), compute_for(5)},
                                   {compute_for(3), receive_from(0)}});
  scripted.machine.endpoint.eager_limit_bytes = 4;
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 2U);
  expect_part(path.parts[0], CauseKind::compute, 1, 0, 3, Follows::own);
  expect_part(path.parts[1], CauseKind::compute, 0, 3, 8, Follows::receiver);
  const WaitingCauses waiting = explained.waiting();
  EXPECT_EQ(waiting.of(WaitingCause::peer_compute), 3);
  EXPECT_EQ(waiting.for_s[static_cast<std::size_t>(Awaits::receiver)], 3);
}

TEST(CriticalPath, OfAProcessThatWaitsForACoreGoesOnFromWhoHadIt) {
  ScriptCase scripted = on_a_line({{compute_for(2)}, {compute_for(3)}});
  scripted.machine.node.slots = 2;
  scripted.machine.node.cores = 1;
  scripted.map = {NodeId{1}, NodeId{1}};
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 2U);
  expect_part(path.parts[0], CauseKind::compute, 0, 0, 2, Follows::own);
  expect_part(path.parts[1], CauseKind::compute, 1, 2, 5, Follows::core);
  const WaitingCauses waiting = explained.waiting();
  EXPECT_EQ(waiting.of(WaitingCause::peer_compute), 2);
  EXPECT_EQ(waiting.for_s[static_cast<std::size_t>(Awaits::core)], 2);
}

TEST(CriticalPath, OfAMessageInsideANodeIsOnePartOfNoLink) {
  ScriptCase scripted = on_a_line({{send_to(1)}, {receive_from(0), compute_for(1)}});
  scripted.machine.node.slots = 2;
  scripted.machine.node.local.fixed = ExactTime{std::chrono::seconds{2}};
  scripted.map = {NodeId{1}, NodeId{1}};
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 2U);
  expect_part(path.parts[0], CauseKind::endpoint, 0, 0, 2, Follows::own);
  EXPECT_TRUE(path.parts[0].is_message);
  EXPECT_EQ(path.messages, 1U);
  ASSERT_EQ(path.by_group.size(), 1U);
  EXPECT_EQ(path.by_group[0].messages, 1U);
  EXPECT_EQ(path.by_group[0].most_hops, 0U);
}

TEST(CriticalPath, OfAMessageThatAReceiveFromAnyoneHoldsUpGoesOnFromWhatThatGets) {
  // Process 1 gets a message of tag 2 at 1 s. A receive of any tag from process 0 comes first. It
  // is to get a message of tag 1, which is on its way until 11 s. A receive of tag 1 from anyone
  // comes before both, and gets what process 2 sends: at 5 s.
  ScriptCase scripted = on_a_line(
      {{with_tag(with_bytes(send_to(1), 10), 1), with_tag(send_to(1), 2)},
       {posted(with_tag(receive_from(anyone.index()), 1)),
        posted(with_tag(receive_from(0), any_tag)), with_tag(receive_from(0), 2), compute_for(20)},
       {compute_for(4), with_tag(send_to(1), 1)}});
  scripted.machine.links.contention = Contention::off;
  scripted.machine.links.per_dimension[0].per_byte = ExactTime{std::chrono::seconds{1}};
  const ExplainedCase explained{input_of(scripted, nullptr)};
  const CriticalPath path = explained.path();
  ASSERT_EQ(path.parts.size(), 3U);
  expect_part(path.parts[0], CauseKind::compute, 2, 0, 4, Follows::own);
  expect_part(path.parts[1], CauseKind::hop, 2, 4, 5, Follows::own);
  expect_part(path.parts[2], CauseKind::compute, 1, 5, 25, Follows::order);
}

/// Process 0 answers whoever asks first; the others ask three times and compute in between.
Task<> ask_and_answer(Process& process) {
  constexpr std::uint32_t questions = 3;
  const ProcessId server{0};
  const std::uint32_t rank = process.rank().index();
  if (process.rank() == server) {
    for (std::uint32_t left = questions * (process.size() - 1); left > 0; --left) {
      const Received asked = co_await process.receive_any();
      co_await process.compute(std::chrono::seconds{1});
      process.send(asked.source, Payload::of_size(100));
    }
    co_return;
  }
  for (std::uint32_t question = 0; question < questions; ++question) {
    const Request answer = process.post_receive(server);
    const Request asked = process.post_send(server, Payload::of_size(rank));
    co_await process.compute(std::chrono::seconds{1 + (rank * question) % 4});
    co_await process.wait_all(asked, answer);
  }
}

TEST(CriticalPath, OfAServerAndItsClientsOnSharedNodesFillsTheMakespan) {
  Machine machine = unit_machine("kind=torus,shape=3x3");
  machine.node.slots = 3;
  machine.node.cores = 2;
  machine.node.local.fixed = ExactTime{std::chrono::milliseconds{100}};
  machine.links.injection = TransferCost{ExactTime{std::chrono::milliseconds{10}}, {}};
  std::vector<NodeId> map;
  for (std::uint32_t process = 0; process < 27; ++process) {
    map.emplace_back(process / 3);
  }
  for (const std::uint64_t limit : {0U, 10U, 1000U}) {
    machine.endpoint.eager_limit_bytes = limit;
    const ExplainedCase explained{{.machine = machine, .map = map, .body = ask_and_answer}};
    const CriticalPath path = explained.path();
    const PlainCauses causes{explained.history, machine.topology->link_slots()};
    std::vector<PlainCauses::Piece> pieces;
    for (const PathPart& part : path.parts) {
      pieces.push_back(piece_of(part, machine));
    }
    EXPECT_EQ(pieces, causes.chain({path.last, path.length, std::nullopt}));
    EXPECT_EQ(explained.report.outcome, Outcome::completed);
    EXPECT_NEAR(explained.waiting().sum_s, explained.report.waiting.total_s, 1e-9);
  }
}

// --- Groups of pairs and of links ---

TEST(PairGroup, IsTheDimensionOfTheGuestTheHostOrNone) {
  const Guest cube = Guest::cube(3);
  const auto dimension = [](std::uint32_t d) {
    return PairGroup{PairGroup::Kind::guest_dimension, d};
  };
  EXPECT_EQ(pair_group(cube, ProcessId{5}, ProcessId{1}), dimension(2));
  EXPECT_EQ(pair_group(cube, ProcessId{5}, ProcessId{6}).kind, PairGroup::Kind::other);
  EXPECT_EQ(pair_group(cube, ProcessId{5}, ProcessId{8}).kind, PairGroup::Kind::host);
  const Guest mesh = Guest::parse("mesh:4x2");
  EXPECT_EQ(pair_group(mesh, ProcessId{5}, ProcessId{1}), dimension(1));
  EXPECT_EQ(pair_group(mesh, ProcessId{1}, ProcessId{2}), dimension(0));
  EXPECT_EQ(pair_group(mesh, ProcessId{3}, ProcessId{4}).kind, PairGroup::Kind::other);
  EXPECT_EQ(group_name(mesh, dimension(1)), "mesh dimension 1");
}

LinkPlace place_between(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const auto link = topology.link(LinkId{slot});
    if (link && link->from == NodeId{from} && link->to == NodeId{to}) {
      return link_place(topology, LinkId{slot});
    }
  }
  ADD_FAILURE() << "no link " << from << "->" << to;
  return {};
}

TEST(LinkPlace, KnowsDimensionAndWrapAround) {
  const auto torus = make_topology(Params::parse("kind=torus,shape=4x3x2"));
  EXPECT_EQ(place_between(*torus, 0, 1), (LinkPlace{0, false, false}));
  EXPECT_EQ(place_between(*torus, 0, 3), (LinkPlace{0, true, false}));
  EXPECT_EQ(place_between(*torus, 3, 0), (LinkPlace{0, true, false}));
  EXPECT_EQ(place_between(*torus, 1, 9), (LinkPlace{1, true, false}));
  EXPECT_EQ(place_between(*torus, 9, 5), (LinkPlace{1, false, false}));
  EXPECT_EQ(place_between(*torus, 1, 13), (LinkPlace{2, false, false}));
  const auto cube = make_topology(Params::parse("kind=hypercube,dimensions=3"));
  EXPECT_EQ(place_between(*cube, 1, 5), (LinkPlace{2, false, false}));
}

}  // namespace
}  // namespace dcube::testing
