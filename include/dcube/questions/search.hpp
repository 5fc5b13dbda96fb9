#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"
#include "dcube/questions/map_reasons.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/search/search.hpp"
#include "dcube/search/semidefinite.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// Which nodes may host processes, and which process has to be where, as users write it.
struct NodeChoice {
  std::vector<std::string> avoid{};  ///< "3", "40-47", "node-5"
  std::vector<std::string> only{};   ///< files, or lists such as "0-63", "cn[0-9]", "[0, 5]"
  std::vector<std::string> pins{};   ///< "0=5", "3=node-7", or files

  bool choose_nodes() const { return !avoid.empty() || !only.empty(); }
  bool are_given() const { return choose_nodes() || !pins.empty(); }
  /// The files that they name.
  std::vector<std::filesystem::path> files() const;
};

/// Search that is asked for: traffic, machine, objective and method. Empty texts are not given.
/// Complaints name the fields: ".time_limit".
struct SearchRequest {
  ScenarioRequest scenario{};
  std::optional<Params> document{};  ///< the scenario itself, which stands in `scenario.file`
  std::string machine{};             ///< without a scenario: a name, a file, "torus:8x8"
  std::optional<Params> machine_document{};  ///< the machine itself
  std::string traffic{};                     ///< shape or file to place: "cube:6", a file
  std::shared_ptr<const Traffic> matrix{};   ///< traffic in memory, which `traffic` names
  std::string weights{};                     ///< of a shape: "doubling", "halving", "1,2,4"
  /// "3%": a node takes as many processes more than their mean over the nodes, rounded up, whatever
  /// the machine's slots. Without a scenario.
  std::string slack{};
  NodeChoice nodes{};
  bool writes_hosts = false;  ///< somebody needs the names of hosts for maps that are found
  std::string objective = "hop-bytes";  ///< as parse_goal() takes it
  std::string method = "auto";          ///< "annealing", "scotch", "exhaustive", ..
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> effort{};  ///< maps tried; default: usual_effort(), or until the end
  std::optional<std::chrono::nanoseconds> time_limit{};  ///< above 0
  std::optional<std::chrono::nanoseconds> prove{};  ///< time for the bound after the search, > 0
  std::optional<Ticks> compute{};                   ///< time of a CC stage; default: 1 s
  std::optional<Ticks> hop{};           ///< time of a message over one link; default: 1 s
  std::optional<std::uint32_t> jobs{};  ///< threads or simulations at a time
  /// Seeds of the scenario's jitter under which each map is simulated, from its own on. Default: 4.
  std::optional<std::uint32_t> seeds{};
  bool why = false;  ///< whether the answer has reasons

  bool has_scenario() const { return !scenario.file.empty(); }
  /// Place of a complaint about the whole problem.
  const char* place() const { return has_scenario() ? scenario.file.c_str() : ".traffic"; }
};

/// Time of a stage of the CC d-cube algorithm, and of a message over one link, where none is given.
inline constexpr Ticks usual_cc_cost = std::chrono::seconds{1};

/// The goal of a search. Throws InputError unless the fields of the request fit together; no file
/// is read. `question`: "search", the place of complaints about all of it.
Goal check_request(const SearchRequest& request, const char* question);

/// A machine's name or file, a bare network such as "torus:8x8", on which a message takes `hop`
/// over every link, or the machine itself. Complains at ".machine".
std::shared_ptr<const Machine> requested_machine(const std::string& name,
                                                 const std::optional<Params>& document = {},
                                                 Ticks hop = std::chrono::seconds{1});

/// Progress of a search.
struct SearchNews {
  enum class Step { recording, partitioning, searching, proving };
  Step step = Step::searching;
  SearchProgress progress{};               ///< while searching; then as it ended
  const SearchProblem* problem = nullptr;  ///< once searching; nothing costs less than `bound`
  std::uint64_t bound = 0;
  bool counts_distances = false;  ///< progress.best is a sum of constant distances
};

/// Simulations in this process, of programs that a child process could not run.
struct LocalRuns {
  /// Returns an object that lives as long as the program may run; may be null.
  std::function<std::shared_ptr<void>(const Program&)> hold;
  std::function<RunProgress(std::uint32_t processes)> progress;
};

struct SearchAnswer;

/// Callbacks of a search. All may be left out.
struct SearchListeners {
  std::function<bool()> should_stop{};  ///< polled often, as SearchControl does
  std::function<void(const SearchNews&)> on_news{};
  /// Called once, when all but the result is known. What it throws ends the search.
  std::function<void(const SearchAnswer&)> on_begin{};
  /// Default: child processes, which an interrupt ends.
  std::optional<LocalRuns> local_runs{};
};

/// Cost of the best map known from `wall_s` on.
struct SearchStep {
  double wall_s = 0;
  std::uint64_t cost = 0;
};

/// A term of a weighted sum.
struct CostPart {
  ObjectiveTerm term;
  std::uint64_t cost = 0;
  std::uint64_t bound = 0;
  double share = 0;  ///< of the whole
};

/// Makespans of the map found under several seeds of the jitter, whose mean is the cost.
struct SpreadOverSeeds {
  std::uint32_t seeds = 0;
  Ticks least{0};
  Ticks greatest{0};
};

/// The brief program that candidates of a search by simulation ran.
struct BriefRuns {
  struct Repeats {
    std::string setting;  ///< a pointer: "/program/rounds"
    std::uint64_t whole = 0;
    std::uint64_t brief = 0;
  };
  std::vector<Repeats> repeats{};
  double share = 1;  ///< of the messages of the whole program
};

/// The problem of a search, and what was found.
struct SearchAnswer {
  std::shared_ptr<const Machine> whole{};       ///< with all its nodes
  std::shared_ptr<const Machine> machine{};     ///< on whose nodes processes may be
  std::uint32_t slots_of_files = 1;             ///< of a node in map files, whatever the slack
  std::shared_ptr<const Traffic> traffic{};     ///< null: an interrupt came before it was known
  std::shared_ptr<SearchProblem> problem{};     ///< null where `traffic` is
  HostNames hosts{};                            ///< of `whole`
  std::vector<std::filesystem::path> inputs{};  ///< files of the scenario
  std::string machine_name{};                   ///< "torus:8x8 (8x8 torus)"
  std::string traffic_name{};                   ///< "cube:6, weights doubling"
  std::string method{};                         ///< the one that ran: "annealing"
  std::string reason{};  ///< why this method; empty when the request names it
  std::string ended{};   ///< why it stopped: "effort used"
  std::uint64_t seed = 0;
  std::uint64_t effort = 0;  ///< 0 where it has no meaning, endless_effort where time ends it
  double wall_s = 0;
  std::optional<BriefRuns> brief{};
  std::optional<SpreadOverSeeds> under_jitter{};  ///< with more seeds than one
  FoundMap found{};                               ///< the map is empty when no run completed
  std::vector<CostBound> bounds{};                ///< greatest first
  std::vector<std::string> refuted{};             ///< take_refuted() of all bounds
  std::optional<ExhaustiveProof> proof{};
  std::optional<ConstantDistanceProof> constant_distances{};
  std::vector<SearchStep> history{};        ///< improvements of the best cost
  std::vector<SearchStep> bound_history{};  ///< improvements of the bound
  /// The best of the semidefinite bounds, where one was made.
  std::optional<SemidefiniteProof> semidefinite{};
  std::vector<CostPart> parts{};  ///< of a weighted sum
  /// Other objectives by which no map costs less than the one found.
  std::vector<MeasuredObjective> also_least{};
  std::optional<MapReasons> why{};
  bool is_interrupted = false;

  bool has_complete_proof() const;
  /// Whether certificate_json() has something to write.
  bool has_certificate() const { return has_complete_proof() || semidefinite.has_value(); }
  /// Excess of the cost found over the bound, as a share of the bound. Nothing when the bound is 0
  /// and the cost is not.
  std::optional<double> gap() const;
};

/// Looks for a good map of processes, and for how far it is from a bound. Throws InputError.
SearchAnswer search(const SearchRequest& request, const SearchListeners& listeners = {});

/// Throws InputError (no place) unless the search that is about to begin can end with a proof that
/// scripts/check_certificate.py knows how to verify.
void expect_certificate(const SearchAnswer& begun);

/// Columns of costs of maps, whose names stand under `header`, and how they compare with a bound.
/// The problem must outlive them.
Columns<StartValue> cost_columns(const SearchProblem& problem, const char* header,
                                 std::uint64_t bound);
/// Columns of the terms of a weighted sum. The answer must outlive them.
Columns<CostPart> part_columns(const SearchAnswer& answer);

/// A cost without its quantity, times with their unit: "1.3647", "3.031 ms".
std::string number_text(const SearchProblem& problem, std::uint64_t cost);
/// A cost as people read it: "1.3647 hops per byte".
std::string cost_text(const SearchProblem& problem, std::uint64_t cost);

/// The answer, which holds a map, as a JSON text.
std::string search_json(const SearchAnswer& answer);
/// The proof of the answer, of an optimum or else of a bound, for scripts/check_certificate.py.
std::string certificate_json(const SearchAnswer& answer);

}  // namespace dcube
