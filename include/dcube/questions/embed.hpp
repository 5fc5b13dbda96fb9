#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/questions/map_reasons.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/search/search.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// Embeddings to measure, each on each machine. Empty texts are not given. Complaints name the
/// fields, those of lists in the singular: ".embedding".
struct EmbedRequest {
  std::vector<std::string> machines{};         ///< names, files, networks such as "torus:8x8"
  std::optional<Params> machine_document{};    ///< of the only machine, in place of its name
  std::vector<std::string> embeddings{};       ///< names, JSON or map files
  std::optional<Params> embedding_document{};  ///< settings of the only embedding
  std::string guest{};                  ///< "cube:6"; default: that of the traffic, a largest cube
  std::optional<std::uint64_t> seed{};  ///< for embeddings that draw at random
  std::optional<Ticks> compute{};       ///< time of a CC stage; default: 1 s
  std::optional<Ticks> hop{};           ///< time of a message over one link; default: 1 s
  std::string traffic{};                ///< a file, measured in place of the guest's edges
  std::shared_ptr<const Traffic> matrix{};  ///< traffic in memory, which `traffic` names
  std::string hosts{};                      ///< what nodes are called in map files
  bool writes_hosts = false;                ///< somebody needs these names for other files
  bool why = false;                         ///< the answer has reasons; for one embedding only
  ListOutput lists = ListOutput::when_small;
};

/// Traffic on a machine, as a problem without an objective of its own.
struct PlacedTraffic {
  std::shared_ptr<const Traffic> traffic{};
  std::shared_ptr<const SearchProblem> problem{};
};

/// A process graph placed on a machine.
struct Placement {
  std::string machine_name{};    ///< as the request names it
  std::string embedding_name{};  ///< as the request names it
  std::shared_ptr<const Machine> machine{};
  /// Traffic measured in place of the guest's edges; null: the guest's edges.
  std::shared_ptr<const Traffic> traffic{};
  Guest guest = Guest::cube(0);
  std::shared_ptr<const Embedding> embedding{};  ///< null: it does not fit
  std::string refusal{};                         ///< why it does not fit
  PlacedTraffic reasoned{};                      ///< what the reasons are about
  std::optional<MapReasons> why{};

  const Topology& topology() const { return *machine->topology; }
  PlacedTraffic placed_traffic() const;
};

struct EmbedAnswer {
  std::vector<Placement> placements{};  ///< machine by machine
  std::vector<std::filesystem::path> inputs{};
  Ticks compute{0};
  Ticks hop{0};
  ListOutput lists = ListOutput::when_small;
};

/// Places processes. An embedding that does not fit is told in the answer, unless none does. Throws
/// InputError; MemoryError where measures do not fit into this computer's memory.
EmbedAnswer embed(const EmbedRequest& request);

/// A placement and its measures: of traffic, or of the guest's edges; of none that was refused.
struct MeasuredPlacement {
  const Placement* placement = nullptr;
  std::optional<EmbeddingMetrics> of_guest{};
  std::optional<TrafficMetrics> of_traffic{};
};
/// In the order of the answer, which must outlive them.
std::vector<MeasuredPlacement> measured(const EmbedAnswer& answer);
/// Measures; those shown are for many placements side by side. Loads are missing where routes are
/// not known.
Columns<MeasuredPlacement> placement_columns(const EmbedAnswer& answer);

/// A row for every placement.
std::string embed_csv(const EmbedAnswer& answer);

/// The measures of the answer as a JSON text: an object, or a list of several. `refuted` receives
/// what take_refuted() says of their bounds.
std::string embed_json(const EmbedAnswer& answer, std::vector<std::string>& refuted);

}  // namespace dcube
