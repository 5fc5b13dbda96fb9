#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/search.hpp"
#include "dcube/scenario/scenario.hpp"
#include "search_watch.hpp"

namespace dcube {

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
