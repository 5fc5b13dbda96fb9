// GCC 12 with the address sanitizer suspects std::regex, which valijson uses (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "schema_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "embedded_schema.hpp"
#include "json_conversion.hpp"

namespace dcube {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

/// The other schemas refer to the machine schema by its file name.
const nlohmann::json* fetch_schema(const std::string& uri) {
  return uri == "machine.schema.json"
             ? std::make_unique<nlohmann::json>(nlohmann::json::parse(machine_schema())).release()
             : nullptr;
}

void free_schema(const nlohmann::json* document) {
  const std::unique_ptr<const nlohmann::json> owner{document};
}

std::string_view schema_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::machine:
      return machine_schema();
    case DocumentKind::scenario:
      return scenario_schema();
    case DocumentKind::experiments:
      return experiments_schema();
    case DocumentKind::task_graph:
      return task_graph_schema();
  }
  return {};
}

void populate(valijson::Schema& schema, DocumentKind kind) {
  const nlohmann::json text = nlohmann::json::parse(schema_of(kind));
  valijson::SchemaParser{}.populateSchema(NlohmannJsonAdapter{text}, schema, fetch_schema,
                                          free_schema);
}

/// Brings values that valijson cannot handle within its reach, on the right side of every limit.
/// Texts are cut, since matching a pattern recurses for every character and no text that long has
/// meaning where there is a pattern; integers that 63 bits do not hold become the largest that do.
void make_checkable(nlohmann::json& value) {
  constexpr std::size_t most_bytes = 256;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    text.resize(std::min(text.size(), most_bytes));
  } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most}) {
    value = most;
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

std::optional<SchemaComplaint> schema_complaint(DocumentKind kind, const Params& document) {
  valijson::Schema schema;
  populate(schema, kind);
  nlohmann::json value = json_of<nlohmann::json>(document);
  make_checkable(value);
  valijson::ValidationResults results;
  if (valijson::Validator{}.validate(schema, NlohmannJsonAdapter{value}, &results)) {
    return std::nullopt;
  }
  return deepest(results);
}

}  // namespace dcube
