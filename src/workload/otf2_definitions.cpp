#include "otf2_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

// Constants of OTF2_Definitions.h, which are stable.
constexpr std::uint64_t group_of_locations = 4;  // OTF2_GROUP_TYPE_COMM_LOCATIONS
constexpr std::uint64_t group_of_ranks = 5;      // OTF2_GROUP_TYPE_COMM_GROUP
constexpr std::uint64_t group_of_self = 6;       // OTF2_GROUP_TYPE_COMM_SELF

constexpr std::size_t most_otf2_ranks = (std::size_t{1} << 24) - 1;

}  // namespace

void Otf2Definitions::define(const Otf2Record& record, std::string_view payload) {
  const auto& values = record.values;
  switch (record.kind) {
    case otf2_resolution:
      set_resolution(values[0]);
      break;
    case otf2_creator:
      is_score_p_ = payload.starts_with("Score-P");
      break;
    case otf2_location:
      ++locations_;
      break;
    case otf2_region:
      is_mpi_region_[values[0]] = values[1] != 0;
      break;
    case otf2_calling_context:
      region_of_context_[values[0]] = values[1];
      break;
    case otf2_group:
      define_group(values, payload);
      break;
    case otf2_communicator:
      group_of_communicator_[values[0]] = values[1];
      break;
    case otf2_inter_communicator:
      inter_communicators_.insert(values[0]);
      break;
    default:
      throw ContractViolation("a module tells only what it may tell");
  }
}

void Otf2Definitions::set_resolution(std::uint64_t ticks_per_second) {
  std::int64_t parts = 0;
  refuse_if(ticks_per_second == 0 ||
                ticks_per_second > std::uint64_t{std::numeric_limits<std::int64_t>::max()},
            place_.file, "{} ticks a second is no resolution of a clock that can be used",
            ticks_per_second);
  refuse_if(__builtin_mul_overflow(second_.denominator(),
                                   static_cast<std::int64_t>(ticks_per_second), &parts),
            place_of_scale_,
            "is too fine a factor for {} ticks a second, the resolution of the archive",
            ticks_per_second);
  tick_ = ExactTime{second_.numerator(), parts};
}

void Otf2Definitions::define_group(const std::uint64_t (&values)[8], std::string_view payload) {
  Group group{values[1], values[2] != 0, values[3] != 0, {}};
  group.members.resize(payload.size() / sizeof(std::uint64_t));
  if (!group.members.empty()) {
    std::memcpy(group.members.data(), payload.data(), group.members.size() * sizeof(std::uint64_t));
  }
  if (group.is_mpi && group.type == group_of_locations) {
    refuse_if(!ranks_.empty(), place_.file, "has two lists of MPI processes");
    refuse_if(group.members.size() > most_otf2_ranks, place_.file,
              "has more than 2^24 MPI processes");
    for (const std::uint64_t location : group.members) {
      refuse_if(!ranks_.emplace(location, static_cast<std::uint32_t>(ranks_.size())).second,
                place_.file, "location {} is two MPI processes", location);
    }
  }
  groups_[values[0]] = std::move(group);
}

std::uint32_t Otf2Definitions::rank_of(std::uint64_t location) const {
  const auto known = ranks_.find(location);
  expects(known != ranks_.end(), "a module reads the locations of ranks");
  return known->second;
}

bool Otf2Definitions::is_mpi(std::uint64_t region) const {
  const auto known = is_mpi_region_.find(region);
  place_.reject_if(known == is_mpi_region_.end(), "region {} is not defined", region);
  return known->second;
}

std::uint64_t Otf2Definitions::region_of_context(std::uint64_t context) const {
  const auto known = region_of_context_.find(context);
  place_.reject_if(known == region_of_context_.end(), "calling context {} is not defined", context);
  return known->second;
}

const Otf2Definitions::Communicator& Otf2Definitions::communicator(std::uint64_t number) {
  const auto known = communicators_.find(number);
  return known != communicators_.end()
             ? known->second
             : communicators_.emplace(number, make_communicator(number)).first->second;
}

/// Derives the communicator's processes from the groups of the archive. Throws InputError.
Otf2Definitions::Communicator Otf2Definitions::make_communicator(std::uint64_t number) const {
  const auto known = group_of_communicator_.find(number);
  place_.reject_if(inter_communicators_.contains(number),
                   "communicator {} joins two groups, which is not supported", number);
  place_.reject_if(known == group_of_communicator_.end(), "communicator {} is not defined", number);
  const auto group = groups_.find(known->second);
  place_.reject_if(group == groups_.end() || !group->second.is_mpi,
                   "communicator {} has no group of MPI processes", number);
  Communicator made;
  const Group& of = group->second;
  made.is_global = of.is_global;
  switch (of.type) {
    case group_of_self:
      made.is_self = true;
      return made;
    case group_of_locations:
      made.members = numbered(ranks_.size());
      break;
    case group_of_ranks:
      for (const std::uint64_t rank : of.members) {
        place_.reject_if(rank >= ranks_.size(), "communicator {} has a process {} (0 to {})",
                         number, rank, ranks_.size() - 1);
        made.members.push_back(static_cast<std::uint32_t>(rank));
      }
      break;
    default:
      place_.reject(fmt::format("communicator {} has a group of no processes", number));
  }
  for (std::uint32_t i = 0; i < made.members.size(); ++i) {
    place_.reject_if(!made.ranks.emplace(made.members[i], i).second,
                     "communicator {} has process {} twice", number, made.members[i]);
  }
  made.is_world = made.members.size() == ranks_.size() && std::ranges::is_sorted(made.members);
  return made;
}

}  // namespace dcube
