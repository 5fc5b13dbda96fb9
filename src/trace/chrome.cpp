#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "writer.hpp"

// The Trace Event Format of chrome://tracing, which Perfetto reads too. Processes and links are
// "threads" of two "processes". Both viewers drop slices of a thread that overlap without one
// holding the other, and draw an arrow only between slices that hold its two ends.

namespace dcube {
namespace detail {
namespace {

constexpr int processes_pid = 1;
constexpr int links_pid = 2;

/// Picoseconds as microseconds, exactly.
std::string microseconds(Ticks time) {
  constexpr std::int64_t microsecond = 1'000'000;
  const std::int64_t rest = time.count() % microsecond;
  std::string text = std::to_string(time.count() / microsecond);
  if (rest != 0) {
    text += fmt::format(FMT_COMPILE(".{:06}"), rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

class ChromeWriter final : public TraceWriter {
 public:
  ChromeWriter(WholeFile& file, const TraceDescription& description)
      : TraceWriter{file, description} {
    const nlohmann::ordered_json run{{"machine", description.machine},
                                     {"topology", description.topology},
                                     {"shape", joined(description.shape, "x")},
                                     {"nodes", description.nodes},
                                     {"embedding", description.embedding},
                                     {"program", description.program},
                                     {"processes", description.processes},
                                     {"outcome", description.outcome},
                                     {"makespan_ps", description.makespan.count()}};
    write_line(FMT_COMPILE(R"({{"displayTimeUnit":"ns","otherData":{},)"), json_line(run));
    append(FMT_COMPILE("\"traceEvents\":["));
    name("process", processes_pid, 0, "processes", processes_pid);
    name("process", links_pid, 0, "links", links_pid);
  }

  void finish() override {
    advance(description_.end);
    for (const auto& [rank, slice] : last_) {
      if (slice.end < description_.filter.end) {
        add_idle(ProcessId{rank});
      }
    }
    end_line();
    write_line(FMT_COMPILE("]}}"));
  }

 private:
  /// The latest slice on a process's track.
  struct Slice {
    Ticks begin{0};
    Ticks end{0};

    bool reaches(Ticks time) const { return begin < end && end >= time; }
  };

  /// An event stands on the line after the one before, which ends with a comma.
  template <class Format, class... Values>
  void event(const Format& format, const Values&... values) {
    append(FMT_COMPILE("{}"), is_first_ ? "" : ",");
    is_first_ = false;
    end_line();
    append(FMT_COMPILE("{{"));
    append(format, values...);
    append(FMT_COMPILE("}}"));
  }

  /// `what`: "process" for a group of tracks, "thread" for a track.
  void name(const char* what, int pid, std::uint64_t tid, const std::string& name,
            std::uint64_t order) {
    event(FMT_COMPILE(R"("ph":"M","name":"{}_name","pid":{},"tid":{},"args":{{"name":{}}})"), what,
          pid, tid, json_string(name));
    event(FMT_COMPILE(
              R"("ph":"M","name":"{}_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})"),
          what, pid, tid, order);
  }

  /// A process gets its track with its first record, so that the file is no longer than the
  /// records make it, whatever number of processes the trace claims.
  Slice& last_slice(ProcessId process) {
    const Ticks begin = description_.filter.begin;
    const auto [found, is_new] = last_.try_emplace(process.index(), Slice{begin, begin});
    if (is_new) {
      name("thread", processes_pid, process_tid(process.index()), process_title(process.index()),
           process.index());
    }
    return found->second;
  }

  // Perfetto takes a thread with number 0 for the idle task of an operating system.
  static std::uint64_t process_tid(std::uint32_t rank) { return std::uint64_t{rank} + 1; }
  std::uint64_t link_tid(std::uint32_t lane) const {
    return std::uint64_t{description_.processes} + 1 + lane;
  }

  static std::string message_text(const TraceRecord& record) {
    return fmt::format(FMT_COMPILE("\"{}#{}\""), record.message().source.index(),
                       record.message().send_number);
  }

  void add_interval(const TraceRecord& interval) override {
    last_slice(interval.process()) = {interval.begin, interval.end};
    std::string args;
    if (interval.stage() != no_stage) {
      args += fmt::format("\"stage\":{}", interval.stage());
      if (interval.stage() < description_.stage_names.size()) {
        args +=
            fmt::format(",\"phase\":{}", json_string(description_.stage_names[interval.stage()]));
      }
    }
    if (interval.activity != Activity::compute) {
      args += fmt::format("{}\"peer\":{}", args.empty() ? "" : ",", interval.peer().index());
    }
    if (interval.has_message) {
      args += fmt::format("{}\"message\":{}", args.empty() ? "" : ",", message_text(interval));
    }
    event(
        FMT_COMPILE(
            R"("ph":"X","cat":"interval","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})"),
        to_string(interval.activity), processes_pid, process_tid(interval.process().index()),
        microseconds(interval.begin), microseconds(interval.end - interval.begin), args);
  }

  void add_hop(const TraceRecord& hop) override {
    const LinkLanes::Lane lane = lanes_.lane_of(hop);
    if (lane.is_new) {
      name("thread", links_pid, link_tid(lane.number), lane_title(hop, lane), hop.from().index());
    }
    event(
        FMT_COMPILE(
            R"("ph":"X","cat":"hop","name":"{}->{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"message":{},"from":{},"to":{},"bytes":{},"queued_us":{}}})"),
        hop.message().source.index(), hop.destination().index(), links_pid, link_tid(lane.number),
        microseconds(hop.begin), microseconds(hop.end - hop.begin), message_text(hop),
        hop.from().index(), hop.to().index(), hop.bytes, microseconds(hop.begin - hop.arrival));
  }

  /// An arrow from the sender's slice at the start to the receiver's at the arrival, where the
  /// trace shows both.
  void add_message(const TraceRecord& message) override {
    const ProcessId source = message.message().source;
    const TraceFilter& filter = description_.filter;
    if (message.begin == message.end || !filter.shows(source) ||
        !filter.shows(message.destination()) || message.begin < filter.begin ||
        message.end > filter.end) {
      return;
    }
    const Slice& slice = slice_that_reaches(message.begin, source);
    arrow_end("s", "", message, source, std::min(message.begin, slice.end - Ticks{1}));
    ends_.add(message);
  }

  void advance(Ticks time) override {
    ends_.pop_until(time, [this](const TraceRecord& message) {
      const ProcessId destination = message.destination();
      const Slice& slice = slice_that_reaches(message.end, destination);
      arrow_end("f", R"("bp":"e",)", message, destination,
                std::min(message.end, slice.end - Ticks{1}));
    });
  }

  void arrow_end(const char* phase, const char* binding, const TraceRecord& message,
                 ProcessId process, Ticks time) {
    event(
        FMT_COMPILE(
            R"("ph":"{}",{}"cat":"message","name":"message","id":"0x{:x}","pid":{},"tid":{},"ts":{},"args":{{"message":{},"bytes":{}}})"),
        phase, binding,
        std::uint64_t{message.message().source.index()} << 32 | message.message().send_number,
        processes_pid, process_tid(process.index()), microseconds(time), message_text(message),
        message.bytes);
  }

  /// The process's latest slice, extended by an idle one if needed so that an arrow can reach
  /// `time`.
  const Slice& slice_that_reaches(Ticks time, ProcessId process) {
    const Slice& slice = last_slice(process);
    if (!slice.reaches(time)) {
      add_idle(process);
    }
    return slice;
  }

  /// A process that has ended is idle to the end of the trace.
  void add_idle(ProcessId process) {
    Slice& last = last_slice(process);
    const Ticks begin = last.end;
    if (begin >= description_.end) {
      return;
    }
    last = {begin, description_.end};
    event(
        FMT_COMPILE(
            R"("ph":"X","cat":"interval","name":"idle","pid":{},"tid":{},"ts":{},"dur":{},"args":{{}})"),
        processes_pid, process_tid(process.index()), microseconds(begin),
        microseconds(description_.end - begin));
  }

  Ends ends_;
  LinkLanes lanes_;
  std::map<std::uint32_t, Slice> last_;
  bool is_first_ = true;
};

}  // namespace
}  // namespace detail

const TraceFormat chrome_format{
    "chrome",
    "Trace Event Format: tracks of processes and links, messages as arrows; for Perfetto and "
    "chrome://tracing",
    "chrome:run.json", detail::make_writer<detail::ChromeWriter>};

}  // namespace dcube
