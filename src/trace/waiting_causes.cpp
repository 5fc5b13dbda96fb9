#include "dcube/trace/waiting_causes.hpp"

#include <algorithm>
#include <map>

#include "cause_tree.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"

namespace dcube {
namespace {

/// A waiting interval and the chain of causes behind the awaited process.
struct Wait {
  ProcessId process;
  ProcessId awaited;
  Ticks begin{0};
  Ticks end{0};
  CauseTree::Number before = CauseTree::none;  ///< the waiting process's own chain; none at time 0
  CauseTree::Number chain = CauseTree::none;   ///< none when nobody came
};

class WaitingAnalysis {
 public:
  explicit WaitingAnalysis(const ExplainedRun& run) : run_{run}, tree_{run} {
    causes_.by_process.resize(run.record.process_count());
    causes_.lateness_by_process.resize(run.record.process_count());
    covered_.resize(run.record.process_count());
  }

  WaitingCauses explain() {
    collect();
    tree_.close();
    full_covers_.assign(tree_.nodes().size(), 0);
    for (const Wait& wait : waits_) {
      attribute(wait);
    }
    sum_covers();
    summarise();
    return std::move(causes_);
  }

 private:
  struct Way {
    Int128 distance = 0;
    Int128 queueing = 0;
  };
  struct Coverage {
    std::uint64_t waits = 0;
    Int128 time = 0;
  };

  /// Every wait with its chain in the tree.
  void collect() {
    std::vector<Ticks> blocked_since(run_.record.process_count(), Ticks::max());
    for (const BlockedProcess& blocked : run_.report.blocked) {
      blocked_since[blocked.process.index()] = blocked.since;
    }
    for (std::uint32_t rank = 0; rank < run_.record.process_count(); ++rank) {
      const ProcessId process{rank};
      for (std::uint32_t i = 0; i < run_.record.step_count(process); ++i) {
        const CausalRecord::Step step = run_.record.step(process, i);
        if (step.activity != Activity::waiting) {
          continue;
        }
        Wait wait{process, step.peer, step.begin, step.end};
        awaits_[static_cast<std::size_t>(step.awaits)] += (step.end - step.begin).count();
        if (step.begin < blocked_since[rank]) {
          const Origin origin = run_.record.end_of(process, i);
          wait.awaited = origin.process;
          if (i > 0) {
            wait.before = tree_.add({process, i - 1});
          }
          wait.chain = tree_.add(cause_at(run_.record, origin, step.end).value());
        }
        waits_.push_back(wait);
      }
    }
  }

  void attribute(const Wait& wait) {
    const Ticks duration = wait.end - wait.begin;
    WaitingSplit& split = causes_.by_process[wait.process.index()];
    const auto cause = [&split](WaitingCause of) -> Ticks& {
      return split[static_cast<std::size_t>(of)];
    };
    ++covered_[wait.awaited.index()].waits;
    covered_[wait.awaited.index()].time += duration.count();
    if (wait.chain == CauseTree::none) {
      cause(WaitingCause::blocked) += duration;
      return;
    }
    const CauseTree::Node& last = tree_[wait.chain];
    const CauseTree::Number first_number = tree_.under_way(wait.chain, wait.begin);
    const CauseTree::Node& first = tree_[first_number];
    const Ticks before = first.before(wait.begin);
    ++full_covers_[wait.chain];
    --full_covers_[first_number];

    Ticks compute = last.compute - first.compute;
    Ticks endpoint = last.endpoint - first.endpoint;
    Ticks queueing = last.queueing - first.queueing;
    if (first.activity == Activity::compute) {
      compute += first.duration() - before;
    } else if (first.activity == Activity::endpoint) {
      endpoint += first.duration() - before;
    } else {
      const CauseTree::Delays delays = blame(first, wait.begin, 1);
      queueing += delays.queueing;
      endpoint += delays.endpoint;
    }
    const Ticks own = tree_.own_compute(wait.chain, wait.begin);
    cause(WaitingCause::peer_compute) += own;
    cause(WaitingCause::other_compute) += compute - own;
    cause(WaitingCause::endpoint) += endpoint;
    cause(WaitingCause::queueing) += queueing;
    cause(WaitingCause::distance) += duration - compute - endpoint - queueing;
    compare(wait);
  }

  /// Compares the chains behind both sides from instant 0. The part that they share cancels out.
  void compare(const Wait& wait) {
    const CauseTree::Node none;
    const CauseTree::Node& early = wait.before == CauseTree::none ? none : tree_[wait.before];
    const CauseTree::Node& late = tree_[wait.chain];
    const Lateness more{.compute = late.compute - early.compute,
                        .endpoint = late.endpoint - early.endpoint,
                        .queueing = late.queueing - early.queueing};
    Lateness& sum = causes_.lateness_by_process[wait.process.index()];
    sum.compute += more.compute;
    sum.endpoint += more.endpoint;
    sum.queueing += more.queueing;
    sum.distance += wait.end - wait.begin - more.compute - more.endpoint - more.queueing;
  }

  /// Blames the rest of a message's way after `from` for the waiting of so many processes. It says
  /// how much of it is not hops.
  CauseTree::Delays blame(const CauseTree::Node& node, Ticks from, Int128 waiting) {
    const CauseFacts facts = facts_of(run_.record, node.cause);
    const CauseTree::Delays delays = tree_.delays_after(node, facts, from);
    if (delays.queueing > Ticks{0}) {
      tree_.for_each_queueing(node, facts, [&](LinkId link, Ticks arrival, Ticks start) {
        const Ticks begin = std::max(arrival, from);
        if (start > begin) {
          links_[link] += waiting * (start - begin).count();
        }
      });
    }
    Way& way = groups_[pair_group(run_.guest, facts.peer, facts.destination)];
    way.distance +=
        waiting * (node.duration() - node.before(from) - delays.queueing - delays.endpoint).count();
    way.queueing += waiting * delays.queueing.count();
    return delays;
  }

  /// A node has a higher number than the one above it, so going through the numbers from the
  /// highest to the lowest hands every sum on to the node above.
  void sum_covers() {
    for (auto number = static_cast<CauseTree::Number>(tree_.nodes().size()); number-- > 0;) {
      const CauseTree::Node& node = tree_[number];
      const std::int64_t covers = full_covers_[number];
      if (const CauseTree::Number above = tree_.above(number); above != CauseTree::none) {
        full_covers_[above] += covers;
      }
      if (covers > 0 && node.activity == Activity::communication) {
        blame(node, node.begin, covers);
      }
    }
  }

  void summarise() {
    std::array<Int128, waiting_causes> totals{};
    for (const WaitingSplit& split : causes_.by_process) {
      for (std::size_t cause = 0; cause < waiting_causes; ++cause) {
        totals[cause] += split[cause].count();
      }
    }
    std::ranges::transform(totals, causes_.total_s.begin(),
                           [](Int128 total) { return to_seconds(total); });
    std::ranges::transform(awaits_, causes_.for_s.begin(),
                           [](Int128 total) { return to_seconds(total); });
    causes_.sum_s = to_seconds(sum_of(totals));

    std::array<Int128, 4> late{};
    for (const Lateness& lateness : causes_.lateness_by_process) {
      late[0] += lateness.compute.count();
      late[1] += lateness.endpoint.count();
      late[2] += lateness.distance.count();
      late[3] += lateness.queueing.count();
    }
    causes_.lateness = {to_seconds(late[0]), to_seconds(late[1]), to_seconds(late[2]),
                        to_seconds(late[3])};

    for (const auto& [group, way] : groups_) {
      causes_.by_group.push_back({group, to_seconds(way.distance), to_seconds(way.queueing)});
    }
    std::ranges::stable_sort(causes_.by_group, std::ranges::greater{},
                             [](const auto& group) { return group.distance_s + group.queueing_s; });
    for (const auto& [link, time] : links_) {
      causes_.by_link.push_back({link, to_seconds(time)});
    }
    std::ranges::stable_sort(causes_.by_link, std::ranges::greater{},
                             &WaitingCauses::Queue::waiting_s);
    for (std::uint32_t process = 0; process < covered_.size(); ++process) {
      const Coverage& coverage = covered_[process];
      if (coverage.waits > 0) {
        causes_.by_awaited.push_back(
            {ProcessId{process}, coverage.waits, to_seconds(coverage.time)});
      }
    }
    std::ranges::stable_sort(causes_.by_awaited, std::ranges::greater{},
                             &WaitingCauses::Awaited::waiting_s);
  }

  const ExplainedRun& run_;
  CauseTree tree_;
  std::vector<Wait> waits_;
  /// [node]: waits that it lies in as a whole, counted where their chains begin and taken back
  /// where they pass the waits' beginnings.
  std::vector<std::int64_t> full_covers_;
  std::map<PairGroup, Way> groups_;
  std::map<LinkId, Int128> links_;
  std::vector<Coverage> covered_;  ///< [awaited process]
  std::array<Int128, awaits_names.size()> awaits_{};
  WaitingCauses causes_;
};

}  // namespace

WaitingCauses explain_waiting(const ExplainedRun& run) { return WaitingAnalysis{run}.explain(); }

}  // namespace dcube
