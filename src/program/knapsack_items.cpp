#include "knapsack_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "number_file.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t most_number = std::numeric_limits<std::uint32_t>::max();
constexpr WholeNumber item_count{"items",
                                 "number of items drawn from the seed (1 to 10000000)",
                                 "a number of items (1 to 10000000)",
                                 {1, 10'000'000, 100}};
constexpr WholeNumber greatest_weight{"most_weight",
                                      "drawn weights are 1 to this (1 to 4294967295)",
                                      "a greatest value (1 to 4294967295)",
                                      {1, most_number, 10}};
constexpr WholeNumber greatest_profit{"most_profit",
                                      "drawn profits are 1 to this (1 to 4294967295)",
                                      "a greatest value (1 to 4294967295)",
                                      {1, most_number, 100}};

/// Draws weights and profits evenly from 1 to the greatest.
std::vector<KnapsackItem> draw_items(const Params& params, std::uint64_t seed) {
  std::vector<KnapsackItem> items(item_count.read(params));
  const std::uint32_t most_weight = greatest_weight.read(params);
  const std::uint32_t most_profit = greatest_profit.read(params);
  const auto drawn = [&](std::size_t item, std::uint64_t what, std::uint32_t most) {
    return static_cast<std::uint32_t>(1 + bounded(hash_of(seed, item, what), most));
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = {.weight = drawn(i, 0, most_weight), .profit = drawn(i, 1, most_profit)};
  }
  return items;
}

std::uint32_t whole_number(const Params& params, double value, std::size_t row, const char* what) {
  if (value < 0 || value > static_cast<double>(most_number) || value != std::floor(value)) {
    params.reject("input",
                  fmt::format("item {} of {} has the {} {} (a whole number 0 to {} is needed)",
                              row + 1, params.text("input"), what, value, most_number));
  }
  return static_cast<std::uint32_t>(value);
}

std::vector<KnapsackItem> read_items(const Params& params, const ProgramContext& context) {
  for (const WholeNumber& drawn : {item_count, greatest_weight, greatest_profit}) {
    refuse_if(params.has(drawn.key), params.place_of(drawn.key),
              "has no meaning beside `input` (nothing is drawn); leave one out");
  }
  const std::string name = params.text("input");
  const NumberTable table = read_number_file(context.input_file(params, "input"),
                                             params.place_of("input"), {"weight", "profit"});
  refuse_if(table.columns != 2, params.place_of("input"),
            "{} has one number on a line (a weight and a profit, separated by a comma, are needed)",
            name);
  std::vector<KnapsackItem> items(table.row_count());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = {.weight = whole_number(params, table.values[2 * i], i, "weight"),
                .profit = whole_number(params, table.values[2 * i + 1], i, "profit")};
  }
  return items;
}

}  // namespace

std::vector<KnapsackItem> read_knapsack_items(const Params& params, const ProgramContext& context) {
  return params.has("input") ? read_items(params, context) : draw_items(params, context.seed);
}

std::vector<ParameterHelp> knapsack_items_help() {
  return {item_count,
          greatest_weight,
          greatest_profit,
          {"input", "CSV file with `weight,profit` of an item on every line", "items are drawn"}};
}

Profits solve_knapsack(std::span<const KnapsackItem> items, std::uint32_t capacity) {
  Profits best(std::size_t{capacity} + 1, 0);
  for (const KnapsackItem& item : items) {
    for (std::size_t w = capacity; w >= item.weight; --w) {
      best[w] = std::max(best[w], best[w - item.weight] + item.profit);
      if (w == 0) {
        break;
      }
    }
  }
  return best;
}

Profits combine_knapsacks(const Profits& a, const Profits& b) {
  expects(a.size() == b.size(), "tables of one capacity are combined");
  Profits best(a.size(), 0);
  for (std::size_t part = 0; part < a.size(); ++part) {
    if (part > 0 && a[part] == a[part - 1]) {
      continue;  // a smaller part has the same profit and leaves more room for b
    }
    for (std::size_t w = part; w < best.size(); ++w) {
      best[w] = std::max(best[w], a[part] + b[w - part]);
    }
  }
  return best;
}

}  // namespace dcube
