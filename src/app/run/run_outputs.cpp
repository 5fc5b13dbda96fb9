#include "run_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/workload/chakra_writer.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* output_pointer = "/program/output";
constexpr const char* chakra_scenario = "scenario.json";

std::string json_of(const Params& document) {
  return json_layout(nlohmann::ordered_json(Setting{document}));
}

/// Whether the path is relative, without ".." and hidden names.
bool leads_down(const fs::path& name) {
  return name.is_relative() && std::ranges::none_of(name, [](const fs::path& part) {
           return part.string().starts_with('.');
         });
}

/// Whether the file is inside the folder, with symbolic links resolved, and no link itself.
bool lies_in(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  const fs::path place = fs::weakly_canonical(fs::absolute(file), error);
  return !error && !fs::is_symlink(file) && std::ranges::mismatch(top, place).in1 == top.end();
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
  const Setting* output = scenario.program_settings.find("output");
  if (output == nullptr || output->text() == nullptr || output->text()->empty()) {
    return std::nullopt;
  }
  const fs::path name = *output->text();
  if (scenario.overridden.has(output_pointer) || scenario.overridden.has("/program")) {
    plan.writes("--set " + std::string{output_pointer}, name);
    return name;
  }
  const std::string place = scenario.program_settings.place_of("output");
  const fs::path file = folder / name;
  refuse_if(!leads_down(name) || !lies_in(folder.empty() ? fs::path{"."} : folder, file), place,
            "{} is not below the folder of results, where a scenario may write; name it on the "
            "command line (--write output:FILE)",
            output->describe());
  plan.writes(place, file);
  return file;
}

}  // namespace dcube::app
