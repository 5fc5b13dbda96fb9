#include <nlohmann/json.hpp>

#include "catalog.hpp"
#include "core/json_writing.hpp"

namespace dcube {

std::string explicit_embedding_json(std::span<const NodeId> map) {
  nlohmann::ordered_json embedding{{"kind", "explicit"}, {"map", nlohmann::ordered_json::array()}};
  for (const NodeId node : map) {
    embedding["map"].push_back(node.index());
  }
  return json_layout(embedding);
}

const MapFormat json_map_format{
    "json",
    "embedding as a scenario holds it",
    "dcube embed torus:8x8 --embedding xor --write json:x.json",
    {},
    ".json",
    [](const MapExport& content) { return explicit_embedding_json(content.map); },
    nullptr,
    true};

}  // namespace dcube
