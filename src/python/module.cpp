#include <pybind11/pybind11.h>

#include <string>

#include "collective_times.hpp"
#include "comparisons.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/scenario.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "process.hpp"
#include "program.hpp"
#include "runs.hpp"
#include "searches.hpp"
#include "sweeps.hpp"

PYBIND11_MODULE(_dcube, module) {
  using namespace dcube::python;
  module.doc() = "What the package dcube is made of; use that.";
  translate_exceptions();
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
    py::list folders;
    for (const auto& folder : dcube::data_folders()) {
      folders.append(folder.string());
    }
    return folders;
  });
  module.def("scenarios", [] {
    py::list all;
    for (const auto& [name, text] : dcube::list_scenarios()) {
      all.append(py::make_tuple(name, text));
    }
    return all;
  });
  module.def("machines", [] {
    py::list all;
    for (const auto& [name, text] : dcube::list_machines()) {
      all.append(py::make_tuple(name, text));
    }
    return all;
  });
}
