#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/random.hpp"
#include "dcube/program/operations.hpp"
#include "dcube/topology/folded_grid.hpp"
#include "number_file.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// A permutation of a cube's dimensions: entry j is the dimension of process labels used as the
/// algorithm's dimension j. It helps when the most used dimensions cross short distances.
using DimensionOrder = std::vector<std::uint32_t>;

bool is_filled_by(const Topology& topology, std::uint32_t dimensions) {
  return topology.node_count() == std::uint64_t{1} << dimensions &&
         std::ranges::all_of(topology.shape(),
                             [](std::uint32_t side) { return std::has_single_bit(side); });
}

/// On an 8x8 torus: 0 3 1 4 2 5; nearest neighbours along both sides come first.
DimensionOrder interleaved(const Topology& topology) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;  // turn, dimension
  for (const FoldedGrid grid{topology}; const std::uint32_t side : grid.sides()) {
    for (std::uint32_t turn = 0; side >> turn > 1; ++turn) {
      turns.emplace_back(turn, static_cast<std::uint32_t>(turns.size()));
    }
  }
  std::ranges::sort(turns);
  return mapped(turns, [](const auto& turn) { return turn.second; });
}

DimensionOrder read_list(const Params& params, std::uint32_t dimensions) {
  DimensionOrder order = params.non_negative_ints("order", "a cube dimension");
  DimensionOrder sorted = order;
  std::ranges::sort(sorted);
  refuse_if(sorted != numbered(dimensions), params.place_of("order"),
            "{} is not a permutation of the program's {} cube dimensions (each number below {} "
            "must appear once)",
            params.find("order")->describe(), dimensions, dimensions);
  return order;
}

/// The setting "order": "as_defined" (0, 1, ..; default), "interleaved" (dimensions of the
/// machine's sides, in turn) or the permutation as a list.
DimensionOrder read_dimension_order(const Params& params, const Topology& topology,
                                    std::uint32_t dimensions) {
  if (params.has("order") && params.find("order")->list() != nullptr) {
    return read_list(params, dimensions);
  }
  const std::array<std::string, 2> words{"as_defined", "interleaved"};
  if (params.choice("order", words, "as_defined") == "as_defined") {
    return numbered(dimensions);
  }
  refuse_if(!is_filled_by(topology, dimensions), params.place_of("order"),
            "interleaved has no meaning for {} processes on the {} (it needs sides that are powers "
            "of two and a process on every node); give the list of the dimensions",
            std::uint64_t{1} << dimensions, describe(topology));
  return interleaved(topology);
}

ParameterHelp dimension_order_help() {
  return {"order",
          "as_defined, interleaved (dimensions of the machine's sides in turn), or the list of the "
          "cube dimensions, the most used one first",
          "as_defined"};
}

/// Label of process `rank` in the algorithm's cube: bit j is bit order[j] of the rank.
std::uint32_t algorithm_label(const DimensionOrder& order, std::uint32_t rank) {
  std::uint32_t label = 0;
  for (std::size_t bit = 0; bit < order.size(); ++bit) {
    label |= (rank >> order[bit] & 1U) << bit;
  }
  return label;
}

/// A stage: sorts blocks of 2^block processes by comparing across the cube's `dimension`.
struct Step {
  std::uint32_t block = 0;
  std::uint32_t dimension = 0;
};

std::vector<Step> bitonic_steps(std::uint32_t dimensions) {
  std::vector<Step> steps;
  for (std::uint32_t block = 1; block <= dimensions; ++block) {
    for (std::uint32_t dimension = block; dimension-- > 0;) {
      steps.push_back({block, dimension});
    }
  }
  return steps;
}

/// Upper bound of merge sort's comparisons: count * log2 count, with log2 rounded up.
std::uint64_t sort_comparisons(std::uint64_t count) {
  return count * static_cast<std::uint64_t>(std::bit_width(count - 1));
}

/// Fills `keys` with the first of two sorted ranges of that length, equal ones from `own` first.
template <class Of, class Keys, class Before>
void fill_with_first(Of own, Of other, Keys keys, Keys end, Before comes_before) {
  for (; keys != end; ++keys) {
    *keys = comes_before(*other, *own) ? *other++ : *own++;
  }
}

/// The sorted lower or upper half of the keys of two sorted blocks. Both partners put equal keys in
/// the same order: first those of the process that keeps the lower half.
template <class Key>
std::vector<Key> kept_half(const std::vector<Key>& own, const std::vector<Key>& other,
                           bool keeps_lower) {
  std::vector<Key> keys(own.size());
  if (keeps_lower) {
    fill_with_first(own.begin(), other.begin(), keys.begin(), keys.end(), std::less{});
  } else {
    fill_with_first(own.rbegin(), other.rbegin(), keys.rbegin(), keys.rend(), std::greater{});
  }
  return keys;
}

struct SortSettings {
  std::uint32_t dimensions = 0;
  std::uint64_t keys_per_process = 0;
  DimensionOrder order;
  std::filesystem::path output;  ///< empty: none
};

/// Bitonic sort on a d-cube [N 3]. Every process sorts its block of keys; then in d(d+1)/2 stages
/// neighbours exchange their blocks, and each keeps one half of both. Keys have 8 bytes: whole
/// numbers drawn from the seed, or the numbers of a file.
template <class Key>
class BitonicSort final : public Program {
 public:
  /// `file_keys`: empty for keys from the seed.
  BitonicSort(SortSettings settings, const ProgramContext& context, std::vector<Key> file_keys)
      : settings_{std::move(settings)},
        seed_{context.seed},
        compare_{operation_time(context.machine, "compare", {{"add", 1}})},
        steps_{bitonic_steps(settings_.dimensions)},
        file_keys_{std::move(file_keys)} {}

  std::string_view kind() const override { return bitonic_sort_kind.name; }
  Guest guest() const override { return Guest::cube(settings_.dimensions); }
  std::uint32_t stage_count() const override { return static_cast<std::uint32_t>(steps_.size()); }
  std::vector<std::string> stage_names() const override {
    return mapped(steps_, [](const Step& step) {
      return fmt::format("blocks of {}, dimension {}", std::uint64_t{1} << step.block,
                         step.dimension);
    });
  }

  /// Keys of the file, and keys held and sent by the processes.
  std::uint64_t data_bytes() const override { return 3 * key_count() * sizeof(Key); }

  Task<> run(Process& process) override {
    const std::uint32_t label = algorithm_label(settings_.order, process.rank().index());
    std::vector<Key> block =
        input_keys(process.rank().index() * settings_.keys_per_process, settings_.keys_per_process);
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      process.enter_stage(stage);
      if (stage == 0) {
        co_await sort_block(process, block);
      }
      Payload received =
          co_await process.exchange(partner(process.rank(), stage), Payload::of(block));
      block = kept_half(block, received.take<Key>(), keeps_lower(label, steps_[stage]));
      co_await process.compute(compare_, block.size());
    }
    if (stage_count() == 0) {
      co_await sort_block(process, block);
    }
    hand_in(label, block);
  }

  std::optional<bool> verify() override {
    std::vector<Key> expected = input_keys(0, key_count());
    std::ranges::sort(expected);
    return sorted_ == expected;
  }

  Params answer() const override {
    Params answer;
    if (!sorted_.empty()) {
      answer.set("keys", number(sorted_.size()));
      answer.set("smallest", number(sorted_.front()));
      answer.set("median", number(sorted_[(sorted_.size() - 1) / 2]));
      answer.set("largest", number(sorted_.back()));
    }
    return answer;
  }

  std::vector<OutputFile> output_files() const override {
    if (settings_.output.empty()) {
      return {};
    }
    return {{settings_.output, joined(sorted_, "\n") + (sorted_.empty() ? "" : "\n")}};
  }

  /// Nothing if computing is free.
  std::optional<Ticks> sequential_time() const override {
    return time_unless_free(compare_, sort_comparisons(key_count()));
  }

 private:
  std::uint32_t process_count() const { return std::uint32_t{1} << settings_.dimensions; }
  std::uint64_t key_count() const { return process_count() * settings_.keys_per_process; }

  ProcessId partner(ProcessId process, std::uint32_t stage) const {
    return ProcessId{process.index() ^
                     (std::uint32_t{1} << settings_.order[steps_[stage].dimension])};
  }

  /// Even-numbered blocks become ascending, the others descending, so that two neighbours form the
  /// bitonic sequence that the next larger block starts from.
  static bool keeps_lower(std::uint32_t label, const Step& step) {
    const bool is_ascending = (std::uint64_t{label} >> step.block & 1U) == 0;
    const bool is_lower = (label >> step.dimension & 1U) == 0;
    return is_ascending == is_lower;
  }

  /// Depends only on the key's place in the input, so not on the number of processes.
  Key input_key(std::uint64_t place) const {
    if constexpr (std::integral<Key>) {
      return hash_of(seed_, place);
    } else {
      return file_keys_[place];
    }
  }

  std::vector<Key> input_keys(std::uint64_t first, std::uint64_t count) const {
    return numbered<std::uint64_t>(count, [&](std::uint64_t i) { return input_key(first + i); });
  }

  Task<> sort_block(Process& process, std::vector<Key>& block) const {
    std::ranges::sort(block);
    co_await process.compute(compare_, sort_comparisons(block.size()));
  }

  /// Allocates the result here: in the constructor it is unknown whether the run fits in memory.
  void hand_in(std::uint32_t label, const std::vector<Key>& block) {
    sorted_.resize(key_count());
    std::ranges::copy(block, sorted_.begin() + static_cast<std::ptrdiff_t>(label * block.size()));
  }

  SortSettings settings_;
  std::uint64_t seed_;
  ExactTime compare_;
  std::vector<Step> steps_;
  std::vector<Key> file_keys_;
  std::vector<Key> sorted_;  ///< blocks in the order of the algorithm's labels
};

constexpr WholeNumber drawn_keys{"keys_per_process",
                                 "64-bit keys drawn from the seed, per process (1 to 2^24)",
                                 "a number of keys (1 to 16777216)",
                                 {1, 1 << 24, 16}};

std::vector<double> read_keys(const Params& params, const ProgramContext& context,
                              std::uint32_t dimensions) {
  refuse_if(params.has("keys_per_process"), params.place_of("keys_per_process"),
            "cannot go with `input` (the file says how many keys there are); leave it out");
  const std::filesystem::path file = context.input_file(params, "input");
  std::vector<double> keys =
      read_number_file(file, params.place_of("input"), {"key"}, LargeNumbers::refused).values;
  const std::uint64_t processes = std::uint64_t{1} << dimensions;
  refuse_if(keys.size() % processes != 0, params.place_of("input"),
            "{} holds {} keys, which {} processes cannot share evenly; give another number of "
            "`processes` or of keys",
            file.string(), keys.size(), processes);
  return keys;
}

std::unique_ptr<Program> make_bitonic_sort(const Params& params, const ProgramContext& context) {
  SortSettings settings;
  settings.dimensions = read_cube_dimensions(params, context.machine);
  settings.order = read_dimension_order(params, *context.machine.topology, settings.dimensions);
  settings.output = params.text("output", "");
  if (params.has("input")) {
    std::vector<double> keys = read_keys(params, context, settings.dimensions);
    settings.keys_per_process = keys.size() >> settings.dimensions;
    return std::make_unique<BitonicSort<double>>(std::move(settings), context, std::move(keys));
  }
  settings.keys_per_process = drawn_keys.read(params);
  return std::make_unique<BitonicSort<std::uint64_t>>(std::move(settings), context,
                                                      std::vector<std::uint64_t>{});
}

}  // namespace

const ProgramKind bitonic_sort_kind{
    "bitonic_sort",
    "sort keys: neighbours exchange blocks, one keeps the lower half, the other the upper",
    "keys_per_process=8",
    {cube_process_count_help(),
     drawn_keys,
     {"input", "file of the keys, one number per line, in place of drawn ones", "none"},
     dimension_order_help(),
     {"output", "file for the sorted keys, one per line", "none"}},
    make_bitonic_sort};

}  // namespace dcube
