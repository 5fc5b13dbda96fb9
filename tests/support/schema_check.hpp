#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcube {

/// What a schema finds wrong with a document.
struct SchemaComplaint {
  std::string pointer;  ///< of the offending value; "" for the whole
  std::string problem;
};

/// Checks a JSON text against schema/KIND.schema.json; nothing when it conforms, otherwise the
/// complaint that lies deepest. Readers and schemas are written apart: tests compare them.
std::optional<SchemaComplaint> schema_complaint(const std::string& kind, std::string_view text);

}  // namespace dcube
