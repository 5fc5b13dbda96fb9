#include "dcube/runs/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "axis_values.hpp"
#include "conditions.hpp"
#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/going_on.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/memory.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/setting_places.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "key.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// Limits of the values that are tried before anything runs.
constexpr std::size_t most_tried = 100;
constexpr std::size_t most_first_tries = 1000;

/// Whether a complaint is about the spelling of a value, whatever the machine.
bool is_misspelt(const InputError& error) {
  constexpr std::array<std::string_view, 8> signs{
      "unknown key",   " is unknown",    "is no embedding", "is no machine",
      "is no program", "is no scenario", "cannot be read",  "which has no parts"};
  return std::ranges::any_of(signs, [&](std::string_view sign) {
    return error.problem().find(sign) != std::string::npos;
  });
}

}  // namespace

void Study::list_settings() {
  std::set<std::string> columns;
  for (StudyAxis& axis : plan_.axes) {
    for (StudySetting& setting : axis.settings) {
      if (!columns.insert(setting.column).second) {
        setting.column = setting.long_column;
        columns.insert(setting.column);
      }
      settings_.push_back(&setting);
    }
  }
}

std::size_t Study::axis_of(std::size_t setting) const {
  std::size_t axis = 0;
  for (; setting >= plan_.axes[axis].settings.size(); ++axis) {
    setting -= plan_.axes[axis].settings.size();
  }
  return axis;
}

Study::Study(StudyPlan plan) : plan_{std::move(plan)} {
  list_settings();
  check_axes();
  base_ = plan_.scenario;
  std::set<std::string> changed;
  for (const Override& change : plan_.changes) {
    refuse_if(!changed.insert(change.pointer).second && !change.pointer.ends_with("/-"),
              ".set " + change.pointer, "is given twice (a value is replaced once)");
    make_reachable(base_, change.pointer, plan_.file.parent_path(), inputs_);
    base_ = with_value(base_, change.pointer, value_of(change, plan_.scenario));
    if (!change.file.empty()) {
      inputs_.push_back(change.file);
    }
  }
  const bool has_machine_axis = std::ranges::any_of(
      settings_, [](const StudySetting* setting) { return setting->pointer == "/machine"; });
  if (!has_machine_axis) {
    make_reachable(base_, "/machine/name", plan_.file.parent_path(), inputs_);
  }
  keep_runs();
  check_values();
  describe();
}

void Study::check_axes() const {
  std::set<std::string> columns;
  for (const StudySetting* const setting : settings_) {
    for (const StudySetting* const other : settings_) {
      refuse_if(other != setting && other->pointer == setting->pointer,
                other < setting ? setting->place : other->place,
                "{} is varied twice (list all its values in one place)", setting->pointer);
    }
    for (const Override& change : plan_.changes) {
      refuse_if(change.pointer == setting->pointer || is_below(change.pointer, setting->pointer),
                setting->place, "{} is set as well (`.set` {}); leave one of them out",
                setting->pointer, change.pointer);
    }
  }
  std::uint64_t runs = 1;
  for (const StudyAxis& axis : plan_.axes) {
    for (const StudySetting& setting : axis.settings) {
      refuse_if(setting.values.size() != axis.size(), setting.place,
                "has {} and {} has {} (settings that change together have equally many)",
                counted(setting.values.size(), "value"), axis.settings.front().pointer,
                axis.size());
    }
    runs *= axis.size();
    refuse_if(runs > most_study_runs, axis.settings.front().place,
              "makes more than {} (give fewer values)", counted(most_study_runs, "run"));
  }
  for (const StudyAxis& axis : plan_.axes) {
    std::set<std::vector<std::string>> known;
    for (std::size_t choice = 0; choice < axis.size(); ++choice) {
      ask_to_go_on();
      const std::vector<std::string> together = mapped(
          axis.settings, [&](const StudySetting& setting) { return setting.values[choice].text; });
      refuse_if(!known.insert(together).second, axis.settings.front().place,
                "the value {} is given twice", joined(together, " with ", shown));
    }
  }
}

void Study::keep_runs() {
  combinations_ = 1;
  for (const StudyAxis& axis : plan_.axes) {
    combinations_ *= axis.size();
  }
  if (plan_.where.empty()) {
    return;
  }
  std::vector<Condition> conditions;
  const auto at_condition = [&](std::size_t i, auto make) {
    return at_place(fmt::format("where \"{}\"", plan_.where[i]), make);
  };
  for (std::size_t i = 0; i < plan_.where.size(); ++i) {
    conditions.push_back(at_condition(i, [&] { return Condition{plan_.where[i]}; }));
  }
  for (std::uint64_t run = 0; run < combinations_; ++run) {
    ask_to_go_on();
    const auto values_of_run = values(run);
    const Condition::Lookup lookup = [&](const std::string& pointer) -> Condition::Value {
      for (std::size_t i = 0; i < settings_.size(); ++i) {
        if (settings_[i]->pointer == pointer) {
          return Condition::Value::of(values_of_run[i]->text);
        }
        refuse_if(is_below(pointer, settings_[i]->pointer), "",
                  "{} is a part of {}, which is varied (compare that)", pointer,
                  settings_[i]->pointer);
      }
      const Setting* const found = find_at(base_, pointer);
      refuse_if(found == nullptr, "", "{} is neither varied nor in the scenario", pointer);
      return Condition::Value::of(plain_text(*found));
    };
    bool is_kept = true;
    for (std::size_t i = 0; i < conditions.size() && is_kept; ++i) {
      is_kept = at_condition(i, [&] { return conditions[i].holds(lookup); });
    }
    if (is_kept) {
      kept_.push_back(run);
    }
  }
  refuse_if(kept_.empty(), fmt::format("where \"{}\"", joined(plan_.where, "\" and \"")),
            "leaves none of {}", counted(combinations_, "run"));
  is_whole_ = false;
}

std::vector<std::size_t> Study::choices(std::size_t run) const {
  std::uint64_t rest = is_whole_ ? run : kept_[run];
  std::vector<std::size_t> chosen(plan_.axes.size());
  for (std::size_t axis = chosen.size(); axis-- > 0;) {
    chosen[axis] = rest % plan_.axes[axis].size();
    rest /= plan_.axes[axis].size();
  }
  return chosen;
}

std::vector<const StudyValue*> Study::values(std::size_t run) const {
  const std::vector<std::size_t> chosen = choices(run);
  std::vector<const StudyValue*> values;
  for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
    for (const StudySetting& setting : plan_.axes[axis].settings) {
      values.push_back(&setting.values[chosen[axis]]);
    }
  }
  return values;
}

std::vector<Override> Study::overrides(std::size_t run) const {
  std::vector<Override> changes =
      mapped(values(run), [](const StudyValue* value) { return value->change; });
  // A value inside of another comes after that.
  std::ranges::stable_sort(changes, {}, [](const Override& change) { return change.pointer; });
  return changes;
}

Scenario Study::build(std::size_t run) const {
  try {
    return build_scenario(base_, plan_.file, overrides(run));
  } catch (const InputError& error) {
    for (const StudySetting* const setting : settings_) {
      if (error.place() == ".set " + setting->pointer) {
        throw InputError(setting->place, error.problem());
      }
    }
    throw;
  }
}

RunRecord Study::make(std::size_t run) const {
  return made_record(*this, run, [&] {
    Scenario scenario = build(run);
    RunRecord record = run_record(scenario);
    for (const fs::path& file : scenario.inputs) {
      std::error_code ignored;
      if (!std::ranges::binary_search(inputs_, file) && fs::is_regular_file(file, ignored)) {
        record.more_files.emplace_back(file.string(), content_key(file));
      }
    }
    return record;
  });
}

void Study::check_values() {
  std::set<fs::path> files{inputs_.begin(), inputs_.end()};
  const auto try_to_build = [&](std::size_t run) -> std::optional<InputError> {
    try {
      const Scenario scenario = build(run);
      files.insert(scenario.inputs.begin(), scenario.inputs.end());
      largest_run_bytes_ = std::max(largest_run_bytes_, estimated_memory_bytes(run_size(scenario)));
      return std::nullopt;
    } catch (const InputError& error) {
      return error;
    }
  };
  std::optional<InputError> first_error;
  std::optional<std::size_t> sound;
  for (std::size_t run = 0; run < std::min(run_count(), most_first_tries) && !sound; ++run) {
    const auto error = try_to_build(run);
    if (!error) {
      sound = run;
    } else if (!first_error) {
      first_error = error;
    }
  }
  if (!sound) {
    throw *first_error;
  }
  // Try values of each axis with the other values of a run that can be built, where conditions
  // leave that combination.
  const std::vector<std::size_t> usual = choices(*sound);
  for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis) {
    const StudyAxis& tried = plan_.axes[axis];
    const std::size_t step = tried.settings.front().is_seed()
                                 ? tried.size()
                                 : std::max<std::size_t>(1, tried.size() / most_tried);
    for (std::size_t choice = 0; choice < tried.size(); choice += step) {
      std::uint64_t combination = 0;
      for (std::size_t i = 0; i < usual.size(); ++i) {
        combination = combination * plan_.axes[i].size() + (i == axis ? choice : usual[i]);
      }
      std::optional<std::size_t> run;
      if (is_whole_) {
        run = combination;
      } else if (const auto found = std::ranges::lower_bound(kept_, combination);
                 found != kept_.end() && *found == combination) {
        run = static_cast<std::size_t>(found - kept_.begin());
      }
      const auto error = run ? try_to_build(*run) : std::nullopt;
      if (error && is_misspelt(*error)) {
        throw *error;
      }
    }
  }
  inputs_.assign(files.begin(), files.end());
}

void Study::describe() {
  using nlohmann::ordered_json;
  const ordered_json axes = mapped(plan_.axes, [](const StudyAxis& axis) {
    return mapped(axis.settings, [](const StudySetting& setting) {
      return ordered_json{{"setting", setting.pointer},
                          {"values", mapped(setting.values, &StudyValue::text)}};
    });
  });
  // Named as seen from the scenario, so that the study may move with its files.
  const fs::path folder = fs::absolute(plan_.file).parent_path().lexically_normal();
  KeyMaker of_runs;
  of_runs.add(version());
  of_runs.add(json_text(Setting{base_}));
  ordered_json files = ordered_json::object();
  for (const fs::path& file : inputs_) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) {
      const std::string key = content_key(file);
      of_runs.add(key);
      files[fs::absolute(file).lexically_normal().lexically_proximate(folder).string()] = key;
    }
  }
  base_key_ = of_runs.key();
  const ordered_json description{{"dcube", {{"version", version()}}},
                                 {"scenario", Setting{base_}},
                                 {"axes", std::move(axes)},
                                 {"where", plan_.where},
                                 {"files", std::move(files)}};
  KeyMaker maker;
  maker.add(json_line(description));
  id_ = maker.key();
  ordered_json kept{{"id", id_},
                    {"name", plan_.name},
                    {"runs", run_count()},
                    {"measures", plan_.measures},
                    {"key", base_key_}};
  for (const auto& [key, text] : {std::pair{"x", plan_.x}, std::pair{"lines", plan_.lines}}) {
    if (!text.empty()) {
      kept[key] = text;
    }
  }
  if (!plan_.ratios.empty()) {
    kept["ratios"] = plan_.ratios;
  }
  kept.update(description);
  description_ = json_layout(kept);
}

std::string Study::key(std::size_t run) const {
  KeyMaker maker;
  maker.add(base_key_);
  for (const Override& change : overrides(run)) {
    maker.add(change.pointer);
    maker.add(change.value);
  }
  return maker.key();
}

}  // namespace dcube
