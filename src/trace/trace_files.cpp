#include "trace_files.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"
#include "writer.hpp"

namespace dcube::detail {
namespace {

/// Whether the filter's processes and links include the record's.
bool is_chosen(const TraceFilter& filter, const TraceRecord& record) {
  switch (record.kind) {
    case RecordKind::interval:
      return filter.shows(record.process());
    case RecordKind::hop:
      if (!filter.shows(record.from(), record.to())) {
        return false;
      }
      if (filter.processes && filter.processes->empty()) {
        return true;
      }
      break;
    case RecordKind::message:
      break;
  }
  return filter.shows(record.message().source) || filter.shows(record.destination());
}

}  // namespace

bool keeps(const TraceFilter& filter, const TraceRecord& record) {
  const Ticks first = record.kind == RecordKind::hop ? record.arrival : record.begin;
  return filter.overlaps(first, record.end) && is_chosen(filter, record);
}

TraceFiles::TraceFiles(std::span<const TraceTarget> targets)
    : targets_{targets.begin(), targets.end()} {
  expects(!targets.empty(), "a trace goes to a file");
  for (const TraceTarget& target : targets_) {
    files_.push_back(std::make_unique<WholeFile>(target.file));
  }
}

std::filesystem::path TraceFiles::folder() const { return targets_.front().file.parent_path(); }

void TraceFiles::write(RecordSorter& records, TraceDescription description,
                       const TraceProgress& progress) {
  description.intervals = records.count(RecordKind::interval);
  description.hops = records.count(RecordKind::hop);
  description.messages = records.count(RecordKind::message);
  description.end = std::max(description.makespan, records.last_end());
  std::vector<std::unique_ptr<TraceWriter>> writers;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    writers.push_back(targets_[i].format->make(*files_[i], description));
  }
  constexpr std::uint64_t records_per_report = 1 << 16;
  const std::uint64_t total = records.size();
  std::uint64_t written = 0;
  records.visit([&](const TraceRecord& record) {
    for (const auto& writer : writers) {
      writer->add(record);
    }
    if (++written % records_per_report == 0 && progress) {
      progress(written, total);
    }
  });
  for (const auto& writer : writers) {
    writer->finish();
  }
  for (const auto& file : files_) {
    file->flush();
  }
  for (const auto& file : files_) {
    file->commit();
  }
}

}  // namespace dcube::detail
