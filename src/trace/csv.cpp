#include <fmt/compile.h>
#include <fmt/format.h>

#include "catalog.hpp"
#include "csv_columns.hpp"
#include "csv_keys.hpp"
#include "names.hpp"
#include "writer.hpp"

namespace dcube {
namespace detail {
namespace {

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
  void describe(const TraceDescription& run) {
    for (const CsvKey& key : csv_keys()) {
      if (const std::optional<std::string> value = key.write(run)) {
        file_.write(fmt::format("# {}: {}\n", key.name, *value));
      }
    }
  }

  template <class Format, class... Values>
  void append(const Format& format, const Values&... values) {
    fmt::format_to(fmt::appender(line_), format, values...);
  }

  void write_interval(const TraceRecord& r) {
    append(FMT_COMPILE("interval,{},{},"), r.process().index(), to_string(r.activity));
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
