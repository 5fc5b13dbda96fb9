#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "axis_values.hpp"
#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/file_names.hpp"
#include "core/going_on.hpp"
#include "core/json_reading.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/runs/setting_places.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/overrides.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

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
    ask_to_go_on();
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
  setting.has_whole_numbers = std::ranges::all_of(setting.values, [](const StudyValue& value) {
    const std::optional<Decimal> number = read_decimal(value.text);
    return number && whole_value(*number);
  });
  return setting.has_numbers ? unit : QuantityUnit::none;
}

/// Whether the files that values name are read now.
enum class Files { read, named };

/// Texts, each with its setting where that has been read.
using WrittenValues = std::vector<std::pair<std::string, std::optional<Setting>>>;

WrittenValues not_read(const std::vector<std::string>& texts) {
  return mapped(texts, [](const std::string& text) { return WrittenValues::value_type{text, {}}; });
}

StudySetting setting_with(const StudyPlan& plan, std::string_view place, std::string pointer,
                          const WrittenValues& values, const std::string& hosts,
                          Files files = Files::read) {
  refuse_if(!pointer.starts_with('/') || pointer.size() < 2, place,
            "{} is not a setting (a JSON pointer such as /program/message)", shown(pointer));
  const std::vector<std::string> tokens = at_place(place, [&] { return pointer_tokens(pointer); });
  StudySetting setting{.pointer = std::move(pointer), .column = {}, .values = {}, .place = {}};
  setting.place = fmt::format("{} {}", place, setting.pointer);
  if (place.find(": ") != std::string_view::npos) {
    setting.place = place;  // in a file, it names the entry already
  }
  refuse_if(values.empty(), setting.place, "has no value");
  at_place(setting.place, [&] {
    expect_fits_in_memory("a list of the values", values.size() * sizeof(StudyValue),
                          "give fewer values");
  });
  for (const auto& given : values) {
    ask_to_go_on();
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
      // A text with a unit is no JSON; parsing it to find that out is slow.
      const auto quantity = written_quantity(text);
      const bool has_unit = quantity && quantity->unit != QuantityUnit::none;
      value.change.setting = has_unit ? Setting{text} : value_of(value.change, plan.scenario);
    }
    setting.values.push_back(std::move(value));
  }
  const QuantityUnit unit = read_numbers(setting);
  const bool is_index = parsed<std::size_t>(tokens.back()).has_value();
  setting.column = with_unit(is_index ? joined(tokens, "_") : tokens.back(), unit);
  setting.long_column = with_unit(joined(tokens, "_"), unit);
  if (is_reserved(setting.column)) {
    setting.column = setting.long_column;
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
  const auto at_values = [&](auto read) { return at_place(entry.place_of("values"), read); };
  WrittenValues listed;
  if (values.text() != nullptr) {
    listed = at_values([&] { return not_read(listed_values(*values.text())); });
  } else {
    for (const Setting& value : entry.list("values", "values, or a text such as \"lin:1:9:5\"")) {
      ask_to_go_on();
      const std::string* const text = value.text();
      if (text != nullptr && (text->starts_with("lin:") || text->starts_with("log:"))) {
        std::ranges::move(at_values([&] { return not_read(values_of_entry(*text)); }),
                          std::back_inserter(listed));
      } else {
        listed.emplace_back(plain_text(value), value);
      }
    }
  }
  return setting_with(plan, entry.place(), pointer, listed, {});
}

std::vector<std::string> texts(const Params& document, std::string_view key, std::string_view what,
                               std::size_t least = 1) {
  if (!document.has(key)) {
    return {};
  }
  const Setting::List& list = document.list(key, what, least);
  return numbered(list.size(), [&](std::size_t i) {
    refuse_if(list[i].text() == nullptr, document.place_of(key, i), "{} is not a text",
              list[i].describe());
    return *list[i].text();
  });
}

bool is_study(const Params& document) {
  return document.has("scenario") || document.has("vary") || document.has("zip");
}

}  // namespace

StudyPlan read_study_file(const Params& document, const fs::path& file) {
  allow_only_of(document, "a study", study_keys);
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
      at_place(changes.place_of(pointer), [&] { return pointer_tokens(pointer); });
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
      plan.axes.push_back({numbered(list[i].list()->size(), [&](std::size_t k) {
        return read_setting(plan, entry_at(entries, std::to_string(k), 0, (*list[i].list())[k]));
      })});
    }
  }
  if (document.has("seeds")) {
    plan.axes.push_back(
        {{study_seeds(document.positive_int("seeds"), document.place_of("seeds"))}});
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
  const std::string full_place = fmt::format("{} {}", place, pointer);
  refuse_if(trimmed(values).empty(), full_place, "has no value");
  return setting_with(plan, place, pointer,
                      at_place(full_place, [&] { return not_read(listed_values(values)); }), hosts);
}

StudySetting study_seeds(std::uint32_t count, std::string place) {
  StudySetting seeds{.pointer = "/seed",
                     .column = "seed",
                     .values = {},
                     .place = std::move(place),
                     .has_numbers = true,
                     .has_whole_numbers = true,
                     .long_column = "seed"};
  at_place(seeds.place, [&] {
    refuse_if(count > most_study_runs, "", "makes more than {} (give fewer values)",
              counted(most_study_runs, "run"));
    expect_fits_in_memory("a list of the seeds", count * sizeof(StudyValue), "give fewer seeds");
  });
  seeds.values = numbered(count, [](std::uint32_t before) {
    const std::string text = std::to_string(before + 1);
    return StudyValue{text, {"/seed", text, Setting{Setting::Number{text}}}, before + 1.0};
  });
  return seeds;
}

StudyPlan load_study_plan(const std::string& name_or_file) {
  const bool is_pipe = name_or_file == standard_input;
  const fs::path file = is_pipe ? fs::path{name_or_file} : find_scenario(name_or_file);
  Params document = read_scenario_document(file);
  if (is_study(document)) {
    return read_study_file(document, is_pipe ? fs::path{"study.json"} : file);
  }
  refuse_other_document(document, "a scenario");
  const std::string name = is_pipe ? "standard input" : file.stem().string();
  return {.name = name, .file = is_pipe ? fs::path{name} : file, .scenario = std::move(document)};
}

bool is_study_file(const fs::path& file) {
  std::error_code ignored;
  // A pipe other than standard input can be read only once.
  return (file == standard_input || fs::is_regular_file(file, ignored)) &&
         is_study(read_scenario_document(file));
}

Study Study::described(const std::string& description, std::string_view place) {
  const Params document = at_place(place, [&] {
    const Setting read = read_json(description, std::string{place});
    refuse_if(read.group() == nullptr, "", "is no description of a study");
    refuse_if(read.group()->find("question") != nullptr, "",
              "describes runs of another command, which shows them when it is given again");
    refuse_if(read.group()->find("id") == nullptr, "",
              "is not what dcube sweep writes into a folder of results");
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
  study.plan_.ratios = texts(document, "ratios", "ratios", 0);
  study.plan_.x = document.has("x") ? document.text("x") : "";
  study.plan_.lines = document.has("lines") ? document.text("lines") : "";
  const Setting::List& axes = document.list("axes", "axes", 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    StudyAxis axis;
    const Params listed =
        Params::of_entries(axes[i].list() == nullptr ? Setting::List{} : *axes[i].list(),
                           document.place_of("axes", i));
    for (std::size_t k = 0; k < listed.keys().size(); ++k) {
      const Params& entry = listed.group(std::to_string(k));
      const WrittenValues values =
          mapped(texts(entry, "values", "values", 1), [](const std::string& text) {
            return WrittenValues::value_type{text, Setting{text}};
          });
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

}  // namespace dcube
