#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "chakra_run.hpp"
#include "dcube/core/random.hpp"
#include "support/random_cases.hpp"

// Chakra traces at random: steps of training with and without overlap, and graphs that a plain loop
// goes through, too.

namespace dcube::testing {
namespace {

/// A step of training: layers that compute one after the other, each followed by collectives of
/// groups. `in_turn`: each computation waits for all collectives before it.
std::vector<ChakraFile> random_step(std::uint64_t seed, bool in_turn) {
  SplitMix64 random{seed};
  constexpr std::uint32_t ranks = 4;
  std::vector<ChakraFile> files(ranks);
  std::vector<ChakraFile::Dependencies> before(ranks);
  std::vector<ChakraFile::Dependencies> all(ranks);
  ChakraFile::Id id = 0;
  const std::uint64_t layers = 2 + bounded(random.next(), 3);
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    ++id;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      files[rank].compute(id, 1 + bounded(random.next(), 9), in_turn ? all[rank] : before[rank]);
      before[rank] = {id};
      all[rank].push_back(id);
    }
    for (const std::string group : {"data", "tensor", "world"}) {
      if (bounded(random.next(), 3) == 0) {
        continue;
      }
      ++id;
      const std::int64_t type =
          bounded(random.next(), 2) == 0 ? ChakraFile::all_reduce : ChakraFile::all_gather;
      const bool is_needed = bounded(random.next(), 3) == 0;
      const std::uint64_t bytes = 8 * bounded(random.next(), 1000);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::string name =
            group == "world" ? group
                             : fmt::format("{}{}", group, group == "data" ? rank % 2 : rank / 2);
        files[rank].collective(id, type, bytes, in_turn ? all[rank] : before[rank], name);
        if (is_needed) {
          before[rank].push_back(id);
        }
        all[rank].push_back(id);
      }
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    files[rank].compute(id + 1, 1, all[rank]);
  }
  return files;
}

TEST(RandomCasesOfChakra, OverlapIsNeverSlowerWithoutContention) {
  const auto [first, number] = random_cases(200);
  std::uint64_t faster = 0;
  std::uint64_t slower_on_one = 0;  ///< or a deadlock
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const auto report = [&](bool in_turn, const char* const settings) {
      return ChakraRun{random_step(seed, in_turn), settings,
                       [](Machine& machine) {
                         machine.links.contention = Contention::off;
                         for (TransferCost& cost : machine.links.per_dimension) {
                           cost.per_byte = ExactTime{std::chrono::nanoseconds{1}};
                         }
                       }}
          .report();
    };
    const RunReport serial = report(true, "");
    ASSERT_EQ(serial.outcome, Outcome::completed) << seed;
    ASSERT_EQ(report(true, ",streams=per_group").makespan, serial.makespan) << seed;
    const RunReport overlapped = report(false, ",streams=per_group");
    ASSERT_EQ(overlapped.outcome, Outcome::completed) << seed;
    ASSERT_LE(overlapped.makespan, serial.makespan) << seed;
    faster += overlapped.makespan < serial.makespan ? 1 : 0;
    const RunReport on_one = report(false, "");
    slower_on_one += on_one.outcome == Outcome::deadlock || on_one.makespan > serial.makespan;
  }
  EXPECT_GT(faster, number / 2);
  // On one stream, collectives that could overlap block each other.
  EXPECT_GT(slower_on_one, 0U);
}

/// A node as a plain loop knows it.
struct PlainNode {
  std::uint32_t rank = 0;
  int processor = -1;        ///< 0 or 1; -1: a message
  std::uint64_t micros = 0;  ///< of a receive: the hops
  std::vector<std::size_t> after{};
  std::size_t sent = ~std::size_t{0};  ///< of a receive: its send
  std::uint64_t end = ~std::uint64_t{0};
};

/// Looks at everything at every microsecond. When each rank ends.
std::vector<std::uint64_t> plain_ends(std::vector<PlainNode> nodes, std::size_t ranks) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  std::vector<std::array<std::uint64_t, 2>> free(ranks, {0, 0});
  std::vector<std::uint64_t> ends(ranks, 0);
  const auto ready = [&](const PlainNode& node) {
    std::uint64_t since = 0;
    for (const std::size_t before : node.after) {
      since = std::max(since, nodes[before].end);
    }
    return since;
  };
  std::size_t left = nodes.size();
  const auto end_at = [&](PlainNode& node, std::uint64_t time) {
    node.end = time;
    ends[node.rank] = std::max(ends[node.rank], time);
    --left;
    return true;
  };
  const auto is_done = [&] { return left == 0; };
  for (std::uint64_t now = 0; !is_done(); ++now) {
    for (bool changes = true; changes;) {
      changes = false;
      for (PlainNode& node : nodes) {
        if (node.processor >= 0 || node.end != never || ready(node) > now) {
          continue;
        }
        const bool is_send = node.sent == ~std::size_t{0};
        if (is_send || (nodes[node.sent].end <= now && nodes[node.sent].end + node.micros <= now)) {
          changes = end_at(node, now);
        }
      }
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const int processor : {0, 1}) {
          if (free[rank][static_cast<std::size_t>(processor)] > now) {
            continue;
          }
          // The first that could have started.
          PlainNode* best = nullptr;
          for (PlainNode& node : nodes) {
            if (node.rank == rank && node.processor == processor && node.end == never &&
                ready(node) <= now && (best == nullptr || ready(node) < ready(*best))) {
              best = &node;
            }
          }
          if (best != nullptr) {
            free[rank][static_cast<std::size_t>(processor)] = now + best->micros;
            changes = end_at(*best, now + best->micros);
          }
        }
      }
    }
  }
  return ends;
}

ChakraFile::Dependencies ids_of(const std::vector<std::size_t>& nodes) {
  return {nodes.begin(), nodes.end()};
}

TEST(Chakra, GraphsAtRandomEndWhenAPlainLoopSays) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SplitMix64 random{seed};
    constexpr std::uint32_t ranks = 4;
    std::vector<PlainNode> nodes;
    std::vector<ChakraFile> files(ranks);
    std::vector<std::vector<std::size_t>> of_rank(ranks);
    const auto add = [&](PlainNode node) {
      for (const std::size_t before : of_rank[node.rank]) {
        if (bounded(random.next(), 8) == 0) {
          node.after.push_back(before);
        }
      }
      of_rank[node.rank].push_back(nodes.size());
      nodes.push_back(std::move(node));
      return nodes.size() - 1;
    };
    for (int i = 0; i < 50; ++i) {
      const auto rank = static_cast<std::uint32_t>(bounded(random.next(), ranks));
      const auto other = static_cast<std::uint32_t>(bounded(random.next(), ranks));
      if (rank == other) {
        const auto processor = static_cast<int>(bounded(random.next(), 2));
        const std::size_t node = add({rank, processor, 1 + bounded(random.next(), 9)});
        files[rank].compute(node, nodes[node].micros, ids_of(nodes[node].after), processor == 0);
      } else {
        const auto tag = static_cast<std::uint32_t>(i);
        const std::size_t sent = add({rank});
        files[rank].send(sent, static_cast<std::int32_t>(other), 8, tag, ids_of(nodes[sent].after));
        const std::size_t received = add({other, -1, rank > other ? rank - other : other - rank});
        nodes[received].sent = sent;
        files[other].receive(received, static_cast<std::int32_t>(rank), 8, tag,
                             ids_of(nodes[received].after));
      }
    }
    const ChakraRun run{files, "",
                        [](Machine& machine) { machine.links.contention = Contention::off; }};
    const RunReport report = run.report();
    EXPECT_EQ(report.outcome, Outcome::completed);
    const std::vector<std::uint64_t> expected = plain_ends(nodes, ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(report.process_ends[rank].count(),
                static_cast<std::int64_t>(expected[rank]) * 1'000'000)
          << "seed " << seed << ", rank " << rank;
    }
  }
}

}  // namespace
}  // namespace dcube::testing
