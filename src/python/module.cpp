#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/scenario.hpp"
#include "exceptions.hpp"
#include "program.hpp"

PYBIND11_MODULE(_dcube, module) {
  using namespace dcube::python;
  module.doc() = "What the package dcube is made of; use that.";
  translate_exceptions();
  Unlocked::wait_at_exit();
  register_python_programs();
  bind_process(module);
  bind_programs(module);
  bind_collective_times(module);
  bind_comparisons(module);
  bind_runs(module);
  bind_measures(module);
  bind_searches(module);
  bind_sweeps(module);
  module.attr("version") = std::string{dcube::version()};
  module.def("data_folders", [] {
    return dcube::mapped(dcube::data_folders(), [](const auto& folder) { return folder.string(); });
  });
  module.def("scenarios", &dcube::list_scenarios);
  module.def("machines", &dcube::list_machines);
}
