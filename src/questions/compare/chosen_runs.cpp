#include "chosen_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.hpp"
#include "dcube/search/search.hpp"
#include "failed_links.hpp"

namespace dcube {
namespace {

/// An empty name stands for the scenario's own embedding. Only map files need the names of nodes.
ScenarioRequest with_embedding(ScenarioRequest options, const std::string& embedding) {
  options.embedding = embedding;
  if (!embedding.empty() && !reads_map_file(embedding)) {
    options.hosts.clear();
  }
  return options;
}

/// Builds the scenarios of a comparison. Those of the same program share what was read of it: each
/// runs in a process of its own.
class ScenarioBuilder {
 public:
  explicit ScenarioBuilder(const ScenarioSource& source) : source_{source} {}

  Scenario build(const ScenarioRequest& request) { return source_.build(request, &parts_); }
  const ScenarioSource& source() const { return source_; }

 private:
  const ScenarioSource& source_;
  ScenarioParts parts_;
};

/// Those asked for, or all that fit.
std::vector<std::string> compared_embeddings(const CompareRequest& request,
                                             ScenarioBuilder& builder) {
  if (!request.embeddings.empty()) {
    return request.embeddings;
  }
  for (const std::string& setting : request.scenario.settings) {
    const std::string pointer = parse_override(setting).pointer;
    refuse_if(pointer == "/embedding" || pointer.starts_with("/embedding/"), "--set",
              "{} changes what is compared, the embedding (name those to compare by --embedding)",
              pointer);
  }
  const Scenario scenario = builder.build(with_embedding(request.scenario, {}));
  return fitting_embeddings(*scenario.machine->topology, scenario.program->guest(),
                            scenario.machine->node.slots);
}

/// An embedding that does not fit is a row, unless none fits.
std::vector<ComparedRun> runs_by_embedding(const CompareRequest& request,
                                           ScenarioBuilder& builder) {
  std::vector<ComparedRun> runs;
  std::optional<InputError> refusal;
  std::uint32_t processes = 0;
  for (const std::string& embedding : compared_embeddings(request, builder)) {
    const ScenarioRequest changed = with_embedding(request.scenario, embedding);
    embedding_option(embedding, changed.hosts);  // what cannot be read is no row
    try {
      runs.push_back(compared_run(changed, builder.build(changed)));
      processes = runs.back().row.processes;
    } catch (const InputError& error) {
      runs.push_back(refused_run(changed, error));
      refusal = refusal ? refusal : error;
    }
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

/// Every embedding, and where links are to fail, on every draw of failures.
std::vector<ComparedRun> runs_on_one_network(const CompareRequest& request,
                                             ScenarioBuilder& builder) {
  return !request.failures.empty() ? runs_by_failures(request, builder)
                                   : runs_by_embedding(request, builder);
}

/// Every number under the embeddings asked for, or under the scenario's own.
std::vector<ComparedRun> runs_by_processes(const CompareRequest& request,
                                           ScenarioBuilder& builder) {
  const std::vector<std::uint32_t> numbers = request.process_numbers;
  const std::vector<std::string> embeddings =
      request.embeddings.empty() ? std::vector<std::string>{{}} : request.embeddings;
  const Scenario first = builder.build(with_embedding(request.scenario, embeddings.front()));
  std::vector<ComparedRun> runs;
  for (const std::string& embedding : embeddings) {
    for (const std::uint32_t processes : numbers) {
      const ScenarioRequest changed = with_processes(with_embedding(request.scenario, embedding),
                                                     std::string{first.program->kind()}, processes);
      runs.push_back(
          compared_run(changed, build_with_processes(builder.source(), changed, processes)));
    }
  }
  return runs;
}

/// All embeddings under one network after the other.
std::vector<ComparedRun> runs_by_network(const CompareRequest& request, ScenarioBuilder& builder) {
  for (const std::string& setting : request.scenario.settings) {
    const std::string pointer = parse_override(setting).pointer;
    refuse_if(pointer.starts_with("/machine/network") || pointer == "/machine/switching", "--set",
              "{} changes what is compared, the network (name those to compare by --network)",
              pointer);
  }
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

/// With an explanation, a run's memory grows by what keeping all causes takes.
void explain_runs(std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) {
    if (run.scenario) {
      expect_explicable(*run.scenario->run_machine);
    }
    run.is_explained = true;
    run.memory_bytes += run.causes_bytes;
  }
}

}  // namespace

std::vector<ComparedRun> chosen_runs(const CompareRequest& request) {
  const ScenarioSource source =
      request.source ? *request.source : ScenarioSource{request.scenario.file};
  ScenarioBuilder builder{source};
  std::vector<ComparedRun> runs = !request.networks.empty() ? runs_by_network(request, builder)
                                  : request.thing() == ComparedThing::embedding
                                      ? runs_on_one_network(request, builder)
                                      : runs_by_processes(request, builder);
  std::set<std::string> labels;
  for (const ComparedRun& run : runs) {
    refuse_if(!labels.insert(run.label(request.thing())).second, "--embedding",
              "the name {} is taken", run.row.embedding);
  }
  if (request.explains) {
    explain_runs(runs);
  }
  for (ComparedRun& run : runs) {
    run.ties = {.check = run.row.failures == 0 ? request.ties : TieCheck::never,
                .part = request.jitter_part,
                .draws = request.jitter_draws,
                .runs = static_cast<std::uint32_t>(runs.size())};
  }
  const auto first =
      std::ranges::find_if(runs, [](const ComparedRun& run) { return run.scenario != nullptr; });
  if (first != runs.end()) {
    first->is_bounded = request.thing() == ComparedThing::embedding && request.networks.empty();
  }
  return runs;
}

Comparison comparison_of(const CompareRequest& request, const std::vector<ComparedRun>& runs) {
  const Scenario& scenario = *std::ranges::find_if(runs, [](const ComparedRun& run) {
                                return run.scenario != nullptr;
                              })->scenario;
  const Machine& machine = *scenario.machine;
  Comparison comparison{
      .id = comparison_id(runs, request.thing()),
      .scenario = request.scenario.file,
      .machine = fmt::format("{} ({})", machine.name, describe(*machine.topology)),
      .program = std::string{scenario.program->kind()},
      .processes = scenario.program->guest().process_count(),
      .bound = request.thing() == ComparedThing::embedding && request.networks.empty()
                   ? closed_makespan_bound(scenario)
                   : std::nullopt,
      .rows = {},
      .thing = request.thing(),
      .networks = request.networks};
  if (!request.failures.empty()) {
    comparison.failures = request.failures;
    comparison.seeds = request.seeds;
  }
  for (const std::string& setting : request.scenario.settings) {
    comparison.settings.push_back(parse_override(setting));
  }
  return comparison;
}

void take_rows(Comparison& comparison, const std::vector<ComparedRun>& runs) {
  comparison.rows.clear();
  comparison.is_complete = true;
  Ticks least = Ticks::max();  // of the machine that bounds are about
  std::vector<MakespanBound> bounds;
  if (comparison.bound) {
    bounds.push_back(*comparison.bound);
  }
  for (const ComparedRun& run : runs) {
    if (!run.has_ended) {
      comparison.is_complete = false;
      continue;
    }
    comparison.rows.push_back(run.row);
    if (run.row.outcome == Outcome::completed && run.row.failures == 0) {
      least = std::min(least, run.row.figures->makespan);
    }
    if (run.bound) {
      bounds.push_back(*run.bound);
    }
  }
  comparison.bound.reset();
  for (const MakespanBound& bound : bounds) {
    if (bound.makespan <= least) {
      comparison.bound = bound;
    } else {
      comparison.refuted = refuted_words(fmt::format("{} s", to_seconds(bound.makespan)),
                                         format_time(least), bound.source);
    }
  }
}

std::uint64_t largest_run_bytes(const std::vector<ComparedRun>& runs) {
  std::uint64_t most = 1;
  for (const ComparedRun& run : runs) {
    most = std::max(most, run.memory_bytes);
  }
  return most;
}

}  // namespace dcube
