#include "program_run.hpp"

#include "kernel_runner.hpp"

namespace dcube::testing {

ProgramRun::ProgramRun(const std::string& topology, const std::string& embedding,
                       const std::string& settings, const MachineChange& change, std::uint64_t seed,
                       const std::filesystem::path& folder)
    : machine{std::make_shared<Machine>()} {
  machine->name = "m";
  machine->topology = make_topology(Params::parse(topology));
  const TransferCost hop{ExactTime{std::chrono::seconds{1}}, ExactTime{}};
  machine->links.per_dimension.assign(machine->topology->dimension_count(), hop);
  if (change) {
    change(*machine);
  }
  program = make_program(Params::parse(settings), {*machine, seed, folder});
  map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
            ->map();
}

RunReport ProgramRun::run() {
  return run_without_simgrid({.machine = *machine,
                              .map = map,
                              .body = [this](Process& process) { return program->run(process); },
                              .stage_count = program->stage_count(),
                              .execution = Execution::automatic,
                              .observer = nullptr,
                              .progress = {}});
}

double ProgramRun::makespan() { return to_seconds(run().makespan); }

Ticks ProgramRun::theory() const { return program->theory(map).value().makespan; }

std::string ProgramRun::answer() const {
  const Params answer = program->answer();
  std::string text;
  for (const std::string& key : answer.keys()) {
    text += (text.empty() ? "" : ", ") + key + " " + answer.find(key)->describe();
  }
  return text;
}

std::vector<std::string> embeddings_to_try(const std::string& topology, const Guest& guest) {
  std::vector<std::string> names =
      fitting_embeddings(*make_topology(Params::parse(topology)), guest);
  names.emplace_back("random,seed=5");
  names.emplace_back("random,seed=6");
  return names;
}

}  // namespace dcube::testing
