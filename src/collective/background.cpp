#include "dcube/collective/background.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/engine/port_clocks.hpp"
#include "plan_run.hpp"

namespace dcube {

/// A collective that has not been waited for.
struct Background::Running {
  Running(std::uint64_t of, Group group, const CollectiveCall& call, Elements* values,
          std::uint32_t stage)
      : number{of},
        sizes{element_bytes_of(call)},
        run{std::move(group), values != nullptr ? *values : sizes, call.options.compute,
            first_tag_of(call), stage} {}

  std::uint64_t number;
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

Task<Background::Started> Background::start(Group group, CollectiveCall call, Elements* elements) {
  if (elements != nullptr) {
    call.options.element_bytes = elements->element_bytes();
  }
  CollectivePlan plan = plan_of(call, group.rank(), group.size());
  const std::uint64_t number = started_++;
  Running& running = *running_.emplace_back(std::make_unique<Running>(
      number, std::move(group), call, elements, detail::PortClocks::stage_of(process_)));
  detail::PortClocks clocks{process_};
  for (std::size_t i = 0; i < plan.ports.size(); ++i) {
    PlanRun::Port port = running.run.port(plan, i);
    clocks.begin_port();
    if (const std::optional<Request> request = co_await running.run.go_on(port)) {
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
  while (!running.ports.empty()) {
    co_await next({});
  }
  detail::PortClocks::go_to(process_, std::max(process_.now_for_the_record(), running.end));
  std::erase_if(running_, [&](const auto& each) { return each.get() == &running; });
}

Task<std::vector<Received>> Background::wait_all(std::vector<Request> requests) {
  if (is_idle()) {
    co_return co_await process_.wait_all(std::span<const Request>{requests});
  }
  std::vector<Received> messages(requests.size());
  std::vector<std::size_t> places(requests.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
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
  for (;;) {
    const std::vector<Request> all = with_those_of_collectives(requests);
    Completed first = co_await process_.wait_any(all, until, meanwhile);
    if (first.index < requests.size()) {
      co_return first;
    }
    bool is_over = first.index == all.size();
    if (!is_over) {
      const auto [running, place] = port_of(first.index - requests.size());
      co_await serve(running, place, first.message.payload);
      is_over = running.ports.empty();
    }
    if (is_over) {
      co_return Completed{requests.size(), {}};
    }
  }
}

/// Requests, then those of the ports of all collectives.
std::vector<Request> Background::with_those_of_collectives(std::span<const Request> own) const {
  std::vector<Request> all{own.begin(), own.end()};
  for (const auto& each : running_) {
    all.insert(all.end(), each->requests.begin(), each->requests.end());
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
  const std::vector<Request> all = with_those_of_collectives(own);
  // Where clocks are apart, what completes does so at its own time.
  Ticks main = process_.now_for_the_record();
  detail::PortClocks::go_to(process_, Ticks{0});
  Completed first;
  if (until) {
    first = co_await detail::PortClocks::compute_until(process_, all, *until);
  } else {
    first = co_await detail::PortClocks::wait_any(process_, all);
  }
  Event event{.time = process_.now_for_the_record(), .is_late = first.index == all.size()};
  if (first.index < own.size()) {
    event.own = first.index;
    event.message = std::move(first.message);
    main = std::max(main, event.time);
  } else if (!event.is_late) {
    event.time -= detail::PortClocks::cost_of_receiving(process_, first.message);
    const auto [running, place] = port_of(first.index - own.size());
    co_await serve(running, place, first.message.payload);
  }
  detail::PortClocks::go_to(process_, main);
  co_return event;
}

/// Takes the message of a port, and the steps up to the next.
Task<> Background::serve(Running& running, std::size_t place, const Payload& payload) {
  PlanRun::Port& port = running.ports[place];
  co_await running.run.take_and_compute(port.step, payload);
  if (const std::optional<Request> request = co_await running.run.go_on(port)) {
    running.requests[place] = *request;
  } else {
    running.ports.erase(running.ports.begin() + static_cast<std::ptrdiff_t>(place));
    running.requests.erase(running.requests.begin() + static_cast<std::ptrdiff_t>(place));
  }
  running.end = std::max(running.end, process_.now_for_the_record());
}

}  // namespace dcube
