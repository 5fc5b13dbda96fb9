#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bindings.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/questions/place.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "program.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

/// The request of the keywords of Python.
PlaceRequest request_of(const py::dict& fields) {
  PlaceRequest request;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("scenario", request.scenario.file);
  take("settings", request.scenario.settings);
  take("embedding", request.scenario.embedding);
  take("hosts", request.scenario.hosts);
  take_machine(fields, request.machine, request.machine_document);
  take_traffic(fields, request.traffic, request.matrix);
  take("weights", request.weights);
  take("slack", request.slack);
  take("avoid", request.nodes.avoid);
  take("only", request.nodes.only);
  take("pins", request.nodes.pins);
  take("objective", request.objective);
  take("method", request.method);
  take("seed", request.seed);
  take("effort", request.effort);
  take("jobs", request.jobs);
  take("seeds", request.seeds);
  take("why", request.why);
  take("against", request.against);
  request.document = document_in(fields, "scenario_text", request.scenario.file.c_str());
  request.compute = ticks_in(fields, "compute");
  request.hop = ticks_in(fields, "hop");
  const auto take_time = [&](const char* name, std::optional<std::chrono::nanoseconds>& time) {
    constexpr double endless_s = 9e9;  // 285 years
    std::optional<double> seconds;
    take(name, seconds);
    if (seconds && (!(*seconds >= endless_s) || &time == &request.prove)) {
      time = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>{std::min(*seconds, endless_s)});
    }
  };
  take_time("time_limit_s", request.time_limit);
  take_time("prove_s", request.prove);
  return request;
}

/// Asks without the interpreter's lock. Simulations are made in this process, whose programs may be
/// written in Python, or by so many jobs as are asked for, where they are not. `ask(request,
/// listeners)` gives the answer, and `json` its text.
template <class Ask, class Json>
py::tuple answer_to(const py::dict& fields, const py::object& on_progress, Ask ask, Json json) {
  const PlaceRequest request = request_of(fields);
  std::optional<Turn> turn;
  if (request.has_scenario()) {
    turn.emplace();
  }
  Watch watch{on_progress};
  // Python hears of signals in one thread alone. What it raises there ends the others, too.
  const std::thread::id own_thread = std::this_thread::get_id();
  std::exception_ptr raised;
  SearchProgress last;
  SearchListeners listeners{
      .should_stop =
          [&] {
            if (std::this_thread::get_id() == own_thread && !raised) {
              try {
                watch.look([&] {
                  return py::make_tuple(last.done, last.effort < endless_effort ? last.effort : 0,
                                        last.best);
                });
              } catch (...) {
                raised = std::current_exception();
              }
            }
            return raised != nullptr;
          },
      .on_news = [&](const SearchNews& news) { last = news.progress; },
      .local_runs =
          LocalRuns{
              .hold = [](const Program& program) { return std::make_shared<LockDuring>(program); },
              .progress = [&](std::uint32_t processes) { return watch.of_run(processes); }}};
  bool is_python = false;
  take_field(fields, "is_python", is_python);
  const bool is_simulated =
      std::ranges::any_of(objectives_with(&ObjectiveTraits::is_simulated),
                          [&](Objective one) { return request.objective == to_string(one); });
  const bool is_in_children = request.jobs && is_simulated && !is_python;
  if (is_in_children) {
    listeners.local_runs.reset();
  }
  std::string text;
  using Answer = decltype(ask(request, listeners));
  Answer answer;
  {
    const Unlocked unlocked;
    std::exception_ptr failed;
    try {
      std::optional<KeptSignalMask> mask;  // Python hears of Ctrl-C afterwards
      if (is_in_children) {
        mask.emplace();
      }
      answer = ask(request, listeners);
    } catch (...) {
      failed = std::current_exception();
    }
    if (raised) {
      std::rethrow_exception(raised);
    }
    Watch::look_at_signals();  // one may have ended the search just now
    if (failed) {
      std::rethrow_exception(failed);
    }
    refuse_if(answer.found.map.empty(), request.place(), "every simulation failed");
    text = json(answer);
  }
  std::ranges::for_each(answer.refuted, warn_of);
  return py::make_tuple(text, array_of(std::span<const NodeId>{answer.found.map}),
                        answer.found.is_cut_short);
}

}  // namespace

void bind_searches(py::module_& module) {
  module.def("search", [](const py::dict& fields, const py::object& on_progress) {
    return answer_to(fields, on_progress, &search, &search_json);
  });
  module.def("place", [](const py::dict& fields, const py::object& on_progress) {
    return answer_to(fields, on_progress, &place,
                     [](const PlaceAnswer& answer) { return place_json(answer); });
  });
  module.def("objectives", [] { return mapped(objective_names(), std::identity{}); });
}

}  // namespace dcube::python
