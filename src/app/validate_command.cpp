#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/terminal/output.hpp"
#include "command.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/validation.hpp"

namespace dcube::app {
namespace {

const char* name_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::machine:
      return "machine";
    case DocumentKind::scenario:
      return "scenario";
    case DocumentKind::experiments:
      return "file of experiments";
    case DocumentKind::task_graph:
      return "task graph";
  }
  return "";
}

ExitStatus validate(const std::vector<std::string>& files) {
  ExitStatus status = ExitStatus::done;
  for (const std::string& file : files) {
    try {
      print(fmt::format("{}: valid {}\n", file, name_of(validate_document(file))));
    } catch (const InputError& error) {
      complain(error.what());
      status = ExitStatus::unusable_input;
    }
  }
  return status;
}

}  // namespace

Command validate_command(CLI::App& app) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* parser =
      app.add_subcommand("validate", "Check machine, scenario, experiments and task graph files");
  parser->add_option("FILE", *files, "files to check")->required()->type_name("");
  parser->footer("Example:\n  dcube validate scenarios/quickstart.json platforms/unit-ring-8.json");
  return {parser, [files] { return validate(*files); }};
}

}  // namespace dcube::app
