#include "dcube/trace/overlap.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "dcube/core/int128.hpp"
#include "message_way.hpp"

namespace dcube {
namespace {

/// Whom a loss is blamed on.
struct Blame {
  LostTo to{};
  ProcessId process;
  LinkId link;
  std::optional<std::size_t> behind;

  friend auto operator<=>(const Blame&, const Blame&) = default;
};

class OverlapAnalysis {
 public:
  explicit OverlapAnalysis(const ExplainedRun& run) : run_{run}, record_{run.record}, ways_{run} {}

  Overlap explain() {
    for (std::uint32_t process = 0; process < record_.process_count(); ++process) {
      for (const BackgroundCollective& collective : record_.collectives(ProcessId{process})) {
        sums_[key_of(collective)];
      }
    }
    for (auto& [key, sum] : sums_) {
      sum.place = overlap_.collectives.size();
      CollectiveOverlap& shown = overlap_.collectives.emplace_back();
      shown.stage = key.first;
      shown.operation = key.second;
    }
    for (std::uint32_t process = 0; process < record_.process_count(); ++process) {
      explain(ProcessId{process});
    }
    for (const auto& [key, sum] : sums_) {
      summarise(sum, overlap_.collectives[sum.place]);
    }
    return std::move(overlap_);
  }

 private:
  using Key = std::pair<std::uint32_t, std::string>;
  struct Sum {
    std::size_t place = 0;
    Int128 time = 0, compute = 0, other = 0, exposed = 0;
    std::map<Blame, Int128> losses;
  };
  /// Of a process's computing that is not for a collective: end of a stretch, and the sum up to it.
  struct Computed {
    Ticks begin{0};
    Ticks end{0};
    Ticks sum{0};
  };
  struct Passing {
    Ticks start{0};
    MessageName message;
  };

  static Key key_of(const BackgroundCollective& collective) {
    return {collective.stage, std::string{collective.operation}};
  }
  Sum& sum_of(ProcessId process, const NotedSteps& noted) {
    return sums_.at(key_of(record_.collectives(process)[noted.steps.collective]));
  }

  void explain(ProcessId process) {
    if (record_.collectives(process).empty()) {
      return;
    }
    gather_computing(process);
    const std::span<const BackgroundCollective> collectives = record_.collectives(process);
    const std::span<const NotedSteps> steps = record_.background(process);
    std::vector<std::uint32_t> last(collectives.size());
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      last[steps[i].steps.collective] = i;
    }
    for (std::uint32_t i = 0; i < collectives.size(); ++i) {
      const BackgroundCollective& collective = collectives[i];
      if (collective.end == BackgroundCollective::not_yet || collective.is_awaited_at_once) {
        continue;
      }
      sum_ = &sums_.at(key_of(collective));
      span_ = &overlap_.spans.emplace_back();
      exposed_from_ = std::min(std::max(collective.begin, collective.awaited), collective.end);
      span_->process = process;
      span_->collective = i;
      span_->time = collective.end - collective.begin;
      span_->beside_compute = computed_until(exposed_from_) - computed_until(collective.begin);
      span_->exposed = collective.end - exposed_from_;
      span_->beside_other = span_->time - span_->beside_compute - span_->exposed;
      ++overlap_.collectives[sum_->place].count;
      sum_->time += span_->time.count();
      sum_->compute += span_->beside_compute.count();
      sum_->other += span_->beside_other.count();
      sum_->exposed += span_->exposed.count();
      follow(process, last[i]);
    }
  }

  void gather_computing(ProcessId process) {
    computed_.assign(1, {});
    for (std::uint32_t i = 0; i < record_.step_count(process); ++i) {
      const CausalRecord::Step step = record_.step(process, i);
      if (step.activity == Activity::compute && !record_.background_at(process, step.end)) {
        computed_.push_back({step.begin, step.end, computed_.back().sum + step.end - step.begin});
      }
    }
  }

  Ticks computed_until(Ticks time) const {
    const auto after = std::ranges::upper_bound(computed_, time, {}, &Computed::end);
    const Ticks sum = std::prev(after)->sum;
    return after == computed_.end() ? sum : sum + std::max(Ticks{0}, time - after->begin);
  }

  /// Hands out the exposed time backwards from the last steps of the collective on the process.
  void follow(ProcessId process, std::uint32_t last) {
    const Blame own{LostTo::own_time, {}, {}, {}};
    ProcessId at = process;
    std::uint32_t number = last;
    Ticks time = exposed_from_ + span_->exposed;
    while (time > exposed_from_) {
      const NotedSteps& noted = record_.background(at)[number];
      lose(own, noted.steps.begin, time);
      time = noted.steps.begin;
      if (!noted.steps.message) {
        const Ticks begin = record_.collectives(at)[noted.steps.collective].begin;
        lose(own, begin, time);
        lose({LostTo::late_start, at, {}, {}}, Ticks{0}, begin);
        return;
      }
      const Delivery& message = record_.deliveries()[noted.delivery];
      const Ticks ready = record_.background(at)[noted.before].steps.end;
      const Ticks possible = std::max(ready, message.arrival);
      lose({LostTo::busy_process, at, {}, {}}, possible, time);
      time = possible;
      if (message.arrival < ready) {
        number = noted.before;
        continue;
      }
      follow_message(message);
      time = message.start;
      const Origin origin = record_.start_of(*noted.steps.message);
      if (origin.steps == Origin::none) {  // its sender is not in the background
        lose({LostTo::late_start, origin.process, {}, {}}, Ticks{0}, time);
        return;
      }
      at = origin.process;
      number = origin.steps;
    }
  }

  void follow_message(const Delivery& message) {
    const Blame own{LostTo::own_time, {}, {}, {}};
    if (message.arrival <= exposed_from_ ||
        run_.map[message.source.index()] == run_.map[message.destination.index()]) {
      lose(own, message.start, message.arrival);
      return;
    }
    const MessageName name{message.source, message.send_number};
    const std::vector<WayPart> way =
        ways_.of({name, message.bytes, message.start}, message.destination, message.arrival);
    for (const WayPart& part : way) {
      lose(own, part.arrival - part.lost, part.arrival);
      if (part.start > std::max(part.arrival, exposed_from_)) {
        blame_queue(part.shared_link(run_.machine), name, std::max(part.arrival, exposed_from_),
                    part.start);
      }
      lose(own, part.start, part.finish);
    }
  }

  /// Whoever a server began to serve last keeps the message waiting.
  void blame_queue(LinkId server, const MessageName& message, Ticks from, Ticks to) {
    const std::vector<Passing>& all = passing(server);
    auto before = std::ranges::lower_bound(all, to, {}, &Passing::start);
    while (to > from && before != all.begin()) {
      --before;
      Blame blame{LostTo::own_messages, {}, server, {}};
      if (before->message != message) {
        const auto steps = record_.background_sending(before->message);
        const ProcessId sender = before->message.source;
        const Sum* const other =
            steps ? &sum_of(sender, record_.background(sender)[*steps]) : nullptr;
        if (other != sum_) {
          blame.to = LostTo::other_messages;
          blame.behind = other == nullptr ? std::nullopt : std::optional{other->place};
        }
      }
      lose(blame, std::max(from, before->start), to);
      to = std::min(to, before->start);
    }
    lose({LostTo::other_messages, {}, server, {}}, from, to);
  }

  /// The part of this time that was exposed.
  void lose(const Blame& blame, Ticks from, Ticks to) {
    const Ticks lost = to - std::max(from, exposed_from_);
    if (lost > Ticks{0}) {
      span_->lost.at(static_cast<std::size_t>(blame.to)) += lost;
      sum_->losses[blame] += lost.count();
    }
  }

  const std::vector<Passing>& passing(LinkId server) {
    if (!knows_passing_) {
      knows_passing_ = true;
      if (record_.keeps_all_hops()) {
        for (const NotedHop& hop : record_.hops()) {
          passing_[hop.link].push_back({hop.start, hop.message});
        }
      } else {
        for (const Delivery& message : record_.deliveries()) {
          if (run_.map[message.source.index()] == run_.map[message.destination.index()]) {
            continue;
          }
          const MessageName name{message.source, message.send_number};
          for (const WayPart& part : ways_.of({name, message.bytes, message.start},
                                              message.destination, message.arrival)) {
            passing_[part.shared_link(run_.machine)].push_back({part.start, name});
          }
        }
      }
      for (auto& [link, all] : passing_) {
        std::ranges::sort(all, {}, [](const Passing& one) {
          return std::tuple{one.start, one.message};
        });
      }
    }
    return passing_[server];
  }

  static void summarise(const Sum& sum, CollectiveOverlap& shown) {
    shown.time_s = to_seconds(sum.time);
    shown.beside_compute_s = to_seconds(sum.compute);
    shown.beside_other_s = to_seconds(sum.other);
    shown.exposed_s = to_seconds(sum.exposed);
    std::array<Int128, lost_to_kinds> lost{};
    for (const auto& [blame, time] : sum.losses) {
      lost.at(static_cast<std::size_t>(blame.to)) += time;
      if (blame.to != LostTo::own_time) {
        shown.losses.push_back(
            {blame.to, blame.process, blame.link, blame.behind, to_seconds(time)});
      }
    }
    std::ranges::transform(lost, shown.lost_s.begin(),
                           [](Int128 time) { return to_seconds(time); });
    std::ranges::stable_sort(shown.losses, std::ranges::greater{},
                             &CollectiveOverlap::Loss::time_s);
  }

  const ExplainedRun& run_;
  const CausalRecord& record_;
  MessageWays ways_;
  std::map<Key, Sum> sums_;
  Overlap overlap_;
  std::vector<Computed> computed_;  ///< of the present process
  // The collective that is followed.
  Sum* sum_ = nullptr;
  BackgroundSpan* span_ = nullptr;
  Ticks exposed_from_{0};
  bool knows_passing_ = false;
  std::map<LinkId, std::vector<Passing>> passing_;  ///< [server]: messages by start
};

}  // namespace

std::vector<const CollectiveOverlap*> Overlap::started() const {
  std::vector<const CollectiveOverlap*> found;
  for (const CollectiveOverlap& of : collectives) {
    if (of.count > 0) {
      found.push_back(&of);
    }
  }
  return found;
}

Overlap explain_overlap(const ExplainedRun& run) { return OverlapAnalysis{run}.explain(); }

}  // namespace dcube
