#include "simulated_program.hpp"

#include <utility>

#include "dcube/embedding/embedding.hpp"
#include "kernel_runner.hpp"

namespace dcube::testing {
namespace {

Machine machine_of(std::string name, const std::string& topology, const TransferCost& hop) {
  Machine machine;
  machine.name = std::move(name);
  machine.topology = make_topology(Params::parse(topology));
  machine.links.per_dimension.assign(machine.topology->dimension_count(), hop);
  return machine;
}

Machine ncube_with(std::uint32_t dimensions, const TransferCost& hop) {
  return machine_of("ncube", "kind=hypercube,dimensions=" + std::to_string(dimensions), hop);
}

}  // namespace

Machine unit_machine(const std::string& topology) {
  return machine_of("unit", topology, {ExactTime{std::chrono::seconds{1}}, ExactTime{}});
}

Machine uneven_machine(const std::string& topology) {
  Machine machine = machine_of("uneven", topology, {ExactTime{Ticks{900}}, ExactTime{17, 3}});
  std::int64_t slower = 0;
  for (TransferCost& hop : machine.links.per_dimension) {
    hop.fixed = ExactTime{Ticks{900 + slower}};
    slower += 7;
  }
  machine.endpoint.send = {ExactTime{Ticks{130}}, ExactTime{5, 2}};
  machine.endpoint.receive = {ExactTime{Ticks{70}}, ExactTime{1, 3}};
  machine.compute = {{"add", ExactTime{7, 3}},
                     {"cell", ExactTime{700, 3}},
                     {"compare", ExactTime{23, 3}},
                     {"flop", ExactTime{41, 3}},
                     {"multiply", ExactTime{37, 2}}};
  return machine;
}

Machine ncube(std::uint32_t dimensions) {
  return ncube_with(dimensions, {parse_duration("446.7us"), parse_duration("2.4us")});
}

Machine fitted_ncube(std::uint32_t dimensions) {
  Machine machine =
      ncube_with(dimensions, {parse_duration("210.42us"), parse_duration("1.2293us")});
  machine.endpoint.send = {parse_duration("116.92us"), parse_duration("0.59115us")};
  machine.endpoint.receive = machine.endpoint.send;
  return machine;
}

SimulatedProgram::SimulatedProgram(Machine on, const std::string& embedding,
                                   const std::string& settings, const Surroundings& surroundings)
    : machine{std::make_unique<Machine>(std::move(on))} {
  if (surroundings.change) {
    surroundings.change(*machine);
  }
  program =
      make_program(Params::parse(settings), {*machine, surroundings.seed, surroundings.folder});
  place(embedding);
}

SimulatedProgram::SimulatedProgram(const std::string& topology, const std::string& embedding,
                                   const std::string& settings, const Surroundings& surroundings)
    : SimulatedProgram{unit_machine(topology), embedding, settings, surroundings} {}

void SimulatedProgram::place(const std::string& embedding) {
  map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
            ->map();
}

SimulationInput SimulatedProgram::input(Observer* observer) const {
  return {.machine = *machine,
          .map = map,
          .body = [this](Process& process) { return program->run(process); },
          .stage_count = program->stage_count(),
          .execution = Execution::automatic,
          .observer = observer,
          .program_pays_endpoints = program->pays_endpoints()};
}

RunReport SimulatedProgram::run(Observer* observer) const {
  return run_without_simgrid(input(observer));
}

RunReport SimulatedProgram::run_without_contention() const {
  Machine free = *machine;
  free.links.contention = Contention::off;
  return run_without_simgrid({.machine = free,
                              .map = map,
                              .body = [this](Process& process) { return program->run(process); },
                              .stage_count = program->stage_count(),
                              .program_pays_endpoints = program->pays_endpoints()});
}

Ticks SimulatedProgram::theory() const { return program->theory(map).value().makespan; }

std::string SimulatedProgram::answer() const {
  std::string text;
  for (const std::string& name : program->answer().keys()) {
    text += (text.empty() ? "" : ", ") + name + " " + answer(name);
  }
  return text;
}

std::string SimulatedProgram::answer(const std::string& name) const {
  const Params answers = program->answer();
  const Setting& value = *answers.find(name);
  return value.text() != nullptr ? *value.text() : value.describe();
}

std::vector<std::vector<std::pair<ProcessId, ProcessId>>> messages_by_stage(SimulationInput input) {
  std::vector<std::vector<std::pair<ProcessId, ProcessId>>> stages(input.stage_count);
  input.on_send = [&stages](ProcessId from, ProcessId to, std::uint32_t stage) {
    stages.at(stage).emplace_back(from, to);
  };
  run_without_simgrid(input);
  return stages;
}

std::vector<std::string> embeddings_to_try(const SimulatedProgram& simulated) {
  std::vector<std::string> names =
      fitting_embeddings(*simulated.machine->topology, simulated.program->guest());
  names.emplace_back("random,seed=5");
  names.emplace_back("random,seed=6");
  return names;
}

std::string settings_of_kind(const std::string& kind, const std::string& others) {
  return "kind=" + kind + (others.empty() ? "" : "," + others);
}

}  // namespace dcube::testing
