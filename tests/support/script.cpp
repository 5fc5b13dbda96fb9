#include "script.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "dcube/collective/background.hpp"
#include "dcube/collective/calls.hpp"

namespace dcube::testing {

ScriptCollective expanded(const std::vector<std::uint32_t>& members, const CollectiveCall& call,
                          std::uint32_t rank) {
  const auto process = [&](std::uint32_t member) {
    return member == CollectiveStep::nobody ? std::nullopt
                                            : std::optional{ProcessId{members[member]}};
  };
  CollectivePlan plan = plan_of(call, rank, static_cast<std::uint32_t>(members.size()));
  ScriptCollective of{members, call, {}, plan.copied_first, plan.copied_last};
  for (CollectiveSteps& steps : plan.ports) {
    const auto number = static_cast<std::uint32_t>(of.ports.size());
    of.ports.push_back({plan.tags.empty() ? number : plan.tags[number]});
    while (const std::optional<CollectiveStep> step = steps.next()) {
      const bool combines_in_scratch = step->in_scratch && *step->in_scratch != OnReceipt::write;
      of.ports.back().steps.push_back(
          {process(step->to), process(step->from),
           element_count(step->sent) * call.options.element_bytes,
           (step->on_receipt != OnReceipt::write ? 1U : 0U) + (combines_in_scratch ? 1U : 0U),
           step->continues, step->sent.size()});
    }
  }
  return of;
}

namespace {

/// A script as it runs: its requests by the steps that posted them.
class ScriptRun {
 public:
  ScriptRun(Process& process, const std::vector<Step>& script,
            std::vector<Observation>* observations)
      : process_{process},
        script_{script},
        observations_{observations},
        posted_(script.size()),
        background_{process} {}

  Task<> run() {
    for (step_ = 0; step_ < script_.size(); ++step_) {
      const Step& step = script_[step_];
      switch (step.kind) {
        case Step::Kind::compute:
          co_await background_.compute(step.duration);
          break;
        case Step::Kind::call:
          co_await run_collective(process_.world().subgroup(step.collective->members),
                                  step.collective->call);
          break;
        case Step::Kind::start:
          started_[step_] = co_await background_.start(
              process_.world().subgroup(step.collective->members), step.collective->call);
          break;
        case Step::Kind::finish:
          co_await background_.wait(started_.at(step.requests.front()));
          break;
        case Step::Kind::send:
          process_.send(step.peer, Payload::of_size(step.bytes), step.tag, step.send_mode);
          break;
        case Step::Kind::post_send:
          posted_[step_] = process_.post_send(step.peer, Payload::of_size(step.bytes), step.tag,
                                              step.send_mode, step.send_end);
          break;
        case Step::Kind::post_receive:
          posted_[step_] = process_.post_receive(step.peer, step.tag);
          break;
        case Step::Kind::receive:
          if (step.peer == anyone) {
            note(0, co_await process_.receive_any(step.tag));
          } else {
            note(0, {step.peer, 0, co_await process_.receive(step.peer, step.tag)});
          }
          break;
        case Step::Kind::exchange:
          note(0, {step.peer, 0,
                   co_await process_.exchange(step.peer, Payload::of_size(step.bytes), step.mode)});
          break;
        default:
          co_await wait(step);
      }
    }
  }

 private:
  Task<> wait(const Step& step) {
    std::vector<std::size_t> steps;
    std::vector<Request> requests;
    for (const std::size_t posted : step.requests) {
      if (posted_[posted]) {
        steps.push_back(posted);
        requests.push_back(*posted_[posted]);
      }
    }
    if (step.kind == Step::Kind::wait_all) {
      const std::vector<Received> messages = co_await background_.wait_all(requests);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        note(steps[i], messages[i]);
        posted_[steps[i]].reset();
      }
    } else if (!requests.empty() && step.kind == Step::Kind::wait_any) {
      const Completed completed = co_await (
          step.duration == Ticks{0}
              ? process_.wait_any(requests)
              : process_.wait_any(requests, process_.now() + step.duration, step.meanwhile));
      if (completed.index == requests.size()) {
        note(script_.size(), {});
      } else {
        note(steps[completed.index], completed.message);
        posted_[steps[completed.index]].reset();
      }
    } else if (!requests.empty()) {
      const bool is_complete = co_await process_.test(requests.front());
      note(is_complete ? 1 : 0, {});
    }
  }

  void note(std::size_t request, const Received& received) {
    if (observations_ != nullptr) {
      observations_->push_back({process_.rank(), step_, process_.now(), request, received.source,
                                received.tag, received.payload.size_bytes()});
    }
  }

  Process& process_;
  const std::vector<Step>& script_;
  std::vector<Observation>* observations_;
  std::size_t step_ = 0;
  std::vector<std::optional<Request>> posted_;
  Background background_;
  std::map<std::size_t, Background::Started> started_;  ///< by step
};

template <class Has>
bool any_step(const ScriptCase& scripted, Has has) {
  return std::ranges::any_of(scripted.scripts, [&](const std::vector<Step>& script) {
    return std::ranges::any_of(script, has);
  });
}

}  // namespace

bool has_calls(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) { return step.kind == Step::Kind::call; });
}
bool has_several_ports(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) {
    return step.kind == Step::Kind::call && step.collective->ports.size() > 1;
  });
}
bool has_uneven_calls(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) {
    return step.collective &&
           !(step.collective->call.counts.empty() && step.collective->call.send_counts.empty());
  });
}
bool has_twisted_calls(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) {
    return step.collective && !step.collective->call.options.twist.empty();
  });
}
bool has_rendezvous(const ScriptCase& scripted) {
  return scripted.machine.endpoint.eager_limit_bytes || any_step(scripted, [](const Step& step) {
           return step.send_mode == SendMode::rendezvous ||
                  (step.collective && step.collective->call.options.sends_block);
         });
}

Task<> run_script(Process& process, const std::vector<Step>& script,
                  std::vector<Observation>* observations) {
  ScriptRun run{process, script, observations};
  co_await run.run();
}

SimulationInput input_of(const ScriptCase& scripted, Observer* observer,
                         std::vector<Observation>* observations) {
  return {.machine = scripted.machine,
          .map = scripted.map,
          .body =
              [&scripted, observations](Process& process) {
                return run_script(process, scripted.scripts[process.rank().index()], observations);
              },
          .stage_count = 0,
          .execution = Execution::automatic,
          .observer = observer,
          .jitter = scripted.jitter};
}

}  // namespace dcube::testing
