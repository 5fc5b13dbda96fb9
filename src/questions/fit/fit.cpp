#include "dcube/questions/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/core/time.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/runs/setting_places.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/overrides.hpp"
#include "fit_cases.hpp"
#include "fit_errors.hpp"
#include "fitted_values.hpp"
#include "measured.hpp"

namespace dcube {
namespace {

/// Texts of the values that are varied; none: the machine's own.
using FitTexts = std::vector<std::string>;

/// Simulates rows with values, each once.
class FitRuns {
 public:
  /// `pointers` lead into the scenarios.
  FitRuns(std::vector<FitCase> cases, std::vector<std::string> pointers,
          const SimulationLimits& limits)
      : cases_{std::move(cases)}, pointers_{std::move(pointers)}, limits_{limits.alone()} {}

  /// Makes the runs of some cases with all of the values. False after an interrupt.
  bool simulate(const std::vector<std::size_t>& rows, const std::vector<FitTexts>& values) {
    std::vector<Run> missing;
    std::uint64_t memory_bytes = 1;
    for (const FitTexts& texts : values) {
      for (const std::size_t row : rows) {
        if (!records_.contains({row, texts})) {
          missing.emplace_back(row, texts);
          memory_bytes = std::max(memory_bytes, cases_[row].memory_bytes);
        }
      }
    }
    std::ranges::sort(missing);
    const auto repeated = std::unique(missing.begin(), missing.end());
    missing.erase(repeated, missing.end());
    if (missing.empty()) {
      return true;
    }
    const CaseList cases{
        "fit",
        mapped(missing,
               [&](const Run& run) {
                 return CaseList::Case{
                     .identity = json_text(Setting{document_of(run)}),
                     .manner = {},
                     .make = [this, run] {
                       try {
                         Scenario scenario = ScenarioSource{"scenario", document_of(run)}.build({});
                         return run_record(scenario);
                       } catch (const InputError& error) {
                         throw InputError("", fit_problem(error));
                       }
                     }};
               }),
        memory_bytes};
    CaseRecords made = run_cases(cases, limits_);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (made.records[i]) {
        records_.emplace(std::move(missing[i]), std::move(*made.records[i]));
      }
    }
    return made.end == RunsEnd::complete;
  }
  /// Record of a run that has been made; its `key` is empty.
  const RunRecord& record(std::size_t row, const FitTexts& values) const {
    return records_.at({row, values});
  }
  std::size_t run_count() const { return records_.size(); }

 private:
  using Run = std::pair<std::size_t, FitTexts>;
  Params document_of(const Run& run) const {
    Params document = cases_[run.first].document;
    for (std::size_t i = 0; i < run.second.size(); ++i) {
      document = with_value(document, pointers_[i], run.second[i]);
    }
    return document;
  }

  std::vector<FitCase> cases_;
  std::vector<std::string> pointers_;
  SimulationLimits limits_;
  std::map<Run, RunRecord> records_;
};

/// Digits of values that are tried, enough for differences, and of those that are written.
constexpr int tried_digits = 10;
constexpr int written_digits = 5;
/// What digits that are not written may add to the sum for each row.
constexpr double most_rounded = 1e-6;
/// Relative change of times below which nothing is told apart when values change by their size.
constexpr double least_told = 0.01;
/// Change of times by which a value that is smaller may yet be told from others.
constexpr double told_well = 0.1;

/// Refuses a file that is given twice: its rows would count twice.
void expect_distinct(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto is_same = [&](const std::string& other) {
      std::error_code ignored;
      return std::filesystem::equivalent(files[i], other, ignored);
    };
    refuse_if(std::ranges::any_of(first_of(files, i), is_same), ".measured", "{} is given twice",
              files[i]);
  }
}

/// A fit on its way.
class Fit {
 public:
  Fit(FitAnswer& answer, const SimulationLimits& limits) : answer_{answer}, limits_{limits} {}

  /// Reads everything. Throws InputError.
  void read() {
    const FitRequest& request = answer_.request;
    refuse_if(request.measured.empty(), ".measured", "names no file");
    expect_distinct(request.measured);
    answer_.document = request.machine_document ? *request.machine_document
                                                : machine_document(request.machine, std::nullopt,
                                                                   ".machine", answer_.inputs);
    answer_.machine = answer_.document.text("name", "unnamed");
    Params scenario = group_of({{"machine", answer_.document}, {"program", Params{}}});
    for (const std::string& setting : request.settings) {
      const Override change = parse_override(setting);
      scenario = with_value(scenario, change.pointer, value_of(change, scenario));
    }
    answer_.document = scenario.group("machine");
    varied_ = read_varied(request.vary, scenario);
    read_rows();
  }

  /// False after an interrupt.
  bool run() {
    const bool is_whole = simulate_as_it_is() && (varied_.empty() || find_values());
    answer_.runs = runs_->run_count();
    return is_whole;
  }

 private:
  void read_rows() {
    std::vector<std::string> settings = answer_.request.settings;
    std::erase_if(settings, [](const std::string& setting) {
      return setting.starts_with("/machine/");  // the document has them
    });
    FitCases cases{answer_.document, std::move(settings)};
    std::vector<FitCase> distinct;
    std::map<std::string, std::size_t> known;  // by document
    bool are_printed = true;                   // all files, whose columns are known
    for (const std::string& file : answer_.request.measured) {
      MeasuredFile measured = read_measured(file, answer_.request.time, answer_.request.columns);
      answer_.inputs.emplace_back(file);
      are_printed = are_printed && measured.is_printed;
      for (const std::string& column : measured.unused) {
        if (std::ranges::find(answer_.unused, column) == answer_.unused.end()) {
          answer_.unused.push_back(column);
        }
      }
      for (MeasuredRow& each : measured.rows) {
        refuse_varied(each);
        FitRow row{.place = each.place, .group = {}, .question = {}, .measured_s = each.seconds};
        FitCase made = cases.of(each, row);
        case_of_row_.push_back(distinct.size());
        if (row.is_used()) {
          const auto [found, is_new] =
              known.emplace(json_text(Setting{made.document}), distinct.size());
          case_of_row_.back() = found->second;
          if (is_new) {
            distinct.push_back(std::move(made));
          }
        }
        answer_.rows.push_back(std::move(row));
      }
    }
    refuse_if(are_printed && !answer_.request.time.empty(), ".time",
              "is of a table, and benchmarks print their times in a column of their own (leave it "
              "out)");
    answer_.inputs.insert(answer_.inputs.end(), cases.inputs().begin(), cases.inputs().end());
    refuse_if(distinct.empty() && !cases.settings_problem().empty(), ".set", "{}",
              cases.settings_problem());
    runs_.emplace(std::move(distinct), mapped(varied_, &VariedValue::pointer), limits_);
    list_used();
  }

  /// A row that gives a value which is varied has a problem: it is measured with that value alone.
  void refuse_varied(MeasuredRow& row) const {
    for (const VariedValue& varied : varied_) {
      for (const auto& setting : row.settings) {
        const std::string& pointer = setting.first;
        if (row.problem.empty() &&
            (pointer == varied.pointer || is_below(pointer, varied.pointer) ||
             is_below(varied.pointer, pointer))) {
          row.problem = fmt::format("`{}` is varied, and the row gives it", varied.value.pointer);
        }
      }
    }
  }

  /// Lists the rows without a problem.
  void list_used() {
    used_ = kept(numbered<std::size_t>(answer_.rows.size()),
                 [&](std::size_t row) { return answer_.rows[row].is_used(); });
    if (used_.empty()) {
      const FitRow& first = answer_.rows.front();
      throw InputError(first.place,
                       fmt::format("{} (and no other row can be used)", first.problem));
    }
    refuse_if(used_.size() < varied_.size(), ".vary", "has {}, and {} can be used",
              counted(varied_.size(), "value"), counted(used_.size(), "row"));
    measured_ = mapped(used_, [&](std::size_t row) { return answer_.rows[row].measured_s; });
  }

  std::vector<std::size_t> cases_in_use() const {
    return mapped(used_, [&](std::size_t row) { return case_of_row_[row]; });
  }

  bool simulate(const std::vector<FitTexts>& values) {
    return runs_->simulate(cases_in_use(), values);
  }

  /// Times of used rows with values that have been simulated. Throws InputError where a row did not
  /// complete.
  std::vector<double> times_with(const FitTexts& values) const {
    return mapped(used_, [&](std::size_t row) {
      const RunRecord& record = runs_->record(case_of_row_[row], values);
      refuse_if(!record.has_completed(), answer_.rows[row].place,
                "completes with other values, and is {} with {} ({})", to_string(record.outcome),
                joined(values, ", "), record.problem);
      return to_seconds(record.makespan);
    });
  }

  /// The same where logarithms are taken of them, so no time is 0.
  std::vector<double> positive_times_with(const FitTexts& values) const {
    return mapped(times_with(values),
                  [](double time) { return std::max(time, to_seconds(Ticks{1})); });
  }

  void take_times(const std::vector<double>& times) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      answer_.rows[used_[i]].simulated_s = times[i];
    }
  }

  /// Simulates the machine as it is. Rows that do not complete are left out.
  bool simulate_as_it_is() {
    const FitTexts texts;
    if (!simulate({texts})) {
      return false;
    }
    for (const std::size_t row : used_) {
      const RunRecord& record = runs_->record(case_of_row_[row], texts);
      if (!record.has_completed()) {
        answer_.rows[row].problem =
            record.problem.empty() ? std::string{to_string(record.outcome)} : record.problem;
      }
    }
    list_used();
    take_times(times_with(texts));
    answer_.before = errors_of_all(answer_.rows);
    return true;
  }

  // --- Values ---

  FitTexts texts_of(const FitPoint& point, int digits) const {
    return numbered(varied_.size(),
                    [&](std::size_t i) { return varied_[i].text(point[i], digits); });
  }

  double inside(std::size_t i, double cost) const {
    const FitRange& range = varied_[i].range;
    const double margin = std::isinf(range.most) ? 0 : (range.most - range.least) / 1000;
    return std::clamp(cost, range.least + margin, range.most - margin);
  }

  /// Costs of the size that the times suggest.
  FitPoint likely_point() const {
    double least_time = measured_.front();
    double least_of_byte = 0;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      least_time = std::min(least_time, measured_[i]);
      const std::uint64_t bytes = answer_.rows[used_[i]].bytes.value_or(0);
      if (bytes > 0) {
        const double of_byte = measured_[i] / static_cast<double>(bytes);
        least_of_byte = least_of_byte == 0 ? of_byte : std::min(least_of_byte, of_byte);
      }
    }
    constexpr double usual_of_byte = 1e-10;
    const double of_byte = least_of_byte > 0 ? least_of_byte / 4 : usual_of_byte;
    return numbered(varied_.size(), [&](std::size_t i) {
      return inside(i, varied_[i].is_of_byte ? of_byte : least_time / 10);
    });
  }

  FitPoint own_point() const {
    FitPoint point = likely_point();
    for (std::size_t i = 0; i < varied_.size(); ++i) {
      if (varied_[i].before.value_or(0) > 0) {
        point[i] = inside(i, *varied_[i].before);
      }
    }
    return point;
  }

  /// The own point with all costs times what makes the median row right.
  FitPoint scaled_point(const std::vector<double>& times) const {
    const double ratio = median_of(
        numbered(measured_.size(), [&](std::size_t i) { return measured_[i] / times[i]; }));
    const FitPoint point = own_point();
    return numbered(point.size(), [&](std::size_t i) { return inside(i, point[i] * ratio); });
  }

  /// Two points to start from, that with the least sum first: where times jump, a search does not
  /// always come through. Nothing after an interrupt.
  std::vector<FitPoint> starts() {
    std::vector<FitPoint> points{own_point()};
    if (!simulate({texts_of(points.front(), tried_digits)})) {
      return {};
    }
    points.push_back(scaled_point(positive_times_with(texts_of(points.front(), tried_digits))));
    points.push_back(likely_point());
    const std::vector<FitTexts> texts =
        mapped(points, [&](const FitPoint& point) { return texts_of(point, tried_digits); });
    if (!simulate(texts)) {
      return {};
    }
    const std::vector<double> costs = mapped(texts, [&](const FitTexts& each) {
      return fit_cost(measured_, positive_times_with(each));
    });
    const auto best = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
    return {points[best], points[best == 2 ? 0 : 2]};
  }

  bool find_values() {
    std::vector<FitRange> ranges = mapped(varied_, &VariedValue::range);
    const FitPoint likely = likely_point();
    for (std::size_t i = 0; i < varied_.size(); ++i) {
      ranges[i].scale = likely[i];
    }
    const TimesAt times_at = [&](const std::vector<FitPoint>& points) {
      const std::vector<FitTexts> texts =
          mapped(points, [&](const FitPoint& point) { return texts_of(point, tried_digits); });
      return simulate(texts)
                 ? mapped(texts, [&](const FitTexts& each) { return positive_times_with(each); })
                 : std::vector<std::vector<double>>{};
    };
    std::optional<NearestTimes> nearest;
    double least_cost = 0;
    for (const FitPoint& start : starts()) {
      for (std::size_t i = 0; i < varied_.size(); ++i) {
        ranges[i].start = start[i];
      }
      NearestTimes other = nearest_times(measured_, ranges, times_at);
      if (other.is_interrupted) {
        return false;
      }
      const double cost = fit_cost(measured_, other.times);
      if (!nearest || cost < least_cost) {
        nearest = std::move(other);
        least_cost = cost;
      }
      if (!nearest->is_rough || is_exact(least_cost, measured_.size())) {
        break;
      }
    }
    if (!nearest) {
      return false;
    }
    const NearestTimes& found = *nearest;
    FitTexts texts = texts_of(found.point, written_digits);
    if (!simulate({texts})) {
      return false;
    }
    if (fit_cost(measured_, positive_times_with(texts)) >
        least_cost + most_rounded * static_cast<double>(measured_.size())) {
      texts = texts_of(found.point, tried_digits);  // times jump between
    }
    take_times(times_with(texts));
    take_values(found, ranges, texts);
    return true;
  }

  void take_values(const NearestTimes& found, const std::vector<FitRange>& ranges,
                   const FitTexts& texts) {
    const std::vector<double> errors = standard_errors(measured_, ranges, found);
    for (std::size_t i = 0; i < varied_.size(); ++i) {
      FittedValue value = varied_[i].value;
      const double cost = varied_[i].cost_of(texts[i]);
      value.text = texts[i];
      value.value = value.is_bandwidth ? 1 / cost : cost;
      value.is_at_bound = found.point[i] <= ranges[i].least || found.point[i] >= ranges[i].most;
      if (!value.is_at_bound && !errors.empty()) {
        value.relative_error = errors[i] / found.point[i];
      }
      value.effect = effect_of(found, i) * found.point[i];
      answer_.values.push_back(std::move(value));
    }
    take_indistinct(found, ranges);
    Params scenario = group_of({{"machine", answer_.document}, {"program", Params{}}});
    for (std::size_t i = 0; i < varied_.size(); ++i) {
      scenario = with_value(scenario, varied_[i].pointer, texts[i]);
    }
    answer_.document = scenario.group("machine");
  }

  /// Values that are 0, or near it, may trade places with others: those are looked for with sizes
  /// that matter to the times, and values of little effect with their own.
  void take_indistinct(const NearestTimes& found, const std::vector<FitRange>& ranges) {
    std::vector<double> sizes = found.point;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double effect = effect_of(found, i);
      const double much = effect > 0 ? told_well / effect : 0;
      sizes[i] = std::max(sizes[i], std::min(much, ranges[i].most - ranges[i].least));
    }
    add_indistinct(weak_directions(found, sizes, least_told), 2);
    for (const IndistinctValues& values : answer_.indistinct) {
      for (FittedValue& value : answer_.values) {
        if (std::ranges::find(values.pointers, value.pointer) != values.pointers.end()) {
          value.relative_error.reset();
        }
      }
    }
    add_indistinct(weak_directions(found, found.point, least_told), 1);
  }

  /// Adds directions of at least so many values, unless they are among others.
  void add_indistinct(const std::vector<WeakDirection>& directions, std::size_t least_count) {
    constexpr double least_part = 0.3;
    constexpr double least_share = 0.02;  // less only makes up for what the others do
    for (const WeakDirection& direction : directions) {
      IndistinctValues values{.pointers = {}, .effect = direction.effect};
      const double most = *std::ranges::max_element(direction.parts);
      for (std::size_t i = 0; i < varied_.size(); ++i) {
        if (direction.parts[i] > least_part * most && direction.shares[i] > least_share) {
          values.pointers.push_back(varied_[i].value.pointer);
        }
      }
      const auto has_all = [&](const IndistinctValues& others) {
        return std::ranges::all_of(values.pointers, [&](const std::string& pointer) {
          return std::ranges::find(others.pointers, pointer) != others.pointers.end();
        });
      };
      if (values.pointers.size() >= least_count &&
          std::ranges::none_of(answer_.indistinct, has_all)) {
        answer_.indistinct.push_back(std::move(values));
      }
    }
  }

  FitAnswer& answer_;
  SimulationLimits limits_;
  std::vector<VariedValue> varied_;
  std::optional<FitRuns> runs_;
  std::vector<std::size_t> case_of_row_;  ///< [row]; of a row with a problem any number
  std::vector<std::size_t> used_;         ///< rows
  std::vector<double> measured_;          ///< times of used rows
};

}  // namespace

FitAnswer fit(const FitRequest& request, const SimulationLimits& limits,
              const std::function<void(const FitAnswer&)>& on_begin) {
  FitAnswer answer{.request = request, .machine = {}};
  Fit work{answer, limits};
  work.read();
  if (on_begin) {
    on_begin(answer);
  }
  const InterruptWatch interrupt;  // between rounds, too
  if (!work.run()) {
    answer.end = RunsEnd::interrupted;
    return answer;
  }
  answer.left_out = left_out_rows(answer.rows);
  answer.groups = errors_by_group(answer.rows);
  answer.all = errors_of_all(answer.rows);
  answer.ranking = fit_ranking(answer.rows);
  return answer;
}

}  // namespace dcube
