#include "dcube/workload/chakra_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "chakra_types.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/workload/schedule.hpp"
#include "pattern_reader.hpp"

namespace dcube {
namespace {

/// A message of protocol buffers, field by field; numbers are those of chakra_trace.proto.
class WrittenMessage {
 public:
  WrittenMessage& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  WrittenMessage& bytes(std::uint32_t field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    text_ += value;
    return *this;
  }
  /// The message after its length, as it stands in a file.
  std::string with_length() const {
    WrittenMessage whole;
    whole.varint(text_.size());
    return whole.text_ + text_;
  }
  const std::string& text() const { return text_; }

  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
      text_ += static_cast<char>(value | 0x80U);
    }
    text_ += static_cast<char>(value);
  }

 private:
  std::string text_;
};

class WrittenNode {
 public:
  WrittenNode(std::uint64_t id, std::string_view name, ChakraType type) {
    message_.number(1, id).bytes(2, name).number(3, static_cast<std::uint64_t>(type));
  }
  WrittenNode& after(const std::vector<std::uint64_t>& nodes) {
    WrittenMessage list;
    for (const std::uint64_t node : nodes) {
      list.varint(node);
    }
    message_.bytes(4, list.text());
    return *this;
  }
  WrittenNode& taking(std::uint64_t microseconds) {
    message_.number(7, microseconds);
    return add(WrittenMessage{}.bytes(1, "is_cpu_op").number(27, 0));
  }
  WrittenNode& with(std::string_view name, std::uint64_t value) {
    return add(WrittenMessage{}.bytes(1, name).number(9, value));
  }
  WrittenNode& with(std::string_view name, std::string_view value) {
    return add(WrittenMessage{}.bytes(1, name).bytes(29, value));
  }
  std::string text() const { return message_.with_length(); }

 private:
  WrittenNode& add(const WrittenMessage& attribute) {
    message_.bytes(10, attribute.text());
    return *this;
  }
  WrittenMessage message_;
};

class ChakraWriter {
 public:
  ChakraWriter(const Params& settings, ReadPattern pattern)
      : settings_{settings}, pattern_{std::move(pattern)}, names_{name_stages(pattern_.phases)} {}

  ChakraTraces write() {
    ChakraTraces traces;
    for (rank_ = 0; rank_ < size(); ++rank_) {
      file_ = WrittenMessage{}.bytes(1, "0.0.4").with_length();
      next_ = 0;
      before_.clear();
      started_.clear();
      add(pattern_.phases, 0);
      traces.ranks.push_back(std::move(file_));
    }
    traces.program.set("kind", "chakra");
    traces.program.set("file", "trace.{}.et");
    if (!groups_.keys().empty()) {
      traces.program.set("groups", std::move(groups_));
    }
    // Collectives of the pattern overlap with those of other groups, and with messages.
    traces.program.set("streams", "per_group");
    traces.program.set("guest", pattern_.guest.name());
    if (rounded_ > 0) {
      warn("chakra",
           fmt::format("whole microseconds, which is what traces have, change {} of {} by "
                       "more than 1 %; write longer times, and a smaller `scale` for them",
                       rounded_, counted(computations_, "computation")));
    }
    return traces;
  }

 private:
  using Ids = std::vector<std::uint64_t>;

  std::uint32_t size() const { return pattern_.guest.process_count(); }

  /// Room for so many more nodes, so many times.
  void expect_room_for(std::uint64_t nodes, std::uint64_t times) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 24;
    refuse_if(nodes > 0 && times > (most - nodes_) / nodes, settings_.place(),
              "makes more than 2^24 nodes of Chakra traces; write a shorter step");
  }

  WrittenNode node(const Phase& phase, ChakraType type, const Ids& after) {
    expect_room_for(1, 1);
    ++nodes_;
    WrittenNode made{next_++, phase.stage == no_stage ? phase.what : names_[phase.stage], type};
    return made.after(after);
  }
  /// Adds a node that was made last; the following ones wait for it.
  void chain(const WrittenNode& node) {
    file_ += node.text();
    before_ = {next_ - 1};
  }

  void add(const std::vector<Phase>& phases, std::uint64_t iteration) {
    for (const Phase& phase : phases) {
      add(phase, {rank_, size(), iteration});
    }
  }

  void add(const Phase& phase, const Expression::Variables& variables) {
    const ProcessId self{rank_};
    switch (phase.kind) {
      case Phase::Kind::compute:
        add_compute(phase, Ticks{static_cast<Ticks::rep>(phase.amount(variables))});
        break;
      case Phase::Kind::operations:
        add_compute(phase, round_cost(ExactTime{}, phase.each, phase.amount(variables)));
        break;
      case Phase::Kind::messages:
        add_messages(phase, variables);
        break;
      case Phase::Kind::send: {
        // The process goes on at once, so nothing waits for the node.
        const ProcessId to = phase.axis.shifted(self, phase.shift);
        file_ += node(phase, ChakraType::comm_send, before_)
                     .with("comm_dst", to.index())
                     .with("comm_size", phase.amount(variables))
                     .with("comm_tag", phase.tag)
                     .text();
        break;
      }
      case Phase::Kind::receive:
        chain(node(phase, ChakraType::comm_recv, before_)
                  .with("comm_src", phase.axis.shifted(self, phase.shift).index())
                  .with("comm_tag", phase.tag));
        break;
      case Phase::Kind::collective:
        add_collective(phase, variables.iteration);
        break;
      case Phase::Kind::wait:
        if (const auto started = started_.extract(*phase.started)) {
          before_.push_back(started.mapped());
        }
        break;
      case Phase::Kind::repeat:
        for (std::uint64_t i = 0; i < phase.times; ++i) {
          const std::uint64_t before = nodes_;
          add(phase.phases, i);
          expect_room_for(nodes_ - before, phase.times - i - 1);  // each time as many
        }
        break;
      case Phase::Kind::along:
        add(phase.phases[phase.axis.coordinate(self)].phases, variables.iteration);
        break;
    }
  }

  void add_compute(const Phase& phase, Ticks time) {
    constexpr std::uint64_t microsecond = 1'000'000;
    constexpr std::uint64_t most_parts = 100;  // a hundredth of the time is little
    const auto picoseconds = static_cast<std::uint64_t>(time.count());
    const std::uint64_t whole = (picoseconds + microsecond / 2) / microsecond;
    const std::uint64_t written = whole * microsecond;
    const std::uint64_t change = std::max(written, picoseconds) - std::min(written, picoseconds);
    ++computations_;
    rounded_ += change > picoseconds / most_parts ? 1 : 0;
    chain(node(phase, ChakraType::comp, before_).taking(whole));
  }

  /// All messages start after the same nodes, and what follows waits for all.
  void add_messages(const Phase& phase, const Expression::Variables& variables) {
    const Ids before = before_;
    Ids all;
    for (const std::uint32_t i : phase.received[rank_]) {
      file_ += node(phase, ChakraType::comm_recv, before)
                   .with("comm_src", phase.messages[i].from.index())
                   .with("comm_tag", phase.tag)
                   .text();
      all.push_back(next_ - 1);
    }
    for (const std::uint32_t i : phase.sent[rank_]) {
      const PatternMessage& message = phase.messages[i];
      file_ += node(phase, ChakraType::comm_send, before)
                   .with("comm_dst", message.to.index())
                   .with("comm_size", phase.sizes[message.size](variables))
                   .with("comm_tag", phase.tag)
                   .text();
      all.push_back(next_ - 1);
    }
    add(phase.phases, variables.iteration);
    if (before_ != before || all.empty()) {
      all.insert(all.end(), before_.begin(), before_.end());
    }
    before_ = std::move(all);
  }

  void add_collective(const Phase& phase, std::uint64_t iteration) {
    const std::optional<ProcessGroups::Place> place = phase.groups->place_of(ProcessId{rank_});
    if (!place) {
      return;
    }
    const std::vector<std::uint32_t>& members = members_of(phase, place->group);
    const auto size = static_cast<std::uint32_t>(members.size());
    WrittenNode made = node(phase, ChakraType::comm_coll, before_);
    made.with("comm_type", type_of(phase.collective));
    if (phase.collective != CollectiveKind::barrier) {
      const std::uint64_t bytes = phase.amount({0, size, iteration});
      const bool is_of_shares = phase.collective == CollectiveKind::allgather ||
                                phase.collective == CollectiveKind::gather;
      made.with("comm_size", is_of_shares ? bytes / size + (bytes % size != 0 ? 1 : 0) : bytes);
    }
    if (has_root(phase.collective)) {
      made.with("comm_src", members[phase.root]);
    }
    made.with("pg_name", name_of_group(members));
    add_manner(phase, made);
    if (phase.started) {
      file_ += made.text();
      started_[*phase.started] = next_ - 1;
    } else {
      chain(made);
    }
  }

  static void add_manner(const Phase& phase, WrittenNode& node) {
    const CollectiveManner usual;
    if (phase.algorithm != usual.algorithm) {
      node.with(chakra_algorithm, phase.algorithm);
    }
    if (phase.ports != usual.ports) {
      node.with(chakra_ports, phase.ports);
    }
    if (const std::span<const std::uint32_t> sides = phase.groups->sides(); sides.size() > 1) {
      node.with(chakra_sides, joined(sides, "x"));
    }
  }

  std::uint64_t type_of(CollectiveKind kind) const {
    const auto found = std::ranges::find(chakra_collectives, kind);
    refuse_if(found == chakra_collectives.end(), settings_.place(),
              "has a collective {}, which Chakra traces cannot hold", name_of(kind));
    return static_cast<std::uint64_t>(found - chakra_collectives.begin());
  }

  const std::vector<std::uint32_t>& members_of(const Phase& phase, std::uint32_t group) {
    auto& groups = members_[phase.groups.get()];
    if (groups.empty()) {
      groups.resize(phase.groups->group_count());
      std::vector<std::map<std::uint32_t, std::uint32_t>> ranks(groups.size());
      for (std::uint32_t process = 0; process < size(); ++process) {
        if (const auto place = phase.groups->place_of(ProcessId{process})) {
          ranks[place->group][place->rank] = process;
        }
      }
      for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const auto& [rank, process] : ranks[i]) {
          groups[i].push_back(process);
        }
      }
    }
    return groups[group];
  }

  std::string name_of_group(const std::vector<std::uint32_t>& members) {
    const auto [named, is_new] =
        group_names_.emplace(members, fmt::format("{}", group_names_.size()));
    if (is_new) {
      groups_.set(named->second, numbers_setting(members));
    }
    return named->second;
  }

  const Params& settings_;
  ReadPattern pattern_;
  std::vector<std::string> names_;  ///< of the stages
  std::map<const ProcessGroups*, std::vector<std::vector<std::uint32_t>>> members_;
  std::map<std::vector<std::uint32_t>, std::string> group_names_;
  Params groups_;
  std::uint64_t nodes_ = 0;  ///< of all ranks
  std::uint64_t computations_ = 0;
  std::uint64_t rounded_ = 0;  ///< computations whose time changes much

  std::uint32_t rank_ = 0;
  std::string file_;
  std::uint64_t next_ = 0;                          ///< id of the next node
  Ids before_;                                      ///< nodes that the next one waits for
  std::map<std::uint32_t, std::uint64_t> started_;  ///< nodes of collectives that go on
};

}  // namespace

ChakraTraces chakra_traces(const Params& pattern, const ProgramContext& context) {
  return ChakraWriter{pattern, read_pattern(pattern, context)}.write();
}

}  // namespace dcube
