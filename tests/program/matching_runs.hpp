#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/network/host_machine.hpp"
#include "dcube/program/program.hpp"
#include "support/kernel_runner.hpp"

namespace dcube::testing {

/// A machine on which every cost of template matching is different, and a host joined to node 0.
inline Machine matching_machine(const std::string& topology) {
  Machine machine;
  machine.name = topology;
  machine.topology = make_topology(Params::parse(topology));
  const TransferCost hop{ExactTime{Ticks{447}}, ExactTime{Ticks{2}}};
  machine.links.per_dimension.assign(machine.topology->dimension_count(), hop);
  machine.endpoint.send = {ExactTime{Ticks{31}}, ExactTime{Ticks{1}}};
  machine.endpoint.receive = {ExactTime{Ticks{17}}, ExactTime{}};
  machine.host = HostComputer{NodeId{0}, {ExactTime{Ticks{5}}, ExactTime{Ticks{3}}}};
  for (const auto& [operation, picoseconds] :
       std::vector<std::pair<const char*, int>>{{"multiply", 15},
                                                {"add", 11},
                                                {"direct_multiply_add", 19},
                                                {"row_step", 23},
                                                {"value", 35},
                                                {"start", 580},
                                                {"parallel_start", 90},
                                                {"host_start", 7000}}) {
    machine.compute.emplace(operation, ExactTime{Ticks{picoseconds}});
  }
  return machine;
}

/// Template matching on a machine, from settings in the form of Params::parse.
struct MatchingRun {
  MatchingRun(Machine given, const std::string& settings, const std::string& embedding,
              std::uint64_t seed = 1)
      : machine{std::make_unique<Machine>(std::move(given))} {
    const std::string separator = settings.empty() ? "" : ",";
    program = make_program(Params::parse("kind=template_matching" + separator + settings),
                           {*machine, seed});
    map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
              ->map();
    run_machine = std::make_unique<Machine>(*machine);
    if (program->uses_host()) {
      *run_machine = machine_with_host(*machine);
      map.push_back(host_node(*machine));
    }
  }

  SimulationInput input() const {
    return {.machine = *run_machine,
            .map = map,
            .body = [this](Process& process) { return program->run(process); },
            .stage_count = program->stage_count()};
  }
  RunReport run() const { return run_without_simgrid(input()); }

  std::unique_ptr<Machine> machine;
  std::unique_ptr<Machine> run_machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

}  // namespace dcube::testing
