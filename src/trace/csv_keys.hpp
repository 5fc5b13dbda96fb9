#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dcube/trace/trace.hpp"

namespace dcube::detail {

/// A line `# name: value` at the beginning of a CSV trace. What the keys mean: docs/traces.md.
struct CsvKey {
  const char* name;
  bool is_required;
  /// The value of a run; nothing when the line is left out.
  std::optional<std::string> (*write)(const TraceDescription&);
  /// Takes a value over into the description. Throws InputError with an empty place.
  void (*read)(TraceDescription&, std::string_view value);
};

/// In the order in which they are written. The first one names the format.
std::span<const CsvKey> csv_keys();

/// A trace with more processes or nodes is refused: a reader keeps something for each of them.
inline constexpr std::uint32_t most_traced_processes = 1U << 24;

}  // namespace dcube::detail
