#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/plain/loggp.hpp"

namespace dcube::testing {

inline PlainOperation calc(std::int64_t time) {
  return {.kind = PlainOperation::Kind::calc, .amount = time};
}
inline PlainOperation send(std::int64_t bytes, int to, int tag = 0) {
  return {.kind = PlainOperation::Kind::send, .amount = bytes, .peer = to, .tag = tag};
}
inline PlainOperation recv(std::int64_t bytes, int from, int tag = 0) {
  return {.kind = PlainOperation::Kind::receive, .amount = bytes, .peer = from, .tag = tag};
}

/// Round costs and times, so instants are often equal. Nothing is to be said of a schedule whose
/// operations wait for each other for ever.
inline PlainSchedule random_schedule_of_round_times(std::uint64_t seed, const LogGp& costs) {
  std::mt19937_64 random{seed};
  const auto draw = [&](int least, int most) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1)) + least;
  };
  const int ranks = draw(2, 6);
  const int cpus = draw(1, 4) < 4 ? 1 : draw(2, 3);
  const int nics = draw(1, 6) < 6 ? 1 : 2;
  const int tags = draw(1, 2) == 1 ? 1 : 3;
  const int open = draw(1, 3) == 1 ? 4 : 0;
  const std::vector<std::vector<std::int64_t>> kinds_of_sizes{
      {0}, {0, 1, 2}, {8}, {1, 8, 5000}, {costs.S, costs.S + 1}, {1, 64, costs.S + 1}};
  const auto& sizes = kinds_of_sizes[static_cast<std::size_t>(draw(0, 5))];
  const std::vector<std::int64_t> times{0, 1, 2, 3, 10, 100, 997, costs.o, costs.L};
  PlainSchedule schedule(static_cast<std::size_t>(ranks));
  const auto add = [&](int rank, PlainOperation operation) {
    operation.cpu = draw(0, cpus - 1);
    operation.nic = operation.kind == PlainOperation::Kind::calc ? 0 : draw(0, nics - 1);
    schedule[static_cast<std::size_t>(rank)].push_back(operation);
  };
  for (int i = draw(3, 25); i > 0; --i) {
    const int from = draw(0, ranks - 1);
    if (draw(0, 2) == 0) {
      add(from, calc(times[static_cast<std::size_t>(draw(0, 8))]));
      continue;
    }
    const int to = (from + draw(1, ranks - 1)) % ranks;
    const int tag = draw(0, tags - 1);
    const std::int64_t bytes =
        sizes[static_cast<std::size_t>(draw(0, static_cast<int>(sizes.size()) - 1))];
    add(from, send(bytes, to, tag));
    const bool is_open = draw(1, 10) <= open;
    add(to, recv(bytes, is_open ? -1 : from, is_open && draw(0, 1) == 0 ? -1 : tag));
  }
  for (auto& rank : schedule) {
    for (int i = 1; i < static_cast<int>(rank.size()); ++i) {
      for (int k = draw(0, 2); k > 0; --k) {
        const bool is_of_start = draw(0, 2) == 0;
        rank[static_cast<std::size_t>(i)].requires_of.emplace_back(draw(std::max(0, i - 4), i - 1),
                                                                   is_of_start);
      }
    }
  }
  return schedule;
}

}  // namespace dcube::testing
