#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

using std::chrono::seconds;

/// Processes on a line of unit hops, process i on node i, or all where `nodes` says.
struct Line {
  explicit Line(std::uint32_t processes) : machine{unit_machine("kind=line,nodes=8")} {
    for (std::uint32_t rank = 0; rank < processes; ++rank) {
      map.emplace_back(rank);
    }
  }
  RunReport run(const std::function<Task<>(Process&)>& body) const {
    return run_without_simgrid({.machine = machine, .map = map, .body = body, .stage_count = 3});
  }
  std::string complaint_of(const std::function<Task<>(Process&)>& body) const {
    return complaint<ContractViolation>([&] { run(body); });
  }

  Machine machine;
  std::vector<NodeId> map;
};

Payload number(int value) { return Payload::of(std::vector<int>(1, value)); }
int number(Payload payload) { return payload.take<int>().front(); }

constexpr ProcessId zero{0};
constexpr ProcessId one{1};

// --- Tags

Task<> receive_by_tag(Process& process, std::vector<int>& got) {
  if (process.rank() == one) {
    for (const Tag tag : {5U, 6U, 5U}) {
      process.send(zero, number(static_cast<int>(tag) * 10 + static_cast<int>(got.size())), tag);
      got.push_back(0);
    }
    co_return;
  }
  std::vector<int> received;
  received.push_back(number(co_await process.receive(one, 6)));
  received.push_back(number(co_await process.receive(one, any_tag)));
  received.push_back(number(co_await process.receive(one, 5)));
  got = received;
}

TEST(Requests, TagsTellMessagesApart) {
  std::vector<int> got;
  Line{2}.run([&](Process& process) { return receive_by_tag(process, got); });
  EXPECT_EQ(got, (std::vector<int>{61, 50, 52}));
}

// --- Posted receives and sends

Task<> swap_with_neighbours(Process& process, std::vector<int>& sums) {
  const std::uint32_t rank = process.rank().index();
  const ProcessId left{(rank + process.size() - 1) % process.size()};
  const ProcessId right{(rank + 1) % process.size()};
  const Request from_left = process.post_receive(left);
  const Request from_right = process.post_receive(right);
  process.send(left, number(static_cast<int>(rank)));
  process.send(right, number(static_cast<int>(rank)));
  co_await process.compute(seconds{5});
  auto [a, b] = co_await process.wait_all(from_left, from_right);
  sums[rank] = number(std::move(a.payload)) * 10 + number(std::move(b.payload));
}

TEST(Requests, MessagesTravelWhileTheProcessComputes) {
  std::vector<int> sums(3);
  const RunReport report =
      Line{3}.run([&](Process& process) { return swap_with_neighbours(process, sums); });
  EXPECT_EQ(sums, (std::vector<int>{21, 2, 10}));
  EXPECT_EQ(report.makespan, seconds{5});
  EXPECT_EQ(report.communication.max, Ticks{0});
}

Task<> serve_clients(Process& process, std::vector<std::uint32_t>& order) {
  if (process.rank() != zero) {
    co_await process.compute(seconds{10 - 2 * static_cast<int>(process.rank().index())});
    process.send(zero, number(7), process.rank().index());
    co_return;
  }
  for (std::uint32_t client = 1; client < process.size(); ++client) {
    const Received request = co_await process.receive_any();
    EXPECT_EQ(request.source.index(), request.tag);
    order.push_back(request.source.index());
  }
}

TEST(Requests, AReceiveFromAnyoneTakesWhatArrivesFirst) {
  std::vector<std::uint32_t> order;
  const RunReport report =
      Line{5}.run([&](Process& process) { return serve_clients(process, order); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 3, 2, 1}));  // at 6, 7, 8 and 9 s
  EXPECT_EQ(report.makespan, seconds{9});
}

/// The first receive from process 0 waits for what the receive from anyone leaves it.
Task<> receive_behind_anyone(Process& process, std::vector<int>& got) {
  if (process.rank() == zero) {
    process.send(one, number(10), 1);
    process.send(one, number(20), 2);
    process.send(one, number(21), 2);
    co_return;
  }
  const Request from_anyone = process.post_receive(anyone, 1);
  const Request from_zero = process.post_receive(zero, any_tag);
  got.push_back(number(co_await process.receive(zero, 2)));
  got.push_back(number((co_await process.wait(from_zero)).payload));
  got.push_back(number((co_await process.wait(from_anyone)).payload));
}

TEST(Requests, AReceiveDoesNotOvertakeOneThatWaitsBehindAReceiveFromAnyone) {
  std::vector<int> got;
  Line{2}.run([&](Process& process) { return receive_behind_anyone(process, got); });
  EXPECT_EQ(got, (std::vector<int>{21, 20, 10}));
}

Task<> wait_for_the_first(Process& process, std::vector<std::size_t>& order) {
  if (process.rank() != zero) {
    process.send(zero, Payload::of_size(1));
    co_return;
  }
  std::vector<Request> requests;
  for (std::uint32_t from = process.size() - 1; from > 0; --from) {
    requests.push_back(process.post_receive(ProcessId{from}));
  }
  EXPECT_FALSE(co_await process.test(requests.back()));
  while (!requests.empty()) {
    const Completed completed = co_await process.wait_any(requests);
    order.push_back(completed.message.source.index());
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(completed.index));
  }
}

Task<> post_around_one(Process& process, std::vector<std::uint64_t>& got) {
  if (process.rank() == one) {
    process.send(zero, Payload::of_size(9), 1);  // arrives last
    process.send(zero, Payload::of_size(2));
    process.send(zero, Payload::of_size(3));
    co_return;
  }
  const Request first = process.post_receive(anyone, 1);
  const Request second = process.post_receive(one, any_tag);
  got.push_back((co_await process.receive_any()).payload.size_bytes());
  const auto [from_anyone, from_one] = co_await process.wait_all(first, second);
  got.push_back(from_anyone.payload.size_bytes());
  got.push_back(from_one.payload.size_bytes());
}

TEST(Requests, AReceiveFromAnyoneDoesNotTakeWhatAnEarlierOneMayWant) {
  std::vector<std::uint64_t> got;
  Line line{2};
  line.machine.links.contention = Contention::off;
  line.machine.links.per_dimension = {TransferCost{ExactTime{1, 1}, ExactTime{1, 1}}};
  line.run([&](Process& process) { return post_around_one(process, got); });
  EXPECT_EQ(got, (std::vector<std::uint64_t>{3, 9, 2}));
}

TEST(Requests, TheFirstToBeCompleteIsGivenFirst) {
  std::vector<std::size_t> order;
  Line{4}.run([&](Process& process) { return wait_for_the_first(process, order); });
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 2, 3}));
}

Task<> send_a_large_one(Process& process) {
  if (process.rank() == zero) {
    const Request small = process.post_send(one, Payload::of_size(10));
    const Request large = process.post_send(one, Payload::of_size(11));
    co_await process.wait(small);
    EXPECT_EQ(process.now(), Ticks{0});
    co_await process.wait(large);
    EXPECT_EQ(process.now(), seconds{7});
    co_return;
  }
  co_await process.compute(seconds{7});
  co_await process.receive(zero);
  co_await process.receive(zero);
  EXPECT_EQ(process.now(), seconds{8});
}

TEST(Requests, AMessageAboveTheEagerLimitWaitsForItsReceiver) {
  Line line{2};
  line.machine.endpoint.eager_limit_bytes = 10;
  EXPECT_EQ(line.run(send_a_large_one).makespan, seconds{8});
}

Task<> share_a_buffer(Process& process, std::vector<const int*>& addresses) {
  if (process.rank() == zero) {
    const Payload shared = number(42);
    for (std::uint32_t to = 1; to < process.size(); ++to) {
      process.send(ProcessId{to}, shared);
    }
    co_return;
  }
  const Payload received = co_await process.receive(zero);
  EXPECT_EQ(received.view<int>().front(), 42);
  addresses.push_back(received.view<int>().data());
  Payload own = received;
  EXPECT_EQ(own.take<int>().front(), 42);
  EXPECT_EQ(received.view<int>().front(), 42);
}

/// Process 0 sends at the same instant as process 1, but only after a test.
Task<> send_after_a_test(Process& process, std::vector<std::uint32_t>& order) {
  const ProcessId server{2};
  if (process.rank() == server) {
    co_await process.compute(seconds{5});
    for (int message = 0; message < 2; ++message) {
      order.push_back((co_await process.receive_any()).source.index());
    }
    co_return;
  }
  if (process.rank() == zero) {
    const Request never = process.post_receive(one);
    EXPECT_FALSE(co_await process.test(never));
  }
  process.send(server, Payload::of_size(11));
}

TEST(Requests, AReceiveFromAnyoneKnowsAllLargeMessagesOfAnInstant) {
  Line line{3};
  line.machine.endpoint.eager_limit_bytes = 10;
  std::vector<std::uint32_t> order;
  line.run([&](Process& process) { return send_after_a_test(process, order); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Requests, ReceiversShareAPayloadWithoutACopy) {
  std::vector<const int*> addresses;
  Line{4}.run([&](Process& process) { return share_a_buffer(process, addresses); });
  ASSERT_EQ(addresses.size(), 3U);
  EXPECT_EQ(std::ranges::count(addresses, addresses.front()), 3);
}

// --- Several processes on a node

Task<> exchange_and_compute(Process& process) {
  co_await process.compute(seconds{4});
  co_await process.exchange(ProcessId{process.rank().index() ^ 1U}, Payload::of_size(2));
}

TEST(Requests, MessagesInsideANodePayItsLocalCost) {
  Line line{0};
  line.map = {NodeId{3}, NodeId{3}};
  line.machine.node.slots = 2;
  line.machine.node.local = {ExactTime{seconds{1}}, ExactTime{seconds{1}}};
  const RunReport report = line.run(exchange_and_compute);
  EXPECT_EQ(report.makespan, seconds{7});
  EXPECT_EQ(report.hops, 0U);
  EXPECT_EQ(report.node_load.max, 0U);
}

TEST(Requests, ComputationsQueueForTheCoresOfTheirNode) {
  Line line{0};
  line.map = {NodeId{3}, NodeId{3}, NodeId{3}, NodeId{3}, NodeId{4}, NodeId{5}};
  line.machine.node.slots = 4;
  line.machine.node.cores = 3;
  const RunReport report =
      line.run([](Process& process) -> Task<> { return exchange_and_compute(process); });
  EXPECT_EQ(report.process_ends[3], seconds{8} + Ticks{1});
  EXPECT_EQ(report.process_ends[1], seconds{4} + Ticks{1});
  EXPECT_EQ(report.process_ends[5], seconds{5});
}

TEST(Requests, ANodeHasRoomForItsSlots) {
  Line line{0};
  line.map = {NodeId{3}, NodeId{3}, NodeId{3}};
  line.machine.node.slots = 2;
  EXPECT_EQ(line.complaint_of(exchange_and_compute),
            "process 2 is placed on node 3, whose 2 slots are taken");
}

// --- Misuse is told by process, stage and call.

std::string complaint_of(const std::function<Task<>(Process&, Process*&)>& body) {
  Process* other = nullptr;
  return Line{2}.complaint_of([&](Process& process) { return body(process, other); });
}

TEST(Requests, AreWaitedForOnce) {
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              process.enter_stage(2);
              const Request request = process.post_send(process.rank(), {});
              co_await process.wait(request);
              co_await process.wait(request);
            }),
            "process 0 in stage 2 waits for a request that it has waited for before (wait for each "
            "once)");
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              const Request request = process.post_send(process.rank(), {});
              co_await process.wait_all(request, request);
            }),
            "process 0 waits for a request that it has waited for before (wait for each once)");
}

TEST(Requests, AreNotTakenForLaterOnes) {
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              const Request early = process.post_send(process.rank(), {});
              co_await process.wait(early);
              process.post_send(process.rank(), {});  // in the place of the first
              co_await process.wait(early);
            }),
            "process 0 waits for a request that it has waited for before (wait for each once)");
}

TEST(Requests, AreThoseOfTheProcess) {
  std::vector<Request> requests;
  EXPECT_EQ(complaint_of([&](Process& process, Process*&) -> Task<> {
              requests.push_back(process.post_receive(zero));
              co_await process.compute(Ticks{1});
              co_await process.wait(requests.front());
            }),
            "process 1 waits for a request of process 0");
  EXPECT_EQ(
      complaint_of([](Process& process, Process*&) -> Task<> { co_await process.wait(Request{}); }),
      "process 0 waits for a request that it has not posted");
}

TEST(Requests, NeedRanksAndTagsThatExist) {
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              process.post_receive(ProcessId{2});
              co_return;
            }),
            "process 0 receives from process 2, but the ranks are 0 to 1");
  EXPECT_EQ(
      complaint_of([](Process& process, Process*&) -> Task<> {
        process.send(one, {}, any_tag);
        co_return;
      }),
      "process 0 sends to process 1 with the tag 4294967295, which is for receives of any tag "
      "(a program's own tags are 0 to 2147483647)");
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              co_await process.wait_any(std::vector<Request>{});
            }),
            "process 0 waits for one of no requests");
}

TEST(Requests, AreNotWaitedForInIdlenessOrCommunication) {
  for (const Activity meanwhile : {Activity::idle, Activity::communication}) {
    EXPECT_EQ(
        complaint_of([meanwhile](Process& process, Process*&) -> Task<> {
          co_await process.wait_any({}, std::chrono::seconds{1}, meanwhile);
        }),
        "process 0 waits in a way that is not computing, waiting or the work of its endpoint");
  }
}

TEST(Requests, PayloadsOfAnotherTypeAreToldByTheProcessThatTakesThem) {
  EXPECT_EQ(complaint_of([](Process& process, Process*&) -> Task<> {
              process.enter_stage(1);
              Payload own =
                  co_await process.exchange(ProcessId{1 - process.rank().index()}, number(1));
              own.take<double>();
            }),
            "process 1 in stage 1: a payload is taken as the type it was sent as");
}

// --- Waiting no longer than until an instant

/// Process 1 computes for `delay` and sends to process 0, which waits for it until 3 s and says at
/// which position it found what, and when.
TEST(Requests, FromAnyoneMayLeaveMessagesBehind) {
  const Line line{2};
  const RunReport report = line.run([](Process& process) -> Task<> {
    if (process.rank() == zero) {
      co_await process.receive_any();
    } else {
      for (int i = 0; i < 3; ++i) {
        process.send(zero, number(i), static_cast<Tag>(i));
      }
      co_return;
    }
  });
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.messages, 3U);
}

std::string waited_until_3(Ticks delay, Activity meanwhile, RunReport* report = nullptr) {
  std::string found;
  const Line line{2};
  const RunReport run = line.run([&](Process& process) -> Task<> {
    if (process.rank() == one) {
      co_await process.compute(delay);
      process.send(zero, number(7));
      co_return;
    }
    const std::array requests{process.post_receive(one)};
    const Completed completed = co_await process.wait_any(requests, seconds{3}, meanwhile);
    found = fmt::format("{} at {}, arrived at {}", completed.index, format_time(process.now()),
                        format_time(completed.message.arrival));
    if (completed.index == 1) {
      co_await process.wait(requests[0]);
    }
  });
  if (report != nullptr) {
    *report = run;
  }
  return found;
}

TEST(WaitUntil, EndsWithTheFirstRequestOrAtItsInstant) {
  EXPECT_EQ(waited_until_3(seconds{1}, Activity::waiting), "0 at 2 s, arrived at 2 s");
  EXPECT_EQ(waited_until_3(seconds{2}, Activity::waiting), "0 at 3 s, arrived at 3 s");
  EXPECT_EQ(waited_until_3(seconds{4}, Activity::waiting), "1 at 3 s, arrived at 0 s");
}

TEST(WaitUntil, SaysWhatTheProcessDoesMeanwhile) {
  RunReport report;
  waited_until_3(seconds{4}, Activity::compute, &report);
  EXPECT_EQ(report.compute.total_s, 3 + 4);
  waited_until_3(seconds{1}, Activity::endpoint, &report);
  EXPECT_EQ(report.endpoint.total_s, 2);
  waited_until_3(seconds{4}, Activity::waiting, &report);
  EXPECT_EQ(report.waiting.total_s, 1);
  EXPECT_EQ(report.endpoint.total_s, 3);
}

TEST(WaitUntil, NeedsNoRequests) {
  const Line line{1};
  const RunReport report = line.run([](Process& process) -> Task<> {
    co_await process.wait_any({}, seconds{5}, Activity::compute);
    const Completed late = co_await process.wait_any({}, seconds{2}, Activity::compute);
    EXPECT_EQ(late.index, 0U);
  });
  EXPECT_EQ(report.makespan, seconds{5});
  EXPECT_EQ(report.compute.total_s, 5);
}

TEST(WaitUntil, AnInstantThatHasPassedIsNow) {
  const Line line{2};
  line.run([](Process& process) -> Task<> {
    if (process.rank() == one) {
      process.send(zero, number(1));
      co_return;
    }
    co_await process.compute(seconds{2});
    const std::array arrived{process.post_receive(one)};
    EXPECT_EQ((co_await process.wait_any(arrived, seconds{1})).index, 0U);
    const std::array missing{process.post_receive(one, 5)};
    EXPECT_EQ((co_await process.wait_any(missing, seconds{1})).index, 1U);
    EXPECT_EQ(process.now(), seconds{2});
  });
}

TEST(SendModes, SayWhenAMessageLeaves) {
  Line line{2};
  line.machine.endpoint.eager_limit_bytes = 10;
  const auto sender_end = [&](std::uint64_t bytes, SendMode mode) {
    return line
        .run([&](Process& process) -> Task<> {
          if (process.rank() == zero) {
            co_await process.wait(process.post_send(one, Payload::of_size(bytes), 0, mode));
          } else {
            co_await process.compute(seconds{4});
            co_await process.receive(zero);
          }
        })
        .process_ends[0];
  };
  EXPECT_EQ(sender_end(10, SendMode::by_size), seconds{0});
  EXPECT_EQ(sender_end(11, SendMode::by_size), seconds{4});
  EXPECT_EQ(sender_end(11, SendMode::eager), seconds{0});
  EXPECT_EQ(sender_end(1, SendMode::rendezvous), seconds{4});
}

TEST(Tags, ReceivesOfAnyTagLeaveReservedOnesAlone) {
  const Line line{2};
  line.run([](Process& process) -> Task<> {
    if (process.rank() == one) {
      process.send(zero, number(1), first_reserved_tag);
      process.send(zero, number(2), 3);
      process.send(zero, number(3), first_reserved_tag + 9);
      co_return;
    }
    EXPECT_EQ(number((co_await process.receive_any()).payload), 2);
    EXPECT_EQ(number(co_await process.receive(one, first_reserved_tag + 9)), 3);
    EXPECT_EQ(number(co_await process.receive(one, first_reserved_tag)), 1);
  });
}

}  // namespace
}  // namespace dcube::testing
