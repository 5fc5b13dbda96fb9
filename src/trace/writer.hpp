#pragma once

#include "dcube/core/whole_file.hpp"
#include "dcube/trace/trace.hpp"
#include "record.hpp"

namespace dcube::detail {

/// Writes one trace. It gets its file and the description of the run when it is made. Committing
/// the file is up to the caller.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  /// The records come in their order.
  virtual void add(const TraceRecord& record) = 0;
  /// The last call.
  virtual void finish() = 0;
};

}  // namespace dcube::detail
