#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "collectives.hpp"
#include "core/mapped.hpp"
#include "dcube/core/random.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Tree expansion [N 3]: every process gets values that process 0 draws from the seed.
class Broadcast final : public Program {
 public:
  Broadcast(TreeMessage message, std::uint32_t process_count, const ProgramContext& context)
      : message_{message}, process_count_{process_count}, seed_{context.seed} {}

  std::string_view kind() const override { return broadcast_kind.name; }
  Guest guest() const override { return Guest::of_processes(process_count_); }

  /// Every process holds the values, and a copy may be under way to each.
  std::uint64_t data_bytes() const override {
    return message_.values * sizeof(std::uint64_t) * 2 * process_count_;
  }

  Task<> run(Process& process) override {
    std::vector<std::uint64_t> values;
    if (process.rank() == ProcessId{0}) {
      values = drawn_values();
    }
    values = co_await broadcast(process, std::move(values), message_.bytes_per_value);
    hashes_.resize(process_count_);
    hashes_[process.rank().index()] = hash_of_all(values);
  }

  std::optional<bool> verify() override { return holders() == process_count_; }

  Params answer() const override {
    Params answer;
    if (!hashes_.empty()) {
      answer.set("holders", number(holders()));
      answer.set("values_hash", fmt::format("{:016x}", hashes_.back()));
    }
    return answer;
  }

 private:
  std::vector<std::uint64_t> drawn_values() const {
    return numbered<std::uint64_t>(message_.values,
                                   [this](std::uint64_t i) { return hash_of(seed_, i); });
  }

  /// Number of processes that got the values of process 0.
  std::ptrdiff_t holders() const {
    return std::ranges::count(hashes_, hash_of_all(drawn_values()));
  }

  TreeMessage message_;
  std::uint32_t process_count_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> hashes_;  ///< [process]: of its values, which are large
};

std::unique_ptr<Program> make_broadcast(const Params& params, const ProgramContext& context) {
  return std::make_unique<Broadcast>(read_tree_message(params),
                                     read_process_count(params, context.machine), context);
}

}  // namespace

const ProgramKind broadcast_kind{
    "broadcast",
    "tree expansion: process 0 gives its values to all, in as many steps as a cube has dimensions",
    "values=4",
    {process_count_help(), values_help(), value_bytes_help()},
    make_broadcast};

}  // namespace dcube
