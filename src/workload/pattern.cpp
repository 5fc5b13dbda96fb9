#include "pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/background.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/program/collective_values.hpp"
#include "pattern_reader.hpp"
#include "program/catalog.hpp"
#include "program/settings.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t bytes_in_memory = sizeof(std::uint64_t);

/// Executes the phases in every process.
class Pattern final : public Program {
 public:
  /// `seed`: of values that collectives move, if those are to be checked.
  Pattern(std::string_view kind, Params settings, const Guest& guest, std::vector<Phase> phases,
          Params answer, std::optional<std::uint64_t> seed)
      : kind_{kind},
        settings_{std::move(settings)},
        answer_{std::move(answer)},
        guest_{guest},
        phases_{std::move(phases)},
        names_{name_stages(phases_)},
        starts_some_{has_start(phases_)},
        may_differ_{has_collective_along(phases_, false)} {
    const Int128 bytes = Int128{value_count(phases_)} * guest_.process_count() * bytes_in_memory;
    if (bytes <= CollectiveValues::most_bytes) {
      seed_ = seed;
    }
  }

  std::string_view kind() const override { return kind_; }
  std::optional<Params> pattern() const override { return settings_; }
  Params answer() const override { return answer_; }
  Guest guest() const override { return guest_; }
  std::uint64_t data_bytes() const override {
    Counted counted;
    return data_bytes(phases_, counted) +
           (seed_ ? 3 * bytes_in_memory * guest_.process_count() * value_count(phases_) : 0);
  }
  std::optional<bool> verify() override { return seed_ ? std::optional{is_right_} : std::nullopt; }
  Task<> run(Process& process) override {
    return starts_some_ ? run_apart(process) : run(process, phases_, 0, nullptr);
  }
  std::uint32_t stage_count() const override { return static_cast<std::uint32_t>(names_.size()); }
  std::vector<std::string> stage_names() const override { return names_; }
  bool repeats_stages() const override { return true; }
  /// Expected results are the same in every run.
  bool forget_runs() override {
    rounds_.clear();
    called_.clear();
    calls_.clear();
    is_right_ = true;
    return true;
  }

 private:
  /// Values of a process in a collective.
  struct Check {
    const Phase* phase;
    std::uint32_t group;
    std::uint32_t rank;
    std::uint32_t first;  ///< number of the group's first member
    std::uint64_t round;  ///< how often the process has been in the phase
    CollectiveValues values;
    CollectiveValues::Elements elements;
  };

  /// A call of a collective by a process.
  struct Called {
    const Phase* phase;
    std::uint64_t bytes;
    ProcessId process;

    std::string text(const std::vector<std::string>& names) const {
      return fmt::format("{} of {} (root {}, algorithm {}, ports {}{})", name_of(phase->collective),
                         counted(bytes, "byte"), phase->root, phase->algorithm, phase->ports,
                         phase->stage == no_stage ? std::string{}
                                                  : fmt::format(", phase {}", names[phase->stage]));
    }
  };
  /// A group, and the number of the collective that goes on.
  using GroupCalls = std::tuple<const ProcessGroups*, std::uint32_t, std::optional<std::uint32_t>>;

  /// What a process has started and not waited for; null if the pattern starts nothing.
  struct Apart {
    explicit Apart(const Process& process) : background{process} {}
    Background background;
    struct Started {
      Background::Started collective;
      std::unique_ptr<Check> check;
    };
    std::map<std::uint32_t, Started> started{};
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
            if (may_differ_) {
              expect_same_call(process.rank(), phase, group->size(), iteration);
            }
            std::unique_ptr<Check> check = begin_check(phase, process, call, group->size());
            if (apart != nullptr) {
              Elements* const elements = check ? &check->elements : nullptr;
              const Background::Started started = co_await apart->background.start(
                  *std::move(group), call, elements,
                  phase.started ? Background::Awaited::later : Background::Awaited::at_once);
              if (phase.started) {
                apart->started[*phase.started] = {started, std::move(check)};
                break;
              }
              co_await apart->background.wait(started);
            } else if (check) {
              co_await run_collective(*std::move(group), call, check->elements);
            } else {
              co_await run_collective(*std::move(group), call);
            }
            end_check(check.get());
          }
          break;
        case Phase::Kind::wait:
          expects(apart != nullptr, "what is waited for was started");
          if (const auto started = apart->started.extract(*phase.started)) {
            co_await apart->background.wait(started.mapped().collective);
            end_check(started.mapped().check.get());
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

  std::unique_ptr<Check> begin_check(const Phase& phase, const Process& process,
                                     const CollectiveCall& call, std::uint32_t size) {
    if (!seed_ || phase.collective == CollectiveKind::barrier) {
      return nullptr;
    }
    const ProcessGroups::Place place = phase.groups->place_of(process.rank()).value();
    const std::uint64_t round = rounds_[{&phase, process.rank()}]++;
    const CollectiveValues values{call, phase.amount({0, size, 0}), size, *seed_};
    const std::uint32_t first = place.group * size;
    return std::make_unique<Check>(Check{&phase, place.group, place.rank, first, round, values,
                                         values.drawn(first, place.rank, round)});
  }

  /// Compares the result with a sequential computation, which is made once for a group.
  void end_check(Check* check) {
    if (check == nullptr) {
      return;
    }
    std::vector<std::uint64_t>& expected = expected_[{check->phase, check->group, check->round}];
    if (expected.empty()) {
      expected = check->values.expected_results(check->first, check->round);
    }
    const std::uint64_t result = check->values.hash_of_result(check->rank, check->elements.take());
    is_right_ = is_right_ && result == expected[check->rank];
  }

  /// Values of all collectives of a process, at most.
  static std::uint64_t value_count(const std::vector<Phase>& phases) {
    constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
    Int128 count = 0;
    for (const Phase& phase : phases) {
      if (phase.kind == Phase::Kind::along) {
        std::uint64_t longest = 0;
        for (const Phase& list : phase.phases) {
          longest = std::max(longest, value_count(list.phases));
        }
        count += longest;
      } else if (phase.kind == Phase::Kind::collective &&
                 phase.collective != CollectiveKind::barrier) {
        count += phase.amount({0, phase.groups->sizes().back(), 0});
      } else {
        count += Int128{phase.times} * value_count(phase.phases);
      }
      count = std::min(count, most);
    }
    return static_cast<std::uint64_t>(count);
  }

  CollectiveCall sized_call(const Phase& phase, std::uint32_t size, std::uint64_t iteration) {
    CollectiveCall call = call_of(phase);
    if (phase.collective != CollectiveKind::barrier) {
      // Every process gives the size of rank 0 of its group.
      const std::uint64_t bytes = phase.amount({0, size, iteration});
      std::vector<std::uint64_t> shares = set_counts(call, bytes, size);
      if (!shares.empty()) {
        call.counts = shares_.try_emplace({bytes, size}, std::move(shares)).first->second;
      }
    }
    return call;
  }

  /// Processes of a group may come to their n-th call in different phases.
  void expect_same_call(ProcessId process, const Phase& phase, std::uint32_t size,
                        std::uint64_t iteration) {
    const auto place = phase.groups->place_of(process);
    const GroupCalls group{phase.groups.get(), place->group, phase.started};
    std::vector<Called>& called = called_[group];
    const std::size_t number = calls_[{group, process}]++;
    const bool has_bytes = phase.collective != CollectiveKind::barrier;
    const Called own{&phase, has_bytes ? phase.amount({0, size, iteration}) : 0, process};
    if (number == called.size()) {
      called.push_back(own);
      return;
    }
    const Called& other = called[number];
    const auto of = [](const Called& one) {
      return std::tuple{one.phase->collective, one.bytes, one.phase->root, one.phase->algorithm,
                        one.phase->ports};
    };
    refuse_if(of(own) != of(other), "",
              "process {} calls {}, and process {} of its group calls {} "
              "(all call the same, in one order)",
              process.index(), own.text(names_), other.process.index(), other.text(names_));
  }

  /// Posts everything, runs the phases meanwhile, and waits.
  Task<> exchange(Process& process, const Phase& phase, Expression::Variables variables,
                  Apart* apart) {
    std::vector<Request> requests;
    for (const std::uint32_t i : phase.received[process.rank().index()]) {
      requests.push_back(process.post_receive(phase.messages[i].from, phase.tag));
    }
    for (const std::uint32_t i : phase.sent[process.rank().index()]) {
      const PatternMessage& message = phase.messages[i];
      requests.push_back(process.post_send(
          message.to, Payload::of_size(phase.sizes[message.size](variables)), phase.tag));
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

  /// Whether a collective is in the phases of a coordinate.
  static bool has_collective_along(const std::vector<Phase>& phases, bool is_along) {
    return std::ranges::any_of(phases, [&](const Phase& phase) {
      return (is_along && phase.kind == Phase::Kind::collective) ||
             has_collective_along(phase.phases, is_along || phase.kind == Phase::Kind::along);
    });
  }

  using Counted = std::set<const ProcessGroups*>;

  /// Groups that phases share count once.
  static std::uint64_t data_bytes(const std::vector<Phase>& phases, Counted& counted) {
    std::uint64_t bytes = 0;
    for (const Phase& phase : phases) {
      const bool is_new = phase.groups != nullptr && counted.insert(phase.groups.get()).second;
      bytes += sizeof phase + data_bytes(phase.phases, counted) +
               phase.sizes.size() * sizeof(Expression) +
               phase.messages.size() * (sizeof(PatternMessage) + 2 * sizeof(std::uint32_t)) +
               phase.sent.size() * 2 * sizeof(std::vector<std::uint32_t>) +
               (is_new ? phase.groups->memory_bytes() : 0);
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
  bool may_differ_;                 ///< processes of a group may call different collectives
  std::map<GroupCalls, std::vector<Called>> called_;  ///< the first of each call
  std::map<std::pair<GroupCalls, ProcessId>, std::size_t> calls_;
  // Values that are checked:
  std::optional<std::uint64_t> seed_{};
  std::map<std::pair<const Phase*, ProcessId>, std::uint64_t> rounds_;
  std::map<std::tuple<const Phase*, std::uint32_t, std::uint64_t>, std::vector<std::uint64_t>>
      expected_;  ///< hashes of results
  bool is_right_ = true;
};

std::unique_ptr<Program> make_pattern(const Params& settings, const ProgramContext& context) {
  return make_pattern_program(pattern_kind.name, settings, context);
}

}  // namespace

std::unique_ptr<Program> make_pattern_program(std::string_view kind, Params settings,
                                              const ProgramContext& context, Params answer,
                                              std::optional<std::uint64_t> seed) {
  ReadPattern read = read_pattern(settings, context);
  check_formulas(read.phases, read.guest.process_count());
  expect_as_many_receives(read.phases, read.guest.process_count(), settings.place_of("phases"));
  return std::make_unique<Pattern>(kind, std::move(settings), read.guest, std::move(read.phases),
                                   std::move(answer), seed);
}

const ProgramKind pattern_kind{
    "pattern",
    "phases of computing, exchanges with neighbours, messages and collectives, in loops",
    "",
    {guest_help("a cube or a line"),
     process_count_help(),
     {"phases",
      "a list: {compute: time} or {compute: operation, count}, {exchange: bytes}, {messages: "
      "[{from, to, bytes}]}, {traffic: file}, {send: axis, by: steps, bytes, tag}, {receive: axis, "
      "by, tag}, {collective: kind, over, bytes, root, algorithm, start: name}, {wait: name}, "
      "{repeat: n, phases}, {along: axis, phases: a list for each coordinate}; messages may have "
      "{meanwhile: phases}, and all may have {name}",
      ""}},
    make_pattern};

}  // namespace dcube
