#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/program/program.hpp"

namespace dcube {

/// Something that may go into the knapsack, once.
struct KnapsackItem {
  std::uint32_t weight = 0;
  std::uint32_t profit = 0;
};

/// Profits that can be reached: entry w is the greatest within a capacity of w.
using Profits = std::vector<std::uint64_t>;

/// The items of the setting "input", a CSV file with a weight and a profit on every line, or as
/// many as the setting "items" says, drawn from the seed. Throws InputError.
std::vector<KnapsackItem> read_knapsack_items(const Params& params, const ProgramContext& context);

/// The help of the settings that it reads.
std::vector<ParameterHelp> knapsack_items_help();

/// What the items come to in every capacity 0 .. `capacity`, one table entry per item and capacity.
Profits solve_knapsack(std::span<const KnapsackItem> items, std::uint32_t capacity);

/// Every capacity shared out in the best way between two sets of items: max-plus. Needs tables of
/// one size. O(size x different profits in `a`).
Profits combine_knapsacks(const Profits& a, const Profits& b);

}  // namespace dcube
