#include "starts.hpp"

#include <algorithm>
#include <bit>

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

std::vector<Guest> shapes(const SearchProblem& problem) {
  const std::uint32_t processes = problem.traffic.process_count();
  std::vector<Guest> guests;
  if (problem.guest && problem.guest->process_count() == processes) {
    guests.push_back(*problem.guest);
  }
  const Guest usual = Guest::of_processes(processes);
  if (guests.empty() || (usual.kind() == Guest::Kind::cube && usual != guests.front())) {
    guests.push_back(usual);
  }
  return guests;
}

/// The bytes between the neighbours of each cube dimension. Other flows do not count.
std::vector<std::uint64_t> bytes_by_dimension(const SearchProblem& problem, const Guest& cube) {
  std::vector<std::uint64_t> bytes(cube.dimension_count());
  for (const Flow& flow : problem.traffic.flows()) {
    const std::uint32_t difference = flow.from.index() ^ flow.to.index();
    if (std::has_single_bit(difference)) {
      bytes[static_cast<std::size_t>(std::countr_zero(difference))] += flow.bytes;
    }
  }
  return bytes;
}

/// The ranks of the weights: weighted_xor uses only their order.
Setting ranks(const std::vector<std::uint64_t>& bytes) {
  Setting::List list;
  for (const std::uint64_t one : bytes) {
    const auto lighter =
        std::ranges::count_if(bytes, [&](std::uint64_t other) { return other < one; });
    list.emplace_back(Setting::Number{std::to_string(lighter)});
  }
  return list;
}

Params settings_of(const SearchProblem& problem, const Guest& guest, const std::string& kind) {
  Params settings;
  settings.set("kind", kind);
  if (kind == "weighted_xor" && guest.dimension_count() > 0) {
    settings.set("weights", ranks(bytes_by_dimension(problem, guest)));
  }
  return settings;
}

}  // namespace

std::vector<Start> structured_starts(const SearchProblem& problem) {
  std::vector<Start> starts;
  for (const Guest& guest : shapes(problem)) {
    std::vector<std::string> kinds = fitting_embeddings(problem.topology, guest);
    const EmbeddingKind* const weighted = find_kind(embedding_catalog(), "weighted_xor");
    expects(weighted != nullptr, "weighted_xor is in the catalogue");
    if (!weighted->obstacle({problem.topology, guest})) {
      kinds.push_back(weighted->name);
    }
    for (const std::string& kind : kinds) {
      const bool is_new =
          std::ranges::none_of(starts, [&](const Start& one) { return one.embedding == kind; });
      if (is_new) {
        starts.push_back(
            {kind,
             make_embedding(problem.topology, guest, settings_of(problem, guest, kind))->map()});
      }
    }
  }
  return starts;
}

FoundMap best_of(const SearchProblem& problem, std::span<const Start> starts) {
  check_problem(problem);
  std::vector<std::optional<std::uint64_t>> costs;
  if (problem.objective == Objective::makespan) {
    std::vector<std::vector<NodeId>> maps;
    for (const Start& start : starts) {
      maps.push_back(start.map);
    }
    costs = problem.simulate(maps);
  } else {
    for (const Start& start : starts) {
      costs.emplace_back(cost_of(problem, start.map));
    }
  }
  FoundMap best;
  best.is_cut_short = costs.empty();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!costs[i]) {
      continue;
    }
    best.starts.push_back({starts[i].embedding, *costs[i]});
    if (best.map.empty() || *costs[i] < best.cost) {
      best.map = starts[i].map;
      best.cost = *costs[i];
      best.origin = starts[i].embedding;
    }
  }
  return best;
}

FoundMap best_start(const SearchProblem& problem) {
  return best_of(problem, structured_starts(problem));
}

}  // namespace dcube
