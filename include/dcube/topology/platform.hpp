#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Hosts, links and routes of a platform of SimGrid, as SimGrid reads and answers them. A plain
/// value.
struct Platform {
  struct Link {
    std::string name;
    double latency_s = 0;
    double bytes_per_s = 0;
    bool never_queues = false;  ///< FATPIPE
  };
  struct Host {
    std::string name;
    double flop_per_s = 0;
    std::vector<std::uint32_t> local;  ///< links of a message to itself
  };

  std::vector<Host> hosts;
  /// The halves of a split-duplex link are two links. Each carries a message at a time, whichever
  /// its direction.
  std::vector<Link> links;
  /// [a * hosts + b]: number of links from host a to host b.
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> routes;  ///< the links of all routes, one after the other
};

/// Reads a platform in a process of its own, as SimGrid can read one alone, and ends on errors.
/// Throws InputError: the file is no platform, or two hosts have no route.
Platform read_platform(const std::filesystem::path& file);

/// What a platform says beside its network.
struct PlatformCosts {
  struct Cost {
    ExactTime latency;
    ExactTime per_byte;
    bool never_queues = false;

    friend bool operator==(const Cost&, const Cost&) = default;
  };

  std::vector<Cost> links;              ///< [link number / 2]
  std::vector<std::string> link_names;  ///< [link number / 2]; empty: a connector
  std::vector<std::string> host_names;  ///< [terminal]
  std::vector<Cost> classes;            ///< [class]: of its first link
  std::optional<Cost> local;            ///< of a message inside a node
  std::optional<ExactTime> flop;
  std::vector<std::string> warnings;  ///< what a machine cannot express
};

/// The network of a platform: hosts are terminals, and places where links meet are switches.
///
/// A link of the platform is a link that both directions share; see Duplex::half. A link whose
/// messages come and go at one place, such as a bus, leads from a switch of its own to another, and
/// connectors of 1 ps join these to their surroundings; its latency is less by theirs if all routes
/// have as many. Likewise links whose ends would make one place of two hosts, or bring a route back
/// to a place. Routes are the platform's own, by pair. Throws InputError at `place` if two hosts
/// have no route, or one crosses a link twice.
std::unique_ptr<Topology> make_platform_network(const Platform& platform, const std::string& place);

/// Costs of make_platform_network(), also with failures, weights of hops or a host computer; null
/// for any other topology.
const PlatformCosts* platform_costs(const Topology& topology);

}  // namespace dcube
