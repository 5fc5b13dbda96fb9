#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dcube/program/program.hpp"
#include "otf2_archive.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// Writes the events of an archive.
using Write = std::function<void(Archive&)>;

inline constexpr std::int64_t one_second = 1'000'000'000'000;

/// An archive on a line of unit hops, where nothing else takes time.
struct Recorded {
  Recorded(std::uint32_t ranks, const Write& write, const std::string& settings = "",
           const Archive::Options& options = {}, const MachineChange& change = {}) {
    {
      Archive archive{folder.path(), ranks, options};
      write(archive);
    }
    run = std::make_unique<SimulatedProgram>(
        "kind=line,nodes=8", "identity", "kind=otf2,file=a.otf2" + settings,
        Surroundings{.folder = folder.path(), .change = change});
  }
  RunReport report() const { return run_without_simgrid(run->input()); }
  double seconds() const {
    const RunReport done = report();
    EXPECT_EQ(done.outcome, Outcome::completed);
    return to_seconds(done.makespan);
  }
  /// "0>1", in the order of sending.
  std::vector<std::string> messages() const {
    std::vector<std::string> flows;
    SimulationInput input = run->input();
    input.on_send = [&](ProcessId from, ProcessId to, std::uint32_t) {
      flows.push_back(fmt::format("{}>{}", from.index(), to.index()));
    };
    run_without_simgrid(input);
    return flows;
  }

  TemporaryFolder folder;
  std::unique_ptr<SimulatedProgram> run;
};

/// What the reader says of an archive that it refuses.
inline std::string complaint_of_archive(std::uint32_t ranks, const Write& write,
                                        const std::string& settings = "",
                                        const Archive::Options& options = {}) {
  const TemporaryFolder folder;
  {
    Archive archive{folder.path(), ranks, options};
    write(archive);
  }
  return folder.shortened(complaint<InputError>([&] {
    SimulatedProgram{"kind=line,nodes=8",
                     "identity",
                     "kind=otf2,file=a.otf2" + settings,
                     {.folder = folder.path()}};
  }));
}

inline constexpr std::uint32_t mpi = Archive::mpi_region;
inline constexpr std::uint32_t no_root = OTF2_UNDEFINED_UINT32;

}  // namespace dcube::testing
