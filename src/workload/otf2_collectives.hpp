#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dcube/workload/schedule.hpp"
#include "otf2_definitions.hpp"
#include "otf2_place.hpp"
#include "otf2_reader.hpp"
#include "otf2_sizes.hpp"

namespace dcube {

struct Otf2Collective;

/// The collectives of an OTF2 archive. All processes of a communicator call the same ones.
class Otf2Collectives {
 public:
  Otf2Collectives(const Otf2Place& place, Otf2Definitions& definitions, Otf2Context& context)
      : place_{place}, definitions_{definitions}, context_{context} {}

  void begin_rank(std::uint32_t rank);
  /// A call of the current process, with operation, communicator, root, bytes sent and received in
  /// `values`. Returns its number in the schedule; nothing if it is not simulated.
  std::optional<std::uint32_t> call(const std::uint64_t (&values)[8]);
  /// All collectives, when all processes have been read.
  std::vector<ScheduledCollective> take(const std::vector<std::vector<Operation>>& processes);

 private:
  using Communicator = Otf2Definitions::Communicator;
  struct CallsOfCommunicator {
    std::vector<std::uint32_t> numbers;  ///< in order
    std::uint32_t called = 0;            ///< by the current process
  };
  /// A collective call of a communicator.
  struct Call {
    const Otf2Collective* operation = nullptr;
    std::uint64_t communicator = 0;
    std::uint32_t root = 0;
    std::uint32_t callers = 0;
    std::uint32_t first = 0;  ///< rank that called it first
    std::string place;        ///< of the first call
    std::optional<std::uint64_t> count;
    std::vector<CollectiveBytes> bytes;  ///< [rank], if each has shares of its own
  };

  std::uint32_t root_of(std::uint64_t root, const Communicator& group, std::uint64_t number) const;
  void expect_same(const Call& known, const Otf2Collective& operation, std::uint32_t root,
                   std::uint32_t number) const;
  bool uses_score_p_sizes() const;
  void add_bytes(Call& call, const CollectiveBytes& bytes, const CollectiveCaller& caller,
                 std::uint32_t number) const;
  ScheduledCollective scheduled(Call& call,
                                const std::vector<std::vector<Operation>>& processes) const;
  std::uint32_t missing_caller(const Call& call, const Communicator& group,
                               const std::vector<std::vector<Operation>>& processes) const;

  const Otf2Place& place_;
  Otf2Definitions& definitions_;
  Otf2Context& context_;
  std::uint32_t rank_ = 0;
  std::vector<Call> calls_;
  std::unordered_map<std::uint64_t, CallsOfCommunicator> of_communicators_;
};

}  // namespace dcube
