#include "cc_runs.hpp"

#include "kernel_runner.hpp"

namespace dcube::testing {

CcRun::CcRun(const std::string& topology, const std::string& embedding, const std::string& settings)
    : machine{std::make_shared<Machine>()} {
  machine->name = topology;
  machine->topology = make_topology(Params::parse(topology));
  const TransferCost hop{ExactTime{std::chrono::seconds{1}}, ExactTime{}};
  machine->links.per_dimension.assign(machine->topology->dimension_count(), hop);
  const std::string separator = settings.empty() ? "" : ",";
  program = make_program(Params::parse("kind=cc_dcube" + separator + settings), {*machine, 1});
  map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
            ->map();
}

SimulationInput CcRun::input(Observer* observer) const {
  return {.machine = *machine,
          .map = map,
          .body = [this](Process& process) { return program->run(process); },
          .stage_count = program->stage_count(),
          .execution = Execution::automatic,
          .observer = observer,
          .progress = {}};
}

RunReport CcRun::run(Observer* observer) const { return run_without_simgrid(input(observer)); }

double CcRun::makespan() const { return to_seconds(run().makespan); }

double CcRun::theory() const { return to_seconds(program->theory(map).value().makespan); }

}  // namespace dcube::testing
