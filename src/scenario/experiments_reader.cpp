#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 14> quantity_names{
    "makespan_s",    "rate_kB_per_s",   "saving_percent", "best_value",   "crossover",
    "link_load_max", "link_busy_max_s", "hops_per_pair",  "mapping_mean", "mapping_saving_percent",
    "run_result",    "run_ratio",       "embed_result",   "embed_ratio"};

const std::vector<std::string> file_keys{"$schema", "schema_version", "title",
                                         "source",  "text",           "experiments"};
const std::vector<std::string> experiment_keys{
    "name",     "text",          "quantity",           "pointer", "scenario", "mapping",
    "baseline", "limit_percent", "mean_limit_percent", "points"};
const std::vector<std::string> point_keys{"label",   "pointer", "set",
                                          "choices", "printed", "expected"};
const std::vector<std::string> choice_keys{"value", "set"};

/// A study of mappings takes less than this.
constexpr std::uint64_t study_bytes = std::uint64_t{1} << 26U;

bool has_baseline(Quantity quantity) {
  return quantity == Quantity::saving_percent || quantity == Quantity::crossover ||
         quantity == Quantity::mapping_saving_percent || quantity == Quantity::run_ratio ||
         quantity == Quantity::embed_ratio;
}

bool has_choices(Quantity quantity) {
  return quantity == Quantity::best_value || quantity == Quantity::crossover;
}

std::string full_text(const Params& group, std::string_view key) {
  return group.full_text(key, "says nothing");
}

std::optional<double> limit(const Params& experiment, std::string_view key) {
  return experiment.has(key)
             ? std::optional{experiment.real(key, 0, std::numeric_limits<double>::max(),
                                             "a limit in percent (0 or more)")}
             : std::nullopt;
}

// --- Simulations ---

/// A scenario or a study on its way to that of a trial.
class TrialScenario {
 public:
  /// Reads what the experiment names, a file or the scenario itself.
  TrialScenario(const Params& experiment, const fs::path& experiments_file) {
    const Setting* scenario = experiment.find("scenario");
    file_ = experiments_file;
    if (experiment.has("mapping")) {
      document_ = experiment.group("mapping");
    } else if (scenario != nullptr && scenario->text() != nullptr) {
      file_ = experiments_file.parent_path() / *scenario->text();
      document_ = read_json_file(file_);
    } else {
      document_ = experiment.group("scenario");
    }
  }

  /// A copy with the settings "pointer": value of the group `key`, where there is one.
  TrialScenario with(const Params& parent, std::string_view key) const {
    TrialScenario changed = *this;
    if (parent.has(key)) {
      const Params& settings = parent.group(key);
      for (const std::string& pointer : settings.keys()) {
        changed.set(settings, pointer);
      }
    }
    return changed;
  }

  const Params& document() const { return document_; }
  const fs::path& file() const { return file_; }
  const std::vector<fs::path>& inputs() const { return inputs_; }

 private:
  void set(const Params& settings, const std::string& pointer) {
    refuse_if(!pointer.starts_with('/'), settings.place_of(pointer),
              "is not a JSON pointer into the scenario or study (such as \"/program/message\")");
    document_ = at_place(settings.place_of(pointer), [&] {
      make_reachable(document_, pointer, file_.parent_path(), inputs_);
      return with_value(document_, pointer, *settings.find(pointer));
    });
  }

  fs::path file_;
  Params document_;
  std::vector<fs::path> inputs_;
};

class ExperimentReader {
 public:
  /// `result` receives the files that are read and the largest size of a run.
  ExperimentReader(const Params& experiment, const fs::path& experiments_file,
                   ExperimentFile& result)
      : source_{experiment}, scenario_{experiment, experiments_file}, result_{result} {}

  Experiment read() {
    source_.allow_only(experiment_keys);
    experiment_.name = full_text(source_, "name");
    experiment_.text = source_.text("text", "");
    experiment_.quantity = read_quantity();
    experiment_.scenario = scenario_.file();
    experiment_.limit_percent = limit(source_, "limit_percent");
    experiment_.mean_limit_percent = limit(source_, "mean_limit_percent");
    check_source();
    check_baseline();
    for (const Params& point : source_.groups("points", "points { .. }")) {
      experiment_.points.push_back(read_point(point));
    }
    check_limits();
    return std::move(experiment_);
  }

 private:
  Quantity read_quantity() const {
    source_.required("quantity");
    return choice<Quantity>(source_, "quantity", quantity_names, "");
  }

  /// Complains when the key is missing. `what` describes it, with a {} for the quantity.
  void expect(const char* key, fmt::format_string<const char*> what) const {
    refuse_if(!source_.has(key), source_.place(), "`{}` is missing ({})", key,
              fmt::format(what, to_string(experiment_.quantity)));
  }

  void check_source() const {
    const bool is_study = is_of_mappings(experiment_.quantity);
    const char* const needed = is_study ? "mapping" : "scenario";
    const char* const other = is_study ? "scenario" : "mapping";
    refuse_if(source_.has(other), source_.place_of(other), "{} is made from `{}`; leave it out",
              to_string(experiment_.quantity), needed);
    expect(needed, "what {} is made from");
  }

  void check_baseline() const {
    if (has_baseline(experiment_.quantity)) {
      expect("baseline", "settings that {} compares with");
    }
    refuse_if(!has_baseline(experiment_.quantity) && source_.has("baseline"),
              source_.place_of("baseline"), "{} compares with none; leave it out",
              to_string(experiment_.quantity));
  }

  /// Throws InputError unless every number has a limit, and every limit limits something.
  void check_limits() const {
    const bool has_number = std::ranges::any_of(
        experiment_.points, [](const ExperimentPoint& point) { return !point.reference.is_range; });
    refuse_if(has_number && !experiment_.limit_percent, source_.place(),
              "`limit_percent` is missing (the largest error that may be)");
    for (const char* key : {"limit_percent", "mean_limit_percent"}) {
      refuse_if(!has_number && source_.has(key), source_.place_of(key),
                "limits nothing, since every point has a range; leave it out");
    }
  }

  ExperimentPoint read_point(const Params& source) {
    source.allow_only(point_keys);
    ExperimentPoint point;
    point.label = full_text(source, "label");
    point.reference = read_reference(source);
    point.pointer = read_pointer(source);
    const TrialScenario scenario = scenario_.with(source, "set");
    if (!has_choices(experiment_.quantity)) {
      refuse_if(source.has("choices"), source.place_of("choices"),
                "{} chooses from none; leave it out", to_string(experiment_.quantity));
      point.trials.push_back(read_trial(scenario, source));
      return point;
    }
    for (const Params& choice : source.groups("choices", "choices { .. }")) {
      choice.allow_only(choice_keys);
      Trial trial = read_trial(scenario.with(choice, "set"), choice);
      constexpr double most = std::numeric_limits<double>::max();
      trial.value = choice.real("value", -most, most, "the value of a choice (a number)");
      point.trials.push_back(std::move(trial));
    }
    return point;
  }

  /// The pointer of the point, or else that of all points.
  std::string read_pointer(const Params& point) const {
    const Params& owner = point.has("pointer") ? point : source_;
    if (!has_pointer(experiment_.quantity)) {
      refuse_if(owner.has("pointer"), owner.place_of("pointer"),
                "{} is no number out of a result; leave it out", to_string(experiment_.quantity));
      return {};
    }
    refuse_if(!owner.has("pointer"), source_.place(),
              "`pointer` is missing (where the number for {} stands in the result, such as "
              "\"/messages/hops\")",
              to_string(experiment_.quantity));
    return read_json_pointer(owner, "pointer");
  }

  Trial read_trial(const TrialScenario& scenario, const Params& source) {
    Trial trial;
    trial.document = checked(scenario, source);
    if (has_baseline(experiment_.quantity)) {
      trial.baseline = checked(scenario.with(source_, "baseline"), source);
    }
    return trial;
  }

  /// Complaints name the point or choice, since its settings brought them about.
  const Params& checked(const TrialScenario& scenario, const Params& source) {
    try {
      if (is_of_mappings(experiment_.quantity)) {
        read_subcube_study(scenario.document());
        note_run(study_bytes);
        return scenario.document();
      }
      const Scenario built = build_scenario(scenario.document(), scenario.file());
      result_.inputs.insert(scenario.inputs().begin(), scenario.inputs().end());
      result_.inputs.insert(built.inputs.begin(), built.inputs.end());
      note_run(estimated_memory_bytes(run_size(built)));
      return scenario.document();
    } catch (const InputError& error) {
      throw InputError(source.place(), error.what());
    }
  }

  void note_run(std::uint64_t bytes) {
    result_.largest_run_bytes = std::max(result_.largest_run_bytes, bytes);
  }

  const Params& source_;
  TrialScenario scenario_;
  ExperimentFile& result_;
  Experiment experiment_;
};

}  // namespace

ExperimentFile read_experiments(const Params& document, const fs::path& file) {
  allow_only_of(document, "a file of experiments", file_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  ExperimentFile result;
  result.inputs.insert(file);
  result.title = full_text(document, "title");
  result.source = full_text(document, "source");
  result.text = document.text("text", "");
  for (const Params& source : document.groups("experiments", "experiments { .. }")) {
    result.experiments.push_back(ExperimentReader{source, file, result}.read());
  }
  return result;
}

ExperimentFile load_experiments(const fs::path& file) {
  return read_experiments(read_json_file(file), known_as(file));
}

const char* to_string(Quantity quantity) {
  return quantity_names[static_cast<std::size_t>(quantity)].c_str();
}

}  // namespace dcube
