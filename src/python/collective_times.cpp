#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "comparisons.hpp"
#include "dcube/questions/collective.hpp"
#include "measures.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

/// Implements dcube.collective(); returns the answer as JSON.
std::string collective_in(const py::dict& fields, const py::object& on_progress) {
  CollectiveRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("operation", request.operation);
  take("machine", request.machine);
  request.machine_document = document_in(fields, "machine_text", "machine");
  take("bytes", request.bytes);
  take("algorithms", request.algorithms);
  take("embeddings", request.embeddings);
  take("networks", request.networks);
  take("hosts", request.hosts);
  take("axes", request.axes);
  take("over", request.over);
  take("root", request.root);
  take("compute", request.compute);
  take("value_bytes", request.value_bytes);
  take("seed", request.seed);
  take("settings", request.settings);
  take("crossovers", request.crossovers);
  take("check_links", request.check_links);
  std::uint32_t ports = 0;
  take("ports", ports);
  request.ports = ports;
  bool compares_ports = false;
  take("compares_ports", compares_ports);
  if (compares_ports) {
    request.ports.reset();
  }
  return answer_of_children(fields, on_progress, [&](const SimulationLimits& limits) {
    return collective_json(collective(request, limits));
  });
}

}  // namespace

void bind_collective_times(py::module_& module) { module.def("collective", &collective_in); }

}  // namespace dcube::python
