#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/core/random.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

using UnitId = std::uint64_t;
using Loads = std::vector<std::uint32_t>;  ///< [process]: units

/// The size of a load in messages: the paper's MyLoadSize, a 4-byte integer.
using LoadSize = std::uint32_t;

/// Target load of two neighbours [N Fig 13, 14].
std::uint32_t average(std::uint32_t load, std::uint32_t other) {
  return static_cast<std::uint32_t>((std::uint64_t{load} + other + 1) / 2);
}

/// Number of units that a process with `load` gives to a neighbour with `other`.
std::uint32_t excess(std::uint32_t load, std::uint32_t other) {
  return load > average(load, other) ? load - average(load, other) : 0;
}

/// Dynamic load balancing over the dimensions of a cube [N 4.3]: in stage i every process averages
/// its load with its neighbour across dimension i. Then it works on its units.
class LoadBalance final : public Program {
 public:
  enum class Heuristic : std::uint32_t { none, whole_load, excess_only };
  struct Settings {
    std::uint32_t dimensions = 0;
    Heuristic heuristic = Heuristic::whole_load;
    Loads loads;
    std::uint64_t unit_bytes = 0;
    ExactTime work;  ///< per unit, after balancing
    ExchangeMode exchange = ExchangeMode::eager;
  };

  explicit LoadBalance(Settings settings)
      : settings_{std::move(settings)},
        units_(settings_.loads.size()),
        first_unit_(settings_.loads.size()) {
    std::exclusive_scan(settings_.loads.begin(), settings_.loads.end(), first_unit_.begin(),
                        std::uint64_t{0});
  }

  std::string_view kind() const override { return load_balance_kind.name; }
  Guest guest() const override { return Guest::cube(settings_.dimensions); }
  /// The loads, as much under way, and as much again where heuristic 1 joins both.
  std::uint64_t data_bytes() const override { return 3 * unit_count() * sizeof(UnitId); }
  std::uint32_t stage_count() const override {
    return settings_.heuristic == Heuristic::none ? 0 : settings_.dimensions;
  }

  Task<> run(Process& process) override {
    std::vector<UnitId>& units = units_[process.rank().index()];
    units.resize(settings_.loads[process.rank().index()]);
    std::iota(units.begin(), units.end(), first_unit_[process.rank().index()]);
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      process.enter_stage(stage);
      const ProcessId neighbour = partner(process.rank(), stage);
      if (settings_.heuristic == Heuristic::whole_load) {
        co_await share_whole_load(process, neighbour, units);
      } else {
        co_await share_excess(process, neighbour, units);
      }
    }
    co_await process.compute(settings_.work, units.size());
  }

  /// No unit is lost or doubled, and every process has as many as the rule gives it.
  std::optional<bool> verify() override {
    const Loads expected = balanced();
    std::vector<bool> is_found(unit_count(), false);
    for (std::size_t rank = 0; rank < units_.size(); ++rank) {
      if (units_[rank].size() != expected[rank]) {
        return false;
      }
      for (const UnitId unit : units_[rank]) {
        if (unit >= is_found.size() || is_found[unit]) {
          return false;
        }
        is_found[unit] = true;
      }
    }
    return std::ranges::find(is_found, false) == is_found.end();
  }

  Params answer() const override {
    const auto [least, most] =
        std::minmax_element(units_.begin(), units_.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
    Params answer;
    answer.set("units", number(unit_count()));
    answer.set("most_before", number(*std::ranges::max_element(settings_.loads)));
    answer.set("most_after", number(most->size()));
    answer.set("least_after", number(least->size()));
    return answer;
  }

  /// Time of all the work; nothing if work is free.
  std::optional<Ticks> sequential_time() const override {
    return time_unless_free(settings_.work, unit_count());
  }

 private:
  static ProcessId partner(ProcessId process, std::uint32_t stage) {
    return ProcessId{process.index() ^ (std::uint32_t{1} << stage)};
  }

  std::uint64_t unit_count() const {
    return std::accumulate(settings_.loads.begin(), settings_.loads.end(), std::uint64_t{0});
  }
  Payload units_payload(std::vector<UnitId> units) const {
    const std::uint64_t bytes = units.size() * settings_.unit_bytes;
    return Payload::of(std::move(units), bytes);
  }

  /// Heuristic 1 [N Fig 13]: both send everything; the one with more drops what the other keeps.
  Task<> share_whole_load(Process& process, ProcessId neighbour, std::vector<UnitId>& units) {
    Payload received =
        co_await process.exchange(neighbour, units_payload(units), settings_.exchange);
    const std::vector<UnitId> others = received.take<UnitId>();
    const auto own_size = static_cast<std::uint32_t>(units.size());
    const auto other_size = static_cast<std::uint32_t>(others.size());
    units.resize(own_size - excess(own_size, other_size));
    const std::uint32_t extra = excess(other_size, own_size);
    units.insert(units.end(), others.end() - std::ptrdiff_t{extra}, others.end());
  }

  /// Heuristic 2 [N Fig 14]: both send their sizes, then one sends its excess.
  Task<> share_excess(Process& process, ProcessId neighbour, std::vector<UnitId>& units) {
    const auto own_size = static_cast<LoadSize>(units.size());
    std::vector<LoadSize> message(1, own_size);
    Payload received =
        co_await process.exchange(neighbour, Payload::of(std::move(message)), settings_.exchange);
    const LoadSize other_size = received.take<LoadSize>().front();
    if (const std::uint32_t extra = excess(own_size, other_size); extra > 0) {
      std::vector<UnitId> handed_over(units.end() - std::ptrdiff_t{extra}, units.end());
      units.resize(own_size - extra);
      process.send(neighbour, units_payload(std::move(handed_over)));
    } else if (excess(other_size, own_size) > 0) {
      Payload load = co_await process.receive(neighbour);
      const std::vector<UnitId> received_units = load.take<UnitId>();
      units.insert(units.end(), received_units.begin(), received_units.end());
    }
  }

  /// The loads after all stages, computed sequentially.
  Loads balanced() const {
    Loads loads = settings_.loads;
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      const Loads before = loads;
      for (std::uint32_t rank = 0; rank < before.size(); ++rank) {
        const std::uint32_t other = before[partner(ProcessId{rank}, stage).index()];
        loads[rank] = before[rank] - excess(before[rank], other) + excess(other, before[rank]);
      }
    }
    return loads;
  }

  Settings settings_;
  std::vector<std::vector<UnitId>> units_;  ///< [process]
  std::vector<std::uint64_t> first_unit_;   ///< [process]: its first unit at the start
};

constexpr std::uint32_t most_units = 1'000'000'000;
constexpr WholeNumber greatest_load{"most",
                                    "drawn loads are 0 to this many units (0 to 1000000000)",
                                    "a number of units (0 to 1000000000)",
                                    {0, most_units, 100}};
constexpr WholeNumber heuristic_number{
    "heuristic",
    "1: send the whole load; 2: sizes first, then the excess; 0: no balancing",
    "a heuristic (0 none, 1 whole load, 2 excess only)",
    {0, 2, 1}};

/// The setting "loads", or loads drawn evenly from 0 .. most by the seed and the process alone.
Loads read_loads(const Params& params, std::uint32_t processes, std::uint64_t seed) {
  if (params.has("loads")) {
    refuse_if(params.has("most"), params.place_of("most"),
              "has no meaning beside `loads` (nothing is drawn); leave one out");
    Loads loads = params.non_negative_ints("loads", "a number of units");
    refuse_if(loads.size() != processes, params.place_of("loads"),
              "has {} numbers for {} processes (each needs one)", loads.size(), processes);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      refuse_if(loads[i] > most_units, params.place_of("loads", i),
                "{} is not a number of units (0 to {})", loads[i], most_units);
    }
    return loads;
  }
  const std::uint64_t most = greatest_load.read(params);
  constexpr std::uint64_t process_bytes =
      sizeof(Loads::value_type) + sizeof(std::vector<UnitId>) + sizeof(std::uint64_t);
  expect_fits_in_memory("a list of the loads of all processes", processes * process_bytes);
  return numbered(processes, [&](std::uint32_t rank) {
    return static_cast<std::uint32_t>(bounded(hash_of(seed, rank), most + 1));
  });
}

std::uint64_t read_unit(const Params& params, const Loads& loads) {
  const std::uint64_t bytes = params.size_bytes("unit", 24);
  const std::uint64_t units = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  refuse_if(units > 0 && bytes > std::numeric_limits<std::int64_t>::max() / units,
            params.place_of("unit"), "{} bytes are too many ({} units exceed 63 bits)", bytes,
            units);
  return bytes;
}

std::unique_ptr<Program> make_load_balance(const Params& params, const ProgramContext& context) {
  LoadBalance::Settings settings;
  settings.dimensions = read_cube_dimensions(params, context.machine);
  settings.heuristic = static_cast<LoadBalance::Heuristic>(heuristic_number.read(params));
  settings.loads = read_loads(params, std::uint32_t{1} << settings.dimensions, context.seed);
  settings.unit_bytes = read_unit(params, settings.loads);
  settings.work = params.duration("work", ExactTime{});
  settings.exchange = read_exchange_mode(params, ExchangeMode::eager);
  return std::make_unique<LoadBalance>(std::move(settings));
}

}  // namespace

const ProgramKind load_balance_kind{
    "load_balance",
    "neighbours of the cube average their loads, one dimension after the other",
    "most=20,heuristic=2",
    {cube_process_count_help(),
     heuristic_number,
     {"loads", "units of work of every process, a list (0 to 1000000000 each)",
      "drawn from the seed"},
     greatest_load,
     {"unit", "bytes that a unit takes in a message", "24"},
     {"work", "duration of working on a unit after balancing", "0s"},
     exchange_mode_help(ExchangeMode::eager)},
    make_load_balance};

}  // namespace dcube
