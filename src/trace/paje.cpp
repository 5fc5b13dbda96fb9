#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "catalog.hpp"
#include "core/text.hpp"
#include "writer.hpp"

namespace dcube {
namespace detail {
namespace {

// The events used, each with its fields (B. de Oliveira Stein, J. Chassin de Kergommeaux,
// G. Mounié: Pajé trace file format). Lines begin with an event's place in this list.
constexpr std::array events{"DefineContainerType Alias Type Name",
                            "DefineStateType Alias Type Name",
                            "DefineEntityValue Alias Type Name Color",
                            "DefineLinkType Alias Type StartContainerType EndContainerType Name",
                            "CreateContainer Time Alias Type Container Name",
                            "DestroyContainer Time Type Name",
                            "PushState Time Type Container Value",
                            "PopState Time Type Container",
                            "StartLink Time Type Container StartContainer Value Key",
                            "EndLink Time Type Container EndContainer Value Key"};

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

/// Colours of all activities but idle.
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
      : TraceWriter{file, description} {
    for (std::size_t i = 0; i < events.size(); ++i) {
      define_event(i, split_at(events.at(i), ' '));
    }
    append(FMT_COMPILE("{}"), type_definitions);
    for (std::size_t i = 0; i < activity_colours.size(); ++i) {
      write_line(FMT_COMPILE("2 {0} A \"{0}\" \"{1}\""), activity_names.at(i),
                 activity_colours.at(i));
    }
    write_line(FMT_COMPILE("4 {} machine M 0 {}"), seconds(Ticks{0}), quoted(description.machine));
  }

  void finish() override {
    advance(description_.end);
    const std::string end = seconds(description_.end);
    for (const std::uint32_t rank : processes_) {
      write_line(FMT_COMPILE("5 {} P p{}"), end, rank);
    }
    for (std::uint32_t lane = 0; lane < lane_count_; ++lane) {
      write_line(FMT_COMPILE("5 {} L l{}"), end, lane);
    }
    write_line(FMT_COMPILE("5 {} M machine"), end);
  }

 private:
  /// `words`: its name and its fields.
  void define_event(std::size_t number, std::span<const std::string_view> words) {
    write_line(FMT_COMPILE("%EventDef Paje{} {}"), words.front(), number);
    for (const std::string_view field : words.subspan(1)) {
      const char* type = field == "Time" ? "date" : field == "Color" ? "color" : "string";
      write_line(FMT_COMPILE("% {} {}"), field, type);
    }
    write_line(FMT_COMPILE("%EndEventDef"));
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
    write_line(FMT_COMPILE("4 {} p{} P machine {}"), seconds(time), process.index(),
               quoted(process_title(process.index())));
  }

  void add_interval(const TraceRecord& interval) override {
    ensure_process(interval.process(), interval.begin);
    write_line(FMT_COMPILE("6 {} A p{} {}"), seconds(interval.begin), interval.process().index(),
               to_string(interval.activity));
    ends_.add(interval);
  }

  void add_message(const TraceRecord& message) override {
    ensure_process(message.message().source, message.begin);
    ensure_process(message.destination(), message.begin);
    write_line(FMT_COMPILE("8 {} K machine p{} {} {}"), seconds(message.begin),
               message.message().source.index(), message.bytes, key(message));
    ends_.add(message);
  }

  void add_hop(const TraceRecord& hop) override {
    const LinkLanes::Lane lane = lanes_.lane_of(hop);
    if (lane.is_new) {
      lane_count_ = lane.number + 1;
      write_line(FMT_COMPILE("4 {} l{} L machine {}"), seconds(hop.begin), lane.number,
                 quoted(lane_title(hop, lane)));
    }
    write_line(FMT_COMPILE("6 {} T l{} crossing"), seconds(hop.begin), lane.number);
    // The end of a hop needs its lane alone.
    TraceRecord end = hop;
    end.words[0] = lane.number;
    ends_.add(end);
  }

  void advance(Ticks time) override {
    ends_.pop_until(time, [this](const TraceRecord& record) {
      const std::string end = seconds(record.end);
      switch (record.kind) {
        case RecordKind::interval:
          write_line(FMT_COMPILE("7 {} A p{}"), end, record.process().index());
          break;
        case RecordKind::hop:
          write_line(FMT_COMPILE("7 {} T l{}"), end, record.words[0]);
          break;
        case RecordKind::message:
          write_line(FMT_COMPILE("9 {} K machine p{} {} {}"), end, record.destination().index(),
                     record.bytes, key(record));
          break;
      }
    });
  }

  Ends ends_;
  LinkLanes lanes_;
  std::uint32_t lane_count_ = 0;
  std::unordered_set<std::uint32_t> is_known_;
  std::vector<std::uint32_t> processes_;
};

}  // namespace
}  // namespace detail

const TraceFormat paje_format{
    "paje",
    "Paje: states of processes and links, messages as arrows; for pj_dump, ViTE and the like",
    "paje:run.paje", detail::make_writer<detail::PajeWriter>};

}  // namespace dcube
