// GCC 12 with the address sanitizer suspects std::regex, which valijson uses (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "schema_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

nlohmann::json schema_file(const std::string& name) {
  std::ifstream stream{std::filesystem::path{DCUBE_SOURCE_DIR} / "schema" / name};
  return nlohmann::json::parse(stream);
}

/// The other schemas refer to the machine schema by its file name.
const nlohmann::json* fetch_schema(const std::string& uri) {
  return std::make_unique<nlohmann::json>(schema_file(uri)).release();
}

void free_schema(const nlohmann::json* document) {
  const std::unique_ptr<const nlohmann::json> owner{document};
}

/// Whole numbers that valijson does not take for integers become some: "4.0", and what 63 bits do
/// not hold.
void make_checkable(nlohmann::json& value) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most}) {
    value = most;
  } else if (value.is_number_float() && std::abs(value.get<double>()) < 1e15 &&
             std::trunc(value.get<double>()) == value.get<double>()) {
    value = static_cast<std::int64_t>(value.get<double>());
  } else if (value.is_structured()) {
    for (auto& part : value) {
      make_checkable(part);
    }
  }
}

/// From valijson's path ["<root>", "[\"machine\"]", "[0]"] to "/machine/0".
std::string pointer_of(const std::vector<std::string>& context) {
  Params place;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string_view token = context[i];
    const std::size_t quotes = token.starts_with("[\"") ? 2 : 1;
    token = token.substr(quotes, token.size() - 2 * quotes);
    place = Params{place.place_of(token)};
  }
  return place.place();
}

/// The last error of the greatest depth: errors of parts come before that of their whole.
SchemaComplaint deepest(const valijson::ValidationResults& results) {
  const valijson::ValidationResults::Error* found = &*results.begin();
  for (const auto& error : results) {
    if (error.context.size() > found->context.size()) {
      found = &error;
    }
  }
  return {pointer_of(found->context),
          fmt::format("does not conform to the schema ({})", found->description)};
}

}  // namespace

std::optional<SchemaComplaint> schema_complaint(const std::string& kind, std::string_view text) {
  valijson::Schema schema;
  valijson::SchemaParser{}.populateSchema(NlohmannJsonAdapter{schema_file(kind + ".schema.json")},
                                          schema, fetch_schema, free_schema);
  nlohmann::json value = nlohmann::json::parse(text);
  make_checkable(value);
  valijson::ValidationResults results;
  if (valijson::Validator{}.validate(schema, NlohmannJsonAdapter{value}, &results)) {
    return std::nullopt;
  }
  return deepest(results);
}

}  // namespace dcube
