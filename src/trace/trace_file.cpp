#include "dcube/trace/trace_file.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/refuse.hpp"
#include "csv_reader.hpp"
#include "dcube/core/int128.hpp"
#include "trace_files.hpp"

namespace dcube {
namespace detail {
namespace {

constexpr std::size_t most_waits = 10;

/// The sum, at most Ticks::max(): in a damaged file intervals of a process may overlap.
Ticks sum(Ticks a, Ticks b) { return a > Ticks::max() - b ? Ticks::max() : a + b; }

class Summariser {
 public:
  Summariser(std::string file, TraceDescription run) : file_{std::move(file)} {
    summary_.run = std::move(run);
    summary_.run.intervals = summary_.run.hops = summary_.run.messages = 0;
    summary_.begin = summary_.run.filter.begin;
    summary_.end = std::max(summary_.begin, std::min(summary_.run.makespan, filter().end));
    summary_.processes.resize(summary_.run.processes);
    ends_.resize(summary_.run.processes, Ticks{-1});
  }

  void add(const TraceRecord& record) {
    switch (record.kind) {
      case RecordKind::interval:
        ++summary_.run.intervals;
        add_interval(record);
        break;
      case RecordKind::hop:
        ++summary_.run.hops;
        add_hop(record);
        break;
      case RecordKind::message:
        ++summary_.run.messages;
        add_message(record);
        break;
    }
  }

  TraceSummary finish() {
    add_idle();
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      summary_.time[i].total_s = to_seconds(totals_[i]);
    }
    summary_.queued_s = to_seconds(queued_);
    finish_links();
    std::ranges::sort(summary_.longest_waits, is_longer);
    return std::move(summary_);
  }

 private:
  struct LinkSum {
    TraceSummary::LinkUse use;
    std::pair<NodeId, NodeId> ends;
    Int128 queued = 0;
  };

  const TraceFilter& filter() const { return summary_.run.filter; }

  /// The part of [begin, end) that lies in the window and in the run.
  Ticks inside(Ticks begin, Ticks end) const {
    return std::max(Ticks{0}, std::min(end, summary_.end) - std::max(begin, summary_.begin));
  }

  void spend(ProcessId process, Activity activity, Ticks time) {
    const auto kind = static_cast<std::size_t>(activity);
    Ticks& own = summary_.processes[process.index()].by_activity.at(kind);
    own = sum(own, time);
    TraceSummary::ActivityTime& all = summary_.time.at(kind);
    ++all.intervals;
    all.longest = std::max(all.longest, time);
    totals_[kind] += time.count();
  }

  void add_interval(const TraceRecord& r) {
    const Ticks time = inside(r.begin, r.end);
    spend(r.process(), r.activity, time);
    Ticks& end = ends_[r.process().index()];
    end = std::max(end, r.end);
    if (r.activity == Activity::waiting) {
      TraceSummary::ProcessTime& process = summary_.processes[r.process().index()];
      process.longest_wait = std::max(process.longest_wait, time);
      add_wait({r.process(), r.peer(), r.has_message ? std::optional{r.message()} : std::nullopt,
                r.stage(), std::max(r.begin, summary_.begin), std::min(r.end, summary_.end)});
    }
  }

  static bool is_longer(const TraceSummary::Wait& a, const TraceSummary::Wait& b) {
    return std::pair{b.end - b.begin, std::pair{a.begin, a.process}} <
           std::pair{a.end - a.begin, std::pair{b.begin, b.process}};
  }

  /// The waits are a heap with the shortest one on top.
  void add_wait(const TraceSummary::Wait& wait) {
    std::vector<TraceSummary::Wait>& waits = summary_.longest_waits;
    waits.push_back(wait);
    std::ranges::push_heap(waits, is_longer);
    if (waits.size() > most_waits) {
      std::ranges::pop_heap(waits, is_longer);
      waits.pop_back();
    }
  }

  void add_hop(const TraceRecord& r) {
    const auto [first, second] = r.link_ends();
    LinkSum& link = links_[std::uint64_t{first.index()} << 32 | second.index()];
    if (link.use.messages++ == 0) {
      link.use.name = hop_link_name(r, summary_.run.duplex);
      link.ends = {first, second};
      const auto parallel = summary_.run.parallel_links.find(std::minmax({first, second}));
      link.use.links = parallel != summary_.run.parallel_links.end() ? parallel->second : 1;
    }
    link.use.busy = sum(link.use.busy, inside(r.begin, r.end));
    // Messages may queue after the run's end, as its report counts, too.
    const Ticks queued = std::min(r.begin, filter().end) - std::max(r.arrival, filter().begin);
    if (queued > Ticks{0}) {
      ++link.use.queued;
      link.queued += queued.count();
      link.use.longest_queue = std::max(link.use.longest_queue, queued);
      ++summary_.queued_hops;
      queued_ += queued.count();
    }
  }

  void add_message(const TraceRecord& r) {
    refuse_if(__builtin_add_overflow(summary_.bytes, r.bytes, &summary_.bytes), file_,
              "its messages carry more than 2^64-1 bytes, which no run does");
    // A message may arrive after the makespan.
    const Ticks flight = std::min(r.end, filter().end) - std::max(r.begin, filter().begin);
    summary_.longest_flight = std::max(summary_.longest_flight, flight);
    ++summary_.processes[r.message().source.index()].sent;
    ++summary_.processes[r.destination().index()].received;
  }

  /// A process is idle from the end of its last interval on.
  void add_idle() {
    for (std::uint32_t rank = 0; rank < ends_.size(); ++rank) {
      const Ticks begin = std::max(ends_[rank], summary_.begin);
      if (filter().shows(ProcessId{rank}) && begin < summary_.end) {
        spend(ProcessId{rank}, Activity::idle, summary_.end - begin);
      }
    }
  }

  void finish_links() {
    std::vector<LinkSum> links;
    links.reserve(links_.size());
    for (auto& [ends, link] : links_) {
      link.use.queued_s = to_seconds(link.queued);
      links.push_back(std::move(link));
    }
    std::ranges::sort(links, [](const LinkSum& a, const LinkSum& b) {
      return std::tuple{b.use.busy, b.use.messages, a.ends} <
             std::tuple{a.use.busy, a.use.messages, b.ends};
    });
    for (LinkSum& link : links) {
      summary_.links.push_back(std::move(link.use));
    }
  }

  std::string file_;
  TraceSummary summary_;
  std::vector<Ticks> ends_;  ///< [process]
  std::array<Int128, activity_count> totals_{};
  Int128 queued_ = 0;
  std::unordered_map<std::uint64_t, LinkSum> links_;
};

}  // namespace
}  // namespace detail

TraceSummary summarise_trace(const std::filesystem::path& csv, const TraceFilter& filter) {
  detail::CsvReader reader{csv, filter};
  detail::Summariser summariser{csv.string(), reader.description()};
  while (const auto record = reader.next()) {
    summariser.add(*record);
  }
  return summariser.finish();
}

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
