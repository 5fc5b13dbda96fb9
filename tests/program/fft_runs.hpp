#pragma once

#include <complex>
#include <string>
#include <vector>

#include "program/number_file.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// Hops of 900 ps + 3 ps a byte and butterflies of 1001 ps.
inline Machine fft_machine(const std::string& topology) {
  Machine machine = unit_machine(topology);
  for (TransferCost& hop : machine.links.per_dimension) {
    hop = {ExactTime{Ticks{900}}, ExactTime{Ticks{3}}};
  }
  machine.compute.emplace("butterfly", ExactTime{Ticks{1001}});
  return machine;
}

/// A transform on such a machine.
struct FftRun : SimulatedProgram {
  FftRun(const std::string& topology, const std::string& embedding, const std::string& settings,
         const Surroundings& surroundings = {})
      : SimulatedProgram{fft_machine(topology), embedding, settings_of_kind("fft", settings),
                         surroundings} {}

  /// Of a program that ran and has the setting "output".
  std::vector<std::complex<double>> spectrum() const {
    const TemporaryFolder folder;
    const NumberTable table =
        read_number_file(folder.write("spectrum.csv", program->output_files().at(0).content), "",
                         {"index", "re", "im"});
    std::vector<std::complex<double>> values;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      values.emplace_back(table.values[3 * row + 1], table.values[3 * row + 2]);
    }
    return values;
  }
};

}  // namespace dcube::testing
