#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "scenario/temporary_folder.hpp"
#include "support/kernel_runner.hpp"
#include "support/plain/loggp.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

inline ExactTime nanoseconds(std::int64_t count) { return ExactTime{count * 1000, 1}; }

/// Every process is a hop from every other, and no link is ever taken: LogGP's own machine.
inline Machine loggp_machine(std::size_t nodes, const LogGp& costs) {
  std::string edges;
  for (std::size_t a = 0; a < std::max<std::size_t>(nodes, 2); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      edges += fmt::format("{}[{},{}]", edges.empty() ? "" : ",", b, a);
    }
  }
  Machine machine = unit_machine(fmt::format("kind=graph,edges=[{}]", edges));
  for (TransferCost& cost : machine.links.per_dimension) {
    cost = {nanoseconds(costs.L), ExactTime{}};
  }
  machine.links.contention = Contention::off;
  machine.endpoint.send = {nanoseconds(costs.o), nanoseconds(costs.O)};
  machine.endpoint.receive = {nanoseconds(costs.o), nanoseconds(costs.O)};
  machine.endpoint.gap = {nanoseconds(costs.g), nanoseconds(costs.G)};
  machine.endpoint.eager_limit_bytes = static_cast<std::uint64_t>(costs.S);
  return machine;
}

/// When each rank was last busy, in picoseconds, as dcube simulates the text.
inline std::vector<std::int64_t> simulated(const std::string& text, std::size_t ranks,
                                           const LogGp& costs) {
  const TemporaryFolder folder;
  folder.write("s.goal", text);
  const SimulatedProgram run{loggp_machine(ranks, costs),
                             "identity",
                             "kind=goal,file=s.goal,output=ends.csv",
                             {.folder = folder.path()}};
  const RunReport report = run_without_simgrid(run.input());
  if (report.outcome != Outcome::completed) {
    return {};
  }
  const std::vector<OutputFile> files = run.program->output_files();
  std::vector<std::int64_t> ends;
  EXPECT_EQ(files.size(), 1U);
  std::istringstream lines{files.at(0).content};
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "rank,last_busy_ps");
  while (std::getline(lines, line)) {
    ends.push_back(std::stoll(line.substr(line.find(',') + 1)));
  }
  return ends;
}

}  // namespace dcube::testing
