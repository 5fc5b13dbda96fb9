#include "chakra_nodes.hpp"

#include <fmt/format.h>

namespace dcube {

ReadChakraNode chakra_node_of(const ChakraNode& told) {
  ReadChakraNode node;
  node.id = told.id;
  node.name.assign(told.name, told.name_bytes);
  node.type = told.type;
  node.duration = told.duration_micros;
  node.dependencies.assign(told.dependencies, told.dependencies + told.dependency_count);
  for (std::size_t i = 0; i < told.attribute_count; ++i) {
    const ChakraAttribute& attribute = told.attributes[i];
    const std::string_view name{attribute.name, attribute.name_bytes};
    const std::string_view text{attribute.text_value, attribute.text_bytes};
    if (const std::size_t place = place_of_number(name);
        place < numbered_attributes.size() && attribute.kind == ChakraAttribute::whole) {
      node.numbers[place] = attribute.whole_value;
    } else if (name == "pg_name") {
      // Some writers number their groups.
      node.group = attribute.kind == ChakraAttribute::text
                       ? std::string{text}
                       : fmt::format("{}", attribute.whole_value);
    } else if (name == chakra_algorithm && attribute.kind == ChakraAttribute::text) {
      node.algorithm = text;
    } else if (name == chakra_sides && attribute.kind == ChakraAttribute::text) {
      node.sides = text;
    } else if (name == "involved_dim" && attribute.kind == ChakraAttribute::truths) {
      node.leaves_out_dimensions = text.find('\0') != std::string_view::npos;
    }
  }
  return node;
}

}  // namespace dcube
