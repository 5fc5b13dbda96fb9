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
/// SimGrid wants a platform of hosts and routes before the first run, and what it has been given
/// stays. So there are two hosts for all nodes, the route between them is that of the communication
/// that begins, and links are kept for later runs, which give them other bandwidths.
class SimGridLinks {
 public:
  using Landed = std::function<void(MessageId)>;

  /// Adds what is needed to the zone, which is not yet sealed.
  explicit SimGridLinks(simgrid::s4u::NetZone& zone);
  SimGridLinks(const SimGridLinks&) = delete;
  SimGridLinks& operator=(const SimGridLinks&) = delete;
  /// Before SimGrid's engine.
  ~SimGridLinks();

  /// Before a run. `landed` is told of each flow that ends.
  void prepare(const FluidNetwork& network, Landed landed);
  /// Not from an actor.
  void begin(const Flow& flow);

 private:
  class Zone;
  struct Flight {
    simgrid::s4u::CommPtr communication;
    MessageId message;
  };

  simgrid::s4u::Link& link_of(std::uint32_t server);
  void end(const simgrid::s4u::Activity& activity);

  Zone* hosts_;                  ///< SimGrid's own, like the hosts and links
  std::unique_ptr<Zone> attic_;  ///< is never sealed, so that links can be added at any time
  simgrid::s4u::Host* from_;
  simgrid::s4u::Host* to_;
  std::vector<simgrid::s4u::Link*> links_;

  const FluidNetwork* network_ = nullptr;
  Landed landed_;
  bool is_told_of_ends_ = false;
  std::unordered_map<std::uint32_t, simgrid::s4u::Link*> link_of_server_;
  std::unordered_map<const simgrid::s4u::Activity*, Flight> flights_;
  std::vector<simgrid::s4u::CommPtr> ended_;  ///< SimGrid still works on them when it tells so
  double latency_factor_ = 1;
  double bandwidth_factor_ = 1;
};

}  // namespace dcube::detail
