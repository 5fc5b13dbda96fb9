#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/program/program.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "exceptions.hpp"
#include "program.hpp"

namespace {

/// Names of the settings of a program of the catalogue; none of one that is not there.
std::vector<std::string> program_parameters(const std::string& kind) {
  const dcube::ProgramKind* const found = dcube::find_kind(dcube::program_catalog(), kind);
  return found == nullptr ? std::vector<std::string>{}
                          : dcube::mapped(found->parameters, &dcube::ParameterHelp::name);
}

/// The settings of an embedding that is a name or a file, as JSON.
std::string embedding_text(const std::string& name_or_file) {
  return dcube::at_least_at("embedding", [&] {
    return dcube::json_text(dcube::Setting{dcube::embedding_option(name_or_file)});
  });
}

}  // namespace

PYBIND11_MODULE(_dcube, module) {
  using namespace dcube::python;
  module.doc() = "What the package dcube is made of; use that.";
  translate_exceptions();
  Unlocked::wait_at_exit();
  dcube::listen_to_warnings([](const std::string& warning) {
    const Lock lock;
    warn_of(warning);
  });
  register_python_programs();
  bind_process(module);
  for (const char* const type : {"Process", "Group"}) {
    name_arguments_of_methods(module.attr(type));
  }
  bind_programs(module);
  bind_answers(module);
  bind_comparisons(module);
  bind_runs(module);
  bind_measures(module);
  bind_searches(module);
  bind_sweeps(module);
  module.attr("version") = std::string{dcube::version()};
  module.def("data_folders", [] {
    return dcube::mapped(dcube::data_folders(), [](const auto& folder) { return folder.string(); });
  });
  module.def("find_scenario",
             [](const std::string& name) { return dcube::find_scenario(name).string(); });
  module.def("embedding_text", &embedding_text);
  module.def("write_file", [](const std::string& file, const std::string& text) {
    const Unlocked unlocked;
    dcube::write_file(file, text);
  });
  module.def("program_parameters", &program_parameters);
  module.def("processes_setting", [](const std::string& kind, std::uint32_t processes) {
    return dcube::with_processes({}, kind, processes).settings;
  });
  module.def("scenarios", &dcube::list_scenarios);
  module.def("machines", &dcube::list_machines);
}
