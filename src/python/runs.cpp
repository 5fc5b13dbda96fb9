#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/going_on.hpp"
#include "core/json_reading.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/network/served_links.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/program_output.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "dcube/trace/causal_record.hpp"
#include "exceptions.hpp"
#include "program.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

using namespace py::literals;

/// Keeps what every process does, a list a column.
class IntervalColumns final : public Observer {
 public:
  HopReports hop_reports() const override { return HopReports::queued; }
  void on_interval(const Interval& interval) override {
    process_.push_back(interval.process.index());
    activity_.push_back(static_cast<std::uint8_t>(interval.activity));
    stage_.push_back(interval.stage == no_stage ? -1 : static_cast<std::int32_t>(interval.stage));
    begin_.push_back(interval.begin.count());
    end_.push_back(interval.end.count());
    peer_.push_back(interval.peer.index());
  }

  py::dict columns() const {
    return py::dict("process"_a = array_of(process_), "activity"_a = array_of(activity_),
                    "stage"_a = array_of(stage_), "begin_ps"_a = array_of(begin_),
                    "end_ps"_a = array_of(end_), "peer"_a = array_of(peer_));
  }

 private:
  std::vector<std::uint32_t> process_, peer_;
  std::vector<std::uint8_t> activity_;
  std::vector<std::int32_t> stage_;
  std::vector<std::int64_t> begin_, end_;
};

/// A run that has been made.
class Run {
 public:
  Run(Scenario scenario, RunResult result, std::optional<IntervalColumns> intervals)
      : scenario_{std::move(scenario)},
        result_{std::move(result)},
        intervals_{std::move(intervals)} {}

  std::string outcome() const { return to_string(report().outcome); }
  std::int64_t makespan_ps() const { return report().makespan.count(); }
  std::string fingerprint() const { return fmt::format("{:016x}", report().fingerprint); }
  const std::optional<bool>& verified() const { return result_.verified; }
  std::string json(bool all_lists) const {
    return run_result_json(scenario_, result_,
                           all_lists ? ListOutput::always : ListOutput::when_small);
  }
  py::object map() const { return array_of(std::span<const NodeId>{scenario_.embedding->map()}); }
  py::object process_ends() const {
    return array_of(std::span<const Ticks>{report().process_ends});
  }
  py::object node_loads() const { return array_of(report().node_loads); }
  py::object intervals() const {
    return intervals_ ? py::object{intervals_->columns()} : py::none();
  }
  /// Objects that this alone holds.
  template <class Visit>
  void each_object(Visit visit) const {
    const auto* const values = dynamic_cast<const ReturnedValues*>(scenario_.program.get());
    if (values != nullptr && scenario_.program.use_count() == 1) {
      values->each_object(visit);
    }
  }
  void let_go() {
    if (auto* const values = dynamic_cast<ReturnedValues*>(scenario_.program.get())) {
      values->let_go();
    }
  }
  py::object returned() const {
    const auto* values = dynamic_cast<const ReturnedValues*>(scenario_.program.get());
    return values != nullptr ? py::object{values->returned()} : py::none();
  }
  /// Loads of each directed link (half duplex: each link once), as in the JSON text.
  py::dict link_loads() const {
    std::vector<std::uint32_t> from, to;
    std::vector<std::uint64_t> messages;
    std::vector<std::int64_t> busy;
    const LinkCounters& counters = report().link_counters;
    for_each_served_link(*scenario_.run_machine, [&](LinkId number, const Link& link) {
      from.push_back(link.from.index());
      to.push_back(link.to.index());
      messages.push_back(counters.crossings[number.index()]);
      constexpr double most = 9.2e18;
      busy.push_back(std::llround(std::min(counters.busy[number.index()], most)));
    });
    return py::dict("source"_a = array_of(from), "target"_a = array_of(to),
                    "messages"_a = array_of(messages), "busy_ps"_a = array_of(busy));
  }

 private:
  const RunReport& report() const { return result_.report; }

  Scenario scenario_;
  RunResult result_;
  std::optional<IntervalColumns> intervals_;
};

/// A scenario from a text, or from a file where the text is empty. `embedding`, if not empty: a
/// name or a file, as on the command line. Needs no lock. Throws InputError.
Scenario load(const std::string& text, const std::string& file, const Overrides& overrides,
              const std::string& embedding) {
  const std::filesystem::path source =
      text.empty() ? find_scenario(file) : std::filesystem::path{file};
  std::vector<Override> all = mapped(overrides, [](const auto& change) {
    return Override{.pointer = change.first, .value = change.second};
  });
  if (!embedding.empty()) {
    all.push_back(
        at_least_at("embedding", [&] { return embedding_override(embedding, {}, source); }));
  }
  if (text.empty()) {
    return load_scenario(source, all);
  }
  const Setting document = read_json(text, file);
  return build_scenario(*document.group(), source, all);
}

/// The file that the program writes in the current folder, if any.
std::optional<std::filesystem::path> output_file(const Scenario& scenario) {
  const std::optional<ProgramOutput> output = program_output(scenario, {});
  if (!output) {
    return std::nullopt;
  }
  refuse_if(!output->may_be_written, scenario.program_settings.place_of("output"),
            "{} is not below the current folder, where a scenario may write; name it by "
            "set={{\"{}\": ..}}",
            scenario.program_settings.find("output")->describe(), output_pointer);
  return output->file;
}

std::shared_ptr<Run> run(const std::string& text, const std::string& file,
                         const Overrides& overrides, const std::string& embedding,
                         const py::object& on_progress, const std::string& findings,
                         bool with_intervals, bool with_reasons) {
  const Turn turn;
  Watch watch{on_progress};
  const Unlocked unlocked;
  const AskedToGoOn asked{&Watch::look_at_signals};
  Scenario scenario = load(text, file, overrides, embedding);
  std::optional<IntervalColumns> intervals;
  std::optional<CausalRecord> record;
  ObserverList observers;
  const std::uint32_t processes = run_size(scenario).processes;
  if (with_intervals) {
    observers.add(intervals.emplace());
  }
  if (with_reasons) {
    refuse_if(scenario.run_machine->fluid.has_value(), "why",
              "the machine's network is fluid, and flows that share links have no hops to follow");
    observers.add(record.emplace(processes, scenario.machine->links));
  }
  const std::optional<std::filesystem::path> output =
      at_least_at(scenario.source, [&] { return output_file(scenario); });
  const LockDuring held{*scenario.program};
  RunResult result = run_scenario(scenario, observers.observer(), watch.of_run(processes),
                                  findings == "all"      ? Findings::all
                                  : findings == "stages" ? Findings::stages
                                                         : Findings::report);
  if (record) {
    result.explanation = explain_run(scenario, *record, result.report);
  }
  for (const OutputFile& written : scenario.program->output_files()) {
    write_file(*output, written.content);
  }
  return std::make_shared<Run>(std::move(scenario), std::move(result), std::move(intervals));
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<Run, std::shared_ptr<Run>>(module, "Run", with_garbage_collection<Run>())
      .def_property_readonly("outcome", &Run::outcome)
      .def_property_readonly("makespan_ps", &Run::makespan_ps)
      .def_property_readonly("fingerprint", &Run::fingerprint)
      .def_property_readonly("verified", &Run::verified)
      .def("json", &Run::json)
      .def("map", &Run::map)
      .def("process_ends_ps", &Run::process_ends)
      .def("node_loads", &Run::node_loads)
      .def("link_loads", &Run::link_loads)
      .def("intervals", &Run::intervals)
      .def("returned", &Run::returned);
  module.def("run", &run, py::arg("text"), py::arg("file"), py::arg("overrides"),
             py::arg("embedding"), py::arg("on_progress"), py::arg("findings"),
             py::arg("intervals"), py::arg("reasons"));
}

}  // namespace dcube::python
