#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra_types.hpp"
#include "modules/chakra_records.hpp"

namespace dcube {

/// Attributes of whole numbers that define a node's operation.
inline constexpr std::array<std::string_view, 7> numbered_attributes{
    "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "is_cpu_op", chakra_ports};

/// Index of an attribute in the list; the list's size if it is not there.
inline std::size_t place_of_number(std::string_view attribute) {
  return static_cast<std::size_t>(std::ranges::find(numbered_attributes, attribute) -
                                  numbered_attributes.begin());
}

/// A node of a file, with its relevant attributes.
struct ReadChakraNode {
  std::uint64_t id = 0;
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t duration = 0;  ///< microseconds
  std::vector<std::uint64_t> dependencies;
  std::array<std::optional<std::int64_t>, numbered_attributes.size()> numbers{};
  std::optional<std::string> group;
  std::string algorithm;  ///< empty: none is named
  std::string sides;      ///< "4x4"; empty: none
  bool leaves_out_dimensions = false;
};

ReadChakraNode chakra_node_of(const ChakraNode& told);

}  // namespace dcube
