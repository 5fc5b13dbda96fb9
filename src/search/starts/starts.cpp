#include "starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/routing.hpp"
#include "embedding/fold.hpp"
#include "traffic_grid.hpp"

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
  return mapped(bytes, [&](std::uint64_t one) {
    const auto lighter =
        std::ranges::count_if(bytes, [&](std::uint64_t other) { return other < one; });
    return number_setting(static_cast<std::uint64_t>(lighter));
  });
}

Params settings_of(const SearchProblem& problem, const Guest& guest, const std::string& kind) {
  Params settings;
  settings.set("kind", kind);
  if (kind == "weighted_xor" && guest.dimension_count() > 0) {
    settings.set("weights", ranks(bytes_by_dimension(problem, guest)));
  }
  return settings;
}

/// Which dimensions of a cube to keep inside nodes, in words for a name, and as the setting "fold".
struct FoldChoice {
  std::string words;
  std::optional<Setting> fold;
};

/// The heaviest dimensions, the lowest of equals, ascending.
std::vector<std::uint32_t> heaviest(const std::vector<std::uint64_t>& bytes, std::uint32_t count) {
  std::vector<std::uint32_t> dimensions = numbered(bytes.size());
  std::ranges::stable_sort(dimensions, std::greater{},
                           [&](std::uint32_t dimension) { return bytes[dimension]; });
  dimensions.resize(count);
  std::ranges::sort(dimensions);
  return dimensions;
}

/// Choices of dimensions inside nodes. Without a setting the lowest are inside.
std::vector<FoldChoice> fold_choices(const SearchProblem& problem, const Guest& guest,
                                     const EmbeddingKind& kind) {
  std::vector<FoldChoice> choices(1);
  if (kind.slot_use != SlotUse::fold || guest.kind() != Guest::Kind::cube) {
    return choices;
  }
  const std::uint32_t inside = least_inside({problem.topology, guest, problem.slots});
  const std::uint32_t outside = guest.dimension_count() - inside;
  if (inside == 0 || outside == 0) {
    return choices;
  }
  choices.push_back({", fold high", Setting{"high"}});
  const std::vector<std::uint32_t> list = heaviest(bytes_by_dimension(problem, guest), inside);
  if (list.back() >= inside && list.front() < outside) {  // neither the lowest nor the highest
    choices.push_back({fmt::format(", fold {}", joined(list, " ")), numbers_setting(list)});
  }
  return choices;
}

/// Adds the starts whose maps are not there.
void add_new(std::vector<Start>& starts, std::vector<Start> more) {
  for (Start& start : more) {
    if (std::ranges::find(starts, start.map, &Start::map) == starts.end()) {
      starts.push_back(std::move(start));
    }
  }
}

/// Adds the orders of axes that have names.
void add_orders(const SearchProblem& problem, const Guest& guest, std::vector<Start>& starts) {
  constexpr std::ptrdiff_t most = 4;  // 24 orders
  const auto varied = std::ranges::count_if(guest.shape(), [](auto side) { return side > 1; });
  if (guest.axes().empty() || varied < 2 || varied > most ||
      !embedding_fits("axes", problem.topology, guest, problem.slots)) {
    return;
  }
  for (const std::vector<std::string>& order : orders_of_axes(guest)) {
    const Params settings =
        group_of({{"kind", "axes"},
                  {"order", mapped(order, [](const std::string& axis) { return Setting{axis}; })}});
    std::vector<NodeId> map =
        make_embedding(problem.topology, guest, settings, problem.slots)->map();
    add_new(starts, {{joined(order, ","), std::move(map)}});
  }
}

/// Starts for grids of these shapes that are no embeddings of the catalogue by default.
std::vector<Start> grid_starts(const SearchProblem& problem, std::span<const Guest> guests) {
  std::vector<Start> starts = box_starts(problem, guests);
  for (const Guest& guest : guests) {
    if (problem.has(&ObjectiveTraits::is_longest)) {
      add_new(starts, interleaved_starts(problem, guest));
    }
  }
  return starts;
}

/// The embeddings that fit the machine as it is, without regard to pins.
std::vector<Start> starts_on_nodes(const SearchProblem& problem) {
  std::vector<Start> starts;
  for (const Guest& guest : shapes(problem)) {
    std::vector<std::string> kinds = fitting_embeddings(problem.topology, guest, problem.slots);
    if (embedding_fits("weighted_xor", problem.topology, guest, problem.slots)) {
      kinds.emplace_back("weighted_xor");
    }
    for (const std::string& kind : kinds) {
      for (const FoldChoice& choice :
           fold_choices(problem, guest, *find_kind(embedding_catalog(), kind))) {
        const std::string name = kind + choice.words;
        if (std::ranges::find(starts, name, &Start::embedding) != starts.end()) {
          continue;
        }
        Params settings = settings_of(problem, guest, kind);
        if (choice.fold) {
          settings.set("fold", *choice.fold);
        }
        starts.push_back(
            {name, make_embedding(problem.topology, guest, settings, problem.slots)->map()});
      }
    }
    add_orders(problem, guest, starts);
  }
  add_new(starts, grid_starts(problem, shapes(problem)));
  return starts;
}

/// Boxes of a grid that the numbers of the processes show.
std::vector<Start> starts_of_shown_grid(const SearchProblem& problem, const Guest& grid) {
  const std::vector<Guest> guests = shapes(problem);
  if (std::ranges::find(guests, grid) != guests.end()) {
    return {};
  }
  std::vector<Start> starts = grid_starts(problem, {&grid, 1});
  for (Start& start : starts) {
    start.embedding += " of " + grid.name();
  }
  return starts;
}

/// Starts for the processes of a hidden grid, under the numbers that show it.
std::vector<Start> starts_of_hidden_grid(const SearchProblem& problem, const TrafficGrid& hidden) {
  const Traffic open = renumbered(problem.traffic, hidden.numbers);
  std::vector<Start> starts = starts_on_nodes({.topology = problem.topology,
                                               .traffic = open,
                                               .objective = problem.objective,
                                               .slots = problem.slots,
                                               .guest = hidden.guest});
  const bool is_cube = hidden.guest.kind() == Guest::Kind::cube;
  const std::string grid = is_cube ? "cube" : hidden.guest.name();
  for (Start& start : starts) {
    start.embedding = fmt::format("hidden {}: {}", grid, start.embedding);
    start.map = mapped(hidden.numbers, [&](std::uint32_t number) { return start.map[number]; });
  }
  return starts;
}

/// All starts on the nodes of a machine, where the flows form this grid, if any.
std::vector<Start> starts_with(const SearchProblem& problem,
                               const std::optional<TrafficGrid>& grid) {
  std::vector<Start> starts = starts_on_nodes(problem);
  const bool is_hidden = grid && grid->is_hidden;
  const bool is_cube = grid && grid->guest.kind() == Guest::Kind::cube;
  const std::optional<Guest> shown =
      grid && !is_hidden && !is_cube ? grid->guest : shape_by_strides(problem.traffic);
  if (shown && (!is_cube || problem.slots > 1)) {  // on one slot a cube has embeddings of its own
    add_new(starts, starts_of_shown_grid(problem, *shown));
  }
  if (is_hidden) {
    std::ranges::move(starts_of_hidden_grid(problem, *grid), std::back_inserter(starts));
  }
  return starts;
}

/// Starts in the box of usable nodes, which has structures that the whole machine has not.
std::vector<Start> starts_in_box(const SearchProblem& problem,
                                 const std::optional<TrafficGrid>& grid) {
  const std::optional<Box> box = box_of_usable_nodes(problem.topology);
  if (!box) {
    return {};
  }
  std::vector<Start> starts = starts_with({.topology = *box->topology,
                                           .traffic = problem.traffic,
                                           .objective = problem.objective,
                                           .slots = problem.slots,
                                           .guest = problem.guest},
                                          grid);
  for (Start& start : starts) {
    start.embedding += " in the " + describe(*box->topology);
    for (NodeId& node : start.map) {
      node = box->nodes[node.index()];
    }
  }
  return starts;
}

}  // namespace

std::vector<NodeId> with_pins(const SearchProblem& problem, std::vector<NodeId> map) {
  if (!problem.has_pins()) {
    return map;
  }
  std::vector<std::vector<std::uint32_t>> hosted(problem.topology.node_count());
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    hosted[map[process].index()].push_back(process);
  }
  const auto has_place = [&](std::uint32_t process) {
    return problem.is_pinned(process) && *problem.pins[process] == map[process];
  };
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    if (!problem.is_pinned(process) || has_place(process)) {
      continue;
    }
    const NodeId from = map[process];
    const NodeId to = *problem.pins[process];
    std::vector<std::uint32_t>& there = hosted[to.index()];
    std::vector<std::uint32_t>& here = hosted[from.index()];
    std::erase(here, process);
    if (there.size() == problem.slots) {
      const auto other = std::ranges::find_if_not(there, has_place);
      expects(other != there.end(), "pins fit into the slots of their nodes");
      map[*other] = from;
      here.push_back(*other);
      there.erase(other);
    }
    map[process] = to;
    there.push_back(process);
  }
  return map;
}

std::vector<std::uint32_t> slots_of_nodes(const SearchProblem& problem) {
  return numbered(problem.topology.node_count(), [&](std::uint32_t node) {
    return problem.topology.is_usable(NodeId{node}) ? problem.slots : 0;
  });
}

void settle(std::vector<NodeId>& map, std::span<const std::uint32_t> processes,
            std::vector<std::uint32_t> free, const Topology& topology) {
  std::vector<std::uint32_t> homeless;
  for (const std::uint32_t process : processes) {
    if (std::uint32_t& slots = free[map[process].index()]; slots > 0) {
      --slots;
    } else {
      homeless.push_back(process);
    }
  }
  for (const std::uint32_t process : homeless) {
    std::optional<NodeId> nearest;
    for (std::uint32_t node = 0; node < free.size(); ++node) {
      if (free[node] > 0 && (!nearest || topology.distance(map[process], NodeId{node}) <
                                             topology.distance(map[process], *nearest))) {
        nearest = NodeId{node};
      }
    }
    map[process] = nearest.value();
    --free[nearest->index()];
  }
}

std::vector<NodeId> mended(const SearchProblem& problem, std::vector<NodeId> map) {
  // Failed nodes have places in the whole machine, too.
  settle(map, numbered(map.size()), slots_of_nodes(problem), without_failures(problem.topology));
  return map;
}

std::vector<Start> structured_starts(const SearchProblem& problem) {
  std::vector<Start> starts;
  for (const Start& known : problem.known) {
    starts.push_back({known.embedding, mended(problem, known.map)});
    starts.back().embedding += starts.back().map == known.map ? "" : mended_suffix;
  }
  const std::optional<TrafficGrid> grid = traffic_grid(problem.traffic);
  std::ranges::move(starts_with(problem, grid), std::back_inserter(starts));
  add_new(starts, starts_in_box(problem, grid));
  if (auto parts = parts_in_boxes(problem)) {
    add_new(starts, {std::move(*parts)});
  }
  for (Start& start : starts) {
    start.map = with_pins(problem, std::move(start.map));
  }
  return starts;
}

FoundMap best_of(const SearchProblem& problem, std::span<const Start> starts) {
  check_problem(problem);
  const auto [costs, is_cut_short] =
      costs_of(problem, mapped(starts, [](const Start& start) { return start.map; }));
  FoundMap best;
  best.is_cut_short = is_cut_short;
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
