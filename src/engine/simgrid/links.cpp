#include "links.hpp"

#include <fmt/format.h>

#include <utility>

#include "time.hpp"

namespace dcube::detail {

namespace {

namespace sg4 = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/// Bandwidth of a link without a time per byte, in bytes per second of SimGrid.
constexpr double unlimited = 1e24;

}  // namespace

/// A zone in which every route is the member `route`.
class SimGridLinks::Zone final : public routing::NetZoneImpl {
 public:
  explicit Zone(const std::string& name) : NetZoneImpl{name} {}

  void get_local_route(const routing::NetPoint*, const routing::NetPoint*, routing::Route* into,
                       double* latency) override {
    into->link_list_ = route;
    *latency += penalty;
  }

  std::vector<simgrid::kernel::resource::StandardLinkImpl*> route;
  double penalty = 1;
};

SimGridLinks::SimGridLinks(sg4::NetZone& zone)
    : hosts_{new Zone{"hosts"}}, attic_{std::make_unique<Zone>("links")} {
  hosts_->set_parent(zone.get_impl());
  attic_->set_network_model(zone.get_impl()->get_network_model());
  from_ = add_host(*hosts_->get_iface(), "from");
  to_ = add_host(*hosts_->get_iface(), "to");
  set_factors(
      zone, [this] { return latency_factor_; }, [this] { return bandwidth_factor_; });
}

SimGridLinks::~SimGridLinks() = default;

void SimGridLinks::prepare(const FluidNetwork& network, Landed landed) {
  network_ = &network;
  landed_ = std::move(landed);
  bandwidth_factor_ = network.bandwidth_factor();
  link_of_server_.clear();
  flights_.clear();
  if (!std::exchange(is_told_of_ends_, true)) {
    on_end_of_communications([this](const sg4::Activity& activity) { end(activity); });
  }
}

/// In each run, links are assigned to servers in the order of first use.
sg4::Link& SimGridLinks::link_of(std::uint32_t server) {
  const auto [place, is_new] = link_of_server_.try_emplace(server, nullptr);
  if (is_new) {
    const std::size_t number = link_of_server_.size() - 1;
    if (number == links_.size()) {
      links_.push_back(add_link(*attic_->get_iface(), fmt::format("link {}", number)));
      links_.back()->seal();
    }
    place->second = links_[number];
    const double per_byte = network_->per_byte(server) * simgrid_tick;
    place->second->set_bandwidth(per_byte > 0 ? 1 / per_byte : unlimited);
  }
  return *place->second;
}

// SimGrid takes a route's latency for the flow's penalty, and latency * factor for its delay.
void SimGridLinks::begin(const Flow& flow) {
  ended_.clear();
  hosts_->route.clear();
  for (const std::uint32_t server : flow.servers) {
    hosts_->route.push_back(link_of(server).get_impl());
  }
  hosts_->penalty = flow.penalty;
  latency_factor_ = flow.latency * simgrid_tick / flow.penalty;
  const sg4::CommPtr communication = sg4::Comm::sendto_init(from_, to_);
  communication->set_payload_size(flow.bytes);
  flights_.emplace(communication.get(), Flight{communication, flow.message});
  communication->start();
}

void SimGridLinks::end(const sg4::Activity& activity) {
  const auto flight = flights_.find(&activity);
  if (flight == flights_.end()) {
    return;
  }
  const MessageId message = flight->second.message;
  ended_.push_back(std::move(flight->second.communication));
  flights_.erase(flight);
  landed_(message);
}

}  // namespace dcube::detail
