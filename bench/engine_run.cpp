// How fast is a whole simulation of the CC d-cube algorithm on a network, alone in its process or
// again and again? Prints one line of JSON, of the fastest run.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "dcube/core/params.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/topology/routing.hpp"
#include "peak_memory.hpp"
#include "support/cc_runs.hpp"

namespace {

using namespace dcube;

constexpr const char* usage =
    "usage: engine_run SHAPE EMBEDDING actors|coroutines on|off uniform|random|DIMENSION RUNS "
    "[NETWORK]\n"
    "  SHAPE: 64x64, 256x256x128, a torus; fat_tree,k=16, another network; on, off: contention; "
    "uniform, random: stages compute 1 s, or 0.5 s to 1.5 s; a number: 16 stages, all across that "
    "dimension of the cube\n"
    "  NETWORK: store_and_forward, cut_through, packets, packets_in_turn, random_order, valiant, "
    "minimal_adaptive, shortest, failed, faults, valiant_group, ugal, ecmp (by pair)\n";

struct Case {
  std::string shape;
  std::string embedding;
  Execution execution{};
  Contention contention{};
  bool has_random_compute = false;
  std::string dimension;  ///< of all stages; empty: each in turn
  int runs = 1;
  std::string network;
};

/// Throws std::out_of_range for a word that is none of the choices.
Case read_case(char** words) {
  const std::map<std::string, Execution> executions{{"actors", Execution::actors},
                                                    {"coroutines", Execution::coroutines}};
  const std::map<std::string, Contention> contentions{{"on", Contention::on},
                                                      {"off", Contention::off}};
  const std::string variant = words[4];
  const bool is_dimension = variant.find_first_not_of("0123456789") == std::string::npos;
  if (!is_dimension && variant != "uniform" && variant != "random") {
    throw std::out_of_range{variant};
  }
  return {words[0],
          words[1],
          executions.at(words[2]),
          contentions.at(words[3]),
          variant == "random",
          is_dimension ? variant : "",
          std::stoi(words[5]),
          words[6] == nullptr ? "" : words[6]};
}

/// Half of a hop is its latency and half its only byte.
void change_network(Machine& machine, const std::string& network) {
  using namespace std::chrono_literals;
  LinkModel& links = machine.links;
  const ExactTime half{Ticks{500ms}};
  links.per_dimension.assign(machine.topology->class_count(), {half, half});
  const std::map<std::string, Routing> ways{{"random_order", Routing::random_order},
                                            {"valiant", Routing::valiant},
                                            {"minimal_adaptive", Routing::minimal_adaptive},
                                            {"valiant_group", Routing::valiant_group},
                                            {"ugal", Routing::ugal}};
  Failures failures;
  failures.links = {machine.topology->next_run(NodeId{0}, NodeId{1}).first};
  if (network == "cut_through") {
    links.switching = Switching::cut_through;
  } else if (network.starts_with("packets")) {
    links.packet_bytes = 1;
    links.service = network == "packets" ? Service::first_come_first_served : Service::round_robin;
  } else if (network == "shortest" || network == "ecmp") {
    machine.topology = with_routing(machine.topology, Params::parse("kind=" + network));
  } else if (network == "failed") {
    machine.topology = with_failures(machine.topology, failures);
  } else if (network == "faults") {
    links.faults = {{Ticks{10s}, with_failures(machine.topology, failures)}};
  } else if (network != "store_and_forward") {
    links.routing.kind = ways.at(network);
  }
}

/// As many processes as the greatest cube that the network has nodes for.
std::string cube_dimensions(const Topology& topology) {
  return std::to_string(std::bit_width(topology.usable_count()) - 1);
}

/// A CC d-cube program whose stages take between 0.5 s and 1.5 s.
std::unique_ptr<Program> random_compute_program(const Machine& machine, const char* bytes) {
  Params range;
  range.set("uniform", Setting::List{Setting{std::string{"0.5s"}}, Setting{std::string{"1.5s"}}});
  Params settings = Params::parse("kind=cc_dcube");
  settings.set("dimensions", Setting{Setting::Number{cube_dimensions(*machine.topology)}});
  settings.set("message", Setting{Setting::Number{bytes}});
  settings.set("compute", std::move(range));
  return make_program(settings, {machine, 1});
}

/// A CC d-cube program of 16 exchanges with the same partner.
std::unique_ptr<Program> one_partner_program(const Machine& machine, const std::string& dimension) {
  Params settings = Params::parse("kind=cc_dcube");
  settings.set("order", Setting::List(16, Setting{Setting::Number{dimension}}));
  return make_program(settings, {machine, 1});
}

testing::CcRun make_run(const Case& chosen) {
  const bool is_torus = chosen.shape.find('=') == std::string::npos;
  const std::string network = (is_torus ? "kind=torus,shape=" : "kind=") + chosen.shape;
  const std::string dimensions = cube_dimensions(*make_topology(Params::parse(network)));
  testing::CcRun run{network, chosen.embedding, "dimensions=" + dimensions};
  run.machine->links.contention = chosen.contention;
  if (!chosen.network.empty()) {
    change_network(*run.machine, chosen.network);
  }
  if (chosen.has_random_compute) {
    run.program =
        random_compute_program(*run.machine, chosen.network.starts_with("packets") ? "8" : "1");
  }
  if (!chosen.dimension.empty()) {
    run.program = one_partner_program(*run.machine, chosen.dimension);
  }
  return run;
}

void run_repeatedly(const Case& chosen) {
  const testing::CcRun run = make_run(chosen);
  SimulationInput input = run.input();
  input.execution = chosen.execution;
  RunReport report;
  constexpr double none = std::numeric_limits<double>::infinity();
  std::chrono::duration<double> wall{none};
  double cpu_s = none;
  for (int i = 0; i < chosen.runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    report = simulate(input);
    cpu_s = std::min(cpu_s, static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC);
    wall = std::min<std::chrono::duration<double>>(wall, std::chrono::steady_clock::now() - begin);
  }
  std::printf(
      "{\"makespan_s\": %.17g, \"hops\": %llu, \"messages\": %llu, \"wall_s\": %.9g, "
      "\"cpu_s\": %.9g, \"peak_memory\": %.0f}\n",
      to_seconds(report.makespan), static_cast<unsigned long long>(report.hops),
      static_cast<unsigned long long>(report.messages), wall.count(), cpu_s,
      bench::peak_memory_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int fewest_words = 7;
  try {
    if (argc != fewest_words && argc != fewest_words + 1) {
      throw std::out_of_range{"seven or eight words"};
    }
    run_repeatedly(read_case(argv + 1));
  } catch (const std::out_of_range&) {
    std::fputs(usage, stderr);
    return 2;
  } catch (const std::invalid_argument&) {
    std::fputs(usage, stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "engine_run: %s\n", error.what());
    return 2;
  }
  return 0;
}
