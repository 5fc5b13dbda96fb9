#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "dcube/engine/observer.hpp"
#include "dcube/scenario/drawing.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::report {

/// Counts the bytes on every link of a run, also by pair of processes. A half-duplex link carries
/// the bytes of both directions.
class LinkBytes final : public Observer {
 public:
  /// Pairs on links are dropped when there are more than `most_pairs`. The scenario and the drawing
  /// of its run machine must outlive this.
  LinkBytes(const Scenario& scenario, const Drawing& drawing, std::size_t most_pairs);

  void on_hop(const Hop& hop) override;

  /// JSON for the page (see page/load.js): bytes by link of the drawing (-1 for a direction that is
  /// counted with the other), their time if links differ, and the busiest links as `--why` lists
  /// them. Empty if no message made a hop.
  std::string json() const;

 private:
  /// A link, and the processes of a message on it.
  struct Crossing {
    std::uint32_t link;
    std::uint32_t from;
    std::uint32_t to;

    friend auto operator<=>(const Crossing&, const Crossing&) = default;
  };
  struct CrossingHash {
    std::size_t operator()(const Crossing& crossing) const;
  };
  struct Busiest;

  std::vector<Busiest> busiest() const;
  nlohmann::ordered_json busiest_json(double mean_bytes) const;

  const Scenario& scenario_;
  const Drawing& drawing_;
  std::vector<double> per_byte_s_;    ///< by link number; 0 for numbers not in use
  std::vector<std::uint64_t> bytes_;  ///< by link number
  std::size_t most_pairs_;
  bool knows_pairs_ = true;
  std::unordered_map<Crossing, std::uint64_t, CrossingHash> pairs_;
};

}  // namespace dcube::report
