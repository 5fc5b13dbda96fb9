#include "pattern_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "balance.hpp"
#include "core/mapped.hpp"

namespace dcube {
namespace {

class PhaseNames {
 public:
  static std::vector<std::string> give(std::vector<Phase>& phases) {
    PhaseNames names;
    names.count(phases, "");
    names.number(phases, "");
    return std::move(names.names_);
  }

 private:
  static std::string inside(const std::string& outer, const Phase& list) {
    return list.name.empty() ? outer : fmt::format("{}{}/", outer, list.name);
  }

  void count(const std::vector<Phase>& phases, const std::string& outer) {
    for (const Phase& phase : phases) {
      if (phase.is_list()) {
        count(phase.phases, inside(outer, phase));
      } else if (phase.name.empty()) {
        ++unnamed_[outer + phase.what].count;
      } else {
        given_.insert(outer + phase.name);
      }
    }
  }

  void number(std::vector<Phase>& phases, const std::string& outer) {
    for (Phase& phase : phases) {
      if (phase.is_list()) {
        number(phase.phases, inside(outer, phase));
      } else {
        phase.stage = stage_of(outer + phase.name, outer + phase.what, phase.name.empty());
      }
    }
  }

  std::uint32_t stage_of(const std::string& given, const std::string& what, bool is_unnamed) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const std::string name = is_unnamed ? free_name(what) : given;
    const auto [stage, is_new] = stages_.emplace(name, next);
    if (is_new) {
      names_.push_back(name);
    }
    return stage->second;
  }

  /// "compute", or "compute 2" if there are several.
  std::string free_name(const std::string& what) {
    Unnamed& alike = unnamed_[what];
    std::string name = alike.count > 1 ? std::string{} : what;
    while (name.empty() || given_.contains(name) || stages_.contains(name)) {
      name = fmt::format("{} {}", what, ++alike.last);
    }
    return name;
  }

  struct Unnamed {
    std::uint32_t count = 0;
    std::uint32_t last = 0;  ///< number used last
  };

  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> stages_;
  std::set<std::string> given_;
  std::map<std::string, Unnamed> unnamed_;
};

bool has_formula(const Phase& phase) {
  return phase.amount.is_formula() || std::ranges::any_of(phase.sizes, &Expression::is_formula) ||
         std::ranges::any_of(phase.phases, has_formula);
}

void evaluate(const Phase& phase, ProcessId rank, std::uint32_t processes,
              std::uint64_t iteration) {
  const Expression::Variables variables{rank.index(), processes, iteration};
  if (phase.kind == Phase::Kind::messages) {
    for (const std::uint32_t i : phase.sent[rank.index()]) {
      phase.sizes[phase.messages[i].size](variables);
    }
  } else if (phase.amount.is_formula() && phase.kind != Phase::Kind::collective) {
    phase.amount(variables);
  }
}

std::vector<ProcessId> all_ranks(std::uint32_t processes) {
  return numbered(processes, [](std::uint32_t rank) { return ProcessId{rank}; });
}

/// The ranks with each coordinate along an axis.
std::vector<std::vector<ProcessId>> by_coordinate(const GuestAxis& axis,
                                                  const std::vector<ProcessId>& ranks) {
  std::vector<std::vector<ProcessId>> at(axis.side);
  for (const ProcessId rank : ranks) {
    at[axis.coordinate(rank)].push_back(rank);
  }
  return at;
}

/// `ranks`: those that come to the phases, in iterations below `times`.
void check_formulas(const std::vector<Phase>& phases, std::uint32_t processes,
                    const std::vector<ProcessId>& ranks, std::uint64_t times) {
  constexpr std::uint64_t most_cases = 1U << 14U;
  for (const Phase& phase : phases) {
    if (!has_formula(phase)) {
      continue;
    }
    if (phase.kind == Phase::Kind::along) {
      const std::vector<std::vector<ProcessId>> at = by_coordinate(phase.axis, ranks);
      for (std::uint32_t i = 0; i < phase.axis.side; ++i) {
        check_formulas(phase.phases[i].phases, processes, at[i], times);
      }
      continue;
    }
    const std::uint64_t cases = std::min(std::min(times, most_cases) * ranks.size(), most_cases);
    for (std::uint64_t i = 0; i < cases; ++i) {
      evaluate(phase, ranks[i % ranks.size()], processes, i / ranks.size());
    }
    check_formulas(phase.phases, processes, ranks,
                   phase.kind == Phase::Kind::repeat ? phase.times : times);
  }
}

/// Calls `count(tag, from, to, messages)` for the sends of `ranks`, in ascending order, and, with a
/// negative number, for their receives. `tag`: 0, or tag_of_messages. Numbers are modulo 2^64, so
/// loops may be of any length.
template <class Count>
void count_messages(const std::vector<Phase>& phases, const std::vector<ProcessId>& ranks,
                    std::uint64_t times, const Count& count) {
  for (const Phase& phase : phases) {
    if (phase.kind == Phase::Kind::along) {
      const std::vector<std::vector<ProcessId>> at = by_coordinate(phase.axis, ranks);
      for (std::uint32_t i = 0; i < phase.axis.side; ++i) {
        count_messages(phase.phases[i].phases, at[i], times, count);
      }
    } else if (phase.kind == Phase::Kind::send) {
      for (const ProcessId rank : ranks) {
        count(Tag{0}, rank, phase.axis.shifted(rank, phase.shift), times);
      }
    } else if (phase.kind == Phase::Kind::receive) {
      for (const ProcessId rank : ranks) {
        count(Tag{0}, phase.axis.shifted(rank, phase.shift), rank, -times);
      }
    } else {
      const auto are_here = [&](ProcessId rank) { return std::ranges::binary_search(ranks, rank); };
      for (const PatternMessage& message : phase.messages) {
        if (are_here(message.from)) {
          count(tag_of_messages, message.from, message.to, times);
        }
        if (are_here(message.to)) {
          count(tag_of_messages, message.from, message.to, -times);
        }
      }
      count_messages(phase.phases, ranks, times * phase.times, count);
    }
  }
}

/// expect_as_many_receives() of messages with the tag.
void expect_receives_of(Tag tag, const std::vector<Phase>& phases, std::uint32_t processes,
                        const std::string& place) {
  const std::vector<ProcessId> ranks = all_ranks(processes);
  std::vector<std::uint64_t> open(processes, 0);
  count_messages(phases, ranks, 1, [&](Tag own, ProcessId, ProcessId to, std::uint64_t messages) {
    open[to.index()] += own == tag ? messages : 0;
  });
  const auto is_more = [](std::uint64_t messages) {
    return static_cast<std::int64_t>(messages) > 0;
  };
  const auto first = std::ranges::find_if(open, is_more);
  if (first == open.end()) {
    return;
  }
  OpenMessages of_receiver;
  const ProcessId receiver{static_cast<std::uint32_t>(first - open.begin())};
  count_messages(phases, ranks, 1,
                 [&](Tag own, ProcessId from, ProcessId to, std::uint64_t messages) {
                   if (own == tag && to == receiver) {
                     std::int64_t& sum = of_receiver[{from.index(), to.index()}];
                     sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + messages);
                   }
                 });
  expect_as_many_receives(of_receiver, [&](std::uint32_t) { return place; });
}

}  // namespace

void check_formulas(const std::vector<Phase>& phases, std::uint32_t processes) {
  check_formulas(phases, processes, all_ranks(processes), 1);
}

void expect_as_many_receives(const std::vector<Phase>& phases, std::uint32_t processes,
                             const std::string& place) {
  for (const Tag tag : {Tag{0}, tag_of_messages}) {
    expect_receives_of(tag, phases, processes, place);
  }
}

std::vector<std::string> name_stages(std::vector<Phase>& phases) {
  return PhaseNames::give(phases);
}

}  // namespace dcube
