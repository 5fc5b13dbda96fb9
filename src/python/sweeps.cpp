#include <pybind11/stl.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/going_on.hpp"
#include "core/json_reading.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/sweep.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/runs/tables.hpp"
#include "dcube/scenario/run.hpp"
#include "program.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

using namespace py::literals;

/// A run that may execute Python, and so is made in this process.
RunRecord make_run(const Study& study, std::size_t run, Watch& watch) {
  return made_record(study, run, [&] {
    Scenario scenario = study.build(run);
    const LockDuring held{*scenario.program};
    const RunProgress progress = watch.of_run(run_size(scenario).processes);
    return run_record(scenario, progress);
  });
}

/// NaN where the run did not come to a number.
double number_in(const CellValue& value) {
  if (const auto* const whole = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  const auto* const number = std::get_if<double>(&value);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

/// Of no numbers, the count alone.
py::dict described(const Spread& spread) {
  const auto figure = [&](double value) {
    return spread.count > 0 ? py::object{py::float_(value)} : py::none();
  };
  return py::dict("count"_a = spread.count, "mean"_a = figure(spread.mean),
                  "deviation"_a = figure(spread.deviation), "least"_a = figure(spread.least),
                  "greatest"_a = figure(spread.greatest),
                  "half_interval"_a = figure(spread.half_interval));
}

/// The values of a group's settings by their columns; without the seed and the setting `but`.
py::dict settings_of(const Study& study, const std::vector<const StudyValue*>& values,
                     std::optional<std::size_t> but = {}) {
  py::dict settings;
  for (std::size_t place = 0; place < study.settings().size(); ++place) {
    const StudySetting& setting = *study.settings()[place];
    if (place != but && !setting.is_seed()) {
      settings[py::str(setting.column)] = plain_object(value_of(setting, *values[place]));
    }
  }
  return settings;
}

/// A sweep whose runs are made in this process.
class MadeSweep {
 public:
  explicit MadeSweep(Study study) : sweep_{std::move(study), {}} {}

  void make_runs(const py::object& on_progress) {
    const Turn turn;
    Watch watch{py::none()};  // of single runs: looks for Ctrl-C
    Watch of_all{on_progress};
    const Unlocked unlocked;
    for (std::size_t run = 0; run < study().run_count(); ++run) {
      of_all.look([&] { return py::make_tuple(run, study().run_count(), py::none()); });
      records_.push_back(make_run(study(), run, watch));
    }
  }

  /// A list or an array a column: the settings, the outcome and every measure.
  py::dict columns() const {
    py::dict all;
    for (const Column<RunRecord>& column : study_columns(study())) {
      const auto values_by = [&](auto value) {
        return mapped(records_,
                      [&](const RunRecord& record) { return value(column.value(record)); });
      };
      const py::str key{column.key};
      const bool is_makespan_ps = column.key == "makespan_ps";
      if (is_makespan_ps && std::ranges::all_of(records_, &RunRecord::has_values)) {
        all[key] = array_of(mapped(records_, [](const RunRecord& record) {
          return std::int64_t{record.makespan.count()};
        }));
      } else if (is_makespan_ps || find_measure(column.key) != nullptr) {
        all[key] = array_of(values_by(&number_in));
      } else if (column.key != "run" && column.key != "key") {
        all[key] = values_by(plain_object);
      }
    }
    return all;
  }

  py::list settings() const {
    py::list all;
    for (const StudySetting* const setting : study().settings()) {
      all.append(py::dict("pointer"_a = setting->pointer, "column"_a = setting->column,
                          "numeric"_a = setting->is_numeric(),
                          "values"_a = mapped(setting->values, &StudyValue::text)));
    }
    return all;
  }

  /// (settings, runs, spread) of runs that differ in their seed alone.
  py::list groups(const std::string& measure) const {
    const StudyResults results = all_results();
    const Measure& asked = measure_named(measure);
    py::list all;
    for (const SeedGroup& group : seed_groups(study())) {
      all.append(py::make_tuple(settings_of(study(), group.values), group.runs.size(),
                                described(spread_in(results, group, asked))));
    }
    return all;
  }

  /// (settings, spread) of the ratios of runs that differ in the setting that is asked about.
  py::list ratios(const std::string& question, const std::string& measure) const {
    const StudyResults results = all_results();
    const RatioQuestion asked = read_ratio(study(), question);
    py::list all;
    for (const RatioGroup& group : ratios_of(results, asked, measure_named(measure))) {
      all.append(py::make_tuple(settings_of(study(), group.values, asked.setting),
                                described(group.ratio)));
    }
    return all;
  }

  /// What `dcube sweep --json` prints; with a measure, that one is shown alone.
  std::string json(const std::optional<std::string>& measure) const {
    SweepView view = sweep_.view();
    if (measure) {
      view.measures = {&measure_named(*measure)};
    }
    return sweep_json(all_results(), view);
  }

  std::string csv() const { return study_csv(all_results()); }
  std::string name() const { return study().plan().name; }
  std::vector<std::string> shown() const { return study().plan().measures; }

 private:
  StudyResults all_results() const {
    return {study(), mapped(records_, [](const RunRecord& record) { return &record; })};
  }

  const Study& study() const { return sweep_.study(); }

  Sweep sweep_;
  std::vector<RunRecord> records_;
};

std::unique_ptr<MadeSweep> sweep(const std::string& text, const std::string& file,
                                 const py::object& on_progress) {
  std::optional<Study> study;
  {
    const AskedToGoOn asked{&Watch::look_at_signals};
    const Unlocked unlocked;
    const Setting document = read_json(text, file);
    study.emplace(read_study_file(*document.group(), file));
  }
  auto made = std::make_unique<MadeSweep>(std::move(*study));
  made->make_runs(on_progress);
  return made;
}

}  // namespace

void bind_sweeps(py::module_& module) {
  py::class_<MadeSweep>(module, "Sweep")
      .def("columns", &MadeSweep::columns)
      .def("settings", &MadeSweep::settings)
      .def("groups", &MadeSweep::groups)
      .def("ratios", &MadeSweep::ratios)
      .def("csv", &MadeSweep::csv)
      .def("json", &MadeSweep::json, py::arg("measure") = py::none())
      .def_property_readonly("name", &MadeSweep::name)
      .def_property_readonly("shown", &MadeSweep::shown);
  module.def("sweep", &sweep);
  module.def("measures", [] {
    return mapped(measure_catalog(), [](const Measure& measure) {
      return std::tuple{measure.name, measure.unit, measure.help};
    });
  });
}

}  // namespace dcube::python
