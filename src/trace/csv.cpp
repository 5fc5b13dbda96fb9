#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>

#include "catalog.hpp"
#include "csv_columns.hpp"
#include "names.hpp"
#include "writer.hpp"

namespace dcube {
namespace detail {
namespace {

/// A value of a comment is the rest of its line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

class CsvWriter final : public TraceWriter {
 public:
  CsvWriter(WholeFile& file, const TraceDescription& description)
      : file_{file}, duplex_{description.duplex} {
    describe(description);
    file_.write(fmt::format("{}\n", fmt::join(csv_column_names, ",")));
  }

  void add(const TraceRecord& record) override {
    line_.clear();
    switch (record.kind) {
      case RecordKind::interval:
        write_interval(record);
        break;
      case RecordKind::hop:
        write_hop(record);
        break;
      case RecordKind::message:
        write_message(record);
        break;
    }
    file_.write({line_.data(), line_.size()});
  }

  void finish() override {}

 private:
  template <class Value>
  void comment(const char* key, const Value& value) {
    file_.write(fmt::format("# {}: {}\n", key, value));
  }

  void describe(const TraceDescription& run) {
    comment(csv_first_key, csv_version);
    comment("machine", one_line(run.machine));
    comment("topology", run.topology);
    comment("shape", shape_text(run));
    comment("nodes", run.nodes);
    comment("duplex", run.duplex == Duplex::half ? "half" : "full");
    comment("contention", run.contention == Contention::on ? "on" : "off");
    comment("embedding", run.embedding);
    comment("program", run.program);
    comment("processes", run.processes);
    if (run.has_host) {
      comment("host_process", run.processes - 1);
      comment("host_node", run.nodes);
    }
    comment("stages", run.stages);
    comment("outcome", run.outcome);
    comment("time_unit", "ps");
    comment("makespan", run.makespan.count());
    if (!run.map.empty()) {
      std::vector<std::uint32_t> nodes;
      for (const NodeId node : run.map) {
        nodes.push_back(node.index());
      }
      comment("map", fmt::format("{}", fmt::join(nodes, " ")));
    }
    describe(run.filter);
    comment("intervals", run.intervals);
    comment("hops", run.hops);
    comment("messages", run.messages);
  }

  void describe(const TraceFilter& filter) {
    if (filter.processes) {
      comment("only_processes", format_process_ranges(*filter.processes));
    }
    if (filter.links) {
      comment("only_links", format_links(*filter.links));
    }
    if (filter.begin > Ticks{0} || filter.end < Ticks::max()) {
      const std::string end =
          filter.end == Ticks::max() ? "" : fmt::format("{}ps", filter.end.count());
      comment("window", fmt::format("{}ps:{}", filter.begin.count(), end));
    }
  }

  template <class Format, class... Values>
  void append(const Format& format, const Values&... values) {
    fmt::format_to(fmt::appender(line_), format, values...);
  }

  void write_interval(const TraceRecord& r) {
    append(FMT_COMPILE("interval,{},{},"), r.process().index(), name_of(r.activity));
    if (r.stage() != no_stage) {
      append(FMT_COMPILE("{}"), r.stage());
    }
    append(FMT_COMPILE(","));
    if (r.activity != Activity::compute) {
      append(FMT_COMPILE("{}"), r.peer().index());
    }
    if (r.has_message) {
      append(FMT_COMPILE(",{},{}"), r.message().source.index(), r.message().send_number);
    } else {
      append(FMT_COMPILE(",,"));
    }
    append(FMT_COMPILE(",,,,,,,,{},{}\n"), r.begin.count(), r.end.count());
  }

  void write_hop(const TraceRecord& r) {
    append(FMT_COMPILE("hop,,,,,{},{},{},"), r.message().source.index(), r.message().send_number,
           r.destination().index());
    append_link_name(line_, r, duplex_);
    append(FMT_COMPILE(",{},{},{},,{},{},{}\n"), r.from().index(), r.to().index(), r.bytes,
           r.arrival.count(), r.begin.count(), r.end.count());
  }

  void write_message(const TraceRecord& r) {
    append(FMT_COMPILE("message,,,,,{},{},{},,,,{},{},,{},{}\n"), r.message().source.index(),
           r.message().send_number, r.destination().index(), r.bytes, r.hops(), r.begin.count(),
           r.end.count());
  }

  WholeFile& file_;
  Duplex duplex_;
  fmt::memory_buffer line_;
};

}  // namespace
}  // namespace detail

const TraceFormat csv_format{
    "csv",
    "intervals, hops and messages as rows with plain columns, for scripts and `dcube trace`",
    "csv:run.csv",
    {},
    [](WholeFile& file,
       const TraceDescription& description) -> std::unique_ptr<detail::TraceWriter> {
      return std::make_unique<detail::CsvWriter>(file, description);
    }};

}  // namespace dcube
