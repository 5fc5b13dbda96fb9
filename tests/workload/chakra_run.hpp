#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "chakra_file.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// Traces on a line where a hop takes 1 us and nothing else takes time.
struct ChakraRun {
  explicit ChakraRun(const std::vector<ChakraFile>& ranks, const std::string& settings = "",
                     const MachineChange& change = {}) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      folder.write(fmt::format("t.{}.et", i), ranks[i].bytes());
    }
    const Surroundings surroundings{.folder = folder.path(), .change = [&](Machine& machine) {
                                      for (TransferCost& cost : machine.links.per_dimension) {
                                        cost.fixed = ExactTime{std::chrono::microseconds{1}};
                                      }
                                      if (change) {
                                        change(machine);
                                      }
                                    }};
    run = std::make_unique<SimulatedProgram>("kind=line,nodes=8", "identity",
                                             "kind=chakra,file=t.{}.et" + settings, surroundings);
  }
  RunReport report() const { return run_without_simgrid(run->input()); }
  double micros() const {
    const RunReport done = report();
    EXPECT_EQ(done.outcome, Outcome::completed);
    return static_cast<double>(done.makespan.count()) / 1e6;
  }
  double micros_of(std::size_t rank) const {
    return static_cast<double>(report().process_ends[rank].count()) / 1e6;
  }

  TemporaryFolder folder;
  std::unique_ptr<SimulatedProgram> run;
};

inline std::string complaint_of_traces(const std::vector<ChakraFile>& ranks,
                                       const std::string& settings = "") {
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    folder.write(fmt::format("t.{}.et", i), ranks[i].bytes());
  }
  return folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{"kind=line,nodes=8",
                     "identity",
                     "kind=chakra,file=t.{}.et" + settings,
                     {.folder = folder.path()}};
  }));
}

}  // namespace dcube::testing
