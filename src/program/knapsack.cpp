#include <algorithm>
#include <utility>

#include "catalog.hpp"
#include "collectives.hpp"
#include "dcube/program/operations.hpp"
#include "knapsack_items.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// 0/1 knapsack [N 4.6]. In stage 0 every process solves the problem for its share of the items by
/// dynamic programming; in stage 1 the tables are combined up the tree to process 0.
class Knapsack final : public Program {
 public:
  Knapsack(std::vector<KnapsackItem> items, std::uint32_t capacity, std::uint32_t dimensions,
           const Machine& machine)
      : items_{std::move(items)},
        capacity_{capacity},
        dimensions_{dimensions},
        solve_step_{operation_time(machine, "knapsack_step", {{"compare", 1}, {"add", 1}})},
        combine_step_{operation_time(machine, "combine_step", {{"compare", 1}, {"add", 1}})} {}

  std::string_view kind() const override { return knapsack_kind.name; }
  Guest guest() const override { return Guest::cube(dimensions_); }
  /// The items, and a table per process, held or under way.
  std::uint64_t data_bytes() const override {
    return items_.size() * sizeof(KnapsackItem) + process_count() * table_bytes();
  }
  std::uint32_t stage_count() const override { return 2; }
  std::vector<std::string> stage_names() const override { return {"solving", "combining"}; }

  Task<> run(Process& process) override {
    process.enter_stage(0);
    const std::span<const KnapsackItem> share = share_of(process.rank());
    Profits table = solve_knapsack(share, capacity_);
    co_await process.compute(solve_step_, solve_steps(share.size()));
    process.enter_stage(1);
    const auto combine = [this, &process](const Profits& own,
                                          const Profits& of_child) -> Task<Profits> {
      co_await process.compute(combine_step_, combine_steps());
      co_return combine_knapsacks(own, of_child);
    };
    Profits whole = co_await collapse(process, std::move(table), combine);
    if (process.rank() == ProcessId{0}) {
      profits_ = std::move(whole);
    }
  }

  /// Compares with one table over all items, of profits for exact weights.
  std::optional<bool> verify() override {
    constexpr std::int64_t impossible = -1;
    std::vector<std::int64_t> exact(std::size_t{capacity_} + 1, impossible);
    exact[0] = 0;
    for (const KnapsackItem& item : items_) {
      for (std::size_t lighter = exact.size(); lighter-- > 0;) {
        const std::size_t weight = lighter + item.weight;
        if (weight < exact.size() && exact[lighter] != impossible) {
          exact[weight] = std::max(exact[weight], exact[lighter] + item.profit);
        }
      }
    }
    std::int64_t best = 0;
    for (std::size_t w = 0; w < exact.size(); ++w) {
      best = std::max(best, exact[w]);
      if (profits_.size() != exact.size() || profits_[w] != static_cast<std::uint64_t>(best)) {
        return false;
      }
    }
    return true;
  }

  Params answer() const override {
    Params answer;
    answer.set("items", number(items_.size()));
    if (!profits_.empty()) {
      const auto least_weight = std::lower_bound(profits_.begin(), profits_.end(), profits_.back());
      answer.set("profit", number(profits_.back()));
      answer.set("weight", number(least_weight - profits_.begin()));
    }
    return answer;
  }

  /// Nothing if computing is free.
  std::optional<Ticks> sequential_time() const override {
    return time_unless_free(solve_step_, solve_steps(items_.size()));
  }

 private:
  std::uint32_t process_count() const { return std::uint32_t{1} << dimensions_; }
  std::uint64_t table_bytes() const {
    return (std::uint64_t{capacity_} + 1) * sizeof(Profits::value_type);
  }

  /// Consecutive items; shares differ by at most one.
  std::span<const KnapsackItem> share_of(ProcessId process) const {
    const std::size_t first = items_.size() * process.index() / process_count();
    const std::size_t end = items_.size() * (process.index() + std::size_t{1}) / process_count();
    return std::span{items_}.subspan(first, end - first);
  }

  std::uint64_t solve_steps(std::uint64_t items) const {
    return items * (std::uint64_t{capacity_} + 1);
  }
  /// Pairs of capacities with a sum of at most the capacity; the published program examines all.
  std::uint64_t combine_steps() const {
    return (std::uint64_t{capacity_} + 1) * (std::uint64_t{capacity_} + 2) / 2;
  }

  std::vector<KnapsackItem> items_;
  std::uint32_t capacity_;
  std::uint32_t dimensions_;
  ExactTime solve_step_;
  ExactTime combine_step_;
  Profits profits_;  ///< the result at process 0
};

constexpr WholeNumber capacity_setting{"capacity",
                                       "what the knapsack can bear (0 to 1000000)",
                                       "a capacity (0 to 1000000)",
                                       {0, 1'000'000, 30}};

std::unique_ptr<Program> make_knapsack(const Params& params, const ProgramContext& context) {
  const std::uint32_t dimensions = read_cube_dimensions(params, context.machine);
  const std::uint32_t capacity = capacity_setting.read(params);
  return std::make_unique<Knapsack>(read_knapsack_items(params, context), capacity, dimensions,
                                    context.machine);
}

std::vector<ParameterHelp> parameters() {
  std::vector<ParameterHelp> help{cube_process_count_help(), capacity_setting};
  const std::vector<ParameterHelp> items = knapsack_items_help();
  help.insert(help.end(), items.begin(), items.end());
  return help;
}

}  // namespace

const ProgramKind knapsack_kind{
    "knapsack", "0/1 knapsack: dynamic programming on shares of the items, combined up a tree",
    "items=20,capacity=10", parameters(), make_knapsack};

}  // namespace dcube
