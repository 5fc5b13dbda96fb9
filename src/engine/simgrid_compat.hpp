#pragma once

// The one place that knows which SimGrid this is: 3.32 (Debian 12) up to 4.x, public headers only.

// simgrid/version.h needs what s4u.hpp includes before it.
// clang-format off
#include <simgrid/s4u.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/version.h>
// clang-format on

#include <functional>
#include <string>

namespace dcube::detail {

#if SIMGRID_VERSION >= 40100
inline simgrid::s4u::NetZone* add_empty_zone(simgrid::s4u::Engine& engine,
                                             const std::string& name) {
  return engine.get_netzone_root()->add_netzone_empty(name);
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const std::string& name) {
  return zone.add_host(name, 1.0);
}
inline simgrid::s4u::ActorPtr add_actor(simgrid::s4u::Host& host, const std::string& name,
                                        const std::function<void()>& code) {
  return host.add_actor(name, code);
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

}  // namespace dcube::detail
