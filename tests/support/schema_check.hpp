#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcube {

/// Error in a document.
struct SchemaComplaint {
  std::string pointer;  ///< of the offending value; "" for the whole
  std::string problem;
};

/// Checks a JSON text against schema/KIND.schema.json; nothing when it conforms, otherwise the
/// deepest complaint. Readers and schemas are written separately: tests compare them.
std::optional<SchemaComplaint> schema_complaint(const std::string& kind, std::string_view text);

}  // namespace dcube
