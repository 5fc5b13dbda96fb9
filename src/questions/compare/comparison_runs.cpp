#include "comparison_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compared_embeddings.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/questions/compare.hpp"
#include "dcube/questions/place.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/setting_words.hpp"
#include "dcube/search/search.hpp"
#include "failed_links.hpp"

namespace dcube {
namespace {

/// The scenario's own embedding is called so where it was asked for by that name.
void name_own(ComparedRun& run, const std::string& embedding) {
  if (embedding == own_embedding) {
    run.row.embedding = embedding;
  }
}

/// An embedding that does not fit is a row, unless none fits.
std::vector<ComparedRun> runs_by_embedding(const CompareRequest& request,
                                           ScenarioBuilder& builder) {
  std::vector<ComparedRun> runs;
  std::optional<InputError> refusal;
  std::uint32_t processes = 0;
  for (const std::string& embedding : compared_embeddings(request, builder)) {
    const ScenarioRequest changed = with_embedding(request.scenario, embedding);
    try {
      runs.push_back(compared_run(changed, builder.build(changed)));
      processes = runs.back().row.processes;
    } catch (const InputError& error) {
      runs.push_back(refused_run(changed, error));
      refusal = refusal ? refusal : error;
    }
    name_own(runs.back(), embedding);
  }
  if (refusal && processes == 0) {
    throw *refusal;
  }
  for (ComparedRun& run : runs) {
    run.row.processes = processes;
  }
  return runs;
}

/// All embeddings as the scenario says, then, on each draw of failures, those that fit. There may
/// be thousands of draws, so only the scenarios of the first are built now, which shows how much
/// memory they take. The others are built when they run.
std::vector<ComparedRun> runs_by_failures(const CompareRequest& request, ScenarioBuilder& builder) {
  std::vector<ComparedRun> runs = runs_by_embedding(request, builder);
  CompareRequest fitting = request;
  fitting.embeddings.clear();
  const std::vector<std::string> embeddings = compared_embeddings(request, builder);
  std::shared_ptr<const Scenario> scenario;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].scenario) {
      fitting.embeddings.push_back(embeddings[i]);
      scenario = runs[i].scenario;
    }
  }
  const FailureDraws draws{scenario->machine->topology, scenario->machine->name};
  const auto kept_source = std::make_shared<const ScenarioSource>(builder.source());
  std::vector<ComparedRun> first;
  for (const std::uint32_t number : request.failures) {
    for (std::uint32_t seed = 1; number > 0 && seed <= request.seeds; ++seed) {
      const std::vector<Link> links = draws.links(number, seed);
      fitting.scenario = with_failed_links(request.scenario, *scenario, links);
      std::vector<ComparedRun> drawn;
      if (first.empty()) {
        drawn = first = runs_by_embedding(fitting, builder);
      }
      for (std::size_t i = drawn.size(); i < first.size(); ++i) {
        const ScenarioRequest changed = with_embedding(fitting.scenario, fitting.embeddings[i]);
        drawn.push_back(first[i].scenario ? later_run(first[i], changed, kept_source) : first[i]);
      }
      for (ComparedRun& run : drawn) {
        run.row.failures = number;
        run.row.seed = seed;
        run.row.failed_links = links;
        runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

/// Looks for a map as place() does, and adds its run.
PlacedMap add_placed(const CompareRequest& request, ScenarioBuilder& builder,
                     std::vector<ComparedRun>& runs) {
  PlaceRequest placing;
  ScenarioRequest own = with_embedding(request.scenario, {});
  own.hosts.clear();
  placing.scenario.file = own.file;
  placing.document = under_any_embedding(request, builder).document;
  placing.objective = request.place;
  const PlaceAnswer answer = [&] {
    try {
      return place(placing);
    } catch (const InputError& error) {
      throw InputError(error.place() == ".objective" ? ".place" : error.place(), error.problem());
    }
  }();
  if (answer.is_interrupted) {  // a comparison with another map would be another one
    throw Interrupted(own.file + ": interrupted (nothing is compared yet)");
  }
  refuse_if(answer.found.map.empty(), ".place", "finds no map: every simulation failed");
  own.settings.push_back("/embedding=" + json_text(Setting{explicit_embedding(answer.found.map)}));
  runs.push_back(compared_run(own, builder.build(own)));
  runs.back().row.embedding = "placed";
  const SearchProblem& problem = *answer.problem;
  return {.objective = placing.objective,
          .cost = cost_text(problem, answer.found.cost),
          .bound = cost_text(problem, answer.bounds.empty() ? 0 : answer.bounds.front().cost),
          .gap = answer.gap()};
}

/// Every embedding, and where links are to fail, on every draw of failures.
std::vector<ComparedRun> runs_on_one_network(const CompareRequest& request,
                                             ScenarioBuilder& builder) {
  return !request.failures.empty() ? runs_by_failures(request, builder)
                                   : runs_by_embedding(request, builder);
}

/// Every number under the embeddings asked for, or under the scenario's own. An embedding that does
/// not fit a number is a row, unless none fits it.
std::vector<ComparedRun> runs_by_processes(const CompareRequest& request,
                                           ScenarioBuilder& builder) {
  expect_unset(request.scenario.settings, chosen_processes);
  const std::vector<std::string> embeddings =
      request.embeddings.empty() ? std::vector<std::string>{{}} : request.embeddings;
  const std::string program = builder.source().program_kind(request.scenario);
  std::vector<ComparedRun> runs;
  std::vector<std::pair<std::uint32_t, InputError>> refused;
  std::set<std::uint32_t> fitting;
  for (const std::string& embedding : embeddings) {
    for (const std::uint32_t processes : request.process_numbers) {
      const ScenarioRequest changed =
          with_processes(with_embedding(request.scenario, embedding), program, processes);
      read_embedding_named(embedding, changed);
      try {
        runs.push_back(
            compared_run(changed, build_with_processes(builder.source(), changed, processes)));
        fitting.insert(processes);
      } catch (const InputError& error) {
        runs.push_back(refused_run(changed, error));
        runs.back().row.processes = processes;
        refused.emplace_back(processes, error);
      }
      name_own(runs.back(), embedding);
    }
  }
  for (const auto& [processes, error] : refused) {
    if (!fitting.contains(processes)) {
      throw error;
    }
  }
  return runs;
}

/// All embeddings under one network after the other.
std::vector<ComparedRun> runs_by_network(const CompareRequest& request, ScenarioBuilder& builder) {
  expect_unset(request.scenario.settings, chosen_network);
  std::vector<ComparedRun> runs;
  for (const std::string& network : network_names(request.networks)) {
    CompareRequest changed = request;
    changed.scenario = with_network(request.scenario, network);
    for (ComparedRun& run : runs_on_one_network(changed, builder)) {
      run.row.network = network;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

/// Marks runs to be explained; each takes more memory, for the record of all causes.
void explain_runs(std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) {
    if (run.scenario) {
      expect_explicable(*run.scenario->run_machine);
    }
    run.is_explained = true;
    run.memory_bytes += run.causes_bytes;
  }
}

/// Files that programs read. The document holds everything else.
std::set<std::filesystem::path> data_files(std::span<const ComparedRun> runs) {
  std::set<std::filesystem::path> files;
  for (const ComparedRun& run : runs) {
    if (run.scenario) {
      for (const auto& [pointer, file] : run.scenario->program_inputs) {
        files.insert(file);
      }
    }
  }
  return files;
}

void refuse_twice(std::span<const std::uint32_t> numbers, const char* place) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    refuse_if(std::ranges::count(numbers.first(i), numbers[i]) > 0, place, "{} is given twice",
              numbers[i]);
  }
}

/// The request, with a jitter of its own in place of the scenario's.
CompareRequest with_one_jitter(CompareRequest request, const ScenarioSource& source) {
  std::vector<std::string>& settings = request.scenario.settings;
  const bool has_jitter =
      source.document().has("jitter") || std::ranges::any_of(settings, [](const auto& setting) {
        return parse_override(setting).pointer.starts_with("/jitter");
      });
  if (request.jitter_part && has_jitter) {
    settings.emplace_back("/jitter=0");
  }
  return request;
}

/// The draws that show whether the run rests on ties. A scenario with a jitter is run again under
/// it where that is asked for alone.
TieDraws tie_draws(const CompareRequest& request, const ComparedRun& run, std::uint32_t runs) {
  constexpr std::uint64_t usual_part = Jitter::whole / 1'000'000;
  const std::uint64_t own = run.scenario ? run.scenario->jitter.part : 0;
  const bool is_left_out =
      run.row.failures > 0 || (own > 0 && request.ties == TieCheck::when_cheap);
  return {.check = is_left_out ? TieCheck::never : request.ties,
          .part = request.jitter_part.value_or(own > 0 ? own : usual_part),
          .draws = request.jitter_draws,
          .runs = runs};
}

/// Runs that can be made have everything but files.
std::vector<ComparedRun> chosen_runs(const CompareRequest& asked,
                                     std::optional<PlacedMap>& placed) {
  const ScenarioSource source = asked.source ? *asked.source : ScenarioSource{asked.scenario.file};
  const CompareRequest request = with_one_jitter(asked, source);
  for (const auto& [is_chosen, place] : {std::pair{request.axis_orders, ".axis_orders"},
                                         std::pair{!request.place.empty(), ".place"}}) {
    refuse_if(is_chosen && request.thing() != ComparedThing::embedding, place,
              "is about one number of processes, and several are compared");
  }
  refuse_if(!request.place.empty() && !(request.failures.empty() && request.networks.empty()),
            ".place",
            "finds a map for the machine as the scenario has it, and others are compared");
  refuse_if(
      !request.process_numbers.empty() && !(request.failures.empty() && request.networks.empty()),
      ".process_count", "is compared on one network, and several are compared");
  refuse_twice(request.process_numbers, ".process_count");
  refuse_twice(request.failures, ".failures");
  refuse_if(request.check_links && (request.thing() != ComparedThing::embedding ||
                                    !(request.failures.empty() && request.networks.empty())),
            ".check_links", "is about embeddings on one network, and others are compared");
  ScenarioBuilder builder{source};
  std::vector<ComparedRun> runs = !request.networks.empty() ? runs_by_network(request, builder)
                                  : request.thing() == ComparedThing::embedding
                                      ? runs_on_one_network(request, builder)
                                      : runs_by_processes(request, builder);
  if (!request.place.empty()) {
    placed = add_placed(request, builder, runs);
  }
  std::set<std::string> labels;
  for (const ComparedRun& run : runs) {
    refuse_if(!labels.insert(run.label(request.thing())).second, ".embeddings",
              "two would be called {} (rename a file, or leave one out)", run.row.embedding);
  }
  if (request.explains) {
    explain_runs(runs);
  }
  const bool is_of_embeddings =
      request.thing() == ComparedThing::embedding && request.networks.empty();
  std::map<const Program*, std::shared_ptr<bool>> have_run;
  for (ComparedRun& run : runs) {
    run.ties = tie_draws(request, run, static_cast<std::uint32_t>(runs.size()));
    if (run.scenario) {
      std::shared_ptr<bool>& has_run = have_run[run.scenario->program.get()];
      has_run = has_run ? has_run : std::make_shared<bool>(false);
      run.has_program_run = has_run;
    }
    if (is_of_embeddings && request.failures.empty()) {
      run.most_fair_steps = request.check_links ? std::numeric_limits<std::uint64_t>::max()
                                                : cheap_fair_steps / runs.size();
    }
  }
  const auto first =
      std::ranges::find_if(runs, [](const ComparedRun& run) { return run.scenario != nullptr; });
  if (first != runs.end()) {
    first->is_bounded = is_of_embeddings;
  }
  return runs;
}

}  // namespace

ComparisonRuns::ComparisonRuns(CompareRequest request) : request_{std::move(request)} {
  if (!request_.embeddings.empty()) {
    check_hosts_option(request_.scenario.hosts, request_.embeddings);
  }
  runs_ = chosen_runs(request_, comparison_.placed);
  describe();
  take_rows();
}

void ComparisonRuns::describe() {
  const Scenario& scenario = *std::ranges::find_if(runs_, [](const ComparedRun& run) {
                                return run.scenario != nullptr;
                              })->scenario;
  const Machine& machine = *scenario.machine;
  if (request_.thing() == ComparedThing::embedding && request_.networks.empty()) {
    closed_bound_ = closed_makespan_bound(scenario);
  }
  comparison_.scenario = request_.scenario.file;
  comparison_.machine = fmt::format("{} ({})", machine.name, dcube::describe(*machine.topology));
  comparison_.hop = hop_words(machine);
  comparison_.has_packets = machine.links.packet_bytes.has_value();
  comparison_.network =
      network_words(machine, request_.networks.empty() ? NetworkWords::all : NetworkWords::common);
  comparison_.program = scenario.program->kind();
  comparison_.processes = scenario.program->guest().process_count();
  comparison_.thing = request_.thing();
  comparison_.networks = request_.networks;
  comparison_.checks_links = request_.check_links;
  if (!request_.failures.empty()) {
    comparison_.failures = request_.failures;
    comparison_.seeds = request_.seeds;
  }
  comparison_.settings = mapped(request_.scenario.settings, parse_override);
}

void ComparisonRuns::keep_files(const std::filesystem::path& folder,
                                const std::function<bool(const ComparisonRow&)>& is_watched,
                                const Watch& watch) {
  for (ComparedRun& run : runs_) {
    run.result = std::filesystem::absolute(folder) / result_of(label(run));
    if (run.can_run() && is_watched(run.row)) {
      run.trace = std::filesystem::absolute(folder) / trace_of(label(run));
      run.watch = [watch, file = run.trace](const Scenario& scenario) {
        return watch(file, scenario);
      };
    }
  }
}

const Cases& ComparisonRuns::cases() {
  if (!cases_) {
    std::vector<CaseList::Case> listed;
    std::uint64_t largest = 1;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (runs_[run].can_run()) {
        listed.push_back(runs_[run].as_case(request_.thing()));
        made_.push_back(run);
        largest = std::max(largest, runs_[run].memory_bytes);
      }
    }
    cases_.emplace("comparison", std::move(listed), largest, data_files(runs_));
    comparison_.id = cases_->id();
  }
  return *cases_;
}

const ComparedRun& ComparisonRuns::take(const RunRecord& record) {
  ComparedRun& run = runs_[made_.at(record.run)];
  run.take(record);
  const auto name_of = [&](const std::filesystem::path& file, const std::string& name) {
    const bool is_there = std::ranges::any_of(record.more_files, [&](const auto& left) {
      return left.first == file.string() && !left.second.empty();
    });
    return is_there ? name : std::string{};
  };
  run.row.result = name_of(run.result, result_of(label(run)));
  run.row.trace = name_of(run.trace, trace_of(label(run)));
  take_rows();
  return run;
}

void ComparisonRuns::take_rows() {
  comparison_.rows.clear();
  comparison_.is_complete = true;
  Ticks least = Ticks::max();  // of the machine that bounds are about
  std::vector<MakespanBound> bounds;
  if (closed_bound_) {
    bounds.push_back(*closed_bound_);
  }
  for (const ComparedRun& run : runs_) {
    if (!run.has_ended) {
      comparison_.is_complete = false;
      continue;
    }
    comparison_.rows.push_back(run.row);
    if (run.row.outcome == Outcome::completed && run.row.failures == 0) {
      least = std::min(least, run.row.figures->makespan);
    }
    if (run.bound) {
      bounds.push_back(*run.bound);
    }
  }
  comparison_.bound.reset();
  for (const MakespanBound& bound : bounds) {
    if (bound.makespan <= least) {
      comparison_.bound = bound;
    } else {
      comparison_.refuted = refuted_words(fmt::format("{} s", to_seconds(bound.makespan)),
                                          format_time(least), bound.source);
    }
  }
}

Comparison compare(const CompareRequest& request, const SimulationLimits& limits) {
  const InterruptWatch interrupt;  // building many scenarios takes its time, too
  ComparisonRuns runs{request};
  for (const auto& record : run_cases(runs.cases(), limits).records) {
    if (record) {
      runs.take(*record);
    }
  }
  return runs.comparison();
}

}  // namespace dcube
