#pragma once

// Differences between versions of SimGrid, 3.32 (Debian 12) to 4.x, by public headers; and what
// those declare without the members that are needed.

// simgrid/version.h needs earlier includes of s4u.hpp.
// clang-format off
#include <simgrid/s4u.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
// clang-format on

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

/// Of the stack that SimGrid runs on.
class simgrid::kernel::context::Context {
 public:
  static Context* self();
  static void set_current(Context* context);
};

namespace dcube::detail {

#if SIMGRID_VERSION >= 40000
inline simgrid::s4u::NetZone* add_empty_zone(simgrid::s4u::Engine& engine,
                                             const std::string& name) {
  return engine.get_netzone_root()->add_netzone_empty(name);
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const std::string& name) {
  return zone.add_host(name, 1.0);
}
inline simgrid::s4u::ActorPtr add_actor(simgrid::s4u::Host& host, const std::string& name,
                                        const std::function<void()>& code) {
#if SIMGRID_VERSION >= 40100
  return host.add_actor(name, code);
#else
  return simgrid::s4u::Engine::add_actor(name, &host, code);
#endif
}
#else
inline simgrid::s4u::NetZone* add_empty_zone(simgrid::s4u::Engine&, const std::string& name) {
  return simgrid::s4u::create_empty_zone(name);
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const std::string& name) {
  return zone.create_host(name, 1.0);
}
inline simgrid::s4u::ActorPtr add_actor(simgrid::s4u::Host& host, const std::string& name,
                                        const std::function<void()>& code) {
  return simgrid::s4u::Actor::create(name, &host, code);
}
#endif

/// Setting for the shortest time that SimGrid tells from 0, in its seconds.
#if SIMGRID_VERSION >= 33300
inline constexpr const char* timing_setting = "precision/timing";
#else
inline constexpr const char* timing_setting = "surf/precision";
#endif

#if SIMGRID_VERSION >= 40000
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone& zone, const std::string& name) {
  return zone.add_link(name, 1.0);
}
#else
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone& zone, const std::string& name) {
  return zone.create_link(name, 1.0);
}
#endif

/// Sets callbacks for SimGrid's factors on latency and bandwidth of the next communication.
inline void set_factors(simgrid::s4u::NetZone& zone, const std::function<double()>& latency,
                        const std::function<double()>& bandwidth) {
  using Hosts = const simgrid::s4u::Host*;
  using Links = const std::vector<simgrid::s4u::Link*>&;
  using Zones = const std::unordered_set<simgrid::s4u::NetZone*>&;
  const auto latency_of = [latency](double, Hosts, Hosts, Links, Zones) { return latency(); };
  const auto bandwidth_of = [bandwidth](double, Hosts, Hosts, Links, Zones) { return bandwidth(); };
#if SIMGRID_VERSION >= 40000
  zone.set_latency_factor_cb(latency_of);
  zone.set_bandwidth_factor_cb(bandwidth_of);
#else
  zone.get_network_model()->set_lat_factor_cb(latency_of);
  zone.get_network_model()->set_bw_factor_cb(bandwidth_of);
#endif
}

/// Calls `told` for each communication that ends, and perhaps for other activities.
inline void on_end_of_communications(
    const std::function<void(const simgrid::s4u::Activity&)>& told) {
#if SIMGRID_VERSION >= 33400
  simgrid::s4u::Comm::on_completion_cb(told);
#else
  simgrid::s4u::Activity::on_completion_cb(told);
#endif
}

}  // namespace dcube::detail
