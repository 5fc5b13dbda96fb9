#include "dcube/questions/collective.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "crossovers.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/network/link_rates.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/show/readable.hpp"
#include "runs.hpp"
#include "sizes.hpp"
#include "ways.hpp"

namespace dcube {
namespace {

std::vector<TimeRequest> requests_at(std::span<const std::size_t> ways,
                                     std::span<const std::uint64_t> sizes) {
  std::vector<TimeRequest> requests;
  for (const std::uint64_t bytes : sizes) {
    for (const std::size_t way : ways) {
      requests.push_back({way, bytes});
    }
  }
  return requests;
}

/// Ways that completed at some size.
std::vector<std::size_t> possible_ways(const CollectiveAnswer& answer, const std::string& network) {
  return kept(numbered<std::size_t>(answer.ways.size()), [&](std::size_t way) {
    return answer.ways[way].network == network &&
           std::ranges::any_of(answer.rows, [&](const CollectiveRow& row) {
             return row.way == way && row.is_complete();
           });
  });
}

/// Looks for crossovers. False after an interrupt.
bool add_crossovers(CollectiveAnswer& answer, CollectiveRuns& runs) {
  const TimesOf times_of = [&](std::span<const TimeRequest> requests) {
    if (runs.simulate(requests) == RunsEnd::interrupted) {
      return std::vector<std::optional<Ticks>>{};
    }
    return mapped(requests, [&](const TimeRequest& request) {
      const CollectiveRow& row = runs.row(request);
      return row.is_complete() ? std::optional{row.makespan} : std::nullopt;
    });
  };
  for (const std::string& network : answer.networks()) {
    std::vector<FastestWay> fastest;
    for (const std::uint64_t bytes : answer.sizes) {
      if (const CollectiveRow* const best = answer.best(network, bytes)) {
        fastest.push_back({bytes, best->way});
      }
    }
    const auto found =
        find_crossovers(fastest, possible_ways(answer, network), answer.grain(), times_of);
    if (!found) {
      return false;
    }
    answer.crossovers.insert(answer.crossovers.end(), found->begin(), found->end());
  }
  answer.has_crossovers = true;
  return true;
}

/// The fastest row of each of the three fastest algorithms.
std::vector<const CollectiveRow*> fastest_algorithms(const CollectiveAnswer& answer,
                                                     std::uint64_t bytes) {
  constexpr std::size_t most = 3;
  std::vector<const CollectiveRow*> fastest;
  for (const CollectiveRow* const row : answer.ranked({}, bytes)) {
    if (row->is_complete() && fastest.size() < most &&
        std::ranges::none_of(fastest, [&](const CollectiveRow* other) {
          return answer.way_of(*other).algorithm == answer.way_of(*row).algorithm;
        })) {
      fastest.push_back(row);
    }
  }
  return fastest;
}

/// Where a hop queues in one of the fastest runs, holds them against links that serve in turn.
/// False after an interrupt.
bool add_fair_links(CollectiveAnswer& answer, CollectiveRuns& runs) {
  FairRanking fair;
  std::vector<TimeRequest> requests;
  std::uint64_t steps = 0;
  for (const std::uint64_t bytes : answer.sizes) {
    for (const CollectiveRow* const row : fastest_algorithms(answer, bytes)) {
      if (row->fair_links) {
        requests.push_back({row->way, bytes, row->fair_links->packet_bytes});
        steps += row->fair_links->steps;
        fair.queued_share = std::max(fair.queued_share, row->fair_links->queued_share);
      }
    }
  }
  if (requests.empty()) {
    return true;
  }
  fair.was_tried = answer.request.check_links || steps <= cheap_fair_steps;
  if (fair.was_tried && runs.simulate(requests) == RunsEnd::interrupted) {
    return false;
  }
  const auto time_of = [&](const CollectiveRow& row) {
    return row.fair_links ? runs.row({row.way, row.bytes, row.fair_links->packet_bytes}) : row;
  };
  for (const std::uint64_t bytes : fair.was_tried ? answer.sizes : std::vector<std::uint64_t>{}) {
    const std::vector<const CollectiveRow*> fastest = fastest_algorithms(answer, bytes);
    const std::vector<CollectiveRow> fairly =
        mapped(fastest, [&](const CollectiveRow* row) { return time_of(*row); });
    if (fairly.empty() || !fairly.front().is_complete()) {
      continue;
    }
    const auto best = std::ranges::min_element(fairly, {}, [](const CollectiveRow& row) {
      return std::pair{!row.is_complete(), row.makespan};
    });
    if (!are_nearly_as_long(to_seconds(best->makespan), to_seconds(fairly.front().makespan))) {
      const auto& links = fastest[static_cast<std::size_t>(best - fairly.begin())]->fair_links;
      const auto& links_of_best = fastest.front()->fair_links;
      fair.changes.push_back(
          {.bytes = bytes,
           .way = best->way,
           .makespan = best->makespan,
           .best = fastest.front()->way,
           .of_best = fairly.front().makespan,
           .packet_bytes = (links ? links : links_of_best).value().packet_bytes});
    }
  }
  answer.fair = std::move(fair);
  return true;
}

constexpr std::array chosen_program{
    ChosenValue{"/program", "the operation", "name it by `.operation`", true},
    ChosenValue{"/program/operation", "the operation", "name it by `.operation`"},
    ChosenValue{"/program/algorithm", "the algorithm", "name those to compare by `.algorithms`"},
    ChosenValue{"/program/bytes", "the size", "name those to compare by `.bytes`"},
    ChosenValue{"/program/value_bytes", "the size of a value", "give it by `.value_bytes`"},
    ChosenValue{"/program/ports", "the ports", "give them by `.ports`"},
    ChosenValue{"/program/root", "the root", "give it by `.root`"},
    ChosenValue{"/program/compute", "the time to combine a byte", "give it by `.compute`"},
    ChosenValue{"/program/over", "the groups", "give them by `.over`"},
    ChosenValue{"/program/guest", "the shape of the processes", "give it by `.axes`"},
    ChosenValue{"/program/shape", "the shape of the processes", "give it by `.axes`"},
    ChosenValue{"/program/twist", "the shape of the processes", "give it by `.axes`"},
    ChosenValue{"/program/repeat", "one operation", "leave it out"},
    ChosenValue{"/seed", "the seed", "give it by `.seed`"}};

void check_request(const CollectiveAnswer& answer) {
  const CollectiveRequest& request = answer.request;
  expect_unset(request.settings, chosen_program);
  expect_unset(request.settings, chosen_embedding);
  if (!request.networks.empty()) {
    expect_unset(request.settings, chosen_network);
  }
  for (const auto& [names, field, thing] :
       {std::tuple{&request.bytes, ".bytes", "size"},
        std::tuple{&request.algorithms, ".algorithms", "algorithm"},
        std::tuple{&request.embeddings, ".embeddings", "embedding"}}) {
    refuse_if(names->empty(), field, "names no {} (leave it out, or name one)", thing);
  }
  refuse_if(request.root && !has_root(answer.kind), ".root", "{} has no root",
            name_of(answer.kind));
  refuse_if(!request.compute.empty() && !reduces(answer.kind), ".compute", "{} combines nothing",
            name_of(answer.kind));
  if (!request.compute.empty()) {
    at_place(".compute", [&] { return parse_duration(request.compute); });
  }
  refuse_if(request.check_links && !request.networks.empty(), ".check_links",
            "is about one network, and several are compared");
  refuse_if(!request.over.empty() && request.axes.empty(), ".over",
            "names axes, and `.axes` gives none (such as tensor=8,data=4)");
  if (!request.writes_hosts) {
    check_hosts_option(request.hosts, wants_all(request.embeddings) ? std::vector<std::string>{}
                                                                    : request.embeddings);
  }
  collective_sizes(request.bytes, request.value_bytes);  // before anything is read
}

/// That of node.local and of all links of a node, the most of any node.
double node_bandwidth(const Machine& machine) {
  const Topology& topology = *machine.topology;
  const std::vector<ExactTime> per_byte = time_per_byte_of_links(machine);
  std::vector<double> rates(topology.node_count());
  for (std::uint32_t number = 0; number < per_byte.size(); ++number) {
    if (const std::optional<Link> link = topology.link(LinkId{number})) {
      rates[link->from.index()] += bytes_per_second(per_byte[number]);
    }
  }
  rates.resize(topology.terminal_count());
  return bytes_per_second(machine.node.local.per_byte) + std::ranges::max(rates);
}

bool differ_in_embedding(const CollectiveWay& one, const CollectiveWay& other) {
  return one.network == other.network && one.algorithm == other.algorithm &&
         one.ports == other.ports;
}

/// Throws InputError when no way fits.
void expect_some_way(const std::vector<CollectiveWay>& ways) {
  // An algorithm that runs on other embeddings shows that these do not fit.
  const auto unplaced = std::ranges::find_if(ways, &CollectiveWay::is_embedding_refused);
  const CollectiveWay& told = unplaced == ways.end() ? ways.front() : *unplaced;
  refuse_if(
      std::ranges::none_of(ways, [](const CollectiveWay& way) { return way.refusal.empty(); }),
      told.is_embedding_refused ? ".embeddings" : ".algorithms", "nothing fits: {} on {}: {}",
      told.algorithm, told.embedding, told.refusal);
}

}  // namespace

std::vector<std::string> CollectiveAnswer::networks() const {
  return request.networks.empty() ? std::vector<std::string>{{}} : request.networks;
}

const CollectiveRow* CollectiveAnswer::best(const std::string& network, std::uint64_t bytes) const {
  const CollectiveRow* best = nullptr;
  for (const CollectiveRow& row : rows) {
    if (row.bytes == bytes && row.is_complete() && way_of(row).network == network &&
        (best == nullptr || row.makespan < best->makespan)) {
      best = &row;
    }
  }
  return best;
}

const CollectiveRow* CollectiveAnswer::next(const CollectiveRow& best) const {
  const CollectiveWay& own = way_of(best);
  const bool has_algorithms = has_several(&CollectiveWay::algorithm);
  const CollectiveRow* next = nullptr;
  for (const CollectiveRow& row : rows) {
    const CollectiveWay& way = way_of(row);
    if (row.bytes == best.bytes && row.is_complete() && way.network == own.network &&
        (has_algorithms ? way.algorithm != own.algorithm : row.way != best.way) &&
        (next == nullptr || row.makespan < next->makespan)) {
      next = &row;
    }
  }
  return next;
}

std::vector<const CollectiveRow*> CollectiveAnswer::equals(const CollectiveRow& row) const {
  std::vector<const CollectiveRow*> equals;
  for (const CollectiveRow& other : rows) {
    if (other.way != row.way && other.bytes == row.bytes && other.is_complete() &&
        differ_in_embedding(way_of(other), way_of(row)) &&
        are_nearly_as_long(to_seconds(other.makespan), to_seconds(row.makespan))) {
      equals.push_back(&other);
    }
  }
  return equals;
}

bool CollectiveAnswer::are_equal(std::size_t one, std::size_t other) const {
  return one == other || (differ_in_embedding(ways[one], ways[other]) &&
                          std::ranges::all_of(sizes, [&](std::uint64_t bytes) {
                            const CollectiveRow* const row = best(ways[one].network, bytes);
                            if (row == nullptr || (row->way != one && row->way != other)) {
                              return true;
                            }
                            return std::ranges::any_of(equals(*row), [&](const auto* equal) {
                              return equal->way == one || equal->way == other;
                            });
                          }));
}

const CollectiveRow* CollectiveAnswer::best() const {
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    if (const CollectiveRow* const found = best(networks().front(), *size)) {
      return found;
    }
  }
  return nullptr;
}

std::vector<const CollectiveRow*> CollectiveAnswer::ranked(const std::string& network,
                                                           std::uint64_t bytes) const {
  std::vector<const CollectiveRow*> ranked;
  for (const CollectiveRow& row : rows) {
    if (row.bytes == bytes && way_of(row).network == network) {
      ranked.push_back(&row);
    }
  }
  std::ranges::stable_sort(ranked, {}, [](const CollectiveRow* row) {
    return std::pair{!row->is_complete(), row->makespan};
  });
  return ranked;
}

std::vector<const CollectiveRow*> CollectiveAnswer::ranked_rows() const {
  std::vector<const CollectiveRow*> all;
  for (const std::string& network : networks()) {
    for (const std::uint64_t bytes : sizes) {
      const std::vector<const CollectiveRow*> some = ranked(network, bytes);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

CollectiveAnswer collective(const CollectiveRequest& request, const SimulationLimits& limits,
                            const std::function<void(const CollectiveAnswer&)>& on_begin) {
  CollectiveAnswer answer{.request = request, .kind = collective_called(request.operation)};
  check_request(answer);
  read_subject(answer);
  answer.ways = collective_ways(answer);
  expect_some_way(answer.ways);
  answer.sizes = collective_sizes(request.bytes, answer.grain());
  CollectiveRuns runs{answer, limits};
  const auto all = requests_at(numbered<std::size_t>(answer.ways.size()), answer.sizes);
  answer.id = runs.id_of(all);
  if (on_begin) {
    on_begin(answer);
  }
  const InterruptWatch interrupt;  // between rounds, too
  answer.end = runs.simulate(all);
  answer.rows = runs.rows();
  if (answer.is_complete() && request.crossovers && !add_crossovers(answer, runs)) {
    answer.end = RunsEnd::interrupted;
  }
  if (answer.is_complete() && request.networks.empty() && !add_fair_links(answer, runs)) {
    answer.end = RunsEnd::interrupted;
  }
  return answer;
}

// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
std::optional<double> bus_factor(CollectiveKind kind, std::uint32_t processes) {
  const double others = processes == 0 ? 0 : (processes - 1.0) / processes;
  switch (kind) {
    case CollectiveKind::allreduce:
      return 2 * others;
    case CollectiveKind::allgather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 1;
    default:
      return std::nullopt;
  }
}

std::optional<CollectiveBandwidth> bandwidth_of(CollectiveKind kind, std::uint32_t processes,
                                                std::uint64_t bytes, Ticks time) {
  if (time <= Ticks{0}) {
    return std::nullopt;
  }
  CollectiveBandwidth bandwidth{static_cast<double>(bytes) / to_seconds(time)};
  if (const std::optional<double> factor = bus_factor(kind, processes)) {
    bandwidth.bus = bandwidth.algorithm * *factor;
  }
  return bandwidth;
}

std::optional<CollectiveBandwidth> bandwidth_of(const CollectiveAnswer& answer,
                                                const CollectiveRow& row) {
  return row.is_complete() ? bandwidth_of(answer.kind, answer.group_size, row.bytes, row.makespan)
                           : std::nullopt;
}

std::optional<double> exceeded_node_bandwidth(const CollectiveAnswer& answer) {
  constexpr double rounding = 1 + 1e-6;
  const Machine& machine = *answer.machine;
  if (machine.node.slots == 1) {
    return std::nullopt;
  }
  const double most = node_bandwidth(machine);
  const bool is_exceeded = std::ranges::any_of(answer.rows, [&](const CollectiveRow& row) {
    const std::optional<CollectiveBandwidth> rates = bandwidth_of(answer, row);
    return rates && rates->bus.value_or(0) > most * rounding;
  });
  return is_exceeded ? std::optional{most} : std::nullopt;
}

std::optional<double> ratio_to_best(const CollectiveRow& row, const CollectiveRow& best) {
  return best.makespan > Ticks{0} ? std::optional{static_cast<double>(row.makespan.count()) /
                                                  static_cast<double>(best.makespan.count())}
                                  : std::nullopt;
}

}  // namespace dcube
