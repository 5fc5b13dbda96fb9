#pragma once

#include <complex>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/program/program.hpp"
#include "program/number_file.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/kernel_runner.hpp"

namespace dcube::testing {

/// A transform on a machine with hops of 900 ps + 3 ps a byte and butterflies of 1001 ps, from
/// settings in the form of Params::parse.
struct FftRun {
  FftRun(const std::string& topology, const std::string& embedding, const std::string& settings,
         const std::filesystem::path& folder = {}, std::uint64_t seed = 1)
      : machine{std::make_shared<Machine>()} {
    machine->name = topology;
    machine->topology = make_topology(Params::parse(topology));
    const TransferCost hop{ExactTime{Ticks{900}}, ExactTime{Ticks{3}}};
    machine->links.per_dimension.assign(machine->topology->dimension_count(), hop);
    machine->compute.emplace("butterfly", ExactTime{Ticks{1001}});
    program = make_program(Params::parse("kind=fft" + (settings.empty() ? "" : "," + settings)),
                           {*machine, seed, folder});
    map = make_embedding(*machine->topology, program->guest(), Params::parse("kind=" + embedding))
              ->map();
  }

  RunReport run() const {
    return run_without_simgrid({.machine = *machine,
                                .map = map,
                                .body = [this](Process& p) { return program->run(p); },
                                .stage_count = program->stage_count(),
                                .execution = Execution::automatic,
                                .observer = nullptr,
                                .progress = {}});
  }

  /// Of a program that ran and has the setting "output".
  std::vector<std::complex<double>> spectrum() const {
    const TemporaryFolder folder;
    const NumberTable table = read_number_file(
        folder.write("spectrum.csv", program->output_files().at(0).content), "", 3);
    std::vector<std::complex<double>> values;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      values.emplace_back(table.values[3 * row + 1], table.values[3 * row + 2]);
    }
    return values;
  }

  std::string answer(const std::string& key) const {
    return program->answer().find(key)->describe();
  }

  std::shared_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

}  // namespace dcube::testing
