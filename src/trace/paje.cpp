#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "ends.hpp"
#include "link_lanes.hpp"
#include "names.hpp"
#include "writer.hpp"

namespace dcube {
namespace detail {
namespace {

// The events used, and the fields of each (B. de Oliveira Stein, J. Chassin de Kergommeaux,
// G. Mounié: Pajé trace file format).
constexpr const char* event_definitions = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeDefineLinkType 3
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 7
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 8
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 9
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
)";

// The types: processes P with activities A, links L with traffic T, both in the machine M, and
// messages K between processes. Colours are those of Okabe and Ito, which everybody can tell apart.
constexpr const char* type_definitions = R"(0 M 0 "machine"
0 P M "process"
0 L M "link"
1 A P "activity"
1 T L "traffic"
2 crossing T "crossing" "0.0 0.620 0.451"
3 K M P P "message"
)";

/// Of every activity but idle.
constexpr std::array activity_colours{"0.337 0.706 0.914", "0.0 0.447 0.698", "0.835 0.369 0.0",
                                      "0.941 0.894 0.259"};

/// Names stand in quotes, in which a quote has no way to be written.
std::string quoted(std::string text) {
  for (char& c : text) {
    c = c == '"' ? '\'' : static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return '"' + text + '"';
}

/// Picoseconds as seconds, exactly.
std::string seconds(Ticks time) {
  constexpr std::int64_t second = 1'000'000'000'000;
  return fmt::format(FMT_COMPILE("{}.{:012}"), time.count() / second, time.count() % second);
}

class PajeWriter final : public TraceWriter {
 public:
  PajeWriter(WholeFile& file, const TraceDescription& description)
      : file_{file}, description_{description} {
    file_.write(event_definitions);
    file_.write(type_definitions);
    for (std::size_t i = 0; i < activity_colours.size(); ++i) {
      line(FMT_COMPILE("2 {0} A \"{0}\" \"{1}\""), activity_names.at(i), activity_colours.at(i));
    }
    line(FMT_COMPILE("4 {} machine M 0 {}"), seconds(Ticks{0}), quoted(description_.machine));
  }

  void add(const TraceRecord& record) override {
    end_until(record.begin);
    switch (record.kind) {
      case RecordKind::interval:
        ensure_process(record.process(), record.begin);
        line(FMT_COMPILE("6 {} A p{} {}"), seconds(record.begin), record.process().index(),
             to_string(record.activity));
        ends_.add(record);
        break;
      case RecordKind::hop:
        begin_hop(record);
        break;
      case RecordKind::message:
        ensure_process(record.message().source, record.begin);
        ensure_process(record.destination(), record.begin);
        line(FMT_COMPILE("8 {} K machine p{} {} {}"), seconds(record.begin),
             record.message().source.index(), record.bytes, key(record));
        ends_.add(record);
        break;
    }
  }

  void finish() override {
    end_until(description_.end);
    const std::string end = seconds(description_.end);
    for (const std::uint32_t rank : processes_) {
      line(FMT_COMPILE("5 {} P p{}"), end, rank);
    }
    for (std::uint32_t lane = 0; lane < lane_count_; ++lane) {
      line(FMT_COMPILE("5 {} L l{}"), end, lane);
    }
    line(FMT_COMPILE("5 {} M machine"), end);
  }

 private:
  template <class Format, class... Values>
  void line(const Format& format, const Values&... values) {
    line_.clear();
    fmt::format_to(fmt::appender(line_), format, values...);
    line_.push_back('\n');
    file_.write({line_.data(), line_.size()});
  }

  static std::string key(const TraceRecord& message) {
    return fmt::format("{}.{}", message.message().source.index(), message.message().send_number);
  }

  /// A process gets its container with its first record, so that the file is no longer than the
  /// records make it, whatever number of processes the trace claims.
  void ensure_process(ProcessId process, Ticks time) {
    if (!is_known_.insert(process.index()).second) {
      return;
    }
    processes_.push_back(process.index());
    const std::string node =
        process.index() < description_.map.size()
            ? fmt::format(" on node {}", description_.map[process.index()].index())
            : "";
    line(FMT_COMPILE("4 {} p{} P machine {}"), seconds(time), process.index(),
         quoted(fmt::format("process {}{}", process.index(), node)));
  }

  void begin_hop(const TraceRecord& hop) {
    const LinkLanes::Lane lane = lanes_.lane_of(hop);
    if (lane.is_new) {
      lane_count_ = lane.number + 1;
      const std::string suffix = lane.index == 0 ? "" : fmt::format(" ({})", lane.index + 1);
      line(FMT_COMPILE("4 {} l{} L machine {}"), seconds(hop.begin), lane.number,
           quoted(fmt::format("link {}{}", hop_link_name(hop, description_.duplex), suffix)));
    }
    line(FMT_COMPILE("6 {} T l{} crossing"), seconds(hop.begin), lane.number);
    // Only its lane is of interest at its end.
    TraceRecord end = hop;
    end.words[0] = lane.number;
    ends_.add(end);
  }

  void end_until(Ticks time) {
    ends_.pop_until(time, [this](const TraceRecord& record) {
      const std::string end = seconds(record.end);
      switch (record.kind) {
        case RecordKind::interval:
          line(FMT_COMPILE("7 {} A p{}"), end, record.process().index());
          break;
        case RecordKind::hop:
          line(FMT_COMPILE("7 {} T l{}"), end, record.words[0]);
          break;
        case RecordKind::message:
          line(FMT_COMPILE("9 {} K machine p{} {} {}"), end, record.destination().index(),
               record.bytes, key(record));
          break;
      }
    });
  }

  WholeFile& file_;
  TraceDescription description_;
  Ends ends_;
  LinkLanes lanes_;
  std::uint32_t lane_count_ = 0;
  std::unordered_set<std::uint32_t> is_known_;
  std::vector<std::uint32_t> processes_;
  fmt::memory_buffer line_;
};

}  // namespace
}  // namespace detail

const TraceFormat paje_format{
    "paje",
    "Paje: states of processes and links, messages as arrows; for pj_dump, ViTE and the like",
    "paje:run.paje",
    {},
    [](WholeFile& file,
       const TraceDescription& description) -> std::unique_ptr<detail::TraceWriter> {
      return std::make_unique<detail::PajeWriter>(file, description);
    }};

}  // namespace dcube
