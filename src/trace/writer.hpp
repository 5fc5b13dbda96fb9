#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "dcube/core/whole_file.hpp"
#include "dcube/trace/trace.hpp"
#include "record.hpp"

namespace dcube::detail {

/// Lanes in which hops are drawn. A link with contention carries one message at a time and has one
/// lane. Without contention hops overlap, and each takes the first free lane of its link.
class LinkLanes {
 public:
  struct Lane {
    std::uint32_t number = 0;  ///< among all lanes, in order of their first hop
    std::uint32_t index = 0;   ///< among those of the link
    bool is_new = false;
  };

  /// The hops come in order of their begin.
  Lane lane_of(const TraceRecord& hop) {
    const auto [first, second] = hop.link_ends();
    std::vector<OneLane>& lanes =
        lanes_[std::uint64_t{first.index()} << 32 | std::uint64_t{second.index()}];
    for (std::uint32_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].free_at <= hop.begin) {
        lanes[i].free_at = hop.end;
        return {lanes[i].number, i, false};
      }
    }
    lanes.push_back({hop.end, count_});
    return {count_++, static_cast<std::uint32_t>(lanes.size() - 1), true};
  }

 private:
  struct OneLane {
    Ticks free_at;
    std::uint32_t number;
  };
  std::unordered_map<std::uint64_t, std::vector<OneLane>> lanes_;
  std::uint32_t count_ = 0;
};

/// Holds records that have begun, and hands them out in order of their end. It holds those that are
/// under way, however long the trace is. Records that end together come in the order of records.
class Ends {
 public:
  void add(const TraceRecord& record) { records_.push(record); }
  /// Hands out the records that end at `time` or before.
  template <class Use>
  void pop_until(Ticks time, Use use) {
    while (!records_.empty() && records_.top().end <= time) {
      const TraceRecord record = records_.top();
      records_.pop();
      use(record);
    }
  }

 private:
  struct EndsLater {
    bool operator()(const TraceRecord& a, const TraceRecord& b) const {
      return a.end != b.end ? a.end > b.end : b < a;
    }
  };
  std::priority_queue<TraceRecord, std::vector<TraceRecord>, EndsLater> records_;
};

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
