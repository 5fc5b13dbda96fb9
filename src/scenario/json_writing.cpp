#include "json_writing.hpp"

#include <nlohmann/json.hpp>

#include "json_conversion.hpp"

namespace dcube {

std::string json_text(const Setting& setting) {
  using nlohmann::ordered_json;
  return json_of<ordered_json>(setting).dump(-1, ' ', false,
                                             ordered_json::error_handler_t::replace);
}

}  // namespace dcube
