#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace dcube {

/// A typed index: a process never passes for a node. Trivially copyable, four bytes.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_{index} {}

  constexpr std::uint32_t index() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = 0;
};

/// A processor of the machine, 0 .. Topology::node_count()-1.
using NodeId = Id<struct NodeTag>;
/// A process of the program (its rank, its cube label), 0 .. process_count-1.
using ProcessId = Id<struct ProcessTag>;
/// One direction of a link, 0 .. Topology::link_slots()-1; not every number is a link.
using LinkId = Id<struct LinkTag>;

}  // namespace dcube
