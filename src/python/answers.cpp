#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "comparisons.hpp"
#include "core/refuse.hpp"
#include "dcube/questions/collective.hpp"
#include "dcube/questions/fit.hpp"
#include "dcube/questions/subcubes.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

/// Implements dcube.collective(); returns the answer as JSON.
std::string collective_in(const py::dict& fields, const py::object& on_progress) {
  CollectiveRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("operation", request.operation);
  take_machine(fields, request.machine, request.machine_document);
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
  take("ports", request.ports);
  bool compares_ports = false;
  take("compares_ports", compares_ports);
  if (compares_ports) {
    request.ports.reset();
  }
  return answer_of_children(fields, on_progress, [&](const SimulationLimits& limits) {
    return collective_json(collective(request, limits));
  });
}

/// Implements dcube.fit(); returns the answer as JSON.
std::string fit_in(const py::dict& fields, const py::object& on_progress) {
  FitRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take_machine(fields, request.machine, request.machine_document);
  take("measured", request.measured);
  take("vary", request.vary);
  take("columns", request.columns);
  take("time", request.time);
  take("settings", request.settings);
  return answer_of_children(fields, on_progress, [&](const SimulationLimits& limits) {
    return fit_json(fit(request, limits));
  });
}

SubcubesRequest subcubes_request(const py::dict& fields) {
  SubcubesRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("graph", request.graph);
  take_traffic(fields, request.traffic, request.matrix);
  take("random", request.random);
  take("dimensions", request.dimensions);
  take("subcube", request.subcube);
  take("method", request.method);
  take("parallel", request.parallel);
  take("non_parallel", request.non_parallel);
  take("any", request.any);
  take("seed", request.seed);
  take("restarts", request.restarts);
  take("moves", request.moves);
  take("evaluate", request.evaluate);
  take("map", request.map);
  take("hosts", request.hosts);
  take("simulate", request.simulate);
  take("machine", request.machine);
  return request;
}

/// Implements dcube.subcubes(); returns the answer as JSON. The search hears of signals;
/// simulations in child processes are polled for them.
std::string subcubes_in(const py::dict& fields, const py::object& on_search,
                        const py::object& on_runs) {
  const SubcubesRequest request = subcubes_request(fields);
  Watch watch{on_search};
  std::string refuted;
  std::string json = answer_of_children(fields, on_runs, [&](const SimulationLimits& limits) {
    check_subcubes_request(request);
    const SubcubesTask task = read_subcubes(request);
    refuse_if(!request.machine.empty() && !request.simulate && task.problem.left_out().empty(),
              ".machine", "is for `.simulate` (give both)");
    if (request.simulate) {
      check_subcubes_machine(request, task);
    }
    const SubcubesAnswer answer = answer_subcubes(
        request, task,
        [&](const SubcubeSearchState& state) {
          watch.look([&] { return py::make_tuple(state.done, 1, state.best_bandwidth); });
          return true;
        },
        limits);
    refuted = answer.refuted;
    return subcubes_json(answer);
  });
  warn_of(refuted);
  return json;
}

}  // namespace

void bind_answers(py::module_& module) {
  module.def("collective", &collective_in);
  module.def("fit", &fit_in);
  module.def("subcubes", &subcubes_in);
}

}  // namespace dcube::python
