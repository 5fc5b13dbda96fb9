#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives.hpp"
#include "convolution.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// Node programs of template matching [N Fig 7, 8, 11].
enum class MatchingVariant { compute_then_send, overlap, replicated_borders };

/// A part of a process's work: terms of its own results, or of a neighbour's.
enum class Quarter { self, north, west, northwest };

/// Numbers of multiply-adds in a part, and of iterations of the loop around them.
struct QuarterWork {
  std::uint64_t multiply_adds = 0;
  std::uint64_t row_steps = 0;
};

/// Bytes of a template value in a message.
inline constexpr std::uint64_t template_value_bytes = 2;

/// The checked settings.
struct MatchingProblem {
  Square image;
  Square pattern;
  std::uint32_t mesh_side = 1;  ///< processes per row and per column
  MatchingVariant variant = MatchingVariant::overlap;
  bool uses_host = false;
  bool host_sends_borders = false;
  bool host_collects = false;
  bool skips_northwest_quarter = false;
  std::uint64_t image_bytes = 1;   ///< bytes of an image value on the simulated machine
  std::uint64_t result_bytes = 4;  ///< bytes of a partial or whole result there
  std::string output;

  std::uint32_t process_count() const { return mesh_side * mesh_side; }
  std::uint32_t block_side() const { return image.side / mesh_side; }
  /// How far above and left of it a block contributes to results: m - 1.
  std::uint32_t border() const { return pattern.side - 1; }
  bool exchanges() const { return variant != MatchingVariant::replicated_borders; }
  /// Side of the square that a process starts with: its block, and borders if it gets them.
  std::uint32_t distributed_side() const {
    const bool has_borders = !exchanges() || (uses_host && host_sends_borders);
    return block_side() + (has_borders ? border() : 0);
  }
  /// Whether a quarter is left out. The times of the published program show that it leaves out the
  /// north-west quarter when the template is as large as a block.
  bool skips(Quarter quarter) const {
    return skips_northwest_quarter && quarter == Quarter::northwest && pattern.side == block_side();
  }

  QuarterWork work(Quarter quarter) const;
  /// Rows and columns of the results of a quarter.
  ResultRange result_rows(Quarter quarter) const;
  ResultRange result_columns(Quarter quarter) const;
  /// Number of partial results sent to the owner of a quarter.
  std::uint64_t values_sent(Quarter quarter) const {
    return quarter == Quarter::self ? 0
                                    : result_rows(quarter).size() * result_columns(quarter).size();
  }
  std::uint64_t template_message_bytes() const {
    return template_value_bytes * pattern.side * pattern.side;
  }
  std::uint64_t block_message_bytes() const {
    return image_bytes * distributed_side() * distributed_side();
  }
  std::uint64_t result_message_bytes() const { return result_bytes * block_side() * block_side(); }

  // Process (row, column) has rank row * mesh_side + column; rows and columns are cyclic.
  std::uint32_t row(ProcessId process) const { return process.index() / mesh_side; }
  std::uint32_t column(ProcessId process) const { return process.index() % mesh_side; }
  /// The process that owns the results of the quarter that `process` computes.
  ProcessId owner(ProcessId process, Quarter quarter) const {
    return neighbour(process, quarter, mesh_side - 1);
  }
  /// The process that computes the quarter for `process`.
  ProcessId contributor(ProcessId process, Quarter quarter) const {
    return neighbour(process, quarter, 1);
  }
  /// The process that is `steps` rows below, columns to the right or both, by the quarter.
  ProcessId neighbour(ProcessId process, Quarter quarter, std::uint32_t steps) const;
  /// Place of a process in the tree of a broadcast, which numbers processes by the Gray code of
  /// their coordinates: on a hypercube with the mesh placed by it, its edges are links [N Fig 4].
  TreePlace tree_place(ProcessId process) const;
  ProcessId at_tree_number(std::uint32_t number) const;
};

/// Order of sending and receiving partial results [N Fig 7, 8].
inline constexpr std::array sent_quarters{Quarter::northwest, Quarter::west, Quarter::north};

inline constexpr std::uint64_t end_signal_bytes = 2;

/// Times of the programs' operations.
struct MatchingCosts {
  MatchingCosts() = default;
  /// Reads the machine's `compute` table, which needs `multiply_add`, or `multiply` and `add`;
  /// other entries are optional. Throws InputError.
  explicit MatchingCosts(const Machine& machine);

  Ticks of(const QuarterWork& work) const;
  Ticks of_values(std::uint64_t count) const { return round_cost({}, value, count); }
  /// Time before a process does anything else.
  Ticks start_of(std::uint32_t process_count) const {
    return round_cost(process_count > 1 ? start + parallel_start : start, {}, 0);
  }
  /// Time of a block's whole convolution without partial results.
  Ticks of_direct(std::uint64_t multiply_adds) const {
    return round_cost({}, direct_multiply_add, multiply_adds);
  }

  ExactTime multiply_add, direct_multiply_add, row_step, value, start, parallel_start, host_start;
};

/// Reads the settings of template matching, including its files. Throws InputError.
MatchingProblem read_matching_problem(const Params& params, const ProgramContext& context);

std::vector<ParameterHelp> matching_settings_help();

}  // namespace dcube
