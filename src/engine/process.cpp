#include "dcube/engine/process.hpp"

#include <fmt/format.h>

#include "dcube/engine/listener.hpp"
#include "dcube/engine/port_clocks.hpp"
#include "kernel.hpp"

namespace dcube {

std::uint32_t Process::process_count() const { return kernel_->process_count(); }
Ticks Process::now() const { return kernel_->tell_time(rank_); }
void Process::refuse(std::string_view problem) const { kernel_->refuse(rank_, problem); }
void Process::enter_stage(std::uint32_t stage) { kernel_->enter_stage(rank_, stage); }

Ticks Process::duration_of(std::string_view operation, std::uint64_t count) const {
  return kernel_->duration_of(operation, count);
}
Process::Computation Process::compute(std::string_view operation, std::uint64_t count) const {
  return {*kernel_, rank_, duration_of(operation, count)};
}
Process::Computation Process::compute(const ExactTime& each, std::uint64_t count) const {
  return {*kernel_, rank_, round_cost(ExactTime{}, each, count)};
}
const EndpointModel& Process::endpoint_costs() const { return kernel_->endpoint_costs(); }
Ticks Process::varied(Ticks duration, std::uint64_t computation) const {
  return kernel_->varied(rank_, duration, computation);
}

Ticks Process::now_for_the_record() const { return kernel_->now(rank_); }

void Process::send(ProcessId to, Payload payload, Tag tag, SendMode mode) {
  kernel_->matching().send(rank_, to, std::move(payload), tag, mode);
}
Request Process::post_send(ProcessId to, Payload payload, Tag tag, SendMode mode, SendEnd end) {
  return kernel_->matching().post_send(rank_, to, std::move(payload), tag, mode, end);
}
Request Process::post_receive(ProcessId from, Tag tag) {
  return kernel_->matching().post_receive(rank_, from, tag);
}

Process::ReceiveAny Process::receive_any(Tag tag) const { return {*kernel_, rank_, tag}; }

Process::WaitOne Process::wait(Request request) const { return {*kernel_, rank_, request}; }
Process::WaitAll Process::wait_all(std::span<const Request> requests) const {
  return {*kernel_, rank_, requests};
}
Process::WaitAny Process::wait_any(std::span<const Request> requests) const {
  return {*kernel_, rank_, requests};
}
Process::WaitAny Process::wait_any(std::span<const Request> requests, Ticks until,
                                   Activity meanwhile) const {
  return wait_any(requests, until, meanwhile, nullptr);
}
Process::WaitAny Process::wait_any(std::span<const Request> requests, Ticks until,
                                   Activity meanwhile, const std::uint32_t* stages) const {
  if (meanwhile == Activity::communication || meanwhile == Activity::idle) {
    refuse("waits in a way that is not computing, waiting or the work of its endpoint");
  }
  WaitAny wait{*kernel_, rank_, requests};
  wait.wait_.deadline = until;
  wait.wait_.meanwhile = meanwhile;
  wait.wait_.stages = stages;
  return wait;
}

void detail::PortClocks::let_ports_depend() { process_.kernel_->let_ports_depend(); }
void detail::PortClocks::begin_port() { go_to(process_, begin_); }
Process::WaitAny detail::PortClocks::wait_any(std::span<const Request> requests) {
  // Receives complete no earlier than their port posted them.
  begin_port();
  return wait_any(process_, Requests{requests});
}
bool detail::PortClocks::begin_cores(std::size_t ports) {
  return process_.kernel_->begin_cores_of_ports(process_.rank_, ports);
}
void detail::PortClocks::end() {
  go_to(process_, end_);
  process_.kernel_->end_cores_of_ports(process_.rank_);
}

bool detail::PortClocks::are_apart(const Process& process) {
  return process.kernel_->has_port_clocks();
}
bool detail::PortClocks::rest_meanwhile(const Process& process) {
  return process.kernel_->computes_at_a_stretch(process.rank_);
}
void detail::PortClocks::go_to(const Process& process, Ticks time) {
  process.kernel_->set_clock(process.rank_, time);
}
std::uint32_t detail::PortClocks::stage_of(const Process& process) {
  return process.kernel_->stage(process.rank_);
}
detail::PortClocks::OtherStage::OtherStage(const Process& process, std::uint32_t stage)
    : process_{process},
      begin_{process.now_for_the_record()},
      own_{process.kernel_->work_for(process.rank_, stage)} {}
detail::PortClocks::OtherStage::~OtherStage() {
  process_.kernel_->end_work(process_.rank_, own_, begin_);
}
bool detail::PortClocks::tells_stages_of_costs(const Process& process) {
  return process.kernel_->tells_stages_of_costs();
}
Observer* detail::PortClocks::observer(const Process& process) {
  return are_apart(process) ? nullptr : process.kernel_->observer();
}
std::uint32_t detail::PortClocks::send_count(const Process& process) {
  return process.kernel_->send_count(process.rank_);
}
Ticks detail::PortClocks::cost_of_receiving(const Process& process, const Received& message) {
  return process.kernel_->cost_of_receiving(process.rank_, message);
}
Process::WaitAny detail::PortClocks::compute_until(const Process& process, const Requests& requests,
                                                   Ticks until) {
  return process.wait_for_ports(requests.requests, until, requests.stages);
}
Process::WaitAny detail::PortClocks::wait_any(const Process& process, const Requests& requests) {
  return process.wait_for_ports(requests.requests, Ticks::max(), requests.stages);
}
Process::WaitAny detail::PortClocks::wait_any(const Process& process, const Requests& requests,
                                              Ticks until, Activity meanwhile) {
  return process.wait_any(requests.requests, until, meanwhile, requests.stages);
}

/// Computes until then, or waits if that is Ticks::max().
Process::WaitAny Process::wait_for_ports(std::span<const Request> requests, Ticks until,
                                         const std::uint32_t* stages) const {
  WaitAny wait{*kernel_, rank_, requests};
  wait.wait_.is_of_ports = true;
  wait.wait_.stages = stages;
  wait.wait_.deadline = until;
  wait.wait_.meanwhile = until == Ticks::max() ? Activity::waiting : Activity::compute;
  return wait;
}
Process::Test Process::test(Request request) const { return {*kernel_, rank_, request}; }

// Awaitable::word_ keeps three bits in the kernel's address.
static_assert(alignof(detail::Kernel) >= 8);

void Process::Awaitable::refuse_again(const char* call) const {
  kernel().refuse(process_, fmt::format("{} by what was awaited or moved away before (await each "
                                        "once)",
                                        call));
}
void Process::Awaitable::await_suspend(std::coroutine_handle<> waiting) const {
  kernel().suspend(process_, waiting);
}

bool Process::Computation::await_ready() {
  use("computes");
  return kernel().compute(process_, duration_);
}

bool Process::Receive::await_suspend(std::coroutine_handle<> waiting) {
  use(call() == Call::receive ? "receives" : "exchanges");
  return call() == Call::exchange ? kernel().matching().exchange(process_, peer_, payload_, waiting)
                                  : receive(waiting);
}
/// Slow path of await_suspend(): waits for one message alone.
[[gnu::noinline]] bool Process::Receive::receive(std::coroutine_handle<> waiting) {
  const bool is_ready =
      call() == Call::receive
          ? kernel().matching().receive(process_, peer_, static_cast<Tag>(payload_.size_bytes()))
          : kernel().matching().exchange_eagerly(process_, peer_, payload_);
  if (is_ready) {
    return false;
  }
  kernel().suspend(process_, waiting);
  return true;
}
Payload Process::Receive::await_resume() {
  return call() != Call::receive && peer_ == process_ ? std::move(payload_)
                                                      : kernel().matching().take_received(process_);
}

bool Process::ReceiveAny::await_ready() {
  if (kernel().stops_at_time(process_)) {
    return false;
  }
  requests_ = kernel().matching().post_receive(process_, anyone, tag_);
  return WaitOne::await_ready();
}

namespace detail {

void Listener::listen(std::span<const std::byte> needed) {
  process_.kernel_->matching().listen(process_.rank_, needed);
}
Listener::Hearing Listener::hear(Ticks until, Activity meanwhile) const {
  return {*process_.kernel_, process_.rank_, until, meanwhile};
}
void Listener::tell_taken(const MessageName& message, Tag tag, Ticks time) {
  process_.kernel_->listening().hear_taken(process_.rank_, message, tag, time);
}
void Listener::pass(Ticks until, Activity meanwhile) {
  process_.kernel_->pass(process_.rank_, until, meanwhile);
}

bool Listener::Hearing::await_ready() {
  use("hears");
  kernel().listening().begin_hearing(process_, wait_);
  return false;
}
std::span<const Heard> Listener::Hearing::await_resume() const {
  return kernel().listening().given_to(process_);
}

bool begin_wait(Kernel& kernel, ProcessId process, Wait& wait) {
  return kernel.matching().begin_wait(process, wait);
}
Received take_message(Kernel& kernel, ProcessId process, Request request) {
  return kernel.matching().take_message(process, request);
}

}  // namespace detail

}  // namespace dcube
