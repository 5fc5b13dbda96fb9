#include "dcube/collective/background.hpp"

#include <algorithm>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/port_clocks.hpp"
#include "plan_run.hpp"

namespace dcube {

/// A collective that has not been waited for.
struct Background::Running {
  Running(std::uint64_t of, Group group, const CollectiveCall& call, Elements* values, Awaited when,
          const CollectivePlan& plan)
      : number{of},
        kind{call.kind},
        is_awaited_at_once{when == Awaited::at_once},
        begin{group.process().now_for_the_record()},
        stage{detail::PortClocks::stage_of(group.process())},
        sizes{element_bytes_of(call)},
        run{std::move(group), values != nullptr ? *values : sizes, call.options.compute,
            first_tag_of(call), plan} {}

  std::uint64_t number;
  CollectiveKind kind;
  bool is_awaited_at_once;
  Ticks begin;
  std::uint32_t stage;
  /// Since then, the process does nothing but wait, for this collective among others.
  std::optional<Ticks> awaited{};
  ElementSizes sizes;
  PlanRun run;
  std::vector<PlanRun::Port> ports{};  ///< that are not done
  std::vector<Request> requests{};     ///< of each
  Ticks end{0};                        ///< of the latest step
};

/// What a wait has ended with.
struct Background::Event {
  Ticks time{0};                     ///< of a message: before the cost of receiving it
  bool is_late = false;              ///< nothing has come in time
  std::optional<std::size_t> own{};  ///< a request that does not belong to a collective
  Received message{};                ///< its message
};

struct Background::Waited {
  std::vector<Request> requests;
  std::vector<std::uint32_t> stages;  ///< empty: nobody asks for them

  detail::PortClocks::Requests all() const {
    return {requests, stages.empty() ? nullptr : stages.data()};
  }
};

namespace {

/// Tells of the steps of a collective at one port, from the construction on.
class ToldSteps {
 public:
  ToldSteps(const Process& process, std::uint64_t collective, std::uint32_t port,
            const Received* message)
      : process_{process}, observer_{detail::PortClocks::observer(process)} {
    if (observer_ == nullptr) [[likely]] {
      return;
    }
    steps_.process = process.rank();
    steps_.collective = static_cast<std::uint32_t>(collective);
    steps_.port = port;
    steps_.begin = process.now_for_the_record();
    if (message != nullptr) {
      steps_.begin -= detail::PortClocks::cost_of_receiving(process, *message);
      steps_.message = MessageName{message->source, message->send_number};
    }
    steps_.first_send = detail::PortClocks::send_count(process);
  }
  void end() {
    if (observer_ != nullptr) [[unlikely]] {
      steps_.end = process_.now_for_the_record();
      steps_.sends_end = detail::PortClocks::send_count(process_);
      observer_->on_background_steps(steps_);
    }
  }

 private:
  const Process& process_;
  Observer* observer_;
  BackgroundSteps steps_;
};

}  // namespace

Background::Background(Process process) : process_{process} {}
Background::~Background() = default;

bool Background::is_idle() const {
  return std::ranges::all_of(running_, [](const auto& each) { return each->ports.empty(); });
}

bool Background::is_done(Started collective) const {
  const auto known = std::ranges::find(running_, collective.number_,
                                       [](const auto& each) { return each->number; });
  expects(known != running_.end(), "a collective is started, and not waited for yet");
  return (*known)->ports.empty();
}

Task<Background::Started> Background::start(Group group, CollectiveCall call, Elements* elements,
                                            Awaited awaited) {
  if (elements != nullptr) {
    call.options.element_bytes = elements->element_bytes();
  }
  CollectivePlan plan = plan_of(call, group.rank(), group.size());
  const std::uint64_t number = started_++;
  Running& running = *running_.emplace_back(
      std::make_unique<Running>(number, std::move(group), call, elements, awaited, plan));
  tell(running, BackgroundCollective::not_yet, BackgroundCollective::not_yet);
  detail::PortClocks clocks{process_};
  for (std::size_t i = 0; i < plan.ports.size(); ++i) {
    PlanRun::Port port = running.run.port(plan, i);
    clocks.begin_port();
    ToldSteps told{process_, number, port.number, nullptr};
    const std::optional<Request> request = co_await running.run.go_on(port);
    told.end();
    if (request) {
      running.ports.push_back(std::move(port));
      running.requests.push_back(*request);
    }
    running.end = std::max(running.end, process_.now_for_the_record());
  }
  clocks.begin_port();
  co_return Started{number};
}

Task<> Background::compute(Ticks duration) {
  if (is_idle() || detail::PortClocks::rest_meanwhile(process_)) {
    co_await process_.compute(duration);
    co_return;
  }
  Ticks left = process_.varied(duration, computation_++);
  while (left > Ticks{0}) {
    const Ticks until = checked_add(process_.now_for_the_record(), left);
    const Event event = co_await next({}, until);
    left = event.is_late ? Ticks{0} : until - event.time;
  }
}

Task<> Background::wait(Started collective) {
  const auto waited = std::ranges::find(running_, collective.number_,
                                        [](const auto& each) { return each->number; });
  expects(waited != running_.end(), "a collective is started, and waited for once");
  Running& running = **waited;
  const Ticks awaited = running.awaited.value_or(process_.now_for_the_record());
  while (!running.ports.empty()) {
    co_await next({});
  }
  detail::PortClocks::go_to(process_, std::max(process_.now_for_the_record(), running.end));
  tell(running, running.end, awaited);
  std::erase_if(running_, [&](const auto& each) { return each.get() == &running; });
}

Task<std::vector<Received>> Background::wait_all(std::vector<Request> requests) {
  if (is_idle()) {
    co_return co_await process_.wait_all(std::span<const Request>{requests});
  }
  std::vector<Received> messages(requests.size());
  std::vector<std::size_t> places = numbered<std::size_t>(requests.size());
  while (!requests.empty()) {
    Event event = co_await next(requests);
    if (event.own) {
      messages[places[*event.own]] = std::move(event.message);
      requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(*event.own));
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(*event.own));
    }
  }
  co_return messages;
}

Task<Completed> Background::wait_any(std::span<const Request> requests, Ticks until,
                                     Activity meanwhile) {
  for (const auto& each : running_) {
    if (meanwhile != Activity::waiting) {
      each->awaited.reset();
    } else if (!each->awaited) {
      each->awaited = process_.now_for_the_record();
    }
  }
  for (;;) {
    const Waited waited = with_those_of_collectives(requests);
    Completed first =
        co_await detail::PortClocks::wait_any(process_, waited.all(), until, meanwhile);
    if (first.index < requests.size()) {
      co_return first;
    }
    bool is_over = first.index == waited.requests.size();
    if (!is_over) {
      const auto [running, place] = port_of(first.index - requests.size());
      co_await serve(running, place, first.message);
      is_over = running.ports.empty();
    }
    if (is_over) {
      co_return Completed{requests.size(), {}};
    }
  }
}

/// Requests, then those of the ports of all collectives.
Background::Waited Background::with_those_of_collectives(std::span<const Request> own) const {
  Waited all{{own.begin(), own.end()}, {}};
  for (const auto& each : running_) {
    all.requests.insert(all.requests.end(), each->requests.begin(), each->requests.end());
  }
  if (detail::PortClocks::tells_stages_of_costs(process_)) [[unlikely]] {
    all.stages.assign(own.size(), detail::PortClocks::stage_of(process_));
    for (const auto& each : running_) {
      all.stages.insert(all.stages.end(), each->requests.size(), each->stage);
    }
  }
  return all;
}

/// The port with that request, counted over all collectives.
std::pair<Background::Running&, std::size_t> Background::port_of(std::size_t request) {
  auto running = running_.begin();
  while (request >= (*running)->requests.size()) {
    request -= (*running)->requests.size();
    ++running;
  }
  return {**running, request};
}

/// Waits for the first of `own`, or for the first message of a collective, whose port it serves.
Task<Background::Event> Background::next(std::span<const Request> own, std::optional<Ticks> until) {
  const Waited waited = with_those_of_collectives(own);
  // Where clocks are apart, what completes does so at its own time.
  Ticks main = process_.now_for_the_record();
  detail::PortClocks::go_to(process_, Ticks{0});
  Completed first;
  if (until) {
    first = co_await detail::PortClocks::compute_until(process_, waited.all(), *until);
  } else {
    first = co_await detail::PortClocks::wait_any(process_, waited.all());
  }
  Event event{.time = process_.now_for_the_record(),
              .is_late = first.index == waited.requests.size()};
  if (first.index < own.size()) {
    event.own = first.index;
    event.message = std::move(first.message);
    main = std::max(main, event.time);
  } else if (!event.is_late) {
    event.time -= detail::PortClocks::cost_of_receiving(process_, first.message);
    const auto [running, place] = port_of(first.index - own.size());
    co_await serve(running, place, first.message);
  }
  detail::PortClocks::go_to(process_, main);
  co_return event;
}

/// Takes the message of a port, and the steps up to the next.
Task<> Background::serve(Running& running, std::size_t place, const Received& message) {
  PlanRun::Port& port = running.ports[place];
  const detail::PortClocks::OtherStage scope{process_, running.stage};
  ToldSteps told{process_, running.number, port.number, &message};
  co_await running.run.take_and_compute(port, message.payload);
  const std::optional<Request> request = co_await running.run.go_on(port);
  told.end();
  if (request) {
    running.requests[place] = *request;
  } else {
    running.ports.erase(running.ports.begin() + static_cast<std::ptrdiff_t>(place));
    running.requests.erase(running.requests.begin() + static_cast<std::ptrdiff_t>(place));
  }
  running.end = std::max(running.end, process_.now_for_the_record());
}

/// Tells the observer of a collective.
void Background::tell(const Running& running, Ticks end, Ticks awaited) const {
  if (Observer* const observer = detail::PortClocks::observer(process_)) [[unlikely]] {
    observer->on_background({process_.rank(), static_cast<std::uint32_t>(running.number),
                             running.stage, name_of(running.kind), running.is_awaited_at_once,
                             running.begin, end, awaited});
  }
}

}  // namespace dcube
