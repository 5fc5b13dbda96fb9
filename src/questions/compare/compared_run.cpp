#include "compared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "runs/key.hpp"

namespace dcube {
namespace {

/// Limits of all draws of a comparison together, which take far less than a second: hops, messages
/// and processes, and the data of programs. No clock decides, so that results are the same
/// everywhere.
constexpr std::uint64_t most_steps = 3'000'000;
constexpr std::uint64_t most_data_bytes = std::uint64_t{64} << 20;

bool differs(Ticks makespan, Ticks usual, std::uint64_t part) {
  constexpr std::uint64_t factor = 100;
  const auto difference = static_cast<std::uint64_t>(std::abs((makespan - usual).count()));
  return UInt128{difference} * Jitter::whole >
         UInt128{static_cast<std::uint64_t>(usual.count())} * part * factor;
}

/// Number of the draws that are cheap.
std::uint32_t cheap_draws(const Scenario& scenario, const RunReport& report,
                          const TieDraws& wanted) {
  constexpr std::uint64_t least_draws = 3;  // fewer say little
  const std::uint64_t steps = report.hops + report.messages + report.process_ends.size();
  const std::uint64_t bytes = scenario.program->data_bytes();
  std::uint64_t draws = std::min<std::uint64_t>(wanted.draws, most_steps / wanted.runs / steps);
  if (bytes > 0) {
    draws = std::min(draws, most_data_bytes / wanted.runs / bytes);
  }
  return draws < least_draws ? 0 : static_cast<std::uint32_t>(draws);
}

using nlohmann::ordered_json;

/// Why a file that a run should have left is missing.
class LostFiles {
 public:
  /// Takes the step. When it fails, keeps the problem and returns false.
  bool keep(const std::function<void()>& step) {
    try {
      step();
      return true;
    } catch (const InputError& error) {
      problem_ = problem_.empty() ? error.what() : problem_;
      return false;
    }
  }
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

ordered_json spread_json(const SpreadUnderJitter& spread) {
  return {{"part", spread.part},
          {"draws", spread.draws},
          {"least_ps", spread.least.count()},
          {"greatest_ps", spread.greatest.count()},
          {"not_completed", spread.not_completed},
          {"rests_on_ties", spread.rests_on_ties}};
}

SpreadUnderJitter spread_of(const ordered_json& json) {
  return {.part = json.at("part"),
          .draws = json.at("draws"),
          .least = Ticks{json.at("least_ps").get<std::int64_t>()},
          .greatest = Ticks{json.at("greatest_ps").get<std::int64_t>()},
          .not_completed = json.at("not_completed"),
          .rests_on_ties = json.at("rests_on_ties")};
}

/// Makes the run under fair links, if that is wanted and would make a difference.
std::optional<UnderFairLinks> look_at_fair_links(const ComparedRun& run, const Scenario& scenario,
                                                 const RunRecord& record, const RunReport& report) {
  const std::optional<FairLinks> links =
      run.most_fair_steps ? fair_links(*scenario.run_machine, record) : std::nullopt;
  if (!links) {
    return std::nullopt;
  }
  UnderFairLinks under{*links};
  if (links->steps <= *run.most_fair_steps && is_repeatable(scenario, report)) {
    const RunReport fair =
        RepeatedRuns{links->of(build_scenario(scenario.document, scenario.source))}.run(
            scenario.embedding->map());
    if (fair.outcome == Outcome::completed) {
      under.makespan = fair.makespan;
    }
  }
  return under;
}

ordered_json fair_json(const UnderFairLinks& under) {
  ordered_json json{{"packet", under.links.packet_bytes},
                    {"steps", under.links.steps},
                    {"queued_share", under.links.queued_share}};
  if (under.makespan) {
    json["makespan_ps"] = under.makespan->count();
  }
  return json;
}

UnderFairLinks fair_of(const ordered_json& json) {
  UnderFairLinks under{{.packet_bytes = json.at("packet"),
                        .steps = json.at("steps"),
                        .queued_share = json.at("queued_share")}};
  if (json.contains("makespan_ps")) {
    under.makespan = Ticks{json["makespan_ps"].get<std::int64_t>()};
  }
  return under;
}

/// Makes the run in this process, and writes its files.
RunRecord simulated(const ComparedRun& run) {
  const std::shared_ptr<Scenario> built =
      run.scenario ? run.scenario : std::make_shared<Scenario>(run.build());
  Scenario& scenario = *built;
  if (run.has_program_run && std::exchange(*run.has_program_run, true)) {
    renew_program(scenario);
  }
  LostFiles files;
  std::unique_ptr<RunWatcher> watcher;
  if (run.watch) {
    files.keep([&] { watcher = run.watch(scenario); });
  }
  ObserverList observers;
  if (watcher) {
    observers.add(watcher->observer());
  }
  std::optional<CausalRecord> causes;
  if (run.is_explained) {
    observers.add(causes.emplace(run_size(scenario).processes, scenario.machine->links));
  }
  RunResult result = run_scenario(scenario, observers.observer());
  if (causes) {
    result.explanation = explain_run(scenario, *causes, result.report);
  }
  RunRecord record = record_of(scenario, result.report);
  ordered_json details = ordered_json::object();
  if (result.explanation) {
    details["critical_path_ps"] =
        mapped(result.explanation->path.by_kind, [](Ticks time) { return time.count(); });
  }
  if (const auto spread = run.ties.look(scenario, result.report)) {
    details["jitter"] = spread_json(*spread);
  }
  if (const auto under = look_at_fair_links(run, scenario, record, result.report)) {
    details["fair_links"] = fair_json(*under);
  }
  if (run.is_bounded && is_repeatable(scenario, result.report)) {
    if (const auto bound = makespan_bound(scenario, &result.report)) {
      details["bound"] = {{"makespan_ps", bound->makespan.count()}, {"source", bound->source}};
    }
  }
  const auto left = [&](const std::filesystem::path& file, const std::function<void()>& write) {
    const bool is_there = files.keep(write);
    record.more_files.emplace_back(file.string(), is_there ? content_key(file) : std::string{});
  };
  if (watcher) {
    left(run.trace, [&] { watcher->finish(result); });
  }
  if (!run.result.empty()) {
    left(run.result, [&] {
      write_file(run.result, run_result_json(scenario, result, ListOutput::when_small,
                                             run.result.parent_path()));
    });
  }
  if (!files.problem().empty()) {
    details["lost"] = files.problem();
  }
  record.details = details.empty() ? std::string{} : json_line(details);
  return record;
}

}  // namespace

std::string ComparedRun::label(ComparedThing thing) const {
  const std::string draw =
      row.failures == 0 ? std::string{} : fmt::format("-f{}-s{}", row.failures, row.seed);
  if (!row.network.empty()) {
    std::string network = row.network;
    std::ranges::replace(network, ':', '-');
    return fmt::format("{}-{}{}", network, row.embedding, draw);
  }
  return thing == ComparedThing::process_number ? fmt::format("{}-{}", row.embedding, row.processes)
                                                : row.embedding + draw;
}

CaseList::Case ComparedRun::as_case(ComparedThing thing) const {
  return {.identity = label(thing) + (scenario ? json_text(Setting{scenario->document})
                                               : fmt::format("{} {} {} {}", options.file,
                                                             joined(options.settings, " "),
                                                             options.embedding, options.hosts)),
          .manner = fmt::format("{} {} {} {} {} {} {} {} {}", is_explained, is_bounded,
                                static_cast<int>(ties.check), ties.part, ties.draws, ties.runs,
                                !result.empty(), watch != nullptr, most_fair_steps.value_or(0)),
          .make = [this] {
            try {
              return simulated(*this);
            } catch (const MemoryError&) {
              throw;
            } catch (const InputError& error) {
              return RunRecord{.outcome = Outcome::refused,
                               .problem = error.what(),
                               .details = R"({"unusable":true})"};
            }
          }};
}

void ComparedRun::take(const RunRecord& record) {
  has_ended = true;
  row.outcome = record.outcome;
  row.problem = record.problem;
  const auto details = json_value(record.details.empty() ? "{}" : record.details);
  has_unusable_input = details.contains("unusable");
  lost = details.value("lost", std::string{});
  if (!record.has_values()) {
    return;
  }
  row.figures.emplace(RunFigures{record});
  if (details.contains("critical_path_ps")) {
    std::array<Ticks, cause_kinds>& path = row.figures->critical_path.emplace();
    for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
      path.at(kind) = Ticks{details["critical_path_ps"].at(kind).get<std::int64_t>()};
    }
  }
  if (details.contains("jitter")) {
    row.figures->under_jitter = spread_of(details["jitter"]);
  }
  if (details.contains("fair_links")) {
    row.figures->under_fair_links = fair_of(details["fair_links"]);
  }
  if (details.contains("bound")) {
    bound = MakespanBound{Ticks{details["bound"].at("makespan_ps").get<std::int64_t>()},
                          details["bound"].at("source")};
  }
}

ComparedRun compared_run(const ScenarioRequest& options, Scenario scenario) {
  const RunSize size = run_size(scenario);
  ComparedRun run{.options = options,
                  .row = {},
                  .scenario = nullptr,
                  .memory_bytes = estimated_memory_bytes(size),
                  .causes_bytes = CausalRecord::estimated_bytes(size.processes,
                                                                scenario.program->stage_count())};
  run.row.embedding = options.embedding.empty() ? embedding_name(scenario.embedding_settings)
                                                : label_of(options.embedding);
  run.row.processes = scenario.program->guest().process_count();
  run.scenario = std::make_shared<Scenario>(std::move(scenario));
  return run;
}

ComparedRun later_run(const ComparedRun& built, const ScenarioRequest& options,
                      std::shared_ptr<const ScenarioSource> source) {
  ComparedRun run{.options = options,
                  .row = {},
                  .scenario = nullptr,
                  .build = [source = std::move(source), options] { return source->build(options); },
                  .memory_bytes = built.memory_bytes,
                  .causes_bytes = built.causes_bytes};
  run.row.embedding = built.row.embedding;
  run.row.processes = built.row.processes;
  return run;
}

ComparedRun refused_run(const ScenarioRequest& options, const InputError& refusal) {
  return {.options = options,
          .row = {label_of(options.embedding), Outcome::refused, refusal.problem(), std::nullopt},
          .scenario = nullptr,
          .has_ended = true};
}

std::optional<SpreadUnderJitter> TieDraws::look(const Scenario& scenario,
                                                const RunReport& report) const {
  if (check == TieCheck::never || part == 0 || report.outcome != Outcome::completed ||
      !is_repeatable(scenario, report)) {
    return std::nullopt;
  }
  const std::uint32_t made =
      check == TieCheck::always ? draws : cheap_draws(scenario, report, *this);
  if (made == 0) {
    return std::nullopt;
  }
  RepeatedRuns again{build_scenario(scenario.document, scenario.source)};
  SpreadUnderJitter spread{
      .part = part, .draws = made, .least = report.makespan, .greatest = report.makespan};
  for (std::uint32_t seed = 1; seed <= made; ++seed) {
    const RunReport drawn = again.run(scenario.embedding->map(), {.part = part, .seed = seed});
    if (drawn.outcome != Outcome::completed) {
      ++spread.not_completed;
      continue;
    }
    spread.least = std::min(spread.least, drawn.makespan);
    spread.greatest = std::max(spread.greatest, drawn.makespan);
  }
  spread.rests_on_ties = spread.not_completed > 0 || differs(spread.least, report.makespan, part) ||
                         differs(spread.greatest, report.makespan, part);
  return spread;
}

}  // namespace dcube
