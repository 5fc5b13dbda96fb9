#include "dcube/engine/process.hpp"

#include <fmt/format.h>

#include "kernel.hpp"

namespace dcube {

std::uint32_t Process::process_count() const { return kernel_->process_count(); }
Ticks Process::now() const { return kernel_->now(rank_); }
void Process::compute(Ticks duration) { kernel_->compute(rank_, duration); }
void Process::compute(std::string_view operation, std::uint64_t count) {
  kernel_->compute(rank_, operation, count);
}
void Process::compute(const ExactTime& each, std::uint64_t count) {
  kernel_->compute(rank_, round_cost(ExactTime{}, each, count));
}
void Process::enter_stage(std::uint32_t stage) { kernel_->enter_stage(rank_, stage); }

void Process::send(ProcessId to, Payload payload) { kernel_->send(rank_, to, std::move(payload)); }

Process::Receive Process::receive(ProcessId from) const {
  return Receive{*kernel_, rank_, from, Receive::Call::receive};
}

Process::Receive Process::exchange(ProcessId partner, Payload payload, ExchangeMode mode) const {
  const bool is_eager = mode == ExchangeMode::eager;
  return Receive{*kernel_, rank_, partner,
                 is_eager ? Receive::Call::eager_exchange : Receive::Call::exchange,
                 std::move(payload)};
}

bool Process::Receive::await_ready() {
  switch (std::exchange(call_, Call::none)) {
    case Call::receive:
      kernel_->receive(process_, peer_);
      break;
    case Call::exchange:
      kernel_->exchange(process_, peer_, std::move(payload_), ExchangeMode::rendezvous);
      break;
    case Call::eager_exchange:
      kernel_->exchange(process_, peer_, std::move(payload_), ExchangeMode::eager);
      break;
    case Call::none:
      throw ContractViolation(
          fmt::format("process {} awaits a receive from, or an exchange with, process {} that was "
                      "awaited or moved away before (await each once)",
                      process_.index(), peer_.index()));
  }
  return !kernel_->is_blocked(process_);
}

void Process::Receive::await_suspend(std::coroutine_handle<> waiting) const {
  kernel_->block(process_, waiting);
}
Payload Process::Receive::await_resume() const { return kernel_->take_received(process_); }

}  // namespace dcube
