#include "dcube/batch/study.hpp"

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
#include "core/file_text.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/batch/measures.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/memory.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "key.hpp"
#include "scenario/documents.hpp"
#include "scenario/json_reading.hpp"
#include "scenario/json_writing.hpp"
#include "scenario/overrides.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_runs = 10'000'000;
/// Of an axis with more values, some are tried before anything runs.
constexpr std::size_t most_tried = 100;
constexpr std::size_t most_first_tries = 1000;

/// The keys and indices of a pointer, or nothing.
std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::string_view part : split_at(pointer.substr(1), '/')) {
    std::string token;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool is_escape = part[i] == '~' && i + 1 < part.size();
      token += is_escape ? (part[++i] == '1' ? '/' : '~') : part[i];
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// What a pointer leads to; null: nothing.
const Setting* find_at(const Params& document, std::string_view pointer) {
  const Params* group = &document;
  const Setting* found = nullptr;
  for (const std::string& token : tokens_of(pointer)) {
    if (found != nullptr && found->list() != nullptr) {
      const auto index = parsed<std::size_t>(token);
      if (!index || *index >= found->list()->size()) {
        return nullptr;
      }
      found = &(*found->list())[*index];
    } else {
      group = found == nullptr ? group : found->group();
      found = group == nullptr ? nullptr : group->find(token);
    }
    if (found == nullptr) {
      return nullptr;
    }
  }
  return found;
}

bool is_below(std::string_view pointer, std::string_view other) {
  return pointer.size() > other.size() && pointer.starts_with(other) &&
         pointer[other.size()] == '/';
}

std::string plain_text(const Setting& value) {
  return value.text() != nullptr     ? *value.text()
         : value.number() != nullptr ? value.number()->text
                                     : json_text(value);
}

/// Names that tables have columns of besides settings.
bool is_reserved(const std::string& column) {
  constexpr std::array<std::string_view, 7> others{"run",  "key",     "outcome",    "problem",
                                                   "runs", "measure", "fingerprint"};
  return std::ranges::find(others, column) != others.end() || find_measure(column) != nullptr;
}

std::string with_unit(std::string name, QuantityUnit unit) {
  switch (unit) {
    case QuantityUnit::time:
      return name + "_s";
    case QuantityUnit::bytes:
      return name.ends_with("bytes") ? name : name + "_bytes";
    case QuantityUnit::rate:
      return name + "_bytes_per_s";
    default:
      return name;
  }
}

/// Fills in numbers, and the unit that all values have.
QuantityUnit read_numbers(StudySetting& setting) {
  QuantityUnit unit = QuantityUnit::none;
  const StudyValue* with = nullptr;
  for (const StudyValue& value : setting.values) {
    const auto quantity = written_quantity(value.text);
    if (!quantity || quantity->unit == QuantityUnit::none) {
      continue;
    }
    refuse_if(with != nullptr && unit != quantity->unit, setting.place,
              "{} and {} are different kinds of quantity (the values of a setting are of one kind)",
              shown(with == nullptr ? "" : with->text), shown(value.text));
    unit = quantity->unit;
    with = &value;
  }
  for (StudyValue& value : setting.values) {
    const auto quantity = written_quantity(value.text);
    refuse_if(with != nullptr && !quantity && decimal_length(value.text) > 0, setting.place,
              "{} is no {} as {} is (units: {})", shown(value.text),
              unit == QuantityUnit::time    ? "time"
              : unit == QuantityUnit::bytes ? "size"
                                            : "rate",
              with == nullptr ? "" : with->text,
              unit == QuantityUnit::time ? "ps ns us ms s" : "B kB MB KiB MiB ..");
    value.number = quantity ? std::optional{quantity->value} : std::nullopt;
  }
  setting.has_numbers = std::ranges::all_of(
      setting.values, [](const StudyValue& value) { return value.number.has_value(); });
  return setting.has_numbers ? unit : QuantityUnit::none;
}

/// Whether the files that values name are read now.
enum class Files { read, named };

StudySetting setting_with(const StudyPlan& plan, std::string_view place, std::string pointer,
                          const std::vector<std::pair<std::string, std::optional<Setting>>>& values,
                          const std::string& hosts, Files files = Files::read) {
  refuse_if(!pointer.starts_with('/') || pointer.size() < 2, place,
            "{} is not a setting (a JSON pointer such as /program/message)", shown(pointer));
  StudySetting setting{.pointer = std::move(pointer), .column = {}, .values = {}, .place = {}};
  setting.place = fmt::format("{} {}", place, setting.pointer);
  if (place.find(": ") != std::string_view::npos) {
    setting.place = place;  // in a file, it names the entry already
  }
  refuse_if(values.empty(), setting.place, "has no value");
  for (const auto& given : values) {
    const std::string& text = given.first;  // Clang 14 captures no parts of a binding
    const std::optional<Setting>& read = given.second;
    StudyValue value{.text = text, .change = {setting.pointer, text, read}};
    if (files == Files::read && setting.pointer == "/embedding" &&
        (!read || read->text() != nullptr) && !text.starts_with('{')) {
      value.change =
          at_place(setting.place, [&] { return embedding_override(text, hosts, plan.file); });
      value.change.value = text;  // that runs are known by
      value.change.setting = value.change.setting.value_or(Setting{text});
    } else if (!read) {
      // What has a unit is no JSON, which would take a while to find out.
      const auto quantity = written_quantity(text);
      const bool has_unit = quantity && quantity->unit != QuantityUnit::none;
      value.change.setting = has_unit ? Setting{text} : value_of(value.change, plan.scenario);
    }
    setting.values.push_back(std::move(value));
  }
  const QuantityUnit unit = read_numbers(setting);
  const std::vector<std::string> tokens = tokens_of(setting.pointer);
  const bool is_index = parsed<std::size_t>(tokens.back()).has_value();
  setting.column = with_unit(is_index ? joined(tokens, "_") : tokens.back(), unit);
  if (is_reserved(setting.column)) {
    setting.column = with_unit(joined(tokens, "_"), unit);
  }
  if (is_reserved(setting.column)) {
    setting.column = "set_" + setting.column;
  }
  return setting;
}

// --- Study files ---

const std::vector<std::string> study_keys{
    "$schema", "schema_version", "name",  "description", "scenario", "set", "vary",
    "zip",     "where",          "seeds", "measures"};

StudySetting read_setting(const StudyPlan& plan, const Params& entry) {
  const std::vector<std::string> keys{"setting", "values"};
  entry.allow_only(keys);
  const std::string pointer = entry.text("setting");
  const Setting& values = entry.required("values");
  std::vector<std::pair<std::string, std::optional<Setting>>> listed;
  if (values.text() != nullptr) {
    for (const std::string& text :
         at_place(entry.place_of("values"), [&] { return listed_values(*values.text()); })) {
      listed.emplace_back(text, std::nullopt);
    }
  } else {
    for (const Setting& value : entry.list("values", "values, or a text such as \"lin:1:9:5\"")) {
      const std::string* const text = value.text();
      if (text != nullptr && (text->starts_with("lin:") || text->starts_with("log:"))) {
        for (const std::string& one :
             at_place(entry.place_of("values"), [&] { return values_of_entry(*text); })) {
          listed.emplace_back(one, std::nullopt);
        }
      } else {
        listed.emplace_back(plain_text(value), value);
      }
    }
  }
  return setting_with(plan, entry.place(), pointer, listed, {});
}

std::vector<std::string> texts(const Params& document, std::string_view key, std::string_view what,
                               std::size_t least = 1) {
  std::vector<std::string> found;
  if (!document.has(key)) {
    return found;
  }
  const Setting::List& list = document.list(key, what, least);
  for (std::size_t i = 0; i < list.size(); ++i) {
    refuse_if(list[i].text() == nullptr, document.place_of(key, i), "{} is not a text",
              list[i].describe());
    found.push_back(*list[i].text());
  }
  return found;
}

bool is_study(const Params& document) {
  return document.has("scenario") || document.has("vary") || document.has("zip");
}

/// Whether a complaint is about what is written, whatever machine it is for.
bool is_misspelt(const InputError& error) {
  constexpr std::array<std::string_view, 8> signs{
      "unknown key",   " is unknown",    "is no embedding", "is no machine",
      "is no program", "is no scenario", "cannot be read",  "which has no parts"};
  return std::ranges::any_of(signs, [&](std::string_view sign) {
    return error.problem().find(sign) != std::string::npos;
  });
}

}  // namespace

StudyPlan read_study_file(const Params& document, const fs::path& file) {
  document.allow_only(study_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  StudyPlan plan{.name = read_name(document, file.stem().string()), .file = file, .scenario = {}};
  const Setting& scenario = document.required("scenario");
  if (scenario.text() != nullptr) {
    const bool is_file =
        scenario.text()->ends_with(".json") || scenario.text()->find('/') != std::string::npos;
    plan.file = is_file ? (file.parent_path() / *scenario.text()).lexically_normal()
                        : find_scenario(*scenario.text());
    plan.scenario = read_scenario_document(plan.file);
  } else if (scenario.group() != nullptr) {
    plan.scenario = *scenario.group();
  } else {
    document.reject_value("scenario", "a scenario (a file, a name or a group of settings { .. })");
  }
  if (document.has("set")) {
    const Params& changes = document.group("set");
    for (const std::string& pointer : changes.keys()) {
      refuse_if(!pointer.starts_with('/'), changes.place_of(pointer),
                "is not a setting (a JSON pointer such as /program/message)");
      plan.changes.push_back({pointer, "", *changes.find(pointer)});
    }
  }
  const auto entry_at = [](const Params& group, std::string_view key, std::size_t i,
                           const Setting& setting) {
    refuse_if(setting.group() == nullptr, group.place_of(key, i),
              "{} is not a setting and its values {{\"setting\": \"/pointer\", \"values\": [..]}}",
              setting.describe());
    return *setting.group();
  };
  if (document.has("vary")) {
    const Setting::List& list = document.list("vary", "settings and their values", 0);
    for (std::size_t i = 0; i < list.size(); ++i) {
      plan.axes.push_back({{read_setting(plan, entry_at(document, "vary", i, list[i]))}});
    }
  }
  if (document.has("zip")) {
    const Setting::List& list = document.list("zip", "lists of settings that change together", 0);
    for (std::size_t i = 0; i < list.size(); ++i) {
      refuse_if(list[i].list() == nullptr || list[i].list()->empty(), document.place_of("zip", i),
                "{} is not a list of settings that change together", list[i].describe());
      const Params entries = Params::of_entries(*list[i].list(), document.place_of("zip", i));
      StudyAxis axis;
      for (std::size_t k = 0; k < list[i].list()->size(); ++k) {
        axis.settings.push_back(
            read_setting(plan, entry_at(entries, std::to_string(k), 0, (*list[i].list())[k])));
      }
      plan.axes.push_back(std::move(axis));
    }
  }
  if (document.has("seeds")) {
    plan.axes.push_back({{study_seeds(document.positive_int("seeds"))}});
    plan.axes.back().settings.front().place = document.place_of("seeds");
  }
  plan.where = texts(document, "where", "conditions such as \"/program/message <= 64KiB\"");
  plan.measures = texts(document, "measures", "names of measures");
  for (std::size_t i = 0; i < plan.measures.size(); ++i) {
    at_place(document.place_of("measures", i), [&] { return &measure_named(plan.measures[i]); });
  }
  return plan;
}

StudySetting read_study_setting(const StudyPlan& plan, std::string_view place,
                                const std::string& pointer, const std::string& values,
                                const std::string& hosts) {
  refuse_if(trimmed(values).empty(), fmt::format("{} {}", place, pointer), "has no value");
  std::vector<std::pair<std::string, std::optional<Setting>>> listed;
  for (const std::string& text :
       at_place(fmt::format("{} {}", place, pointer), [&] { return listed_values(values); })) {
    listed.emplace_back(text, std::nullopt);
  }
  return setting_with(plan, place, pointer, listed, hosts);
}

StudySetting study_seeds(std::uint32_t count) {
  StudySetting seeds{
      .pointer = "/seed", .column = "seed", .values = {}, .place = "--seeds", .has_numbers = true};
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    const std::string text = std::to_string(seed);
    seeds.values.push_back(
        {text, {"/seed", text, Setting{Setting::Number{text}}}, static_cast<double>(seed)});
  }
  return seeds;
}

StudyPlan load_study_plan(const std::string& name_or_file) {
  const bool is_pipe = name_or_file == "/dev/stdin";
  const fs::path file = is_pipe ? fs::path{name_or_file} : find_scenario(name_or_file);
  Params document = read_scenario_document(file);
  if (is_study(document)) {
    return read_study_file(document, is_pipe ? fs::path{"study.json"} : file);
  }
  const std::string name = is_pipe ? "standard input" : file.stem().string();
  return {.name = name, .file = is_pipe ? fs::path{name} : file, .scenario = std::move(document)};
}

void Study::list_settings() {
  std::set<std::string> columns;
  for (StudyAxis& axis : plan_.axes) {
    for (StudySetting& setting : axis.settings) {
      if (!columns.insert(setting.column).second) {
        setting.column = joined(tokens_of(setting.pointer), "_");
        columns.insert(setting.column);
      }
      settings_.push_back(&setting);
    }
  }
}

bool is_study_file(const fs::path& file) {
  std::error_code ignored;
  // What comes through a pipe comes once.
  return fs::is_regular_file(file, ignored) && is_study(read_scenario_document(file));
}

Study::Study(StudyPlan plan) : plan_{std::move(plan)} {
  list_settings();
  check_axes();
  base_ = plan_.scenario;
  std::set<std::string> changed;
  for (const Override& change : plan_.changes) {
    refuse_if(!changed.insert(change.pointer).second && !change.pointer.ends_with("/-"),
              "--set " + change.pointer, "is given twice (a value is replaced once)");
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
                setting->place, "{} is set as well (--set {}); leave one of them out",
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
    std::set<std::vector<std::string>> known;
    for (std::size_t choice = 0; choice < axis.size(); ++choice) {
      std::vector<std::string> together;
      for (const StudySetting& setting : axis.settings) {
        together.push_back(setting.values[choice].text);
      }
      refuse_if(!known.insert(together).second, axis.settings.front().place,
                "the value {} is given twice", joined(together, " with ", shown));
    }
    runs *= axis.size();
    refuse_if(runs > most_runs, axis.settings.front().place,
              "makes more than {} (give fewer values)", counted(most_runs, "run"));
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
    const auto values_of_run = values(run);
    const Condition::Lookup lookup = [&](const std::string& pointer) -> Condition::Value {
      for (std::size_t i = 0; i < settings_.size(); ++i) {
        if (settings_[i]->pointer == pointer) {
          return {values_of_run[i]->text, values_of_run[i]->number};
        }
        refuse_if(is_below(pointer, settings_[i]->pointer), "",
                  "{} is a part of {}, which is varied (compare that)", pointer,
                  settings_[i]->pointer);
      }
      const Setting* const found = find_at(base_, pointer);
      refuse_if(found == nullptr, "", "{} is neither varied nor in the scenario", pointer);
      const std::string text = plain_text(*found);
      const auto quantity = written_quantity(text);
      return {text, quantity ? std::optional{quantity->value} : std::nullopt};
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
  // What is inside of another value comes after that value.
  std::ranges::stable_sort(changes, {}, [](const Override& change) { return change.pointer; });
  return changes;
}

Scenario Study::build(std::size_t run) const {
  try {
    return build_scenario(base_, plan_.file, overrides(run));
  } catch (const InputError& error) {
    for (const StudySetting* const setting : settings_) {
      if (error.place() == "--set " + setting->pointer) {
        throw InputError(setting->place, error.problem());
      }
    }
    throw;
  }
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
  // Each value of each axis with the others of a run that can be built: the first that has it among
  // the runs that conditions leave.
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
  ordered_json axes = ordered_json::array();
  for (const StudyAxis& axis : plan_.axes) {
    ordered_json settings = ordered_json::array();
    for (const StudySetting& setting : axis.settings) {
      ordered_json values = ordered_json::array();
      for (const StudyValue& value : setting.values) {
        values.push_back(value.text);
      }
      settings.push_back({{"setting", setting.pointer}, {"values", std::move(values)}});
    }
    axes.push_back(std::move(settings));
  }
  // Named as seen from the scenario, so that the study may move with its files.
  const fs::path folder = fs::absolute(plan_.file).parent_path().lexically_normal();
  KeyMaker of_runs;
  of_runs.add(version());
  of_runs.add(json_text(Setting{base_}));
  ordered_json files = ordered_json::object();
  for (const fs::path& file : inputs_) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) {
      KeyMaker contents;
      contents.add(file_text(file));
      of_runs.add(contents.key().text());
      files[fs::absolute(file).lexically_normal().lexically_proximate(folder).string()] =
          contents.key().text();
    }
  }
  base_key_ = of_runs.key().text();
  const ordered_json description{{"dcube", {{"version", version()}}},
                                 {"scenario", Setting{base_}},
                                 {"axes", std::move(axes)},
                                 {"where", plan_.where},
                                 {"files", std::move(files)}};
  KeyMaker maker;
  maker.add(json_line(description));
  id_ = maker.key().text();
  ordered_json kept{{"id", id_},
                    {"name", plan_.name},
                    {"runs", run_count()},
                    {"measures", plan_.measures},
                    {"key", base_key_}};
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
  return maker.key().text();
}

Study Study::described(const std::string& description, std::string_view place) {
  const Params document = at_place(place, [&] {
    const Setting read = read_json(description, std::string{place});
    refuse_if(read.group() == nullptr, "", "is no description of a study");
    return *read.group();
  });
  Study study;
  study.description_ = description;
  study.id_ = document.text("id");
  study.base_key_ = document.text("key");
  study.plan_.name = document.text("name");
  study.plan_.file = std::string{place};
  study.base_ = study.plan_.scenario = document.group("scenario");
  study.plan_.where = texts(document, "where", "conditions", 0);
  study.plan_.measures = texts(document, "measures", "measures", 0);
  const Setting::List& axes = document.list("axes", "axes", 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    StudyAxis axis;
    const Params listed =
        Params::of_entries(axes[i].list() == nullptr ? Setting::List{} : *axes[i].list(),
                           document.place_of("axes", i));
    for (std::size_t k = 0; k < listed.keys().size(); ++k) {
      const Params& entry = listed.group(std::to_string(k));
      std::vector<std::pair<std::string, std::optional<Setting>>> values;
      for (const std::string& text : texts(entry, "values", "values", 1)) {
        values.emplace_back(text, Setting{text});
      }
      axis.settings.push_back(setting_with(study.plan_, entry.place(), entry.text("setting"),
                                           values, {}, Files::named));
    }
    refuse_if(axis.settings.empty(), document.place_of("axes", i), "is empty");
    study.plan_.axes.push_back(std::move(axis));
  }
  study.list_settings();
  study.check_axes();
  study.keep_runs();
  return study;
}

std::string study_difference(const std::string& one, const std::string& other) {
  using nlohmann::json;
  const json left = json::parse(one, nullptr, false);
  const json right = json::parse(other, nullptr, false);
  if (!left.is_object() || !right.is_object()) {
    return "what it is";
  }
  std::vector<std::string> differing;
  const auto part = [](const json& study, const char* key) { return study.value(key, json()); };
  if (part(left, "dcube") != part(right, "dcube")) {
    differing.emplace_back("the version of dcube");
  }
  if (const json changes = json::diff(part(left, "scenario"), part(right, "scenario"));
      !changes.empty()) {
    differing.push_back("the scenario's " + changes.front().value("path", std::string{}));
  }
  const auto values_by_setting = [&](const json& study) {
    std::map<std::string, json> values;
    for (const json& axis : part(study, "axes")) {
      for (const json& setting : axis) {
        values[setting.value("setting", std::string{})] = part(setting, "values");
      }
    }
    return values;
  };
  const std::map<std::string, json> settings = values_by_setting(left);
  const std::map<std::string, json> others = values_by_setting(right);
  for (const auto& [pointer, values] : others) {
    const auto found = settings.find(pointer);
    if (found == settings.end() || found->second != values) {
      differing.push_back("what " + pointer + " goes through");
    }
  }
  for (const auto& [pointer, values] : settings) {
    if (!others.contains(pointer)) {
      differing.push_back("what " + pointer + " goes through");
    }
  }
  if (differing.empty() && part(left, "axes") != part(right, "axes")) {
    differing.emplace_back("the order of settings");
  }
  if (part(left, "where") != part(right, "where")) {
    differing.emplace_back("what conditions leave");
  }
  const json files = part(left, "files");
  const json other_files = part(right, "files");
  for (const auto& [file, contents] : other_files.items()) {
    if (!files.contains(file) || files[file] != contents) {
      differing.push_back(file);
    }
  }
  if (differing.empty() && files != other_files) {
    differing.emplace_back("what is read");
  }
  return joined(differing, " and ");
}

}  // namespace dcube
