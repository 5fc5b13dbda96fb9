#include "dcube/questions/subcubes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <span>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/metrics/lower_bounds.hpp"
#include "dcube/questions/search_traffic.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

/// Dimensions of subcube and cube for which the conjecture is checked when none are given.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> conjecture_sizes{
    {{1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 4}, {2, 5}}};

// --- The machine, on whose nodes the nodes of a cube are. Those that have failed or are kept free
// host nothing, so a mapping leaves out the nodes of the cube that would be there. ---

std::shared_ptr<const Machine> machine_named(const std::string& machine) {
  return at_least_at(".machine", [&] { return load_machine(machine); });
}

/// Nodes of the standard embedding, which is the same on every network of as many nodes: a line
/// will do.
std::vector<NodeId> standard_nodes(const Machine& machine, std::uint32_t dimensions) {
  const auto nodes = make_topology(
      group_of({{"kind", "line"}, {"nodes", number_setting(machine.topology->node_count())}}));
  return at_least_at(".machine", [&] {
    return make_embedding(*nodes, Guest::cube(dimensions), Params::parse("kind=standard"),
                          machine.node.slots)
        ->map();
  });
}

std::vector<NodeId> left_out_on(const std::string& machine, std::uint32_t dimensions) {
  std::vector<NodeId> left_out;
  if (machine.empty()) {
    return left_out;
  }
  const auto loaded = machine_named(machine);
  const Topology& topology = *loaded->topology;
  if (topology.usable_count() == topology.node_count()) {
    return left_out;
  }
  std::uint32_t label = 0;
  for (const NodeId node : standard_nodes(*loaded, dimensions)) {
    if (!topology.is_usable(node)) {
      left_out.emplace_back(label);
    }
    ++label;
  }
  return left_out;
}

std::uint32_t largest_cube_of(const std::string& machine) {
  if (machine.empty()) {
    return 0;
  }
  const auto loaded = machine_named(machine);
  const std::uint64_t slots = std::uint64_t{loaded->topology->node_count()} * loaded->node.slots;
  return std::min(SubcubeProblem::most_cube_dimensions,
                  static_cast<std::uint32_t>(std::bit_width(slots)) - 1);
}

// --- Tasks and given mappings ---

RandomTaskGraph random_settings(const std::string& text) {
  const Params settings = Params::parse(text, ".random: ");
  settings.allow_only(random_task_graph_keys());
  return read_random_task_graph(settings);
}

TaskGraphFile task_graph(const SubcubesRequest& request) {
  const int sources = !request.graph.empty() + !request.random.empty() + !request.traffic.empty();
  refuse_if(sources != 1, ".graph", "{}",
            sources == 0 ? "a task graph is missing (a file, `.traffic` or `.random`)"
                         : "one of `.graph`, `.traffic` and `.random` says who communicates");
  if (!request.traffic.empty()) {
    return {traffic_option(request.traffic, {}, request.matrix).traffic, {}};
  }
  if (!request.random.empty()) {
    SplitMix64 random{request.seed};
    const RandomTaskGraph settings = random_settings(request.random);
    return {at_place(".random", [&] { return random_task_graph(settings, random); }), {}};
  }
  TaskGraphFile file = load_task_graph(request.graph);
  refuse_if(!file.graph, request.graph, "`tasks` is missing (the file has a mapping only)");
  return file;
}

/// The dimensions of the smallest cube with room for all tasks.
std::uint32_t fitting_dimensions(std::uint32_t tasks, std::uint32_t subcube) {
  return std::max(1U, subcube + static_cast<std::uint32_t>(std::bit_width(tasks - 1)));
}

/// The problem on the smallest cube with room, or a larger one where left-out nodes leave too
/// little.
SubcubeProblem fitting_problem(const Traffic& graph, std::uint32_t subcube,
                               const std::string& machine, MappingKind kind) {
  const std::uint32_t least = fitting_dimensions(graph.process_count(), subcube);
  for (std::uint32_t dimensions = least;; ++dimensions) {
    const bool is_last = dimensions >= largest_cube_of(machine);
    try {
      SubcubeProblem problem{graph, subcube, dimensions, left_out_on(machine, dimensions)};
      const bool is_certain_to_fit =
          problem.has_parallel_mapping() &&
          (kind != MappingKind::non_parallel || dimensions > least || problem.left_out().empty());
      if (is_last || is_certain_to_fit) {
        return problem;
      }
    } catch (const InputError&) {
      if (is_last) {
        throw;
      }
    }
  }
}

/// The subcubes that are formed by the nodes of a reduction, copy by copy.
SubcubeMapping put_together(const std::string& file, const SubcubeProblem& problem,
                            std::span<const NodeId> nodes) {
  const auto mapping = mapping_of_copies(problem, nodes);
  refuse_if(!mapping, file,
            "is no mapping to subcubes (the copies of some task do not form one; with "
            "heavier joints they do in every optimum)");
  return *mapping;
}

std::optional<SubcubeMapping> load_given(const SubcubesRequest& request) {
  if (request.evaluate.empty()) {
    return std::nullopt;
  }
  TaskGraphFile file = load_task_graph(request.evaluate);
  refuse_if(!file.mapping, request.evaluate, "`mapping` is missing");
  return std::move(file.mapping);
}

SubcubeProblem problem_with(Traffic graph, const SubcubesRequest& request,
                            const std::optional<SubcubeMapping>& given) {
  refuse_if(!request.subcube && !given, ".subcube",
            "is missing (the dimensions of the subcube of a task)");
  const std::uint32_t subcube = request.subcube ? *request.subcube : given->front().dimensions();
  if (given) {
    const bool are_nodes = given->front().dimensions() == 0 &&
                           given->size() == std::size_t{graph.process_count()} << subcube;
    refuse_if(given->front().dimensions() != subcube && !are_nodes, ".subcube",
              "is {}, and {} maps to {}-cubes (leave it out)", subcube, request.evaluate,
              given->front().dimensions());
  }
  return at_least_at(request.dimensions || !given ? ".dimensions" : request.evaluate, [&] {
    if (!request.dimensions && !given) {
      return fitting_problem(graph, subcube, request.machine, request.kind());
    }
    const std::uint32_t dimensions =
        request.dimensions ? *request.dimensions : given->front().cube_dimensions();
    return SubcubeProblem{std::move(graph), subcube, dimensions,
                          left_out_on(request.machine, dimensions)};
  });
}

SubcubeMapping given_mapping(const SubcubesRequest& request, const SubcubeProblem& problem,
                             const SubcubeMapping& given) {
  const std::size_t copies = std::size_t{problem.task_count()} << problem.subcube_dimensions();
  const bool are_nodes =
      problem.subcube_dimensions() > 0 && given.size() == copies && given.front().dimensions() == 0;
  if (!are_nodes) {
    at_place(request.evaluate, [&] { check_mapping(problem, given); });
    return given;
  }
  const SubcubeProblem single{Traffic{static_cast<std::uint32_t>(copies), {}},
                              0,
                              problem.cube_dimensions(),
                              {problem.left_out().begin(), problem.left_out().end()}};
  at_place(request.evaluate, [&] { check_mapping(single, given); });
  return put_together(request.evaluate, problem,
                      mapped(given, [](const Subcube& subcube) { return subcube.node(0); }));
}

SubcubeMapping mapping_of_map(const SubcubesRequest& request, const SubcubeProblem& problem) {
  const auto topology = make_topology(
      group_of({{"kind", "hypercube"}, {"dimensions", number_setting(problem.cube_dimensions())}}));
  const std::uint32_t copies = problem.task_count() << problem.subcube_dimensions();
  return at_least_at(".map", [&] {
    const Params given = load_embedding_settings(request.map, request.hosts);
    const Params settings = read_embedding_file(given, *topology, copies);
    const Guest guest = Guest::parse(fmt::format("line:{}", copies));
    const auto make = [&] { return make_embedding(*topology, guest, settings)->map(); };
    SubcubeMapping mapping =
        put_together(request.map, problem, is_of_name(given) ? at_place(".map", make) : make());
    at_place(request.map, [&] { check_mapping(problem, mapping); });
    return mapping;
  });
}

/// Refuses a kind that a given mapping is not of.
void expect_kind(const SubcubesRequest& request, MappingKind found) {
  const bool is_parallel = found == MappingKind::parallel;
  refuse_if(is_parallel ? request.non_parallel : request.parallel,
            is_parallel ? ".non_parallel" : ".parallel", "the mapping of {} is {}parallel",
            request.map.empty() ? request.evaluate : request.map, is_parallel ? "" : "not ");
}

// --- Searching ---

SubcubeAnnealing annealing_of(const SubcubesRequest& request, const SubcubeProblem& problem) {
  SubcubeAnnealing annealing = request.method == "paper" ? SubcubeAnnealing::published()
                                                         : SubcubeAnnealing::thorough(problem);
  annealing.moves = request.moves.value_or(annealing.moves);
  annealing.restarts = request.restarts.value_or(annealing.restarts);
  return annealing;
}

SubcubeSearchResult search_subcubes(const SubcubesRequest& request, const SubcubeProblem& problem,
                                    const SubcubeSearchProgress& progress) {
  const MappingKind kind = request.kind();
  return at_place(".non_parallel", [&] {
    return request.method == "random"
               ? best_random_mapping(problem, kind, request.restarts.value_or(1), request.seed,
                                     progress)
           : request.method == "exhaustive"
               ? best_mapping(problem, kind, progress)
               : anneal_subcubes(problem, kind, annealing_of(request, problem), request.seed,
                                 progress);
  });
}

/// Mean over random mappings; nothing when one cannot be drawn, which may be where nodes are left
/// out.
std::optional<std::uint64_t> average_random_bandwidth(const SubcubeProblem& problem,
                                                      MappingKind kind) {
  constexpr std::uint64_t count = 100;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SplitMix64 random{hash_of(i)};
    const std::optional<SubcubeMapping> mapping = draw_mapping(problem, kind, random);
    if (!mapping) {
      return std::nullopt;
    }
    sum += static_cast<double>(bandwidth(problem, *mapping));
  }
  return static_cast<std::uint64_t>(std::llround(sum / count));
}

}  // namespace

std::string SubcubesRequest::source() const {
  return !random.empty() ? "random " + random : !traffic.empty() ? traffic : graph;
}

bool SubcubesRequest::has_mapping() const { return !evaluate.empty() || !map.empty(); }

MappingKind SubcubesRequest::kind() const {
  refuse_if(parallel + non_parallel + any > 1, ".parallel",
            "one of `.parallel`, `.non_parallel` and `.any` can be chosen");
  return non_parallel ? MappingKind::non_parallel : any ? MappingKind::any : MappingKind::parallel;
}

const std::vector<std::string>& SubcubesRequest::methods() {
  static const std::vector<std::string> all{"annealing", "paper", "random", "exhaustive"};
  return all;
}

std::optional<double> SubcubesAnswer::gap() const {
  if (bound == 0) {
    return std::nullopt;
  }
  return static_cast<double>(result.bandwidth) / static_cast<double>(bound) - 1;
}

void check_subcubes_request(const SubcubesRequest& request) {
  const std::vector<std::string>& methods = SubcubesRequest::methods();
  refuse_if(std::ranges::find(methods, request.method) == methods.end(), ".method",
            "{} is no method{}", request.method, nearest_name_hint(request.method, methods));
  for (const auto& [dimensions, place] :
       {std::pair{request.subcube, ".subcube"}, {request.dimensions, ".dimensions"}}) {
    refuse_if(dimensions > SubcubeProblem::most_cube_dimensions, place,
              "{} is more than {} dimensions", dimensions.value_or(0),
              SubcubeProblem::most_cube_dimensions);
  }
  const bool anneals = request.method == "annealing" || request.method == "paper";
  refuse_if(request.moves && !anneals, ".moves", "{} makes no moves (leave it out)",
            request.method);
  refuse_if(request.restarts && request.method == "exhaustive", ".restarts",
            "exhaustive starts once (leave it out)");
  refuse_if(!request.evaluate.empty() && !request.map.empty(), ".map",
            "one of `.evaluate` and `.map` gives the mapping");
  for (const auto& [is_chosen, place] : {std::pair{request.method != "annealing", ".method"},
                                         {request.moves.has_value(), ".moves"},
                                         {request.restarts.has_value(), ".restarts"}}) {
    refuse_if(is_chosen && request.has_mapping(), place,
              "is of a search, and `{}` gives the mapping (leave it out)",
              request.map.empty() ? ".evaluate" : ".map");
  }
  check_hosts_option(request.hosts, {request.map});
}

SubcubesTask read_subcubes(const SubcubesRequest& request) {
  std::optional<SubcubeMapping> given = load_given(request);
  TaskGraphFile file = task_graph(request);
  SubcubeProblem problem = problem_with(std::move(file.graph).value(), request, given);
  return {std::move(problem), std::move(given), std::move(file.labels)};
}

void check_subcubes_machine(const SubcubesRequest& request, const SubcubesTask& task) {
  const SubcubeProblem& problem = task.problem;
  if (request.machine.empty()) {
    return;
  }
  SplitMix64 random{0};
  const auto mapping = draw_mapping(
      problem, problem.has_parallel_mapping() ? MappingKind::parallel : MappingKind::any, random);
  if (mapping) {
    at_place(".machine", [&] {
      return build_scenario(
          exchange_scenario(problem.graph(), *mapping, exchange_on(request.machine, problem)), "");
    });
  }
}

SubcubesAnswer answer_subcubes(const SubcubesRequest& request, const SubcubesTask& task,
                               const SubcubeSearchProgress& progress,
                               const SimulationLimits& limits) {
  const SubcubeProblem& problem = task.problem;
  if (request.simulate) {
    check_simulations_fit(problem, *request.simulate);
  }
  const bool is_given = request.has_mapping();
  SubcubesAnswer answer{.source = request.source(),
                        .problem = problem,
                        .kind = request.kind(),
                        .method = is_given ? "given" : request.method,
                        .seed = request.seed};
  if (is_given) {
    SubcubeMapping& mapping = answer.result.mapping;
    mapping = task.given ? given_mapping(request, problem, *task.given)
                         : mapping_of_map(request, problem);
    answer.result.bandwidth = answer.result.start_bandwidth = bandwidth(problem, mapping);
    answer.kind = is_parallel(mapping) ? MappingKind::parallel : MappingKind::any;
    if (!request.simulate) {  // a simulation draws mappings of the kind
      expect_kind(request, answer.kind);
    }
  } else {
    answer.result = search_subcubes(request, problem, progress);
  }
  std::vector<CostBound> bounds{
      {bandwidth_bound(problem, answer.kind), "the heaviest edges between the nearest subcubes"}};
  if (!answer.result.mapping.empty()) {
    answer.refuted = take_refuted(bounds, answer.result.bandwidth);
  }
  answer.bound = bounds.front().cost;
  answer.random_bandwidth = average_random_bandwidth(problem, answer.kind);
  if (request.simulate && answer.result.is_complete) {
    answer.simulation = simulate_mappings(
        problem, request.parallel || request.non_parallel ? request.kind() : MappingKind::any,
        *request.simulate, request.seed, exchange_on(request.machine, problem), request.machine,
        limits);
  }
  return answer;
}

SubcubesReduction reduction_of(const SubcubeProblem& problem) {
  const std::uint64_t joint = sufficient_joint(problem);
  return {reduced_graph(problem, joint), joint};
}

ExchangeScenario exchange_on(const std::string& machine, const SubcubeProblem& problem) {
  ExchangeScenario settings{machine, {}};
  if (!problem.left_out().empty()) {
    settings.node_of_cube_node = standard_nodes(*machine_named(machine), problem.cube_dimensions());
  }
  return settings;
}

std::vector<ConjectureCheck> check_conjectures(
    std::optional<std::uint32_t> subcube, std::optional<std::uint32_t> dimensions,
    const std::function<void(std::uint32_t subcube, std::uint32_t dimensions)>& on_size) {
  refuse_if(subcube.has_value() != dimensions.has_value(), ".conjecture",
            "needs both `.subcube` and `.dimensions`, or neither");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes{conjecture_sizes.begin(),
                                                             conjecture_sizes.end()};
  if (subcube) {
    sizes = {{*subcube, *dimensions}};
  }
  return mapped(sizes, [&](const auto& size) {
    on_size(size.first, size.second);
    return at_place(".conjecture", [&] { return check_conjecture(size.first, size.second); });
  });
}

std::pair<Subcube, Subcube> subcube_pair(const std::vector<std::string>& addresses) {
  const Subcube a = at_place(".pair", [&] { return Subcube::parse(addresses.at(0)); });
  const Subcube b = at_place(".pair", [&] { return Subcube::parse(addresses.at(1)); });
  refuse_if(a.cube_dimensions() != b.cube_dimensions(), ".pair",
            "{} and {} lie in different cubes (as many symbols are needed in both)", a.text(),
            b.text());
  return {a, b};
}

}  // namespace dcube
