#include "catalog.hpp"

namespace dcube {

std::span<const TraceFormat* const> trace_catalog() {
#define DCUBE_FORMAT_ADDRESS(name) &name##_format,
  static constexpr const TraceFormat* formats[] = {DCUBE_TRACE_FORMATS(DCUBE_FORMAT_ADDRESS)};
#undef DCUBE_FORMAT_ADDRESS
  return formats;
}

}  // namespace dcube
