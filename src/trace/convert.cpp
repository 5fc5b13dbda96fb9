#include "csv_reader.hpp"
#include "dcube/trace/trace_file.hpp"
#include "trace_files.hpp"

namespace dcube {

void convert_trace(const std::filesystem::path& csv, const TraceFilter& filter,
                   std::span<const TraceTarget> targets, const TraceProgress& progress) {
  detail::CsvReader reader{csv, filter};
  detail::TraceFiles files{targets};
  // The rows of a file may be in any order.
  detail::RecordSorter records{files.folder()};
  while (const auto record = reader.next()) {
    records.add(*record);
  }
  files.write(records, reader.description(), progress);
}

}  // namespace dcube
