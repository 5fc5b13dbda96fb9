#include "maze_runs.hpp"

#include <utility>

#include "kernel_runner.hpp"
#include "program/maze_input.hpp"

namespace dcube::testing {
namespace {

Params settings_of(const MazeRun& run) { return Params::parse("kind=maze," + run.settings); }

}  // namespace

std::shared_ptr<Machine> unit_machine(const std::string& topology) {
  auto machine = std::make_shared<Machine>();
  machine->name = "unit";
  machine->topology = make_topology(Params::parse(topology));
  const TransferCost hop{ExactTime{std::chrono::seconds{1}}, ExactTime{}};
  machine->links.per_dimension.assign(machine->topology->dimension_count(), hop);
  return machine;
}

std::shared_ptr<Machine> uneven_machine(const std::string& topology) {
  auto machine = unit_machine(topology);
  machine->name = "uneven";
  for (std::size_t i = 0; i < machine->links.per_dimension.size(); ++i) {
    const auto slower = static_cast<std::int64_t>(i);
    machine->links.per_dimension[i] = {ExactTime{900 + 7 * slower, 1}, ExactTime{17, 3}};
  }
  machine->endpoint.send = {ExactTime{Ticks{130}}, ExactTime{5, 2}};
  machine->endpoint.receive = {ExactTime{Ticks{70}}, ExactTime{1, 3}};
  machine->compute["cell"] = ExactTime{700, 3};
  return machine;
}

MazeRun::MazeRun(const std::string& topology, std::string text, std::uint64_t random_seed,
                 std::filesystem::path files)
    : settings{std::move(text)},
      seed{random_seed},
      folder{std::move(files)},
      machine{uneven_machine(topology)} {
  make();
}

void MazeRun::make() {
  program = make_program(settings_of(*this), {*machine, seed, folder});
  place("standard");
}

void MazeRun::place(const std::string& embedding) {
  map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
            ->map();
}

RunReport MazeRun::run() const {
  return run_without_simgrid({.machine = *machine,
                              .map = map,
                              .body = [this](Process& process) { return program->run(process); },
                              .stage_count = program->stage_count(),
                              .execution = Execution::automatic,
                              .observer = nullptr,
                              .progress = {}});
}

Ticks MazeRun::theory() const { return program->theory(map).value().makespan; }

std::string MazeRun::answer(const std::string& name) const {
  const Params answers = program->answer();
  const Setting& value = *answers.find(name);
  return value.text() != nullptr ? *value.text() : value.number()->text;
}

Maze MazeRun::maze() const { return read_maze(settings_of(*this), {*machine, seed, folder}); }

}  // namespace dcube::testing
