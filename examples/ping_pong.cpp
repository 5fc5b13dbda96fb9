// Two processes send numbers to and fro: the first and the last, however far apart they are placed.

#include <algorithm>
#include <cstdint>
#include <dcube/program/program.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using dcube::Payload;
using dcube::ProcessId;
using Numbers = std::vector<std::uint64_t>;

class PingPong final : public dcube::Program {
 public:
  PingPong(std::uint32_t process_count, std::uint32_t rounds, std::uint32_t numbers)
      : process_count_{process_count}, rounds_{rounds}, numbers_(numbers, 0) {}

  std::string_view kind() const override { return "ping_pong"; }
  dcube::Guest guest() const override { return dcube::Guest::of_processes(process_count_); }

  dcube::Task<> run(dcube::Process& process) override {
    const ProcessId first{0};
    const ProcessId last{process_count_ - 1};
    if (process.rank() == first) {
      Numbers numbers = numbers_;
      for (std::uint32_t round = 0; round < rounds_; ++round) {
        process.send(last, Payload::of(std::move(numbers)));
        numbers = (co_await process.receive(last)).take<std::uint64_t>();
      }
      returned_ = std::move(numbers);
      time_ = process.now();
    } else if (process.rank() == last) {
      for (std::uint32_t round = 0; round < rounds_; ++round) {
        Numbers numbers = (co_await process.receive(first)).take<std::uint64_t>();
        for (std::uint64_t& number : numbers) {
          ++number;
        }
        process.send(first, Payload::of(std::move(numbers)));
      }
    }
  }

  /// Every number has been counted up once a round.
  std::optional<bool> verify() override { return returned_ == Numbers(numbers_.size(), rounds_); }

  dcube::Params answer() const override {
    dcube::Params answer;
    answer.set("round_trip", dcube::format_time(time_ / rounds_));
    return answer;
  }

 private:
  std::uint32_t process_count_;
  std::uint32_t rounds_;
  Numbers numbers_;
  Numbers returned_;
  dcube::Ticks time_{0};
};

std::unique_ptr<dcube::Program> make_ping_pong(const dcube::Params& settings,
                                               const dcube::ProgramContext& context) {
  const std::uint32_t nodes = context.machine.topology->node_count();
  if (nodes < 2) {
    throw dcube::InputError("", "the machine has one node (a ping-pong needs two)");
  }
  return std::make_unique<PingPong>(nodes, settings.positive_int("rounds"),
                                    settings.positive_int("numbers"));
}

const dcube::ProgramKind kind{
    .name = "ping_pong",
    .help =
        "the first and the last of as many processes as there are nodes send numbers to and fro",
    .example = "rounds=2,numbers=8",
    .parameters = {{"rounds", "how often they go to and fro (>= 1)", ""},
                   {"numbers", "64-bit numbers in a message (>= 1)", ""}},
    .make = make_ping_pong};

const bool is_registered = dcube::register_program(kind);

}  // namespace
