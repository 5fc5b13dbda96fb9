#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"

namespace dcube {

/// Values of collectives that are checked: drawn from a seed, and added where processes combine.
class CollectiveValues {
 public:
  using Elements = ElementValues<std::uint64_t, std::plus<>>;
  /// Memory of all values of a program up to which it checks them.
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  /// `elements`: of the whole, as set_counts() takes them; `size`: of a group.
  CollectiveValues(const CollectiveCall& call, std::uint64_t elements, std::uint32_t size,
                   std::uint64_t seed)
      : kind_{call.kind},
        root_{call.root},
        count_{call.count},
        element_bytes_{call.options.element_bytes},
        elements_{elements},
        size_{size},
        seed_{seed} {}

  /// Buffers of a process before a round. `first` is the number of the first member of the group,
  /// among those of all groups.
  Elements drawn(std::uint32_t first, std::uint32_t rank, std::uint64_t round) const;
  /// Of the elements that belong to the process at the end.
  std::uint64_t hash_of_result(std::uint32_t rank, const std::vector<std::uint64_t>& values) const;
  /// [rank]: that hash after a round, by a sequential computation.
  std::vector<std::uint64_t> expected_results(std::uint32_t first, std::uint64_t round) const;

 private:
  ElementRange share(std::uint32_t rank) const;
  ElementRange given(std::uint32_t rank) const;
  ElementRange result(std::uint32_t rank) const;
  std::uint64_t draw(std::uint32_t member, std::uint64_t round, std::uint64_t place) const;

  CollectiveKind kind_;
  std::uint32_t root_;
  std::uint64_t count_;
  std::uint64_t element_bytes_;
  std::uint64_t elements_;
  std::uint32_t size_;
  std::uint64_t seed_;
};

}  // namespace dcube
