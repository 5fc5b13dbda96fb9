#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dcube/topology/topology.hpp"
#include "topology/catalog.hpp"
#include "topology/rerouted.hpp"

namespace dcube {

/// Network of a shipped kind under a name that no code knows, like a plug-in's.
class Renamed final : public Rerouted {
 public:
  Renamed(std::string_view kind, std::unique_ptr<Topology> base)
      : Rerouted{std::move(base)}, kind_{kind} {}

  std::string_view kind() const override { return kind_; }

 private:
  std::string_view kind_;
};

/// Registers "xtorus" beside "torus".
template <const TopologyKind& own>
void register_renamed() {
  static const TopologyKind kind{"x" + own.name,
                                 own.help,
                                 own.example,
                                 own.parameters,
                                 [](const Params& params) -> std::unique_ptr<Topology> {
                                   return std::make_unique<Renamed>(kind.name, own.make(params));
                                 },
                                 own.read_edges};
  register_topology(kind);
}

/// Registers all kinds once more.
inline void register_all_renamed() {
  static const bool are_registered = [] {
#define DCUBE_REGISTER_RENAMED(name) register_renamed<name##_kind>();
    DCUBE_TOPOLOGIES(DCUBE_REGISTER_RENAMED)
#undef DCUBE_REGISTER_RENAMED
    return true;
  }();
  static_cast<void>(are_registered);
}

/// `text` about such a network with the name of the shipped kind.
inline std::string with_shipped_names(std::string text) {
  for (const TopologyKind* kind : topology_catalog()) {
    const std::string noun = kind->name.substr(0, kind->name.find('_'));
    for (std::size_t at = text.find("x" + noun); at != std::string::npos;
         at = text.find("x" + noun, at)) {
      text.erase(at, 1);
    }
  }
  return text;
}

/// Settings of both kinds, the shipped one first. `settings`: "torus,shape=4x4".
inline std::pair<Params, Params> shipped_and_renamed(const std::string& settings) {
  register_all_renamed();
  return {Params::parse("kind=" + settings), Params::parse("kind=x" + settings)};
}

}  // namespace dcube
