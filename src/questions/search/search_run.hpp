#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/search.hpp"
#include "dcube/scenario/scenario.hpp"
#include "search_watch.hpp"

namespace dcube {

// Parts of a search, each in the file of its name.

// --- brief_program ---

/// A scenario whose program repeats things more rarely.
struct BriefScenario {
  Scenario scenario;
  BriefRuns runs;
};

/// The scenario with fewer repetitions, where its program has enough of them to save most of the
/// time. `messages`: of its whole run.
std::optional<BriefScenario> brief_scenario(const Scenario& whole, std::uint64_t messages,
                                            SearchWatch& watch);

/// Messages between processes.
std::uint64_t messages_of(const Traffic& traffic);

// --- search_methods ---

struct MethodSettings {
  bool is_usual_effort = false;  ///< nobody has chosen one
  std::uint32_t jobs = 1;        ///< threads
};

/// Runs the method of `answer` with its seed and effort. Puts into `answer` what is found, why the
/// search ended and, after a complete enumeration, a bound. The map is empty when every simulation
/// failed, or when an interrupt came before the first. Throws InputError where the method cannot be
/// used.
void run_method(const MethodSettings& settings, SearchWatch& watch, SearchAnswer& answer);

// --- semidefinite_bounds ---

/// Adds semidefinite bounds to those of the answer, at the highest level that is expected to take
/// at most half as long as the search: of sums, or of the busiest link. It depends on the problem,
/// the effort and the time limit alone. To be called before the search.
void add_usual_semidefinite_bound(std::optional<std::chrono::nanoseconds> time_limit,
                                  SearchWatch& watch, SearchAnswer& answer);

/// Multiplications for bounds of links, beside a search by simulated times.
double link_work_beside(const SearchRequest& request);

/// After the search: a better bound, and maybe a better map, until the watch's time limit. With so
/// many threads.
void prove_further(std::uint32_t jobs, SearchWatch& watch, SearchAnswer& answer);

// --- The whole ---

/// The steps of an answer to a search. All that it is given must outlive it.
class SearchRun {
 public:
  /// Checks the request of a question ("search") and reads what it names. Throws InputError.
  SearchRun(const char* question, const SearchRequest& request, const SearchListeners& listeners,
            SearchAnswer& answer);

  /// The shape of the processes, where it is known.
  const std::optional<Guest>& guest() const { return guest_; }
  std::uint32_t process_count() const { return processes_; }
  /// The map of the scenario, and its name; empty without one.
  const std::vector<NodeId>& own_map() const { return own_map_; }
  const std::string& own_embedding() const { return own_embedding_; }

  /// Finds out what there is to solve. False on an interrupt. Throws InputError.
  bool begin();
  /// Searches, once problem and maps that are known stand in the answer. Throws InputError.
  void find();

 private:
  Scenario load_scenario_of_request() const;
  void read();
  void expect_room() const;
  std::shared_ptr<SearchProblem> make_problem(Simulate simulate,
                                              std::optional<CostBound> bound) const;
  void read_seeds();
  void add_spread();
  /// The reasons, and the objectives of which no map has less than the one found.
  void measure_by_all_objectives();

  const SearchRequest& request_;
  const SearchListeners& listeners_;
  SearchAnswer& answer_;
  Goal goal_;
  std::optional<Scenario> scenario_;
  std::optional<Guest> guest_;
  std::uint32_t processes_ = 0;
  std::vector<NodeId> own_map_;
  std::string own_embedding_;
  std::vector<std::optional<NodeId>> pins_;
  std::uint32_t seeds_ = 1;  ///< of the jitter, for each map
  SimulateTimes simulate_{};
  std::optional<SearchWatch> watch_;
};

}  // namespace dcube
