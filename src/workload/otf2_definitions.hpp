#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dcube/core/time.hpp"
#include "modules/otf2_records.hpp"
#include "otf2_place.hpp"

namespace dcube {

/// Definitions of an OTF2 archive: its clock, regions, processes and communicators.
class Otf2Definitions {
 public:
  struct Communicator {
    bool is_self = false;
    bool is_global = false;  ///< events have ranks of the world
    bool is_world = false;   ///< all processes in order
    std::vector<std::uint32_t> members;
    std::unordered_map<std::uint32_t, std::uint32_t> ranks;  ///< [process]: rank in `members`
  };

  /// `second` is the simulated time of a second of computing.
  Otf2Definitions(const Otf2Place& place, const ExactTime& second, std::string place_of_scale)
      : place_{place}, second_{second}, place_of_scale_{std::move(place_of_scale)} {}

  void define(const Otf2Record& record, std::string_view payload);

  bool is_by_score_p() const { return is_score_p_; }
  /// Simulated time of a tick of the clock, if the archive gives its resolution.
  const std::optional<ExactTime>& tick() const { return tick_; }
  std::size_t locations() const { return locations_; }
  std::size_t rank_count() const { return ranks_.size(); }
  std::uint32_t rank_of(std::uint64_t location) const;
  // These throw InputError for undefined numbers.
  bool is_mpi(std::uint64_t region) const;
  std::uint64_t region_of_context(std::uint64_t context) const;
  const Communicator& communicator(std::uint64_t number);

 private:
  struct Group {
    std::uint64_t type = 0;
    bool is_mpi = false;
    bool is_global = false;
    std::vector<std::uint64_t> members;
  };

  void set_resolution(std::uint64_t ticks_per_second);
  void define_group(const std::uint64_t (&values)[8], std::string_view payload);
  Communicator make_communicator(std::uint64_t number) const;

  const Otf2Place& place_;
  ExactTime second_;
  std::string place_of_scale_;
  std::optional<ExactTime> tick_;
  bool is_score_p_ = false;
  std::size_t locations_ = 0;
  std::unordered_map<std::uint64_t, bool> is_mpi_region_;
  std::unordered_map<std::uint64_t, std::uint64_t> region_of_context_;
  std::unordered_map<std::uint64_t, Group> groups_;
  std::unordered_map<std::uint64_t, std::uint64_t> group_of_communicator_;
  std::set<std::uint64_t> inter_communicators_;
  std::unordered_map<std::uint64_t, Communicator> communicators_;  ///< those in use
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;         ///< [location]
};

}  // namespace dcube
