#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/program/program.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

inline constexpr std::int64_t a_second = 1000000000000;

/// A pattern on a machine, process i on node i.
struct PatternRun {
  PatternRun(const std::string& topology, const std::string& text, const Surroundings& of = {})
      : machine{unit_machine(topology)} {
    if (of.change) {
      of.change(machine);
    }
    const Setting settings = read_json(text, "p.json");
    program = make_program(*settings.group(), {machine, 1, of.folder});
    for (std::uint32_t rank = 0; rank < program->guest().process_count(); ++rank) {
      map.emplace_back(rank);
    }
  }
  RunReport run(std::vector<std::string>* messages = nullptr) const {
    SimulationInput input{.machine = machine,
                          .map = map,
                          .body = [this](Process& process) { return program->run(process); },
                          .stage_count = program->stage_count()};
    if (messages != nullptr) {
      input.on_send = [=](ProcessId from, ProcessId to, std::uint32_t) {
        messages->push_back(fmt::format("{}>{}", from.index(), to.index()));
      };
    }
    return run_without_simgrid(input);
  }

  Machine machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

}  // namespace dcube::testing
