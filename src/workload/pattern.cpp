#include <fmt/format.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "pattern_reader.hpp"
#include "program/catalog.hpp"
#include "program/settings.hpp"

namespace dcube {
namespace {

/// Executes the phases in every process.
class Pattern final : public Program {
 public:
  Pattern(const Guest& guest, std::vector<Phase> phases)
      : guest_{guest}, phases_{std::move(phases)}, names_{name_stages(phases_)} {}

  std::string_view kind() const override { return pattern_kind.name; }
  Guest guest() const override { return guest_; }
  std::uint64_t data_bytes() const override { return data_bytes(phases_); }
  Task<> run(Process& process) override { return run(process, phases_, 0); }
  std::uint32_t stage_count() const override { return static_cast<std::uint32_t>(names_.size()); }
  std::vector<std::string> stage_names() const override { return names_; }
  bool repeats_stages() const override { return true; }

 private:
  Task<> run(Process& process, const std::vector<Phase>& phases, std::uint64_t iteration) {
    const Expression::Variables variables{process.rank().index(), process.size(), iteration};
    for (const Phase& phase : phases) {
      if (phase.stage != no_stage) {
        process.enter_stage(phase.stage);
      }
      switch (phase.kind) {
        case Phase::Kind::compute:
          co_await process.compute(Ticks{static_cast<Ticks::rep>(phase.amount(variables))});
          break;
        case Phase::Kind::operations:
          co_await process.compute(phase.operation, phase.amount(variables));
          break;
        case Phase::Kind::messages:
          co_await exchange(process, phase, variables);
          break;
        case Phase::Kind::collective:
          if (std::optional<Group> group = phase.groups->of(process)) {
            const std::uint32_t size = group->size();
            co_await run_collective(*std::move(group), sized_call(phase, size, iteration));
          }
          break;
        case Phase::Kind::repeat:
          for (std::uint64_t i = 0; i < phase.times; ++i) {
            co_await run(process, phase.phases, i);
          }
          break;
      }
    }
  }

  CollectiveCall sized_call(const Phase& phase, std::uint32_t size, std::uint64_t iteration) {
    CollectiveCall call = call_of(phase);
    if (phase.collective != CollectiveKind::barrier) {
      // Every process gives the size of rank 0 of its group.
      const std::uint64_t bytes = phase.amount({0, size, iteration});
      std::vector<std::uint64_t> shares = share_out(call, bytes, size);
      if (!shares.empty()) {
        call.counts = shares_.try_emplace({bytes, size}, std::move(shares)).first->second;
      }
    }
    return call;
  }

  /// Posts everything, runs the phases meanwhile, and waits.
  Task<> exchange(Process& process, const Phase& phase, Expression::Variables variables) {
    std::vector<Request> requests;
    for (const std::uint32_t i : phase.received[process.rank().index()]) {
      requests.push_back(process.post_receive(phase.messages[i].from));
    }
    for (const std::uint32_t i : phase.sent[process.rank().index()]) {
      const PatternMessage& message = phase.messages[i];
      requests.push_back(
          process.post_send(message.to, Payload::of_size(phase.sizes[message.size](variables))));
    }
    if (!phase.phases.empty()) {
      co_await run(process, phase.phases, variables.iteration);
    }
    co_await process.wait_all(std::span<const Request>{requests});
  }

  static std::uint64_t data_bytes(const std::vector<Phase>& phases) {
    std::uint64_t bytes = 0;
    for (const Phase& phase : phases) {
      bytes += sizeof phase + data_bytes(phase.phases) + phase.sizes.size() * sizeof(Expression) +
               phase.messages.size() * (sizeof(PatternMessage) + 2 * sizeof(std::uint32_t)) +
               phase.sent.size() * 2 * sizeof(std::vector<std::uint32_t>) +
               (phase.groups ? phase.groups->memory_bytes() : 0);
    }
    return bytes;
  }

  Guest guest_;
  std::vector<Phase> phases_;
  /// Unequal shares, by the bytes of all together and the number of processes.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>> shares_;
  std::vector<std::string> names_;  ///< of the stages
};

std::unique_ptr<Program> make_pattern(const Params& settings, const ProgramContext& context) {
  NamedGuest guest{Guest::of_processes(1)};
  if (settings.has("guest")) {
    guest = read_guest(settings);
    if (settings.has("processes")) {
      settings.reject("processes", "stands beside guest, which says how many there are");
    }
  } else {
    guest.guest = Guest::of_processes(read_process_count(settings, context.machine));
  }
  return std::make_unique<Pattern>(guest.guest, read_phases(settings, context, guest));
}

}  // namespace

const ProgramKind pattern_kind{
    "pattern",
    "phases of computing, exchanges with neighbours, messages and collectives, in loops",
    "",
    {guest_help("a cube or a line"),
     process_count_help(),
     {"phases",
      "a list: {compute: time} or {compute: operation, count}, {exchange: bytes}, {messages: "
      "[{from, "
      "to, bytes}]}, {traffic: file}, {collective: kind, over, bytes, root, algorithm}, {repeat: "
      "n, phases}; messages may have {meanwhile: phases}, and all may have {name}",
      ""}},
    make_pattern};

}  // namespace dcube
