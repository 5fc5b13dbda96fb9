#include "dcube/questions/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/runs/measures.hpp"
#include "runs/execute.hpp"
#include "runs/mpi.hpp"
#include "runs/store.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

StudySetting varied_setting(const StudyPlan& plan, const char* field, const std::string& text,
                            const std::string& hosts) {
  const std::size_t equals = text.find('=');
  refuse_if(!text.starts_with('/') || equals == std::string::npos, field,
            "{} is not a setting and its values (write /pointer=value,value, for example "
            "/program/message=1,64,4096)",
            Setting{text}.describe());
  return read_study_setting(plan, field, text.substr(0, equals), text.substr(equals + 1), hosts);
}

/// Names of nodes are for map files: those of the embeddings that are gone through from `first` on,
/// else that of the scenario itself.
void use_hosts(StudyPlan& plan, std::size_t first, const std::string& hosts) {
  if (hosts.empty()) {
    return;
  }
  std::vector<std::string> embeddings;
  for (std::size_t axis = first; axis < plan.axes.size(); ++axis) {
    for (const StudySetting& setting : plan.axes[axis].settings) {
      for (const StudyValue& value : setting.values) {
        if (setting.pointer == "/embedding" && !value.text.starts_with('{')) {
          embeddings.push_back(value.text);
        }
      }
    }
  }
  if (embeddings.empty()) {
    plan.changes.push_back(hosts_override(plan.scenario, plan.file, plan.changes, hosts));
  } else {
    check_hosts_option(hosts, embeddings);
  }
}

StudyPlan study_plan(const SweepRequest& request) {
  const std::string& hosts = request.scenario.hosts;
  StudyPlan plan = load_study_plan(request.scenario.file);
  const std::size_t own_axes = plan.axes.size();
  for (const std::string& setting : request.scenario.settings) {
    plan.changes.push_back(parse_override(setting));
  }
  if (!request.jitter.empty()) {
    at_place(".jitter", [&] { return parse_jitter_part(request.jitter); });
    plan.changes.push_back({"/jitter", request.jitter});
  }
  for (const std::string& text : request.vary) {
    plan.axes.push_back({{varied_setting(plan, ".vary", text, hosts)}});
  }
  if (!request.zip.empty()) {
    plan.axes.push_back({mapped(request.zip, [&](const std::string& text) {
      return varied_setting(plan, ".zip", text, hosts);
    })});
  }
  if (!request.embeddings.empty()) {
    StudySetting embeddings = at_place(".embeddings", [&] {
      const auto in_list = [](const std::string& name) {  // an order of axes has commas
        return name.find(',') == name.npos || name.find('{') != name.npos
                   ? name
                   : json_text(Setting{name});
      };
      return read_study_setting(plan, ".embeddings", "/embedding",
                                joined(request.embeddings, ",", in_list), hosts);
    });
    embeddings.place = ".embeddings";
    plan.axes.push_back({{std::move(embeddings)}});
  }
  use_hosts(plan, own_axes, hosts);
  if (request.seeds) {
    plan.axes.push_back({{study_seeds(*request.seeds)}});
  }
  // Seeds change fastest, so that the runs of a group are neighbours.
  std::stable_partition(plan.axes.begin(), plan.axes.end(),
                        [](const StudyAxis& axis) { return !axis.settings.front().is_seed(); });
  plan.where.insert(plan.where.end(), request.where.begin(), request.where.end());
  if (!request.measures.empty()) {
    plan.measures = request.measures;
  }
  plan.ratios = request.ratios;
  plan.x = request.x;
  plan.lines = request.lines;
  return plan;
}

std::size_t setting_named(const Study& study, const char* field, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    const StudySetting& setting = *study.settings()[i];
    if (setting.pointer == name || setting.column == name) {
      return i;
    }
    known.push_back(setting.pointer);
  }
  throw InputError(field, fmt::format("{} is not varied{}", Setting{name}.describe(),
                                      nearest_name_hint(name, known)));
}

SweepView view_of(const SweepRequest& request, const Study& study) {
  SweepView view;
  const std::vector<std::string>& named =
      !request.measures.empty() ? request.measures : study.plan().measures;
  for (const std::string& name : named.empty() ? usual_measures() : named) {
    const Measure* const measure = at_place(".measures", [&] { return &measure_named(name); });
    refuse_if(std::ranges::find(view.measures, measure) != view.measures.end(), ".measures",
              "{} is given twice", name);
    view.measures.push_back(measure);
  }
  const StudyPlan& plan = study.plan();
  for (const std::string& ratio : request.ratios.empty() ? plan.ratios : request.ratios) {
    view.ratios.push_back(at_place(".ratios", [&] { return read_ratio(study, ratio); }));
  }
  const std::string& x = request.x.empty() ? plan.x : request.x;
  view.x = x.empty() ? usual_x(study) : std::optional{setting_named(study, ".x", x)};
  if (!request.lines.empty()) {
    view.line = setting_named(study, ".lines", request.lines);
    refuse_if(view.line == view.x, ".lines", "{} is the horizontal axis already", request.lines);
  } else if (!plan.lines.empty() && setting_named(study, ".lines", plan.lines) != view.x) {
    view.line = setting_named(study, ".lines", plan.lines);
  } else if (view.x) {
    view.line = usual_line(study, *view.x);
  }
  return view;
}

/// The default folder, the same for the same study.
fs::path usual_folder(const Study& study) {
  std::string name = study.plan().name;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == ' '; }, '-');
  return fmt::format("{}-sweep-{}", name, study.id().substr(0, 8));
}

}  // namespace

std::vector<std::string> usual_measures() {
  return {"makespan_s", "waiting_share", "average_dilation", "max_link_load", "queued_hops"};
}

Sweep::Sweep(const SweepRequest& request) : Sweep{Study{study_plan(request)}, request} {}

Sweep::Sweep(Study study, const SweepRequest& request)
    : Sweep{std::move(study), request, ".output"} {}

Sweep::Sweep(Study study, const SweepRequest& request, std::string_view place)
    : study_{std::make_unique<const Study>(std::move(study))},
      view_{view_of(request, *study_)},
      folder_{request.output.empty() ? usual_folder(*study_) : request.output},
      place_{place} {}

Sweep Sweep::kept(const SweepRequest& request, std::string_view place) {
  return {Study::described(RunStore::read_description(request.output),
                           (request.output / "study.json").string()),
          request, place};
}

Sweep::Sweep(Sweep&& other) noexcept = default;
Sweep& Sweep::operator=(Sweep&& other) noexcept = default;
Sweep::~Sweep() = default;

void Sweep::open() {
  if (!store_) {
    store_ = std::make_unique<RunStore>(*study_, folder_, place_);
  }
}

RunsEnd Sweep::make_runs(const SimulationLimits& limits, const InterruptWatch& interrupt) {
  if (limits.mpi && rank_in_environment() > 0) {
    return work_for_rank_0(*study_, limits, interrupt);
  }
  open();
  return dcube::make_runs(*study_, *store_, limits, interrupt);
}

std::vector<std::filesystem::path> Sweep::record_files() const {
  return store_ ? store_->files() : std::vector<std::filesystem::path>{};
}

std::size_t Sweep::done_count() const { return store_ ? store_->done_count() : 0; }

StudyResults Sweep::results() {
  open();
  return {*study_, numbered<std::size_t>(study_->run_count(),
                                         [&](std::size_t run) { return store_->record(run); })};
}

SweepStatus Sweep::status() {
  open();
  SweepStatus status{.sessions = store_->sessions()};
  for (const StoreSession& session : status.sessions) {
    status.running += session.is_alive ? session.claimed : 0;
  }
  status.open = study_->run_count() - results().done() - status.running;
  return status;
}

std::vector<SweepFailure> sweep_failures(const StudyResults& results) {
  std::map<std::pair<Outcome, std::string>, SweepFailure> reasons;
  for (const RunRecord* const record : results.records) {
    if (record != nullptr && !record->has_completed()) {
      const SweepFailure first{record->outcome, record->problem, record->run, 0};
      ++reasons.try_emplace({record->outcome, record->problem}, first).first->second.runs;
    }
  }
  return mapped(reasons, [](const auto& reason) { return reason.second; });
}

}  // namespace dcube
