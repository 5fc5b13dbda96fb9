#pragma once

#include <optional>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// What the schema finds wrong with a document.
struct SchemaComplaint {
  std::string pointer;  ///< of the offending value; "" for the whole
  std::string problem;
};

/// Checks a document against the shipped schema of its kind; nothing when it conforms, otherwise
/// the complaint that lies deepest.
std::optional<SchemaComplaint> schema_complaint(DocumentKind kind, const Params& document);

}  // namespace dcube
