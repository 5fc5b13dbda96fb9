#include "pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/collective/background.hpp"
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
  Pattern(std::string_view kind, Params settings, const Guest& guest, std::vector<Phase> phases,
          Params answer)
      : kind_{kind},
        settings_{std::move(settings)},
        answer_{std::move(answer)},
        guest_{guest},
        phases_{std::move(phases)},
        names_{name_stages(phases_)},
        starts_some_{has_start(phases_)} {}

  std::string_view kind() const override { return kind_; }
  std::optional<Params> pattern() const override { return settings_; }
  Params answer() const override { return answer_; }
  Guest guest() const override { return guest_; }
  std::uint64_t data_bytes() const override { return data_bytes(phases_); }
  Task<> run(Process& process) override {
    return starts_some_ ? run_apart(process) : run(process, phases_, 0, nullptr);
  }
  std::uint32_t stage_count() const override { return static_cast<std::uint32_t>(names_.size()); }
  std::vector<std::string> stage_names() const override { return names_; }
  bool repeats_stages() const override { return true; }

 private:
  /// What a process has started and not waited for; null if the pattern starts nothing.
  struct Apart {
    explicit Apart(const Process& process) : background{process} {}
    Background background;
    std::map<std::uint32_t, Background::Started> started{};
  };

  Task<> run(Process& process, const std::vector<Phase>& phases, std::uint64_t iteration,
             Apart* apart) {
    const Expression::Variables variables{process.rank().index(), process.size(), iteration};
    for (const Phase& phase : phases) {
      if (phase.stage != no_stage) {
        process.enter_stage(phase.stage);
      }
      switch (phase.kind) {
        case Phase::Kind::compute:
        case Phase::Kind::operations: {
          const Ticks duration = duration_of(phase, variables);
          if (apart == nullptr) {
            co_await process.compute(duration);
          } else {
            co_await apart->background.compute(duration);
          }
          break;
        }
        case Phase::Kind::messages:
          co_await exchange(process, phase, variables, apart);
          break;
        case Phase::Kind::send:
          process.send(phase.axis.shifted(process.rank(), phase.shift),
                       Payload::of_size(phase.amount(variables)), phase.tag);
          break;
        case Phase::Kind::receive: {
          const ProcessId from = phase.axis.shifted(process.rank(), phase.shift);
          if (apart == nullptr) {
            co_await process.receive(from, phase.tag);
          } else {
            std::vector<Request> requests(1, process.post_receive(from, phase.tag));
            co_await apart->background.wait_all(std::move(requests));
          }
          break;
        }
        case Phase::Kind::collective:
          if (std::optional<Group> group = phase.groups->of(process)) {
            const CollectiveCall call = sized_call(phase, group->size(), iteration);
            if (apart == nullptr) {
              co_await run_collective(*std::move(group), call);
            } else {
              const Background::Started started =
                  co_await apart->background.start(*std::move(group), call);
              if (phase.started) {
                apart->started[*phase.started] = started;
              } else {
                co_await apart->background.wait(started);
              }
            }
          }
          break;
        case Phase::Kind::wait:
          expects(apart != nullptr, "what is waited for was started");
          if (const auto started = apart->started.extract(*phase.started)) {
            co_await apart->background.wait(started.mapped());
          }
          break;
        case Phase::Kind::repeat:
          for (std::uint64_t i = 0; i < phase.times; ++i) {
            co_await run(process, phase.phases, i, apart);
          }
          break;
        case Phase::Kind::along:
          co_await run(process, phase.phases[phase.axis.coordinate(process.rank())].phases,
                       iteration, apart);
          break;
      }
    }
  }

  static Ticks duration_of(const Phase& phase, const Expression::Variables& variables) {
    const std::uint64_t amount = phase.amount(variables);
    return phase.kind == Phase::Kind::compute ? Ticks{static_cast<Ticks::rep>(amount)}
                                              : round_cost(ExactTime{}, phase.each, amount);
  }

  Task<> run_apart(Process& process) {
    Apart apart{process};
    co_await run(process, phases_, 0, &apart);
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
  Task<> exchange(Process& process, const Phase& phase, Expression::Variables variables,
                  Apart* apart) {
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
      co_await run(process, phase.phases, variables.iteration, apart);
    }
    if (apart == nullptr) {
      co_await process.wait_all(std::span<const Request>{requests});
    } else {
      co_await apart->background.wait_all(std::move(requests));
    }
  }

  static bool has_start(const std::vector<Phase>& phases) {
    return std::ranges::any_of(
        phases, [](const Phase& phase) { return phase.started || has_start(phase.phases); });
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

  std::string_view kind_;
  Params settings_;
  Params answer_;
  Guest guest_;
  std::vector<Phase> phases_;
  /// Unequal shares, by the bytes of all together and the number of processes.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>> shares_;
  std::vector<std::string> names_;  ///< of the stages
  bool starts_some_;                ///< some collective is started apart
};

std::unique_ptr<Program> make_pattern(const Params& settings, const ProgramContext& context) {
  return make_pattern_program(pattern_kind.name, settings, context);
}

}  // namespace

std::unique_ptr<Program> make_pattern_program(std::string_view kind, Params settings,
                                              const ProgramContext& context, Params answer) {
  ReadPattern read = read_pattern(settings, context);
  return std::make_unique<Pattern>(kind, std::move(settings), read.guest, std::move(read.phases),
                                   std::move(answer));
}

const ProgramKind pattern_kind{
    "pattern",
    "phases of computing, exchanges with neighbours, messages and collectives, in loops",
    "",
    {guest_help("a cube or a line"),
     process_count_help(),
     {"phases",
      "a list: {compute: time} or {compute: operation, count}, {exchange: bytes}, {messages: "
      "[{from, "
      "to, bytes}]}, {traffic: file}, {send: axis, by: steps, bytes, tag}, {receive: axis, by, "
      "tag}, {collective: kind, over, bytes, root, algorithm, start: name}, {wait: name}, {repeat: "
      "n, phases}, {along: axis, phases: a list for each coordinate}; messages may have "
      "{meanwhile: "
      "phases}, and all may have {name}",
      ""}},
    make_pattern};

}  // namespace dcube
