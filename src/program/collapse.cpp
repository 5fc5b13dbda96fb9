#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "collectives.hpp"
#include "core/mapped.hpp"
#include "dcube/core/random.hpp"
#include "dcube/program/operations.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Tree collapse [N 3]: process 0 gets the elementwise sums of the values of all processes.
class Collapse final : public Program {
 public:
  Collapse(TreeMessage message, std::uint32_t process_count, const ProgramContext& context)
      : message_{message},
        process_count_{process_count},
        seed_{context.seed},
        add_{operation_time(context.machine, "add")} {}

  std::string_view kind() const override { return collapse_kind.name; }
  Guest guest() const override { return Guest::of_processes(process_count_); }

  /// The values of every process, held or sent.
  std::uint64_t data_bytes() const override {
    return message_.values * sizeof(std::uint64_t) * 2 * process_count_;
  }

  Task<> run(Process& process) override {
    const auto add =
        [this, &process](
            std::vector<std::uint64_t> own,
            const std::vector<std::uint64_t>& other) -> Task<std::vector<std::uint64_t>> {
      std::ranges::transform(own, other, own.begin(), std::plus{});
      co_await process.compute(add_, own.size());
      co_return own;
    };
    std::vector<std::uint64_t> values = numbered<std::uint64_t>(
        message_.values, [&](std::uint64_t i) { return value(process.rank().index(), i); });
    values = co_await collapse(process, std::move(values), add, message_.bytes_per_value);
    if (process.rank() == ProcessId{0}) {
      sums_ = std::move(values);
    }
  }

  std::optional<bool> verify() override {
    std::vector<std::uint64_t> expected(message_.values);
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
      for (std::uint32_t rank = 0; rank < process_count_; ++rank) {
        expected[i] += value(rank, i);
      }
    }
    return sums_ == expected;
  }

  Params answer() const override {
    Params answer;
    if (!sums_.empty()) {
      answer.set("first_sum", number(sums_.front()));
      answer.set("sum_of_all", number(sum_of(sums_)));
    }
    return answer;
  }

  /// Nothing if computing is free.
  std::optional<Ticks> sequential_time() const override {
    return time_unless_free(add_, (process_count_ - 1) * message_.values);
  }

 private:
  /// Below 1000, so that no sum overflows and small sums can be followed by eye.
  std::uint64_t value(std::uint32_t rank, std::uint64_t place) const {
    return bounded(hash_of(seed_, rank, place), 1000);
  }

  TreeMessage message_;
  std::uint32_t process_count_;
  std::uint64_t seed_;
  ExactTime add_;
  std::vector<std::uint64_t> sums_;  ///< at process 0
};

std::unique_ptr<Program> make_collapse(const Params& params, const ProgramContext& context) {
  return std::make_unique<Collapse>(read_tree_message(params),
                                    read_process_count(params, context.machine), context);
}

}  // namespace

const ProgramKind collapse_kind{
    "collapse",
    "tree collapse: process 0 gets the sums of the values of all, added up on the way",
    "values=4",
    {process_count_help(), values_help(), value_bytes_help()},
    make_collapse};

}  // namespace dcube
