#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// How hard a semidefinite bound is made. docs/theory/lower-bounds.md derives it.
enum class SemidefiniteLevel {
  matrices,   ///< positive semidefinite matrices alone
  triangles,  ///< and triangle inequalities
  pentagons   ///< and pentagon inequalities
};

/// A bound in whole numbers, with all that a checker needs.
struct SemidefiniteProof {
  struct Mode {
    std::vector<std::uint32_t> key;                  ///< |y| by group of sides, ascending inside
    std::vector<std::vector<std::int64_t>> columns;  ///< of L, times 2^22
    std::vector<std::int64_t> level;                 ///< v, times 2^44
    std::int64_t idle = 0;
  };
  struct Cut {
    std::string distance;
    std::vector<std::uint32_t> points;  ///< processes; the number of processes is the centre
    std::vector<std::int32_t> signs;
    std::int64_t multiplier = 0;  ///< times 2^44
  };

  CostBound bound{};
  SemidefiniteLevel level = SemidefiniteLevel::matrices;
  std::uint64_t branched = 0;  ///< a greater bound by cases, which the numbers below do not prove
  std::uint64_t cases = 0;     ///< how many there were
  std::uint32_t padding = 0;   ///< of paths of k nodes in cycles of 2k - 1 + padding
  int scale_bits = 0;          ///< weights count over 2^scale_bits
  std::vector<std::uint32_t> talkers{};  ///< processes that exchange something
  std::uint64_t idle = 0;                ///< slots without one
  std::vector<Mode> modes{};
  std::vector<Cut> cuts{};
};

struct SemidefiniteSettings {
  SemidefiniteLevel level = SemidefiniteLevel::pentagons;
  /// A bound that reaches this cost ends the work.
  std::optional<std::uint64_t> reached{};
  bool branches = false;                          ///< goes on by cases; needs `reached`
  std::uint32_t jobs = 1;                         ///< threads for cases
  std::function<bool()> should_stop{};            ///< polled often, by one thread at a time
  std::function<void(std::uint64_t)> on_bound{};  ///< called with each greater bound
};

/// Multiplications that a level takes, roughly. Nothing where there is no such bound: objectives
/// other than sums of weight times distance, machines that are no product of paths and cycles, and
/// problems that are too large.
std::optional<double> semidefinite_work(const SearchProblem& problem, SemidefiniteLevel level);

/// The semidefinite bound over classes of differences. The same on every run unless should_stop()
/// ends it; the best bound so far is then kept. Nothing where semidefinite_work() says so.
std::optional<SemidefiniteProof> semidefinite_bound(const SearchProblem& problem,
                                                    const SemidefiniteSettings& settings);

/// Bounds of the parts of the traffic that no flows join, each alone on the machine, added up:
/// semidefinite ones where they are the best. A kind of parts gets an equal share of so much `work`
/// (see semidefinite_work()), and triangle inequalities if it is enough. Nothing where it is not
/// enough for matrices, where no part gains, for one part, and for many kinds.
std::optional<CostBound> semidefinite_bound_of_parts(const SearchProblem& problem, double work,
                                                     const std::function<bool()>& should_stop);

}  // namespace dcube
