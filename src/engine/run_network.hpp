#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/network.hpp"
#include "fluid_network.hpp"

namespace dcube::detail {

/// The network of a run: dcube's own, or SimGrid's if the machine says so. See Network.
class RunNetwork {
 public:
  /// Both must outlive the network. SimGrid's links report no hops to `observer`.
  RunNetwork(const Machine& machine, Observer* observer, Transport transport) {
    if (machine.fluid && transport == Transport::machine) {
      fluid_ = std::make_unique<FluidNetwork>(machine);
      return;
    }
    own_.emplace(
        *machine.topology, machine.links,
        observer == nullptr ? std::function<void(const Hop&)>{}
                            : [observer](const Hop& hop) { observer->on_hop(hop); },
        observer == nullptr ? HopReports::all : observer->hop_reports());
  }

  /// Null: the network is dcube's own.
  FluidNetwork* fluid() { return fluid_.get(); }

  void on_delay(Network::Delays delays) {
    if (own_) {
      own_->on_delay(std::move(delays));
    }
  }
  Messages& messages() { return fluid_ ? fluid_->messages() : own_->messages(); }
  void depart(MessageId message) {
    if (!fluid_) [[likely]] {
      own_->depart(message);
    } else {
      fluid_->depart(message);
    }
  }
  /// depart() when the network is known to be dcube's own.
  void depart_from_own(MessageId message) { own_->depart(message); }
  void arrive(MessageId message, Ticks time) {
    fluid_ ? fluid_->arrive(message, time) : own_->arrive(message, time);
  }
  void set_alarm(Ticks time, std::uint32_t alarm) {
    fluid_ ? fluid_->set_alarm(time, alarm) : own_->set_alarm(time, alarm);
  }
  std::span<const MessageId> advance(Ticks horizon) {
    return fluid_ ? fluid_->advance(horizon) : own_->advance(horizon);
  }
  std::span<const std::uint32_t> alarms() const {
    return fluid_ ? fluid_->alarms() : own_->alarms();
  }
  std::optional<CutOff> cut_off() const { return fluid_ ? std::nullopt : own_->cut_off(); }
  Ticks now() const { return fluid_ ? fluid_->now() : own_->now(); }
  std::uint64_t hop_count() const { return fluid_ ? fluid_->hop_count() : own_->hop_count(); }
  /// SimGrid's links are shared, so nothing queues.
  std::uint64_t queued_hops() const { return fluid_ ? 0 : own_->queued_hops(); }
  double queued_seconds() const { return fluid_ ? 0 : own_->queued_seconds(); }
  LinkCounters link_counters() const {
    return fluid_ ? fluid_->link_counters() : own_->link_counters();
  }

 private:
  std::optional<Network> own_;
  std::unique_ptr<FluidNetwork> fluid_;
};

}  // namespace dcube::detail
