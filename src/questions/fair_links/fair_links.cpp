#include "dcube/questions/fair_links.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace dcube {

// Against packets of 4 KiB, 12 packets a mean message make swing_bandwidth of 16 MiB on 4x4x8 chips
// 18 % slower, 32 packets 2 %.
constexpr std::uint64_t packets_of_mean_message = 32;
constexpr std::uint64_t least_packet_bytes = 4096;

namespace {

/// A changed machine, with the one that programs refer to.
struct MachineAndOriginal {
  MachineAndOriginal(const Machine& copied, std::shared_ptr<const Machine> kept)
      : machine{copied}, original{std::move(kept)} {}

  Machine machine;
  std::shared_ptr<const Machine> original;
};

}  // namespace

Scenario FairLinks::of(Scenario scenario) const {
  for (std::shared_ptr<const Machine>* const machine : {&scenario.machine, &scenario.run_machine}) {
    const auto fair = std::make_shared<MachineAndOriginal>(**machine, *machine);
    fair->machine.links.service = Service::round_robin;
    fair->machine.links.packet_bytes = packet_bytes;
    *machine = {fair, &fair->machine};
  }
  return scenario;
}

std::optional<FairLinks> fair_links(const Machine& machine, const RunRecord& record) {
  const LinkModel& links = machine.links;
  if (!record.has_completed() || machine.fluid || links.contention == Contention::off ||
      links.switching != Switching::cut_through || links.service == Service::round_robin) {
    return std::nullopt;
  }
  const double queued = record.value("queued_hops").value_or(0);
  if (queued == 0) {
    return std::nullopt;
  }
  const double hops = record.value("hops").value_or(0);
  const double mean =
      record.value("message_bytes").value_or(0) / record.value("messages").value_or(1);
  const auto fine = static_cast<std::uint64_t>(std::ceil(mean / packets_of_mean_message));
  const std::uint64_t packet =
      std::min(std::max(fine, least_packet_bytes), links.packet_bytes.value_or(UINT64_MAX));
  return FairLinks{
      .packet_bytes = packet,
      .steps = static_cast<std::uint64_t>(hops * (1 + mean / static_cast<double>(packet))),
      // Waiting for a node's NIC counts as a queued hop, and passing it is no hop.
      .queued_share = std::min(1.0, queued / hops)};
}

}  // namespace dcube
