#include "catalog.hpp"

#include <fmt/format.h>

#include <span>

#include "dcube/core/catalog.hpp"

namespace dcube {

std::span<const TraceFormat* const> trace_catalog() {
#define DCUBE_FORMAT_ADDRESS(name) &name##_format,
  static constexpr const TraceFormat* formats[] = {DCUBE_TRACE_FORMATS(DCUBE_FORMAT_ADDRESS)};
#undef DCUBE_FORMAT_ADDRESS
  return formats;
}

TraceTarget parse_trace_target(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) {
    throw InputError("", fmt::format("`{}` is not FORMAT:FILE (formats: {})", text,
                                     fmt::join(names_of(trace_catalog()), ", ")));
  }
  const std::string_view name = text.substr(0, colon);
  const TraceFormat* format = find_kind(trace_catalog(), name);
  if (format == nullptr) {
    throw InputError("", fmt::format("`{}` is not a trace format{}", name,
                                     nearest_name_hint(name, names_of(trace_catalog()))));
  }
  const std::filesystem::path file{text.substr(colon + 1)};
  const std::filesystem::path folder = file.parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw InputError("", fmt::format("{} is not a folder", folder.string()));
  }
  return {format, file};
}

}  // namespace dcube
