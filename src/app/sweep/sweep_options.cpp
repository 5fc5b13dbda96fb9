#include "sweep_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/runs/measures.hpp"

namespace dcube::app {
namespace {

std::pair<std::string, std::string> pointer_and_values(const char* option,
                                                       const std::string& text) {
  const std::size_t equals = text.find('=');
  refuse_if(!text.starts_with('/') || equals == std::string::npos, option,
            "{} is not a setting and its values (write /pointer=value,value, for example "
            "/program/message=1,64,4096)",
            Setting{text}.describe());
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::size_t setting_option(const Study& study, const char* option, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    const StudySetting& setting = *study.settings()[i];
    if (setting.pointer == name || setting.column == name) {
      return i;
    }
    known.push_back(setting.pointer);
  }
  throw InputError(option, fmt::format("{} is not varied{}", Setting{name}.describe(),
                                       nearest_name_hint(name, known)));
}

}  // namespace

StudyPlan study_plan(const SweepOptions& options) {
  StudyPlan plan = load_study_plan(options.scenario.file);
  for (const std::string& setting : options.scenario.settings) {
    plan.changes.push_back(parse_override(setting));
  }
  if (!options.jitter.empty()) {
    at_place("--jitter", [&] { return parse_jitter_part(options.jitter); });
    plan.changes.push_back({"/jitter", options.jitter});
  }
  for (const std::string& text : options.vary) {
    const auto [pointer, values] = pointer_and_values("--vary", text);
    plan.axes.push_back(
        {{read_study_setting(plan, "--vary", pointer, values, options.scenario.hosts)}});
  }
  StudyAxis zipped;
  for (const std::string& text : options.zip) {
    const auto [pointer, values] = pointer_and_values("--zip", text);
    zipped.settings.push_back(
        read_study_setting(plan, "--zip", pointer, values, options.scenario.hosts));
  }
  if (!zipped.settings.empty()) {
    plan.axes.push_back(std::move(zipped));
  }
  if (!options.embeddings.empty()) {
    if (!options.scenario.hosts.empty()) {
      check_hosts_option(options.scenario.hosts, options.embeddings);
    }
    StudySetting embeddings = at_place("--embedding", [&] {
      return read_study_setting(plan, "--embedding", "/embedding", joined(options.embeddings, ","),
                                options.scenario.hosts);
    });
    embeddings.place = "--embedding";
    plan.axes.push_back({{std::move(embeddings)}});
  }
  if (options.seeds) {
    plan.axes.push_back({{study_seeds(*options.seeds)}});
  }
  // Seeds change fastest, so that the runs of a group are neighbours.
  std::stable_partition(plan.axes.begin(), plan.axes.end(),
                        [](const StudyAxis& axis) { return !axis.settings.front().is_seed(); });
  plan.where.insert(plan.where.end(), options.where.begin(), options.where.end());
  if (!options.measures.empty()) {
    plan.measures = options.measures;
  }
  return plan;
}

SweepQuestion sweep_question(const SweepOptions& options, const Study& study) {
  SweepQuestion question;
  const std::vector<std::string>& named =
      !options.measures.empty() ? options.measures : study.plan().measures;
  for (const std::string& name : named.empty() ? usual_measures() : named) {
    const Measure* const measure = at_place("--measure", [&] { return &measure_named(name); });
    refuse_if(std::ranges::find(question.measures, measure) != question.measures.end(), "--measure",
              "{} is given twice", name);
    question.measures.push_back(measure);
  }
  for (const std::string& ratio : options.ratios) {
    question.ratios.push_back(at_place("--ratio", [&] { return read_ratio(study, ratio); }));
  }
  question.x =
      options.x.empty() ? usual_x(study) : std::optional{setting_option(study, "--x", options.x)};
  if (!options.lines.empty()) {
    question.line = setting_option(study, "--lines", options.lines);
    refuse_if(question.line == question.x, "--lines", "{} is the horizontal axis already",
              options.lines);
  } else if (question.x) {
    question.line = usual_line(study, *question.x);
  }
  return question;
}

}  // namespace dcube::app
