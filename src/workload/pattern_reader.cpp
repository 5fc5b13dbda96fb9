#include "pattern_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

class PatternReader {
 public:
  PatternReader(const ProgramContext& context, const Guest& guest)
      : context_{context}, guest_{guest} {}

  /// The list of phases at `key`.
  std::vector<Phase> read(const Params& settings, int depth = 0,
                          const std::string& key = "phases") {
    constexpr int deepest = 100;
    refuse_if(depth > deepest, settings.place_of(key), "has too many phases in each other (100)");
    std::vector<Phase> phases;
    started_.emplace_back();
    for (const Params& phase : settings.groups(key, "phases", 0)) {
      phases.push_back(read_phase(phase, depth));
    }
    end_list();
    return phases;
  }

 private:
  Phase read_phase(const Params& settings, int depth) {
    using Read = Phase (PatternReader::*)(const Params&, int);
    static const std::array<std::pair<std::string_view, Read>, 10> kinds{
        {{"compute", &PatternReader::read_compute},
         {"exchange", &PatternReader::read_exchange},
         {"messages", &PatternReader::read_messages},
         {"traffic", &PatternReader::read_traffic},
         {"send", &PatternReader::read_send},
         {"receive", &PatternReader::read_receive},
         {"collective", &PatternReader::read_collective},
         {"wait", &PatternReader::read_wait},
         {"repeat", &PatternReader::read_repeat},
         {"along", &PatternReader::read_along}}};
    const std::pair<std::string_view, Read>* found = nullptr;
    for (const auto& kind : kinds) {
      if (!settings.has(kind.first)) {
        continue;
      }
      if (found != nullptr) {
        settings.reject(kind.first, fmt::format("stands beside {}: a phase is one of them; make "
                                                "two phases of it",
                                                found->first));
      }
      found = &kind;
    }
    refuse_if(found == nullptr, settings.place(),
              "is no phase (it has none of compute, exchange, messages, traffic, send, "
              "receive, collective, wait, repeat, along)");
    Phase phase = (this->*found->second)(settings, depth);
    phase.name = read_phase_name(settings);
    return phase;
  }

  std::string read_phase_name(const Params& settings) const {
    if (!settings.has("name")) {
      return {};
    }
    refuse_if(is_meanwhile_, settings.place_of("name"),
              "names what happens while messages of another phase travel, and "
              "which belongs to that phase: name that");
    std::string name = settings.text("name");
    refuse_if(name.empty(), settings.place_of("name"), "is empty");
    return name;
  }

  static void allow(const Params& settings, std::initializer_list<std::string> keys) {
    std::vector<std::string> known{keys};
    known.emplace_back("name");
    settings.allow_only(known);
  }

  Phase read_compute(const Params& settings, int) {
    allow(settings, {"compute", "count"});
    Phase phase{.kind = Phase::Kind::compute, .what = "compute"};
    if (settings.has("count")) {
      phase.kind = Phase::Kind::operations;
      phase.what = settings.text("compute");
      const auto operation = context_.machine.compute.find(phase.what);
      refuse_if(operation == context_.machine.compute.end(), settings.place_of("compute"),
                "{} is not in the `compute` table of machine {}", phase.what,
                context_.machine.name);
      phase.each = operation->second;
      phase.amount = Expression::read(settings, "count", Expression::Unit::count);
    } else {
      phase.amount = Expression::read(settings, "compute", Expression::Unit::time);
    }
    return phase;
  }

  /// Reads an exchange with all neighbours: bytes for each dimension, or one size for all.
  Phase read_exchange(const Params& settings, int depth) {
    allow(settings, {"exchange", "meanwhile"});
    Phase phase{.kind = Phase::Kind::messages, .what = "exchange"};
    const std::uint32_t dimensions = guest_.dimension_count();
    at_place(settings.place_of("exchange"), [&] {
      // For lists of neighbours, of messages, and of messages of each process.
      constexpr std::uint64_t bytes_each = 64;
      expect_fits_in_memory("an exchange of so many processes",
                            bytes_each * guest_.process_count() * (dimensions + std::uint64_t{1}));
    });
    if (const Setting::List* const list = settings.required("exchange").list()) {
      refuse_if(list->size() != dimensions, settings.place_of("exchange"),
                "has {} sizes, but the guest {} has {} dimensions", list->size(), guest_.name(),
                dimensions);
      for (std::size_t i = 0; i < list->size(); ++i) {
        phase.sizes.push_back(Expression::read((*list)[i], settings.place_of("exchange", i),
                                               Expression::Unit::bytes));
      }
    } else {
      phase.sizes.assign(dimensions,
                         Expression::read(settings, "exchange", Expression::Unit::bytes));
    }
    for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
      for (std::uint32_t rank = 0; rank < guest_.process_count(); ++rank) {
        const ProcessId low{rank};
        if (const std::optional<ProcessId> high = guest_.partner(low, dimension)) {
          phase.messages.push_back({low, *high, dimension});
          phase.messages.push_back({*high, low, dimension});
        }
      }
    }
    return finish(std::move(phase), settings, depth);
  }

  Phase read_messages(const Params& settings, int depth) {
    static const std::vector<std::string> message_keys{"from", "to", "bytes"};
    allow(settings, {"messages", "meanwhile"});
    Phase phase{.kind = Phase::Kind::messages, .what = "messages"};
    for (const Params& message : settings.groups("messages", "messages")) {
      message.allow_only(message_keys);
      phase.messages.push_back({read_rank(message, "from"), read_rank(message, "to"),
                                static_cast<std::uint32_t>(phase.sizes.size())});
      phase.sizes.push_back(Expression::read(message, "bytes", Expression::Unit::bytes));
    }
    return finish(std::move(phase), settings, depth);
  }

  Phase read_traffic(const Params& settings, int depth) {
    allow(settings, {"traffic", "meanwhile"});
    const Traffic traffic = read_input_traffic(settings, "traffic", context_);
    refuse_if(traffic.process_count() > guest_.process_count(), settings.place_of("traffic"),
              "has {} processes, but the pattern has {}", traffic.process_count(),
              guest_.process_count());
    Phase phase{.kind = Phase::Kind::messages, .what = "traffic"};
    std::map<std::uint64_t, std::uint32_t> sizes;
    for (const Flow& flow : traffic.flows()) {
      const auto [size, is_new] =
          sizes.emplace(flow.bytes, static_cast<std::uint32_t>(phase.sizes.size()));
      if (is_new) {
        phase.sizes.push_back(Expression::of(flow.bytes));
      }
      phase.messages.push_back({flow.from, flow.to, size->second});
    }
    return finish(std::move(phase), settings, depth);
  }

  ProcessId read_rank(const Params& settings, std::string_view key) const {
    return ProcessId{static_cast<std::uint32_t>(
        settings.integer(key, 0, std::int64_t{guest_.process_count()} - 1,
                         fmt::format("a rank (0 to {})", guest_.process_count() - 1)))};
  }

  static bool sends_messages(const Phase& phase) {
    return phase.kind == Phase::Kind::messages || phase.kind == Phase::Kind::send ||
           phase.kind == Phase::Kind::receive || std::ranges::any_of(phase.phases, sends_messages);
  }

  Phase finish(Phase phase, const Params& settings, int depth) {
    phase.tag = tag_of_messages;
    phase.sent.resize(guest_.process_count());
    phase.received.resize(guest_.process_count());
    for (std::uint32_t i = 0; i < phase.messages.size(); ++i) {
      phase.sent[phase.messages[i].from.index()].push_back(i);
      phase.received[phase.messages[i].to.index()].push_back(i);
    }
    if (settings.has("meanwhile")) {
      const bool was_meanwhile = std::exchange(is_meanwhile_, true);
      std::size_t number = 0;
      started_.emplace_back();
      for (const Params& meanwhile : settings.groups("meanwhile", "phases", 0)) {
        phase.phases.push_back(read_phase(meanwhile, depth + 1));
        refuse_if(sends_messages(phase.phases.back()), settings.place_of("meanwhile", number),
                  "sends messages while others travel: put both into one phase");
        ++number;
      }
      end_list();
      is_meanwhile_ = was_meanwhile;
    }
    return phase;
  }

  Phase read_collective(const Params& settings, int) {
    allow(settings, {"collective", "over", "bytes", "root", "algorithm", "ports", "start"});
    Phase phase{.kind = Phase::Kind::collective};
    phase.collective = read_collective_kind(settings, "collective");
    phase.groups = read_groups(settings);
    phase.what = fmt::format("{}{}{}", name_of(phase.collective),
                             phase.groups->name().empty() ? "" : " over ", phase.groups->name());
    if (phase.collective != CollectiveKind::barrier) {
      phase.amount = Expression::read(settings, "bytes", Expression::Unit::bytes);
      refuse_if(phase.amount.depends_on_rank(), settings.place_of("bytes"),
                "depends on the rank, and all processes of a group give one size");
    }
    if (settings.has("root")) {
      const std::uint32_t last = phase.groups->sizes().front() - 1;
      phase.root = static_cast<std::uint32_t>(
          settings.integer("root", 0, last, fmt::format("a rank (0 to {})", last)));
    }
    phase.algorithm = settings.text("algorithm", "automatic");
    if (settings.has("ports")) {
      phase.ports = settings.positive_int("ports");
    }
    for (const std::uint32_t size : phase.groups->sizes()) {
      expect_possible(settings, phase, size);
    }
    if (settings.has("start")) {
      start(phase, settings);
    }
    return phase;
  }

  /// Phases of the same axes share their groups, which take as much memory as there are processes.
  std::shared_ptr<const ProcessGroups> read_groups(const Params& settings) {
    const Setting* const over = settings.find("over");
    const Setting all;
    for (const auto& [axes, groups] : groups_) {
      if (axes == (over == nullptr ? all : *over)) {
        return groups;
      }
    }
    auto groups = std::make_shared<const ProcessGroups>(settings, guest_);
    if (over == nullptr || !groups->name().empty()) {
      groups_.emplace_back(over == nullptr ? all : *over, groups);
    }
    return groups;
  }

  /// The collective goes on until a phase waits for it.
  void start(Phase& phase, const Params& settings) {
    const std::string name = settings.text("start");
    for (const auto& list : started_) {
      refuse_if(list.contains(name), settings.place_of("start"),
                "{} has been started, and is waited for later", name);
    }
    for (const GuestAxis& axis : along_) {
      expect_one_list(phase, axis, settings);
    }
    refuse_if(starts_ == most_collective_tags - 1, settings.place_of("start"),
              "is one of too many collectives that are started");
    phase.started = starts_++;
    started_.back().emplace(name, Start{*phase.started, settings.place_of("start")});
    phase.what = fmt::format("start {}", name);
  }

  /// Tags of collectives that go on are those of the list, so a group must share it.
  void expect_one_list(const Phase& phase, const GuestAxis& axis, const Params& settings) const {
    std::map<std::uint32_t, std::uint32_t> coordinates;  // of each group
    for (std::uint32_t rank = 0; rank < guest_.process_count(); ++rank) {
      const std::optional<ProcessGroups::Place> place = phase.groups->place_of(ProcessId{rank});
      const std::uint32_t own = axis.coordinate(ProcessId{rank});
      if (place && coordinates.emplace(place->group, own).first->second != own) {
        settings.reject("start",
                        "goes on in a group whose processes have different lists of "
                        "phases; start it outside of `along`");
      }
    }
  }

  Phase read_wait(const Params& settings, int) {
    allow(settings, {"wait"});
    const std::string name = settings.text("wait");
    const auto start = started_.back().find(name);
    refuse_if(start == started_.back().end(), settings.place_of("wait"),
              "no phase before this one in its list starts {}", name);
    Phase phase{.kind = Phase::Kind::wait, .what = fmt::format("wait for {}", name)};
    phase.started = start->second.number;
    started_.back().erase(start);
    return phase;
  }

  /// Throws unless groups of that size can do what the phase says, in the first iterations.
  void expect_possible(const Params& settings, const Phase& phase, std::uint32_t size) const {
    constexpr std::uint64_t most_iterations = 1U << 14U;
    constexpr std::uint64_t most_shares = 1U << 24U;
    const std::uint64_t iterations =
        phase.amount.is_formula() ? std::min({times_, most_iterations, 1 + most_shares / size}) : 1;
    std::set<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < std::max(iterations, std::uint64_t{1}); ++i) {
      const std::uint64_t bytes = phase.collective == CollectiveKind::barrier
                                      ? 0
                                      : phase.amount({.size = size, .iteration = i});
      if (sizes.insert(bytes).second) {
        expect_possible(settings, phase, size, bytes);
      }
    }
  }

  static void expect_possible(const Params& settings, const Phase& phase, std::uint32_t size,
                              std::uint64_t bytes) {
    CollectiveCall call = call_of(phase);
    std::vector<std::uint64_t> shares;
    if (phase.collective != CollectiveKind::barrier) {
      shares = at_place(settings.place_of("bytes"), [&] { return set_counts(call, bytes, size); });
    }
    call.counts = shares;
    const CollectiveAlgorithm* const algorithm =
        at_place(settings.place_of("algorithm"), [&] { return &algorithm_for(call, size); });
    at_place(settings.place_of("ports"), [&] { return ports_for(*algorithm, call); });
  }

  /// Every collective is waited for in the list of phases that starts it.
  void end_list() {
    if (!started_.back().empty()) {
      const auto& [name, start] = *started_.back().begin();
      throw InputError(start.place, fmt::format("{} is not waited for in its list of phases; add "
                                                "{{\"wait\": \"{}\"}}",
                                                name, name));
    }
    started_.pop_back();
  }

  Phase read_repeat(const Params& settings, int depth) {
    allow(settings, {"repeat", "phases"});
    Phase phase{.kind = Phase::Kind::repeat};
    phase.times = static_cast<std::uint64_t>(
        settings.integer("repeat", 0, std::numeric_limits<std::int64_t>::max(),
                         "how often the phases are repeated (a whole number >= 0)"));
    const std::uint64_t times_around = std::exchange(times_, phase.times);
    phase.phases = read(settings, depth + 1);
    times_ = times_around;
    if (does_nothing(phase)) {
      phase.times = 0;
    }
    return phase;
  }

  static bool does_nothing(const Phase& phase) {
    return phase.is_list() && (phase.times == 0 || std::ranges::all_of(phase.phases, does_nothing));
  }

  /// A list of phases for each coordinate along an axis.
  Phase read_along(const Params& settings, int depth) {
    allow(settings, {"along", "phases"});
    Phase phase{.kind = Phase::Kind::along};
    phase.axis = read_axis(settings, "along");
    const Setting::List& lists = settings.list("phases", "lists of phases");
    refuse_if(lists.size() != phase.axis.side, settings.place_of("phases"),
              "has {} of phases, but the axis {} has {}", counted(lists.size(), "list"),
              settings.text("along"), counted(phase.axis.side, "coordinate"));
    along_.push_back(phase.axis);
    const Params entries = Params::of_entries(lists, settings.place_of("phases"));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      phase.phases.push_back({.kind = Phase::Kind::repeat});
      phase.phases.back().phases = read(entries, depth + 1, std::to_string(i));
    }
    along_.pop_back();
    return phase;
  }

  Phase read_send(const Params& settings, int) {
    allow(settings, {"send", "by", "bytes", "tag"});
    Phase phase = read_partner(settings, Phase::Kind::send, "send");
    phase.amount = Expression::read(settings, "bytes", Expression::Unit::bytes);
    return phase;
  }

  Phase read_receive(const Params& settings, int) {
    allow(settings, {"receive", "by", "tag"});
    return read_partner(settings, Phase::Kind::receive, "receive");
  }

  Phase read_partner(const Params& settings, Phase::Kind kind, const char* key) const {
    Phase phase{.kind = kind, .what = fmt::format("{} along {}", key, settings.text(key))};
    phase.axis = read_axis(settings, key);
    phase.shift = read_shift(settings, phase.axis.side);
    if (settings.has("tag")) {
      phase.tag = static_cast<Tag>(settings.integer(
          "tag", 0, tag_of_messages - 1, fmt::format("a tag (0 to {})", tag_of_messages - 1)));
    }
    return phase;
  }

  /// "by", a number of steps, of which negative ones lead back.
  static std::uint32_t read_shift(const Params& settings, std::uint32_t side) {
    const Setting& by = settings.required("by");
    const std::string text = by.number() != nullptr ? by.number()->text : std::string{};
    const bool is_back = text.starts_with('-');
    const auto steps = parsed<std::uint32_t>(std::string_view{text}.substr(is_back ? 1 : 0));
    if (!steps || *steps >= side) {
      settings.reject_value("by", fmt::format("a number of steps along the axis ({} to {})",
                                              1 - std::int64_t{side}, side - 1));
    }
    return is_back && *steps > 0 ? side - *steps : *steps;
  }

  GuestAxis read_axis(const Params& settings, std::string_view key) const {
    expect_named_axes(guest_, settings.place_of(key));
    const std::string name = settings.text(key);
    GuestAxis axis;
    for (std::size_t i = 0; i < guest_.axes().size(); ++i) {
      axis.side = guest_.shape()[i];
      if (guest_.axes()[i] == name) {
        return axis;
      }
      axis.stride *= axis.side;
    }
    settings.reject(key, fmt::format("{} is not an axis of the guest{}", name,
                                     nearest_name_hint(name, guest_.axes())));
  }

  const ProgramContext& context_;
  const Guest& guest_;
  /// Of axes, by the setting "over".
  std::vector<std::pair<Setting, std::shared_ptr<const ProcessGroups>>> groups_;
  std::vector<GuestAxis> along_;  ///< around what is being read
  std::uint64_t times_ = 1;       ///< of the loop around what is being read
  bool is_meanwhile_ = false;     ///< inside a phase whose messages travel
  struct Start {
    std::uint32_t number;
    std::string place;
  };
  /// Collectives that go on, by name, for each list of phases that is being read.
  std::vector<std::map<std::string, Start>> started_;
  std::uint32_t starts_ = 0;
};

}  // namespace

CollectiveCall call_of(const Phase& phase) {
  CollectiveCall call{.kind = phase.collective, .root = phase.root};
  call.options = {.algorithm = phase.algorithm,
                  .ports = phase.ports,
                  .tag = phase.started ? *phase.started + 1 : 0,
                  .element_bytes = 1};
  if (phase.groups->sides().size() > 1) {
    call.options.sides = TorusSides{phase.groups->sides()};
  }
  return call;
}

ReadPattern read_pattern(const Params& settings, const ProgramContext& context) {
  const bool has_guest = settings.has("guest");
  const Guest guest = has_guest
                          ? read_guest(settings)
                          : Guest::of_processes(read_process_count(settings, context.machine));
  refuse_if(has_guest && settings.has("processes"), settings.place_of("processes"),
            "stands beside guest, which says how many there are");
  return {guest, PatternReader{context, guest}.read(settings)};
}

}  // namespace dcube
