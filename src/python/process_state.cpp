#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "process.hpp"

namespace dcube::python {

ProcessState* ProcessState::running = nullptr;

Process& ProcessState::process() {
  if (process_ == nullptr) {
    throw ContractViolation("a process that has ended can do nothing more");
  }
  return *process_;
}

Process& ProcessState::acting(const char* call) {
  Process& own = process();
  if (running != this) {
    throw ContractViolation(
        fmt::format("process {} calls {} in code that {}", own.rank().index(), call,
                    running != nullptr ? "another process runs" : "no process runs"));
  }
  return own;
}

void ProcessState::enter_stage(const py::object& stage) {
  Process& own = acting("enter_stage");
  const auto refuse = [&](const std::string& name) {
    const auto quoted = [](const std::string& known) { return "'" + known + "'"; };
    throw ContractViolation(
        fmt::format("process {} enters the stage {}, which is none of its program's (stages={})",
                    own.rank().index(), name,
                    stage_names_.empty() ? std::to_string(stages_)
                                         : "[" + joined(stage_names_, ", ", quoted) + "]"));
  };
  if (!PyUnicode_Check(stage.ptr())) {
    const auto number = uncut<std::uint32_t>(stage);
    if (number >= stages_) {
      refuse(std::to_string(number));
    }
    own.enter_stage(number);
    return;
  }
  const auto name = stage.cast<std::string>();
  const auto found = std::ranges::find(stage_names_, name);
  if (found == stage_names_.end()) {
    refuse("`" + name + "`");
  }
  own.enter_stage(static_cast<std::uint32_t>(found - stage_names_.begin()));
}

py::object ProcessState::ask(Action action) {
  acting(action.call);
  expect_nothing_asked(action.call);
  if (CollectiveAction* const called = action.collective.get()) {
    called->agreement =
        agreements_.join(calls_, called->group_key, called->group, called->call.kind,
                         called->call.options.tag, called->given);
  }
  action_ = std::move(action);
  return awaitable();
}

py::object ProcessState::start_asked() {
  if (action_.kind != Action::Kind::collective) {
    throw py::type_error("only a collective can be started: yield world.allreduce(x).start()");
  }
  action_.kind = Action::Kind::start;
  CollectiveOptions& options = action_.collective->call.options;
  if (options.tag == 0) {
    // The same for all members, and another than those of collectives that are started near it.
    constexpr Tag half = most_collective_tags / 2;
    options.tag = half + static_cast<Tag>(action_.collective->agreement->number % half);
  }
  return awaitable();
}

void ProcessState::expect_nothing_asked(const char* before) const {
  if (action_.kind != Action::Kind::none) {
    throw ContractViolation(
        fmt::format("process {}: what {} gave was not yielded before {} (write `yield p.{}(..)`)",
                    process_->rank().index(), action_.call, before, action_.call));
  }
}

Action ProcessState::take_action(py::handle yielded) {
  if (yielded.ptr() != awaitable().ptr() || action_.kind == Action::Kind::none) {
    throw ContractViolation(fmt::format(
        "process {} yields {}, and nothing can be waited for in that (yield what a call such as "
        "p.receive() gives, once)",
        process_->rank().index(), py::repr(yielded).cast<std::string>()));
  }
  return std::exchange(action_, Action{});
}

}  // namespace dcube::python
