#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "compat.hpp"
#include "engine/fluid_network.hpp"

namespace dcube::detail {

/// Links of SimGrid, and the communications over them.
///
/// SimGrid wants hosts and routes before the first run, and keeps everything it is given. So two
/// hosts stand for all nodes, their route is that of the communication that begins, and links are
/// reused by later runs with other bandwidths.
class SimGridLinks {
 public:
  using Landed = std::function<void(MessageId)>;

  /// Adds hosts and links to the zone, which is not yet sealed.
  explicit SimGridLinks(simgrid::s4u::NetZone& zone);
  SimGridLinks(const SimGridLinks&) = delete;
  SimGridLinks& operator=(const SimGridLinks&) = delete;
  /// Must run before the destructor of SimGrid's engine.
  ~SimGridLinks();

  /// Call before a run. `landed` is told of each flow that ends.
  void prepare(const FluidNetwork& network, Landed landed);
  /// Must not be called from an actor.
  void begin(const Flow& flow);

 private:
  class Zone;
  struct Flight {
    simgrid::s4u::CommPtr communication;
    MessageId message;
  };

  simgrid::s4u::Link& link_of(std::uint32_t server);
  void end(const simgrid::s4u::Activity& activity);

  Zone* hosts_;                  ///< owned by SimGrid, like the hosts and links
  std::unique_ptr<Zone> attic_;  ///< never sealed, so that links can be added at any time
  simgrid::s4u::Host* from_;
  simgrid::s4u::Host* to_;
  std::vector<simgrid::s4u::Link*> links_;

  const FluidNetwork* network_ = nullptr;
  Landed landed_;
  bool is_told_of_ends_ = false;
  std::unordered_map<std::uint32_t, simgrid::s4u::Link*> link_of_server_;
  std::unordered_map<const simgrid::s4u::Activity*, Flight> flights_;
  std::vector<simgrid::s4u::CommPtr> ended_;  ///< SimGrid still uses them when it reports the end
  double latency_factor_ = 1;
  double bandwidth_factor_ = 1;
};

}  // namespace dcube::detail
