#include <nlohmann/json.hpp>

#include "catalog.hpp"
#include "core/json_writing.hpp"

namespace dcube {

std::string explicit_embedding_json(std::span<const NodeId> map) {
  return json_layout({{"kind", "explicit"}, {"map", map}});
}

const MapFormat json_map_format{
    "json",
    "embedding as a scenario holds it",
    "dcube embed torus:8x8 --embedding xor --write json:x.json",
    ".json",
    [](const MapExport& content) { return explicit_embedding_json(content.map); },
    nullptr,
    false,
    true};

}  // namespace dcube
