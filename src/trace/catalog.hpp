#pragma once

#include "dcube/trace/trace.hpp"

// One line per format, sorted; each is defined in the file of the same name.
#define DCUBE_TRACE_FORMATS(FORMAT) \
  FORMAT(chrome)                    \
  FORMAT(csv)                       \
  FORMAT(paje)

namespace dcube {

#define DCUBE_DECLARE_FORMAT(name) extern const TraceFormat name##_format;
DCUBE_TRACE_FORMATS(DCUBE_DECLARE_FORMAT)
#undef DCUBE_DECLARE_FORMAT

}  // namespace dcube
