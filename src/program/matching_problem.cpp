#include "matching_problem.hpp"

#include "dcube/core/errors.hpp"
#include "dcube/program/operations.hpp"

namespace dcube {
namespace {

std::uint32_t gray_code(std::uint32_t number) { return number ^ (number >> 1); }

std::uint32_t gray_rank(std::uint32_t code) {
  for (std::uint32_t rest = code >> 1; rest != 0; rest >>= 1) {
    code ^= rest;
  }
  return code;
}

bool is_north(Quarter quarter) {
  return quarter == Quarter::north || quarter == Quarter::northwest;
}

bool is_west(Quarter quarter) { return quarter == Quarter::west || quarter == Quarter::northwest; }

}  // namespace

/// Counts pairs (result row i, template row s) with i + s inside the block: `own` for its own rows,
/// `oth` for those of the block above; likewise for columns.
QuarterWork MatchingProblem::work(Quarter quarter) const {
  if (skips(quarter)) {
    return {};
  }
  const std::uint64_t b = block_side();
  const std::uint64_t m = pattern.side;
  const std::uint64_t oth = m * (m - 1) / 2;
  const std::uint64_t own = b * m - oth;
  const std::uint64_t row_pairs = is_north(quarter) ? oth : own;
  const std::uint64_t column_pairs = is_west(quarter) ? oth : own;
  return {row_pairs * column_pairs, row_pairs * (is_west(quarter) ? m - 1 : b)};
}

ResultRange MatchingProblem::result_rows(Quarter quarter) const {
  return is_north(quarter) ? ResultRange{-std::int64_t{border()}, 0} : ResultRange{0, block_side()};
}

ResultRange MatchingProblem::result_columns(Quarter quarter) const {
  return is_west(quarter) ? ResultRange{-std::int64_t{border()}, 0} : ResultRange{0, block_side()};
}

ProcessId MatchingProblem::neighbour(ProcessId process, Quarter quarter,
                                     std::uint32_t steps) const {
  const std::uint32_t down = is_north(quarter) ? steps : 0;
  const std::uint32_t right = is_west(quarter) ? steps : 0;
  return ProcessId{(row(process) + down) % mesh_side * mesh_side +
                   (column(process) + right) % mesh_side};
}

TreePlace MatchingProblem::tree_place(ProcessId process) const {
  expects(process.index() < process_count(), "the process is one of the mesh");
  const std::uint32_t number = gray_code(row(process)) * mesh_side + gray_code(column(process));
  return TreePlace{number, process_count()}.renumbered(
      [this](std::uint32_t other) { return at_tree_number(other); });
}

ProcessId MatchingProblem::at_tree_number(std::uint32_t number) const {
  return ProcessId{gray_rank(number / mesh_side) * mesh_side + gray_rank(number % mesh_side)};
}

MatchingCosts::MatchingCosts(const Machine& machine)
    : multiply_add{operation_time(machine, "multiply_add", {{"multiply", 1}, {"add", 1}})},
      direct_multiply_add{optional_time(machine, "direct_multiply_add", multiply_add)},
      row_step{optional_time(machine, "row_step")},
      value{optional_time(machine, "value")},
      start{optional_time(machine, "start")},
      parallel_start{optional_time(machine, "parallel_start")},
      host_start{optional_time(machine, "host_start")} {}

Ticks MatchingCosts::of(const QuarterWork& work) const {
  return checked_add(round_cost({}, multiply_add, work.multiply_adds),
                     round_cost({}, row_step, work.row_steps));
}

}  // namespace dcube
