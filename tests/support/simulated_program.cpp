#include "simulated_program.hpp"

#include <utility>

#include "kernel_runner.hpp"

namespace dcube::testing {

Machine costly_machine(const std::string& topology) {
  Machine machine;
  machine.name = topology;
  machine.topology = make_topology(Params::parse(topology));
  const TransferCost hop{ExactTime{Ticks{5000}}, ExactTime{5, 2}};
  machine.links.per_dimension.assign(machine.topology->dimension_count(), hop);
  machine.endpoint.send = {ExactTime{Ticks{900}}, ExactTime{1, 3}};
  machine.endpoint.receive = {ExactTime{Ticks{70}}, ExactTime{2, 7}};
  return machine;
}

Machine ncube(std::uint32_t dimensions) {
  Machine machine;
  machine.name = "ncube";
  machine.topology =
      make_topology(Params::parse("kind=hypercube,dimensions=" + std::to_string(dimensions)));
  machine.links.per_dimension.assign(machine.topology->dimension_count(),
                                     {parse_duration("446.7us"), parse_duration("2.4us")});
  return machine;
}

SimulatedProgram::SimulatedProgram(Machine on, const std::string& embedding,
                                   const std::string& settings, std::uint64_t seed,
                                   const std::filesystem::path& folder)
    : machine{std::make_shared<Machine>(std::move(on))},
      program{make_program(Params::parse(settings), {*machine, seed, folder})},
      map{make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
              ->map()} {}

RunReport SimulatedProgram::run() const {
  return run_without_simgrid({.machine = *machine,
                              .map = map,
                              .body = [this](Process& process) { return program->run(process); },
                              .stage_count = program->stage_count(),
                              .execution = Execution::automatic,
                              .observer = nullptr,
                              .progress = {}});
}

Ticks SimulatedProgram::theory() const { return program->theory(map).value().makespan; }

std::vector<std::string> embeddings_of(const std::string& topology, const Guest& guest) {
  std::vector<std::string> names =
      fitting_embeddings(*make_topology(Params::parse(topology)), guest);
  names.emplace_back("random,seed=5");
  return names;
}

}  // namespace dcube::testing
