#include <fmt/format.h>

#include "catalog.hpp"

namespace dcube {
namespace {

std::string write(const MapExport& content) {
  std::string text = R"({ "kind": "explicit", "map": [)";
  const char* separator = "";
  for (const NodeId node : content.map) {
    text += fmt::format("{}{}", separator, node.index());
    separator = ", ";
  }
  return text + "] }\n";
}

}  // namespace

const MapFormat json_map_format{"json",
                                "embedding as a scenario holds it",
                                "dcube embed torus:8x8 --embedding xor --export json:x.json",
                                {},
                                ".json",
                                write,
                                nullptr,
                                true};

}  // namespace dcube
