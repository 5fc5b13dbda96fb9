#pragma once

#include <array>
#include <cstddef>

namespace dcube::detail {

// The columns of a CSV trace, for the writer and the reader. What they mean: docs/traces.md.
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

}  // namespace dcube::detail
