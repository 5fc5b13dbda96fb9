#include "dcube/questions/subcubes.hpp"

#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "comparisons.hpp"
#include "core/refuse.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

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
  std::string json;
  std::string refuted;
  simulate_in_children(fields, on_runs, [&](const SimulationLimits& limits) {
    Watch watch{on_search};
    const Unlocked unlocked;
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
          watch.look([&] { return py::make_tuple(state.done, state.best_bandwidth); });
          return true;
        },
        limits);
    refuted = answer.refuted;
    json = subcubes_json(answer);
  });
  if (!refuted.empty()) {
    warn_of(refuted);
  }
  return json;
}

}  // namespace

void bind_subcubes(py::module_& module) { module.def("subcubes", &subcubes_in); }

}  // namespace dcube::python
