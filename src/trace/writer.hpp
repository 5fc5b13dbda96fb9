#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "dcube/core/whole_file.hpp"
#include "dcube/trace/trace.hpp"
#include "link_lanes.hpp"
#include "record.hpp"

namespace dcube::detail {

/// Writes one trace. It gets its file and the description of the run when it is made. Committing
/// the file is up to the caller.
class TraceWriter {
 public:
  TraceWriter(WholeFile& file, const TraceDescription& description)
      : description_{description}, file_{file} {}
  virtual ~TraceWriter() = default;

  /// The records come in their order.
  void add(const TraceRecord& record) {
    advance(record.begin);
    switch (record.kind) {
      case RecordKind::interval:
        return add_interval(record);
      case RecordKind::hop:
        return add_hop(record);
      case RecordKind::message:
        return add_message(record);
    }
  }
  /// Ends the trace; the last call.
  virtual void finish() {}

 protected:
  /// Called before a record that begins at `time`.
  virtual void advance(Ticks /*time*/) {}
  virtual void add_interval(const TraceRecord& interval) = 0;
  virtual void add_hop(const TraceRecord& hop) = 0;
  virtual void add_message(const TraceRecord& message) = 0;

  /// Adds to the line that end_line() writes.
  template <class Format, class... Values>
  void append(const Format& format, const Values&... values) {
    fmt::format_to(fmt::appender(line_), format, values...);
  }
  void end_line() {
    line_.push_back('\n');
    file_.write({line_.data(), line_.size()});
    line_.clear();
  }
  template <class Format, class... Values>
  void write_line(const Format& format, const Values&... values) {
    append(format, values...);
    end_line();
  }

  /// "process 3 on node 5".
  std::string process_title(std::uint32_t rank) const {
    return rank < description_.map.size()
               ? fmt::format("process {} on node {}", rank, description_.map[rank].index())
               : fmt::format("process {}", rank);
  }
  /// "link 2->3", and with a number the further lanes of a link.
  std::string lane_title(const TraceRecord& hop, const LinkLanes::Lane& lane) const {
    return fmt::format("link {}{}", hop_link_name(hop, description_.duplex),
                       lane.index == 0 ? "" : fmt::format(" ({})", lane.index + 1));
  }

  const TraceDescription description_;
  fmt::memory_buffer line_;

 private:
  WholeFile& file_;
};

/// Makes the writers of a format of the catalogue.
template <class Writer>
std::unique_ptr<TraceWriter> make_writer(WholeFile& file, const TraceDescription& description) {
  return std::make_unique<Writer>(file, description);
}

}  // namespace dcube::detail
