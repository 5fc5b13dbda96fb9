#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "draw.hpp"
#include "random_costs.hpp"
#include "random_machine.hpp"
#include "script.hpp"

// Draws scripts: random_case() and random_overlap().

namespace dcube::testing {

namespace {

Step step_of(Step::Kind kind) {
  Step step;
  step.kind = kind;
  return step;
}
Step compute_step(Ticks duration) {
  Step step = step_of(Step::Kind::compute);
  step.duration = duration;
  return step;
}
Step message_step(Step::Kind kind, ProcessId peer, Tag tag = 0, std::uint64_t bytes = 0) {
  Step step = step_of(kind);
  step.peer = peer;
  step.tag = tag;
  step.bytes = bytes;
  return step;
}
Step exchange_step(ProcessId partner, std::uint64_t bytes, ExchangeMode mode) {
  Step step = message_step(Step::Kind::exchange, partner, 0, bytes);
  step.mode = mode;
  return step;
}

using Scripts = std::vector<std::vector<Step>>;

/// A collective of some processes in a row, one time in eight of all: a step of each, whose peer is
/// the process itself.
std::vector<Step> random_collective(Draw& draw, const Scripts& scripts, std::uint32_t tag) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const bool is_of_all = count <= 32 && draw.one_in(8);
  const std::uint32_t size = is_of_all ? count : 1 + draw.below(std::min(count, 9U));
  std::vector<std::uint32_t> members;
  for (std::uint32_t first = draw.below(count), i = 0; i < size; ++i) {
    members.push_back((first + i) % count);
  }
  RandomCall random = random_call(draw, size);
  random.call.options.tag = tag;
  std::vector<Step> steps;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    Step step = step_of(Step::Kind::start);
    step.peer = ProcessId{members[rank]};
    ScriptCollective of = expanded(members, random.of(rank), rank);
    of.numbers = random.numbers;
    step.collective = std::make_shared<const ScriptCollective>(std::move(of));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Steps are appended in one global order, so that no process waits for a later one: no deadlock.
class RandomSteps {
 public:
  RandomSteps(Draw& draw, Extent extent, Scripts& scripts)
      : draw_{draw},
        scripts_{scripts},
        sizes_{1 + draw.below(6)},
        tags_{extent == Extent::plain || draw.one_in(2) ? 1 : 2 + draw.below(2)},
        longest_compute_{draw.one_of(std::array{1U, 3U, 10U, 1000U})},
        uses_requests_{extent != Extent::plain && draw.one_in(2)},
        uses_anyone_{extent != Extent::plain && draw.one_in(2)},
        calls_{extent != Extent::plain && draw.one_in(3) ? 1 + draw.below(3) : 0} {}

  void add() {
    if (calls_ > 0 && draw_.one_in(6)) {
      call();
      return;
    }
    const ProcessId a = any_process();
    const ProcessId b = draw_.one_in(4) ? ProcessId{0} : any_process();
    switch (draw_.below(uses_requests_ ? 7 : 4)) {
      case 0:
        script(a).push_back(compute_step(Ticks{draw_.below(longest_compute_)}));
        return;
      case 1:
      case 2: {
        const ExchangeMode mode = draw_.one_in(2) ? ExchangeMode::eager : ExchangeMode::rendezvous;
        script(a).push_back(exchange_step(b, bytes(), mode));
        if (a != b) {
          script(b).push_back(exchange_step(a, bytes(), mode));
        }
        return;
      }
      case 3:
        script(a).push_back(random_message(Step::Kind::send, b));
        if (!draw_.one_in(10)) {
          receive(b, a, script(a).back().tag, Step::Kind::receive);
        }
        return;
      case 4:
      case 5:
        script(a).push_back(
            random_message(draw_.one_in(2) ? Step::Kind::post_send : Step::Kind::send, b));
        if (draw_.one_in(4)) {
          script(a).back().send_mode = draw_.one_in(2) ? SendMode::eager : SendMode::rendezvous;
        }
        script(a).back().send_end = draw_.one_in(3) ? SendEnd::arrived : SendEnd::left;
        receive(b, a, script(a).back().tag, Step::Kind::post_receive);
        return;
      default:
        wait(a);
    }
  }

 private:
  ProcessId any_process() {
    return ProcessId{draw_.below(static_cast<std::uint32_t>(scripts_.size()))};
  }
  std::vector<Step>& script(ProcessId process) { return scripts_[process.index()]; }
  std::uint64_t bytes() { return draw_.below(sizes_); }

  Step random_message(Step::Kind kind, ProcessId peer) {
    const Tag tag = draw_.below(tags_);
    return message_step(kind, peer, tag, bytes());
  }

  void receive(ProcessId receiver, ProcessId from, Tag sent, Step::Kind kind) {
    const ProcessId asked = uses_anyone_ && draw_.one_in(3) ? anyone : from;
    script(receiver).push_back(message_step(kind, asked, draw_.one_in(4) ? any_tag : sent));
  }

  void call() {
    for (Step& step : random_collective(draw_, scripts_, --calls_)) {
      step.kind = Step::Kind::call;
      script(step.peer).push_back(std::move(step));
    }
  }

  /// Waits for some of the requests that the process has posted, or tests one.
  void wait(ProcessId process) {
    std::vector<std::size_t> posted;
    for (std::size_t i = 0; i < script(process).size(); ++i) {
      const Step::Kind kind = script(process)[i].kind;
      if ((kind == Step::Kind::post_send || kind == Step::Kind::post_receive) && !draw_.one_in(3)) {
        posted.push_back(i);
      }
    }
    Step step = step_of(
        draw_.one_of(std::array{Step::Kind::wait_all, Step::Kind::wait_any, Step::Kind::test}));
    step.requests = std::move(posted);
    if (step.kind == Step::Kind::wait_any && draw_.one_in(2)) {
      step.duration = Ticks{1 + draw_.below(longest_compute_)};
      step.meanwhile =
          draw_.one_of(std::array{Activity::waiting, Activity::compute, Activity::endpoint});
    }
    script(process).push_back(std::move(step));
  }

  Draw& draw_;
  Scripts& scripts_;
  std::uint32_t sizes_;
  std::uint32_t tags_;
  std::uint32_t longest_compute_;
  bool uses_requests_;
  bool uses_anyone_;
  std::uint32_t calls_;  ///< left
};

/// Everybody sends to one process at once, which asks for the messages in an unlucky order.
void add_storm(Draw& draw, Extent extent, Scripts& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const ProcessId target{draw.below(count)};
  const std::uint32_t rounds = 1 + draw.below(4);
  const bool is_from_anyone = extent != Extent::plain && draw.one_in(2);
  for (std::uint32_t sender = 0; sender < count; ++sender) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[sender].push_back(message_step(Step::Kind::send, target, 0, draw.below(3)));
    }
  }
  for (std::uint32_t sender = count; sender-- > 0;) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[target.index()].push_back(
          message_step(Step::Kind::receive, is_from_anyone ? anyone : ProcessId{sender}));
    }
  }
}

void lose_a_step(Draw& draw, Scripts& scripts) {
  std::vector<Step>& script = scripts[draw.below(static_cast<std::uint32_t>(scripts.size()))];
  if (!script.empty()) {
    script[draw.below(static_cast<std::uint32_t>(script.size()))] = compute_step(Ticks{0});
  }
}

/// Everybody exchanges a message with the next, and waits for both.
void add_round(Draw& draw, Scripts& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const std::uint64_t bytes = draw.below(4);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    std::vector<Step>& script = scripts[rank];
    script.push_back(message_step(Step::Kind::post_receive, ProcessId{(rank + count - 1) % count}));
    script.push_back(message_step(Step::Kind::post_send, ProcessId{(rank + 1) % count}, 0, bytes));
    Step wait = step_of(Step::Kind::wait_all);
    wait.requests = {script.size() - 2, script.size() - 1};
    script.push_back(std::move(wait));
  }
}

}  // namespace

ScriptCase random_overlap(std::uint64_t seed) {
  ScriptCase result = random_case(seed);
  Draw draw{seed + 1};
  Scripts scripts(result.scripts.size());
  const auto count = static_cast<std::uint32_t>(scripts.size());
  std::vector<std::vector<std::size_t>> started(count);  // steps
  const std::uint32_t longest = draw.one_of(std::array{3U, 30U, 300U});
  const auto add_computing = [&] {
    for (std::vector<Step>& script : scripts) {
      if (!draw.one_in(3)) {
        script.push_back(compute_step(Ticks{draw.below(longest)}));
      }
    }
  };
  const auto finish = [&](std::uint32_t rank, std::size_t place) {
    Step wait = step_of(Step::Kind::finish);
    wait.requests = {started[rank][place]};
    started[rank].erase(started[rank].begin() + static_cast<std::ptrdiff_t>(place));
    scripts[rank].push_back(std::move(wait));
  };
  for (std::uint32_t number = 1 + draw.below(4); number > 0; --number) {
    add_computing();
    for (Step& step : random_collective(draw, scripts, number)) {
      const std::uint32_t member = step.peer.index();
      started[member].push_back(scripts[member].size());
      scripts[member].push_back(std::move(step));
    }
    add_computing();
    if (draw.one_in(3)) {
      add_round(draw, scripts);
    }
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      if (!started[rank].empty() && draw.one_in(3)) {
        finish(rank, draw.below(static_cast<std::uint32_t>(started[rank].size())));
      }
    }
  }
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    while (!started[rank].empty()) {
      finish(rank, draw.below(static_cast<std::uint32_t>(started[rank].size())));
    }
  }
  if (draw.one_in(8)) {
    // A process ends early, and others wait for it.
    std::vector<Step>& script = scripts[draw.below(count)];
    script.resize(script.size() / 2);
  }
  result.scripts = std::move(scripts);
  result.description += ", overlap";
  return result;
}

ScriptCase random_case(std::uint64_t seed, Extent extent) {
  Draw draw{seed};
  ScriptCase result;
  result.description = "seed " + std::to_string(seed) + ": ";
  result.machine = random_machine(draw, extent, result.description);
  result.map = random_map(draw, result.machine);
  result.scripts.resize(result.map.size());
  if (extent == Extent::all) {
    add_faults(draw, result);
  }
  RandomSteps steps{draw, extent, result.scripts};
  for (auto count = draw.below(12 * static_cast<std::uint32_t>(result.map.size()) + 1); count > 0;
       --count) {
    steps.add();
  }
  if (draw.one_in(10)) {
    add_storm(draw, extent, result.scripts);
  }
  if (draw.one_in(8)) {
    lose_a_step(draw, result.scripts);
  }
  if (extent != Extent::plain && draw.one_in(5)) {
    result.jitter = {.part = Jitter::whole / (1 + draw.below(8)), .seed = seed};
    result.jitter.part -= 1;
    result.description += ", jitter";
  }
  return result;
}

}  // namespace dcube::testing
