#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "collectives.hpp"
#include "core/mapped.hpp"
#include "dcube/core/random.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Where y = g(x) is computed: on process 0, which broadcasts it, or on every process.
enum class ReplicationMode { broadcast, everywhere };

struct ReplicationSettings {
  ReplicationMode mode = ReplicationMode::broadcast;
  Ticks g{0};
  Ticks f{0};
  TreeMessage message;
  std::uint32_t process_count = 0;
};

/// Compares computing a value everywhere with computing it once and sending it around [N 4]. Every
/// process p needs y = g(x) for its own f(p, y). g takes square roots of values drawn from the
/// seed; f adds up the products of y and numbers of the process.
class Replication final : public Program {
 public:
  Replication(const ReplicationSettings& settings, const ProgramContext& context)
      : settings_{settings}, seed_{context.seed} {}

  std::string_view kind() const override { return replication_kind.name; }
  Guest guest() const override { return Guest::of_processes(settings_.process_count); }

  /// Every process holds y, and a copy may be under way to each.
  std::uint64_t data_bytes() const override {
    return settings_.message.values * sizeof(std::uint64_t) * 2 * settings_.process_count;
  }

  Task<> run(Process& process) override {
    std::vector<std::uint64_t> y;
    if (settings_.mode == ReplicationMode::everywhere || process.rank() == ProcessId{0}) {
      y = co_await g(process);
    }
    if (settings_.mode == ReplicationMode::broadcast) {
      y = co_await broadcast(process, std::move(y), settings_.message.bytes_per_value);
    }
    results_.resize(settings_.process_count);
    results_[process.rank().index()] = co_await f(process, y);
  }

  /// Computes every f(p, y) with roots found by bisection.
  std::optional<bool> verify() override {
    const std::vector<std::uint64_t> y = numbered<std::uint64_t>(
        settings_.message.values, [this](std::uint64_t i) { return bisected_root(x(i)); });
    for (std::uint32_t rank = 0; rank < results_.size(); ++rank) {
      std::uint64_t expected = 0;
      for (std::uint64_t i = 0; i < y.size(); ++i) {
        expected += weight(rank, i) * y[i];
      }
      if (results_[rank] != expected) {
        return false;
      }
    }
    return results_.size() == settings_.process_count;
  }

  Params answer() const override {
    Params answer;
    if (!results_.empty()) {
      answer.set("f_of_process_0", number(results_.front()));
      answer.set("f_of_all", number(sum_of(results_)));
    }
    return answer;
  }

  /// One process computes g once, then f for every process.
  std::optional<Ticks> sequential_time() const override {
    return round_cost(ExactTime{settings_.g}, ExactTime{settings_.f}, settings_.process_count);
  }

 private:
  /// Below 2^32, so that its root in double precision has the right whole part.
  std::uint64_t x(std::uint64_t place) const { return hash_of(seed_, place) >> 32; }

  /// Factor of y in f: 0 .. 999, different for every process.
  std::uint64_t weight(std::uint32_t rank, std::uint64_t place) const {
    return bounded(hash_of(seed_, rank, place), 1000);
  }

  Task<std::vector<std::uint64_t>> g(Process& process) const {
    std::vector<std::uint64_t> y =
        numbered<std::uint64_t>(settings_.message.values, [this](std::uint64_t i) {
          return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x(i))));
        });
    co_await process.compute(settings_.g);
    co_return y;
  }

  Task<std::uint64_t> f(Process& process, const std::vector<std::uint64_t>& y) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < y.size(); ++i) {
      sum += weight(process.rank().index(), i) * y[i];
    }
    co_await process.compute(settings_.f);
    co_return sum;
  }

  static std::uint64_t bisected_root(std::uint64_t value) {
    std::uint64_t least = 0;
    std::uint64_t above = std::uint64_t{1} << 32;  // drawn values are below its square
    while (above - least > 1) {
      const std::uint64_t middle = (least + above) / 2;
      (middle * middle <= value ? least : above) = middle;
    }
    return least;
  }

  ReplicationSettings settings_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> results_;  ///< [process]: f
};

Ticks read_time(const Params& params, std::string_view key) {
  return round_cost(params.duration(key, ExactTime{std::chrono::seconds{1}}), ExactTime{}, 0);
}

std::unique_ptr<Program> make_replication(const Params& params, const ProgramContext& context) {
  return std::make_unique<Replication>(
      ReplicationSettings{
          .mode = read_choice<ReplicationMode>(params, "mode", {"broadcast", "everywhere"}),
          .g = read_time(params, "g"),
          .f = read_time(params, "f"),
          .message = read_tree_message(params),
          .process_count = read_process_count(params, context.machine)},
      context);
}

}  // namespace

const ProgramKind replication_kind{
    "replication",
    "all need y = g(x) for f(y): computed once and broadcast, or computed by everyone",
    "mode=broadcast,values=4",
    {process_count_help(),
     {"mode", "broadcast (process 0 computes g, then sends y to all) or everywhere", "broadcast"},
     {"g", "duration of g on one process", "1s"},
     {"f", "duration of f on one process", "1s"},
     values_help(),
     value_bytes_help()},
    make_replication};

}  // namespace dcube
