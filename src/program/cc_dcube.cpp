#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/random.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Computing time of a stage: fixed (least == most), or whole ticks drawn evenly between.
struct StageCompute {
  Ticks least{0};
  Ticks most{0};

  bool is_uniform() const { return least == most; }
};

/// The compute-and-communicate d-cube algorithm [X II.A, IV.A]: in stage i every process computes,
/// then exchanges a message with its neighbour across cube dimension order[i].
class CcDcube final : public Program {
 public:
  struct Settings {
    std::uint32_t dimensions = 0;
    StageCompute compute;
    std::uint64_t message_bytes = 0;
    std::vector<std::uint32_t> order;
    ExchangeMode exchange = ExchangeMode::rendezvous;
  };

  CcDcube(Settings settings, const ProgramContext& context)
      : settings_{std::move(settings)}, machine_{context.machine}, seed_{context.seed} {}

  std::string_view kind() const override { return cc_dcube_kind.name; }
  Guest guest() const override { return Guest::cube(settings_.dimensions); }
  std::uint32_t stage_count() const override {
    return static_cast<std::uint32_t>(settings_.order.size());
  }

  Task<> run(Process& process) override {
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      process.enter_stage(stage);
      co_await compute(process, stage);
      co_await exchange(process, stage);
    }
  }

  /// The recurrence of [X IV.A], unless exchanges are eager, nodes are shared or routes vary.
  std::optional<Theory> theory(std::span<const NodeId> map) const override {
    const bool are_ways_known =
        machine_.links.routing.kind == Routing::fixed && machine_.links.faults.empty();
    if (settings_.exchange == ExchangeMode::eager || machine_.node.slots > 1 || !are_ways_known) {
      return std::nullopt;
    }
    const CcCosts costs{
        .order = settings_.order,
        .compute = [this](ProcessId process,
                          std::uint32_t stage) { return compute_time(process, stage); },
        .transfer = TransferTime{machine_, settings_.message_bytes},
        .send = machine_.endpoint.send_time(settings_.message_bytes),
        .receive = machine_.endpoint.receive_time(settings_.message_bytes)};
    return Theory{predict_cc(map, costs).makespan, "recurrence"};
  }

 private:
  // Outside run(), to keep their temporaries out of its frame.
  Process::Computation compute(Process& process, std::uint32_t stage) const {
    return process.compute(compute_time(process.rank(), stage));
  }
  Process::Receive exchange(Process& process, std::uint32_t stage) const {
    return process.exchange(partner(process.rank(), stage),
                            Payload::of_size(settings_.message_bytes), settings_.exchange);
  }

  ProcessId partner(ProcessId process, std::uint32_t stage) const {
    return ProcessId{process.index() ^ (std::uint32_t{1} << settings_.order[stage])};
  }

  /// Depends on the seed, the process and the stage alone, not on the order of execution.
  Ticks compute_time(ProcessId process, std::uint32_t stage) const {
    if (settings_.compute.is_uniform()) {
      return settings_.compute.least;
    }
    const auto choices =
        static_cast<std::uint64_t>((settings_.compute.most - settings_.compute.least).count()) + 1;
    const std::uint64_t drawn = bounded(hash_of(seed_, process.index(), stage), choices);
    return settings_.compute.least + Ticks{static_cast<Ticks::rep>(drawn)};
  }

  Settings settings_;
  const Machine& machine_;
  std::uint64_t seed_;
};

constexpr std::uint32_t most_dimensions = 31;

std::uint32_t read_dimensions(const Params& params, const Machine& machine) {
  const Topology& topology = *machine.topology;
  if (params.has("dimensions")) {
    return static_cast<std::uint32_t>(
        params.integer("dimensions", 0, most_dimensions,
                       fmt::format("a cube dimension count (0 to {})", most_dimensions)));
  }
  refuse_if(!std::has_single_bit(topology.usable_count()), params.place_of("dimensions"),
            "is missing, and the {} has {} nodes (not a power of two); give the number of cube "
            "dimensions, at most {}",
            describe(topology), topology.usable_count(),
            std::bit_width(std::uint64_t{topology.usable_count()} * machine.node.slots) - 1);
  return static_cast<std::uint32_t>(std::countr_zero(topology.usable_count()));
}

Ticks whole_ticks(const ExactTime& time) { return round_cost(time, ExactTime{}, 0); }

StageCompute read_compute(const Params& params) {
  if (!params.has("compute")) {
    return {std::chrono::seconds{1}, std::chrono::seconds{1}};
  }
  if (params.find("compute")->group() == nullptr) {
    const Ticks time = whole_ticks(params.duration("compute"));
    return {time, time};
  }
  const Params& group = params.group("compute");
  const std::array<std::string, 1> known{"uniform"};
  group.allow_only(known);
  const Setting* const range = group.find("uniform");
  refuse_if(range == nullptr || range->list() == nullptr || range->list()->size() != 2,
            group.place_of("uniform"), "needs two durations, the least and the greatest");
  Params bounds{group.place_of("uniform")};
  bounds.set("0", range->list()->front());
  bounds.set("1", range->list()->back());
  const StageCompute compute{whole_ticks(bounds.duration("0")), whole_ticks(bounds.duration("1"))};
  refuse_if(compute.most < compute.least, bounds.place_of("1"),
            "{} is less than the least duration, {}", format_time(compute.most),
            format_time(compute.least));
  return compute;
}

/// A list of cube dimensions, or the word "ascending" or "descending".
std::vector<std::uint32_t> read_order(const Params& params, std::uint32_t dimensions) {
  if (params.has("order") && params.find("order")->list() != nullptr) {
    std::vector<std::uint32_t> order = params.non_negative_ints("order", "a cube dimension");
    for (std::size_t i = 0; i < order.size(); ++i) {
      refuse_if(order[i] >= dimensions, params.place_of("order", i),
                "{} is not one of the program's {} cube dimensions (they count from 0)", order[i],
                dimensions);
    }
    return order;
  }
  const std::array<std::string, 2> words{"ascending", "descending"};
  const std::string word = params.choice("order", words, "ascending");
  std::vector<std::uint32_t> order = numbered(dimensions);
  if (word == "descending") {
    std::ranges::reverse(order);
  }
  return order;
}

std::unique_ptr<Program> make_cc_dcube(const Params& params, const ProgramContext& context) {
  CcDcube::Settings settings;
  settings.dimensions = read_dimensions(params, context.machine);
  settings.compute = read_compute(params);
  settings.message_bytes = params.size_bytes("message", 1);
  settings.order = read_order(params, settings.dimensions);
  settings.exchange = read_exchange_mode(params);
  return std::make_unique<CcDcube>(std::move(settings), context);
}

}  // namespace

const ProgramKind cc_dcube_kind{
    "cc_dcube",
    "compute, then exchange with the neighbour across one cube dimension; once per dimension",
    "dimensions=3,compute=1s,message=1",
    {{"dimensions", "cube dimensions d, 2^d processes (0 to 31)", "log2 of the machine's nodes"},
     {"compute", "duration of a stage, or {\"uniform\": [least, most]}", "1s"},
     {"message", "bytes each way in an exchange", "1"},
     {"order", "ascending, descending, or the list of the dimensions used", "ascending"},
     exchange_mode_help()},
    make_cc_dcube};

}  // namespace dcube
