#include <fmt/compile.h>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "csv_format.hpp"
#include "writer.hpp"

namespace dcube {
namespace detail {
namespace {

class CsvWriter final : public TraceWriter {
 public:
  CsvWriter(WholeFile& file, const TraceDescription& description) : TraceWriter{file, description} {
    for (const CsvKey& key : csv_keys()) {
      if (const std::optional<std::string> value = key.write(description)) {
        write_line(FMT_COMPILE("# {}: {}"), key.name, *value);
      }
    }
    write_line(FMT_COMPILE("{}"), joined(csv_column_names, ","));
  }

 private:
  void add_interval(const TraceRecord& r) override {
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
    write_line(FMT_COMPILE(",,,,,,,,{},{}"), r.begin.count(), r.end.count());
  }

  void add_hop(const TraceRecord& r) override {
    write_line(FMT_COMPILE("hop,,,,,{},{},{},{},{},{},{},,{},{},{}"), r.message().source.index(),
               r.message().send_number, r.destination().index(),
               hop_link_name(r, description_.duplex), r.from().index(), r.to().index(), r.bytes,
               r.arrival.count(), r.begin.count(), r.end.count());
  }

  void add_message(const TraceRecord& r) override {
    write_line(FMT_COMPILE("message,,,,,{},{},{},,,,{},{},,{},{}"), r.message().source.index(),
               r.message().send_number, r.destination().index(), r.bytes, r.hops(), r.begin.count(),
               r.end.count());
  }
};

}  // namespace
}  // namespace detail

const TraceFormat csv_format{
    "csv", "intervals, hops and messages as rows with plain columns, for scripts and `dcube trace`",
    "csv:run.csv", detail::make_writer<detail::CsvWriter>};

}  // namespace dcube
