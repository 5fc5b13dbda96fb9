#include "json_writing.hpp"

#include <nlohmann/json.hpp>

#include "core/json_writing.hpp"
#include "json_conversion.hpp"

namespace dcube {

std::string json_text(const Setting& setting) {
  return json_line(json_of<nlohmann::ordered_json>(setting));
}

}  // namespace dcube
