#include "dcube/engine/process.hpp"

#include "kernel.hpp"

namespace dcube {

std::uint32_t Process::size() const { return kernel_->process_count(); }
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

Process::Receive Process::receive(ProcessId from) {
  kernel_->receive(rank_, from);
  return Receive{*kernel_, rank_};
}

Process::Receive Process::exchange(ProcessId partner, Payload payload, ExchangeMode mode) {
  kernel_->exchange(rank_, partner, std::move(payload), mode);
  return Receive{*kernel_, rank_};
}

bool Process::Receive::await_ready() const { return !kernel_->is_blocked(process_); }
void Process::Receive::await_suspend(std::coroutine_handle<> waiting) const {
  kernel_->block(process_, waiting);
}
Payload Process::Receive::await_resume() const { return kernel_->take_received(process_); }

}  // namespace dcube
