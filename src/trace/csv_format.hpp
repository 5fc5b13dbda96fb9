#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dcube/trace/trace.hpp"

namespace dcube::detail {

// The columns of a CSV trace, for the writer and the reader. What they mean:
// docs/reference/traces.md.
#define DCUBE_TRACE_COLUMNS(COLUMN) \
  COLUMN(record)                    \
  COLUMN(process)                   \
  COLUMN(activity)                  \
  COLUMN(stage)                     \
  COLUMN(peer)                      \
  COLUMN(source)                    \
  COLUMN(send_number)               \
  COLUMN(destination)               \
  COLUMN(link)                      \
  COLUMN(from_node)                 \
  COLUMN(to_node)                   \
  COLUMN(bytes)                     \
  COLUMN(hops)                      \
  COLUMN(arrival_ps)                \
  COLUMN(begin_ps)                  \
  COLUMN(end_ps)

#define DCUBE_COLUMN_ENTRY(name) name,
enum class CsvColumn : std::size_t { DCUBE_TRACE_COLUMNS(DCUBE_COLUMN_ENTRY) };
#undef DCUBE_COLUMN_ENTRY

#define DCUBE_COLUMN_NAME(name) #name,
inline constexpr std::array csv_column_names{DCUBE_TRACE_COLUMNS(DCUBE_COLUMN_NAME)};
#undef DCUBE_COLUMN_NAME
#undef DCUBE_TRACE_COLUMNS

inline constexpr int csv_version = 1;
inline constexpr const char* csv_first_key = "dcube trace";

/// A line `# name: value` at the beginning of a CSV trace. What the keys mean:
/// docs/reference/traces.md.
struct CsvKey {
  const char* name;
  bool is_required;
  /// The value of a run; nothing when the line is left out.
  std::optional<std::string> (*write)(const TraceDescription&);
  /// Takes a value over into the description. Throws InputError with an empty place.
  void (*read)(TraceDescription&, std::string_view value);
};

/// Keys in the order in which they are written. The first one names the format.
std::span<const CsvKey> csv_keys();

/// A trace with more processes or nodes is refused: a reader keeps something for each of them.
inline constexpr std::uint32_t most_traced_processes = 1U << 24;

}  // namespace dcube::detail
