#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "comparisons.hpp"
#include "dcube/questions/fit.hpp"
#include "measures.hpp"

namespace dcube::python {
namespace {

/// Implements dcube.fit(); returns the answer as JSON.
std::string fit_in(const py::dict& fields, const py::object& on_progress) {
  FitRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("machine", request.machine);
  request.machine_document = document_in(fields, "machine_text", "machine");
  take("measured", request.measured);
  take("vary", request.vary);
  take("columns", request.columns);
  take("time", request.time);
  take("settings", request.settings);
  return answer_of_children(fields, on_progress, [&](const SimulationLimits& limits) {
    return fit_json(fit(request, limits));
  });
}

}  // namespace

void bind_fits(py::module_& module) { module.def("fit", &fit_in); }

}  // namespace dcube::python
