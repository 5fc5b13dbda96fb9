#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/program/program.hpp"

namespace dcube {

/// An item, which may go into the knapsack once.
struct KnapsackItem {
  std::uint32_t weight = 0;
  std::uint32_t profit = 0;
};

/// Entry w is the greatest profit within a capacity of w.
using Profits = std::vector<std::uint64_t>;

/// Reads the items from the setting "input", a CSV file with a weight and a profit per line, or
/// draws as many as the setting "items" says. Throws InputError.
std::vector<KnapsackItem> read_knapsack_items(const Params& params, const ProgramContext& context);

std::vector<ParameterHelp> knapsack_items_help();

/// The greatest profit of the items within every capacity 0 .. `capacity`. O(items x capacity).
Profits solve_knapsack(std::span<const KnapsackItem> items, std::uint32_t capacity);

/// The greatest profits when two sets of items share every capacity (a max-plus product). Needs
/// tables of one size. O(size x different profits in `a`).
Profits combine_knapsacks(const Profits& a, const Profits& b);

}  // namespace dcube
