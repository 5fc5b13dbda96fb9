#include "run_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/program_output.hpp"
#include "dcube/workload/chakra_writer.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* chakra_scenario = "scenario.json";

std::string json_of(const Params& document) {
  return json_layout(nlohmann::ordered_json(Setting{document}));
}

bool are_in_one_folder(const fs::path& file, const fs::path& other) {
  std::error_code error;
  return fs::equivalent(fs::absolute(file).parent_path(), fs::absolute(other).parent_path(), error);
}

}  // namespace

void add_run_outputs(Parser& parser, OutputOptions& options) {
  options.add_main(parser, "result", "write the result as JSON");
  std::vector<OutputKind> kinds = kinds_of(trace_catalog());
  kinds.insert(kinds.end(), {{"result"}, {"traffic"}, {"output"}, {"pattern"}, {"chakra"}});
  options.add_write(parser, std::move(kinds));
  options.add_old_spelling(parser, "--trace");
  options.add_old_spelling(parser, "--traffic", "traffic");
}

RunOutputs plan_run_outputs(const OutputOptions& options, ScenarioRequest& scenario,
                            OutputPlan& plan) {
  RunOutputs outputs;
  for (const NamedOutput& output : options.named()) {
    if (output.kind == "output") {
      scenario.settings.push_back(
          fmt::format("{}={}", output_pointer, json_string(output.file.string())));
      continue;  // planned when the scenario is read
    }
    fs::path file = output.file;
    if (output.kind == "chakra") {
      outputs.programs.push_back(output);
      continue;  // planned when the traces are known
    }
    if (output.kind == "pattern") {
      outputs.programs.push_back(output);
    } else if (output.kind == "traffic") {
      const auto formats = traffic_format_catalog();
      const NamedOutput traffic = named_output(output.option, file.string(), kinds_of(formats));
      file = traffic.file;
      outputs.traffic.push_back({find_kind(formats, traffic.kind), file});
    } else if (const TraceFormat* format = find_kind(trace_catalog(), output.kind)) {
      outputs.traces.push_back({format, file});
    } else {
      outputs.results.push_back(file);
    }
    plan.writes(output.option, file);
  }
  return outputs;
}

void refuse_program_output(const OutputOptions& options, const InputError& complaint) {
  const std::vector<NamedOutput> named = options.named();
  const auto output = std::ranges::find(named, "output", &NamedOutput::kind);
  if (output != named.end() && complaint.place().ends_with(output_pointer)) {
    throw InputError(output->option,
                     fmt::format("output:FILE is the program's `output`: {}", complaint.problem()));
  }
}

void put_programs(const RunOutputs& outputs, const Scenario& scenario, OutputPlan& plan) {
  for (const NamedOutput& output : outputs.programs) {
    const std::optional<Params> pattern = scenario.program->pattern();
    refuse_if(!pattern, output.option, "{} is no pattern, which could be written as {}",
              scenario.program->kind(), output.kind);
    Params document = scenario.document;
    if (output.kind == "pattern") {
      if (!scenario.program_inputs.empty()) {
        refuse_if(!are_in_one_folder(scenario.source, output.file), output.option,
                  "the pattern reads {}, whose name is relative to the scenario; write {} beside "
                  "that",
                  scenario.program_inputs.begin()->second.string(), output.file.string());
      }
      document.set("program", *pattern);
      plan.put(output.file, json_of(document));
      continue;
    }
    const ChakraTraces traces = at_least_at(output.option, [&] {
      return chakra_traces(
          *pattern, {*scenario.machine, scenario.seed, fs::path{scenario.source}.parent_path()});
    });
    make_folder(output.option, output.file);
    plan.writes(output.option, output.file / chakra_scenario);
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
      const fs::path file = output.file / fmt::format("trace.{}.et", rank);
      plan.writes(output.option, file);
      plan.put(file, traces.ranks[rank]);
    }
    document.set("program", traces.program);
    document.set("embedding", explicit_embedding(scenario.embedding->map()));
    plan.put(output.file / chakra_scenario, json_of(document));
  }
}

std::optional<fs::path> plan_program_output(const Scenario& scenario, const fs::path& folder,
                                            OutputPlan& plan) {
  const std::optional<ProgramOutput> output = program_output(scenario, folder);
  if (!output) {
    return std::nullopt;
  }
  const std::string place = scenario.program_settings.place_of("output");
  refuse_if(!output->may_be_written, place,
            "{} is not below the folder of results, where a scenario may write; name it on the "
            "command line (--write output:FILE)",
            scenario.program_settings.find("output")->describe());
  plan.writes(output->is_overridden ? "--set " + std::string{output_pointer} : place, output->file);
  return output->file;
}

}  // namespace dcube::app
