#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/engine/observer.hpp"
#include "expression.hpp"
#include "program/catalog.hpp"
#include "program/settings.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

struct PatternMessage {
  ProcessId from;
  ProcessId to;
  std::uint32_t size = 0;  ///< index in the phase's sizes
};

/// One step of every process.
struct Phase {
  enum class Kind : std::uint8_t { compute, operations, messages, collective, repeat };

  Kind kind = Kind::compute;
  std::string name{};  ///< given name or empty; repeat: prefix of its phases' names
  std::string what{};  ///< default name
  /// Stage of the program; none inside the messages of another phase, or for a repeat.
  std::uint32_t stage = no_stage;
  Expression amount{};      ///< compute: time; operations: number; collective: bytes
  std::string operation{};  ///< an entry of the machine's compute table
  std::vector<PatternMessage> messages{};
  std::vector<Expression> sizes{};  ///< of messages, evaluated for the sender's rank
  /// [process]: messages that it sends, and that it receives.
  std::vector<std::vector<std::uint32_t>> sent{}, received{};
  CollectiveKind collective{};
  std::uint32_t root = 0;
  std::string algorithm{};
  std::uint32_t ports = 1;
  std::uint64_t times = 1;      ///< repeat
  std::vector<Phase> phases{};  ///< repeat: body; messages: phases while they travel
};

/// Assigns stages to phases, in order, under unique names; phases of one given name share one.
class PhaseNames {
 public:
  static std::vector<std::string> give(std::vector<Phase>& phases) {
    PhaseNames names;
    names.count(phases, "");
    names.number(phases, "");
    return std::move(names.names_);
  }

 private:
  static std::string inside(const std::string& outer, const Phase& repeat) {
    return repeat.name.empty() ? outer : fmt::format("{}{}/", outer, repeat.name);
  }

  void count(const std::vector<Phase>& phases, const std::string& outer) {
    for (const Phase& phase : phases) {
      if (phase.kind == Phase::Kind::repeat) {
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
      if (phase.kind == Phase::Kind::repeat) {
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

class PatternReader {
 public:
  PatternReader(const ProgramContext& context, const Guest& guest)
      : context_{context}, guest_{guest} {}

  std::vector<Phase> read(const Params& settings, int depth = 0) {
    constexpr int deepest = 100;
    if (depth > deepest) {
      settings.reject("phases", "has too many phases in each other (100)");
    }
    std::vector<Phase> phases;
    for (const Params& phase : settings.groups("phases", "phases", 0)) {
      phases.push_back(read_phase(phase, depth));
    }
    return phases;
  }

 private:
  Phase read_phase(const Params& settings, int depth) {
    using Read = Phase (PatternReader::*)(const Params&, int);
    static const std::array<std::pair<std::string_view, Read>, 6> kinds{
        {{"compute", &PatternReader::read_compute},
         {"exchange", &PatternReader::read_exchange},
         {"messages", &PatternReader::read_messages},
         {"traffic", &PatternReader::read_traffic},
         {"collective", &PatternReader::read_collective},
         {"repeat", &PatternReader::read_repeat}}};
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
    if (found == nullptr) {
      throw InputError(settings.place(),
                       "is no phase (it has none of compute, exchange, messages, traffic, "
                       "collective, repeat)");
    }
    Phase phase = (this->*found->second)(settings, depth);
    phase.name = read_phase_name(settings);
    return phase;
  }

  std::string read_phase_name(const Params& settings) const {
    if (!settings.has("name")) {
      return {};
    }
    if (is_meanwhile_) {
      settings.reject("name",
                      "names what happens while messages of another phase travel, and "
                      "which belongs to that phase: name that");
    }
    std::string name = settings.text("name");
    if (name.empty()) {
      settings.reject("name", "is empty");
    }
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
      phase.operation = settings.text("compute");
      phase.what = phase.operation;
      if (!context_.machine.compute.contains(phase.operation)) {
        settings.reject("compute", fmt::format("{} is not in the `compute` table of machine {}",
                                               phase.operation, context_.machine.name));
      }
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
    at_place(settings.place_of("exchange"), [&] {
      // For lists of neighbours, of messages, and of messages of each process.
      constexpr std::uint64_t bytes_each = 64;
      expect_fits_in_memory(
          "an exchange of so many processes",
          bytes_each * guest_.process_count() * (guest_.dimension_count() + std::uint64_t{1}));
      return 0;
    });
    const std::uint32_t dimensions = guest_.dimension_count();
    if (const Setting::List* const list = settings.required("exchange").list()) {
      if (list->size() != dimensions) {
        settings.reject("exchange", fmt::format("has {} sizes, but the guest {} has {} dimensions",
                                                list->size(), guest_.name(), dimensions));
      }
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
    if (traffic.process_count() > guest_.process_count()) {
      settings.reject("traffic", fmt::format("has {} processes, but the pattern has {}",
                                             traffic.process_count(), guest_.process_count()));
    }
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

  Phase finish(Phase phase, const Params& settings, int depth) {
    phase.sent.resize(guest_.process_count());
    phase.received.resize(guest_.process_count());
    for (std::uint32_t i = 0; i < phase.messages.size(); ++i) {
      phase.sent[phase.messages[i].from.index()].push_back(i);
      phase.received[phase.messages[i].to.index()].push_back(i);
    }
    if (settings.has("meanwhile")) {
      const bool was_meanwhile = std::exchange(is_meanwhile_, true);
      std::size_t number = 0;
      for (const Params& meanwhile : settings.groups("meanwhile", "phases", 0)) {
        phase.phases.push_back(read_phase(meanwhile, depth + 1));
        if (phase.phases.back().kind == Phase::Kind::messages) {
          throw InputError(settings.place_of("meanwhile", number),
                           "sends messages while others travel: put both into one phase");
        }
        ++number;
      }
      is_meanwhile_ = was_meanwhile;
    }
    return phase;
  }

  Phase read_collective(const Params& settings, int) {
    allow(settings, {"collective", "bytes", "root", "algorithm", "ports"});
    Phase phase{.kind = Phase::Kind::collective};
    std::vector<std::string> names;
    for (const CollectiveKind kind : collective_kinds()) {
      if (kind != CollectiveKind::all_to_allv) {
        names.emplace_back(name_of(kind));
      }
    }
    phase.collective = *find_collective(settings.choice("collective", names, names.front()));
    phase.what = name_of(phase.collective);
    if (phase.collective != CollectiveKind::barrier) {
      phase.amount = Expression::read(settings, "bytes", Expression::Unit::bytes);
    }
    if (settings.has("root")) {
      phase.root = read_rank(settings, "root").index();
    }
    phase.algorithm = settings.text("algorithm", "automatic");
    if (settings.has("ports")) {
      phase.ports = settings.positive_int("ports");
    }
    if (phase.collective != CollectiveKind::barrier) {
      const std::uint32_t size = guest_.process_count();
      CollectiveCall call = call_of(phase);
      const std::vector<std::uint64_t> shares = at_place(settings.place_of("bytes"), [&] {
        return share_out(call, phase.amount({.size = size}), size);
      });
      call.counts = shares;
      at_place(settings.place_of("algorithm"), [&] { return &algorithm_for(call, size); });
    }
    return phase;
  }

  Phase read_repeat(const Params& settings, int depth) {
    allow(settings, {"repeat", "phases"});
    Phase phase{.kind = Phase::Kind::repeat};
    phase.times = static_cast<std::uint64_t>(
        settings.integer("repeat", 0, std::numeric_limits<std::int64_t>::max(),
                         "how often the phases are repeated (a whole number >= 0)"));
    phase.phases = read(settings, depth + 1);
    return phase;
  }

 public:
  /// A call without its size.
  static CollectiveCall call_of(const Phase& phase) {
    return {.kind = phase.collective,
            .root = phase.root,
            .options = {.algorithm = phase.algorithm, .ports = phase.ports, .element_bytes = 1}};
  }

 private:
  const ProgramContext& context_;
  const Guest& guest_;
  bool is_meanwhile_ = false;  ///< inside a phase whose messages travel
};

/// Executes the phases in every process.
class Pattern final : public Program {
 public:
  Pattern(const Guest& guest, std::vector<Phase> phases)
      : guest_{guest}, phases_{std::move(phases)}, names_{PhaseNames::give(phases_)} {}

  std::string_view kind() const override { return pattern_kind.name; }
  Guest guest() const override { return guest_; }
  std::uint64_t data_bytes() const override { return data_bytes(phases_); }
  Task<> run(Process& process) override { return run(process, phases_, 0); }
  std::uint32_t stage_count() const override { return static_cast<std::uint32_t>(names_.size()); }
  std::vector<std::string> stage_names() const override { return names_; }
  bool repeats_stages() const override { return true; }

 private:
  Task<> run(Process& process, const std::vector<Phase>& phases, std::uint64_t iteration) {
    const Expression::Variables variables{process.rank().index(), process.size(), iteration};
    for (const Phase& phase : phases) {
      if (phase.stage != no_stage) {
        process.enter_stage(phase.stage);
      }
      switch (phase.kind) {
        case Phase::Kind::compute:
          co_await process.compute(Ticks{static_cast<Ticks::rep>(phase.amount(variables))});
          break;
        case Phase::Kind::operations:
          co_await process.compute(phase.operation, phase.amount(variables));
          break;
        case Phase::Kind::messages:
          co_await exchange(process, phase, variables);
          break;
        case Phase::Kind::collective:
          co_await run_collective(process.world(), call_of(phase, process.size(), iteration));
          break;
        case Phase::Kind::repeat:
          for (std::uint64_t i = 0; i < phase.times; ++i) {
            co_await run(process, phase.phases, i);
          }
          break;
      }
    }
  }

  CollectiveCall call_of(const Phase& phase, std::uint32_t size, std::uint64_t iteration) {
    CollectiveCall call = PatternReader::call_of(phase);
    if (phase.collective != CollectiveKind::barrier) {
      // Every process gives the size of rank 0.
      const std::uint64_t bytes = phase.amount({0, size, iteration});
      std::vector<std::uint64_t> shares = share_out(call, bytes, size);
      if (!shares.empty()) {
        call.counts = shares_.try_emplace(bytes, std::move(shares)).first->second;
      }
    }
    return call;
  }

  /// Posts everything, runs the phases meanwhile, and waits.
  Task<> exchange(Process& process, const Phase& phase, Expression::Variables variables) {
    std::vector<Request> requests;
    for (const std::uint32_t i : phase.received[process.rank().index()]) {
      requests.push_back(process.post_receive(phase.messages[i].from));
    }
    for (const std::uint32_t i : phase.sent[process.rank().index()]) {
      const PatternMessage& message = phase.messages[i];
      requests.push_back(
          process.post_send(message.to, Payload::of_size(phase.sizes[message.size](variables))));
    }
    if (!phase.phases.empty()) {
      co_await run(process, phase.phases, variables.iteration);
    }
    co_await process.wait_all(std::span<const Request>{requests});
  }

  static std::uint64_t data_bytes(const std::vector<Phase>& phases) {
    std::uint64_t bytes = 0;
    for (const Phase& phase : phases) {
      bytes += sizeof phase + data_bytes(phase.phases) + phase.sizes.size() * sizeof(Expression) +
               phase.messages.size() * (sizeof(PatternMessage) + 2 * sizeof(std::uint32_t)) +
               phase.sent.size() * 2 * sizeof(std::vector<std::uint32_t>);
    }
    return bytes;
  }

  Guest guest_;
  std::vector<Phase> phases_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> shares_;  ///< unequal shares, by total bytes
  std::vector<std::string> names_;                              ///< of the stages
};

std::unique_ptr<Program> make_pattern(const Params& settings, const ProgramContext& context) {
  Guest guest = Guest::of_processes(1);
  if (settings.has("guest")) {
    guest =
        at_place(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
    if (settings.has("processes")) {
      settings.reject("processes", "stands beside guest, which says how many there are");
    }
  } else {
    guest = Guest::of_processes(read_process_count(settings, context.machine));
  }
  PatternReader reader{context, guest};
  return std::make_unique<Pattern>(guest, reader.read(settings));
}

}  // namespace

const ProgramKind pattern_kind{
    "pattern",
    "phases of computing, exchanges with neighbours, messages and collectives, in loops",
    "",
    {{"guest", "process topology (guest graph), whose neighbours exchange: torus:4x4x8",
      "a cube or a line"},
     process_count_help(),
     {"phases",
      "a list: {compute: time} or {compute: operation, count}, {exchange: bytes}, {messages: "
      "[{from, "
      "to, bytes}]}, {traffic: file}, {collective: kind, bytes, root, algorithm}, {repeat: n, "
      "phases}; messages may have {meanwhile: phases}, and all may have {name}",
      ""}},
    make_pattern};

}  // namespace dcube
