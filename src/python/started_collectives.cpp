#include "started_collectives.hpp"

#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube::python {

Answer answer_of(Received received) {
  Answer answer{.kind = Answer::Kind::received};
  answer.messages.push_back(std::move(received));
  return answer;
}

Answer answer_of(Payload payload) {
  return {.kind = Answer::Kind::data, .payload = std::move(payload)};
}

/// The payload that a collective gives its process.
Payload values_for(const CollectiveAction& collective) {
  const Lock lock;
  std::vector<Ref> held;
  held.emplace_back(collective.answer());
  return Payload::of(std::move(held), 0);
}

Task<std::uint64_t> StartedCollectives::start(std::unique_ptr<CollectiveAction> action) {
  const std::uint64_t number = next_++;
  Held& held = held_[number];
  held.action = std::move(action);
  CollectiveAction& own = *held.action;
  held.started =
      co_await background_.start(own.group, own.call, own.elements ? &*own.elements : nullptr);
  co_return number;
}

Task<Payload> StartedCollectives::wait(std::uint64_t number) {
  const auto held = held_.find(number);
  expects(held != held_.end(), "a started collective is waited for once");
  co_await background_.wait(held->second.started);
  Payload values = held->second.action->elements ? values_for(*held->second.action) : Payload{};
  held_.erase(held);
  co_return values;
}

Task<std::optional<Answer>> StartedCollectives::beside(Action& action) {
  using Kind = Action::Kind;
  switch (action.kind) {
    case Kind::compute:
      co_await background_.compute(action.duration);
      co_return Answer{};
    case Kind::compute_operation:
      co_await background_.compute(process_.duration_of(action.operation, action.count));
      co_return Answer{};
    case Kind::compute_each:
      co_await background_.compute(round_cost(ExactTime{}, action.each, action.count));
      co_return Answer{};
    case Kind::receive:
    case Kind::exchange: {
      std::vector<Request> requests;
      requests.push_back(process_.post_receive(action.peer, action.tag));
      if (action.kind == Kind::exchange) {
        requests.push_back(process_.post_send(
            action.peer, std::move(action.payload), action.tag,
            action.mode == ExchangeMode::eager ? SendMode::eager : SendMode::rendezvous));
      }
      std::vector<Received> messages = co_await background_.wait_all(std::move(requests));
      co_return answer_of(std::move(messages.front().payload));
    }
    case Kind::wait: {
      std::vector<Received> messages = co_await background_.wait_all(std::move(action.requests));
      co_return answer_of(std::move(messages.front()));
    }
    case Kind::wait_all: {
      Answer answer{.kind = Answer::Kind::several};
      answer.messages = co_await background_.wait_all(std::move(action.requests));
      co_return answer;
    }
    default:
      co_return std::nullopt;
  }
}

}  // namespace dcube::python
