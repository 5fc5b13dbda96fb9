#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crossovers.hpp"
#include "runs.hpp"
#include "ways.hpp"

namespace dcube::app {

/// All that was simulated, and what it says.
struct CollectiveReport {
  const CollectiveQuestion& question;
  const CollectiveSubject& subject;
  std::span<const CollectiveWay> ways;
  std::vector<CollectiveRow> rows;   ///< by way and size, those of the search for crossovers last
  std::vector<std::uint64_t> sizes;  ///< that were asked for
  std::vector<Crossover> crossovers{};  ///< network by network
  bool has_crossovers = false;          ///< they were looked for
  bool is_complete = true;              ///< no interrupt has come

  /// The networks that were asked for; one that has no name where none was.
  std::vector<std::string> networks() const;
  /// The fastest at a size under a network, the first of equals; null when nothing completed.
  const CollectiveRow* best(const std::string& network, std::uint64_t bytes) const;
  /// The fastest with another algorithm, or, of one algorithm, another embedding or number of
  /// ports; null when there is none.
  const CollectiveRow* next(const CollectiveRow& best) const;
  const CollectiveWay& way_of(const CollectiveRow& row) const { return ways[row.way]; }
};

/// For people: the fastest at each size, crossovers, and one line that says it all; with
/// `all_rows`, also everything that was simulated.
enum class ShownRows { best, all };
std::string collective_text(const CollectiveReport& report, ShownRows rows);
std::string collective_json(const CollectiveReport& report);
/// A line for each row.
std::string collective_csv(const CollectiveReport& report);

}  // namespace dcube::app
