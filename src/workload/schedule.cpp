#include "dcube/workload/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/collective/background.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/workload/graph_bound.hpp"
#include "dcube/workload/open_receive.hpp"
#include "dcube/workload/tag_mismatch.hpp"
#include "graph_operations.hpp"
#include "graph_schedule.hpp"
#include "program/settings.hpp"
#include "resource_run.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

/// Posted requests of a sequence that were not waited for.
class Posted {
 public:
  void add(std::uint32_t place, Request request) {
    if (place >= requests_.size()) {
      requests_.resize(place + 1);
      numbers_.resize(place + 1);
    }
    requests_[place] = request;
    numbers_[place] = count_++;
  }
  /// Takes a request; each can be taken once, and unknown ones not at all.
  std::optional<Request> take(std::uint32_t place) {
    return place < requests_.size() ? std::exchange(requests_[place], std::nullopt) : std::nullopt;
  }
  /// In the order in which they were posted, whatever places they took.
  std::vector<Request> take_all() {
    std::vector<std::uint32_t> places;
    for (std::uint32_t place = 0; place < requests_.size(); ++place) {
      if (requests_[place]) {
        places.push_back(place);
      }
    }
    const auto number_of = [&](std::uint32_t place) { return numbers_[place]; };
    if (!std::ranges::is_sorted(places, {}, number_of)) {  // rare, and sorting takes long
      std::ranges::sort(places, {}, number_of);
    }
    return mapped(places, [&](std::uint32_t place) { return *take(place); });
  }

 private:
  std::vector<std::optional<Request>> requests_;  ///< [place]
  std::vector<std::uint64_t> numbers_;            ///< [place] in the order of posting
  std::uint64_t count_ = 0;                       ///< of all that were posted
};

/// Collectives that a process has started and not waited for, by their requests.
struct Apart {
  explicit Apart(const Process& process) : background{process} {}
  Background background;
  std::map<std::uint32_t, Background::Started> started{};

  Task<> wait(std::uint32_t place) {
    if (const auto waited = started.extract(place)) {
      co_await background.wait(waited.mapped());
    }
  }
  Task<> wait_all() {
    while (!started.empty()) {
      co_await wait(started.begin()->first);
    }
  }
  /// Waits for one request, in which the collectives go on.
  Task<> wait(Request request) {
    std::vector<Request> requests;
    requests.push_back(request);
    co_await background.wait_all(std::move(requests));
  }
};

bool starts_some(const Schedule& schedule) {
  return std::ranges::any_of(schedule.processes, [](const std::vector<Operation>& operations) {
    return std::ranges::find(operations, Kind::start, &Operation::kind) != operations.end();
  });
}

class ScheduledProgram final : public Program {
 public:
  ScheduledProgram(std::string_view kind, Schedule schedule, const ScheduleSettings& settings,
                   const ProgramContext& context)
      : kind_{kind},
        schedule_{std::move(schedule)},
        settings_{settings},
        starts_some_{starts_some(schedule_)},
        eager_limit_{context.machine.endpoint.eager_limit_bytes.value_or(
            std::numeric_limits<std::uint64_t>::max())},
        endpoint_{context.machine.endpoint},
        // Times on SimGrid's links are not whole picoseconds.
        least_transfer_{context.machine.fluid ? Ticks{0}
                                              : LeastTransfer{context.machine, 0}.time()} {
    if (is_loggp() && !endpoint_.larger.empty()) {
      throw InputError("/machine/endpoint/larger",
                       "is not for a program of LogGP, whose messages have one cost (o and O)");
    }
  }

  std::string_view kind() const override { return kind_; }
  Guest guest() const override { return settings_.guest; }
  std::uint64_t data_bytes() const override {
    return schedule_.data_bytes() +
           (is_loggp() ? schedule_.operation_count() * sizeof(GraphNode) : 0);
  }
  bool pays_endpoints() const override { return is_loggp(); }

  bool forget_runs() override {
    graphs_.reset();
    return true;
  }

  const Schedule& schedule() const { return schedule_; }
  std::optional<OpenReceive> open_receive(ProcessId process) const {
    if (!graphs_) {
      return std::nullopt;
    }
    const auto found = graphs_->open.find(process);
    return found == graphs_->open.end() ? std::nullopt : std::optional{found->second};
  }

  Task<> run(Process& process) override {
    if (schedule_.graphs.empty()) {
      return starts_some_ ? run_apart(process) : run_sequence(process);
    }
    if (!is_loggp()) {
      return run_resources(process, {schedule_, endpoint_, settings_});
    }
    if (process.rank().index() == 0) {
      graphs_.emplace(schedule_, endpoint_, least_transfer_);
    }
    return run_graph(process, *graphs_);
  }

  std::vector<OutputFile> output_files() const override {
    if (settings_.ends.empty() || !graphs_) {
      return {};
    }
    std::string text = "rank,last_busy_ps\n";
    for (std::size_t rank = 0; rank < graphs_->ends.size(); ++rank) {
      text += fmt::format("{},{}\n", rank, graphs_->ends[rank].count());
    }
    return {{settings_.ends, std::move(text)}};
  }

  Params answer() const override {
    Params answer;
    answer.set("operations", number(schedule_.operation_count()));
    if (!schedule_.collectives.empty()) {
      answer.set("collectives", number(schedule_.collectives.size()));
    }
    if (graphs_) {
      answer.set("last_busy", format_time(std::ranges::max(graphs_->ends)));
    }
    Params ignored;
    for (const auto& [name, count] : schedule_.ignored) {
      ignored.set(name, number(count));
    }
    if (!schedule_.ignored.empty()) {
      answer.set("ignored", std::move(ignored));
    }
    Params times;
    for (const auto& [name, time] : schedule_.ignored_times) {
      times.set(name, format_time(time));
    }
    if (!schedule_.ignored_times.empty()) {
      answer.set("ignored_times", std::move(times));
    }
    return answer;
  }

 private:
  bool is_loggp() const {
    return !schedule_.graphs.empty() && schedule_.rules == GraphRules::loggp;
  }

  static Request post_send(Process& process, const Operation& operation) {
    return process.post_send(operation.peer, Payload::of_size(operation.amount), operation.tag);
  }
  /// The request to wait for; nothing where the message leaves at once.
  std::optional<Request> send(Process& process, const Operation& operation) const {
    if (operation.amount > eager_limit_ && operation.peer != process.rank()) {
      return post_send(process, operation);
    }
    process.send(operation.peer, Payload::of_size(operation.amount), operation.tag);
    return std::nullopt;
  }

  Task<> run_sequence(Process& process) {
    const std::vector<Operation>& operations = schedule_.processes[process.rank().index()];
    Posted posted;
    for (const Operation& operation : operations) {
      switch (operation.kind) {
        case Kind::compute:
          co_await process.compute(Ticks{static_cast<Ticks::rep>(operation.amount)});
          break;
        case Kind::send:
          if (const std::optional<Request> request = send(process, operation)) {
            co_await process.wait(*request);
          }
          break;
        case Kind::receive:
          if (operation.peer == anyone) {
            co_await process.receive_any(operation.tag);
          } else {
            co_await process.receive(operation.peer, operation.tag);
          }
          break;
        case Kind::post_send:
          posted.add(operation.request, post_send(process, operation));
          break;
        case Kind::post_receive:
          posted.add(operation.request, process.post_receive(operation.peer, operation.tag));
          break;
        case Kind::wait:
          if (const std::optional<Request> request = posted.take(operation.request)) {
            co_await process.wait(*request);
          }
          break;
        case Kind::wait_all: {
          const std::vector<Request> requests = posted.take_all();
          co_await process.wait_all(std::span{requests});
          break;
        }
        case Kind::collective:
          co_await run_scheduled(process, schedule_.collectives[operation.amount], settings_);
          break;
        case Kind::start:
          throw ContractViolation("run_apart() has schedules that start collectives");
      }
    }
  }

  /// run_sequence() with collectives in the background: they go on while the process computes and
  /// waits, and the rest is finished at its end.
  Task<> run_apart(Process& process) {
    Apart apart{process};
    Posted posted;
    for (const Operation& operation : schedule_.processes[process.rank().index()]) {
      switch (operation.kind) {
        case Kind::compute:
          co_await apart.background.compute(Ticks{static_cast<Ticks::rep>(operation.amount)});
          break;
        case Kind::send:
          if (const std::optional<Request> request = send(process, operation)) {
            co_await apart.wait(*request);
          }
          break;
        case Kind::receive:
          co_await apart.wait(process.post_receive(operation.peer, operation.tag));
          break;
        case Kind::post_send:
          posted.add(operation.request, post_send(process, operation));
          break;
        case Kind::post_receive:
          posted.add(operation.request, process.post_receive(operation.peer, operation.tag));
          break;
        case Kind::wait:
          if (const std::optional<Request> request = posted.take(operation.request)) {
            co_await apart.wait(*request);
          } else {
            co_await apart.wait(operation.request);
          }
          break;
        case Kind::wait_all:
          co_await apart.background.wait_all(posted.take_all());
          co_await apart.wait_all();
          break;
        case Kind::collective:
        case Kind::start: {
          MemberCall member = member_call(process, schedule_.collectives[operation.amount],
                                          settings_, tag_of_collective(operation.amount));
          const bool is_left = operation.kind == Kind::start;
          const Background::Started started = co_await apart.background.start(
              std::move(member.group), member.call, nullptr,
              is_left ? Background::Awaited::later : Background::Awaited::at_once);
          if (is_left) {
            apart.started[operation.request] = started;
          } else {
            co_await apart.background.wait(started);
          }
          break;
        }
      }
    }
    co_await apart.wait_all();
  }

  std::string_view kind_;
  Schedule schedule_;
  ScheduleSettings settings_;
  bool starts_some_;  ///< collectives in the background
  std::uint64_t eager_limit_;
  EndpointModel endpoint_;
  Ticks least_transfer_;
  std::optional<GraphSchedule> graphs_;
};

}  // namespace

CollectiveCall call_of(const ScheduledCollective& collective,
                       const std::map<CollectiveKind, std::string>& algorithms) {
  CollectiveCall call{.kind = collective.kind,
                      .root = collective.root,
                      .count = collective.count,
                      .counts = collective.counts};
  const auto named = algorithms.find(collective.kind);
  call.options.algorithm = named != algorithms.end() ? named->second : collective.manner.algorithm;
  call.options.sides = TorusSides{std::span{collective.manner.sides}};
  call.options.element_bytes = collective.element_bytes;
  return call;
}

MemberCall member_call(const Process& process, const ScheduledCollective& collective,
                       const ScheduleSettings& settings, Tag tag) {
  MemberCall member{
      collective.members.empty() ? process.world() : process.world().subgroup(collective.members),
      call_of(collective, settings.algorithms)};
  member.call.options.tag = tag;
  if (!collective.of_ranks.empty()) {
    const std::span own{collective.of_ranks[member.group.rank()]};
    member.call.send_counts = own.first(member.group.size());
    member.call.receive_counts = own.last(member.group.size());
  }
  if (const std::uint32_t ports = settings.ports.value_or(collective.manner.ports); ports != 1) {
    CollectiveCall& call = member.call;
    call.options.ports = 0;
    const std::uint32_t most = ports_for(algorithm_for(call, member.group.size()), call);
    call.options.ports = ports == 0 ? most : std::min(ports, most);
  }
  return member;
}

std::optional<Ticks> least_time_of_graphs(const Program& program, const Machine& machine) {
  const auto* const scheduled = dynamic_cast<const ScheduledProgram*>(&program);
  return scheduled != nullptr && !scheduled->schedule().graphs.empty()
             ? least_time_of_graphs(scheduled->schedule(), machine)
             : std::nullopt;
}

std::optional<ScheduleWork> work_of_schedule(const Program& program) {
  const auto* const scheduled = dynamic_cast<const ScheduledProgram*>(&program);
  return scheduled != nullptr ? std::optional{work_of(scheduled->schedule())} : std::nullopt;
}

std::optional<TagMismatch> tag_mismatch(const Program& program, ProcessId from, ProcessId to) {
  const auto* const scheduled = dynamic_cast<const ScheduledProgram*>(&program);
  if (scheduled == nullptr ||
      std::max(from, to).index() >= scheduled->schedule().processes.size()) {
    return std::nullopt;
  }
  return tag_mismatch(scheduled->schedule(), from, to);
}

std::optional<OpenReceive> open_receive(const Program& program, ProcessId process) {
  const auto* const scheduled = dynamic_cast<const ScheduledProgram*>(&program);
  return scheduled != nullptr ? scheduled->open_receive(process) : std::nullopt;
}

void name_awaited(const Program& program, RunReport& report) {
  for (BlockedProcess& blocked : report.blocked) {
    if (const auto receive = open_receive(program, blocked.process)) {
      blocked.awaits = receive->from;
    }
  }
}

OperationGraph::OperationGraph(std::size_t operations, std::span<const Edge> edges)
    : first_(operations + 1, 0), followers_(edges.size()) {
  for (const Edge& edge : edges) {
    ++first_[edge.before];
  }
  std::uint32_t end = 0;
  for (std::uint32_t& of : first_) {
    end += of;
    of = end;
  }
  for (std::size_t i = edges.size(); i-- > 0;) {
    followers_[--first_[edges[i].before]] = {edges[i].after, edges[i].is_started};
  }
}

std::vector<std::uint32_t> OperationGraph::missing() const {
  std::vector<std::uint32_t> missing(first_.empty() ? 0 : first_.size() - 1, 0);
  for (const Follower& follower : followers_) {
    ++missing[follower.operation()];
  }
  return missing;
}

std::uint64_t OperationGraph::data_bytes() const {
  return sizeof *this + first_.capacity() * sizeof(std::uint32_t) +
         followers_.capacity() * sizeof(Follower);
}

std::uint64_t Schedule::operation_count() const {
  return sum_of(processes, [](const auto& process) { return process.size(); });
}

std::uint64_t Schedule::data_bytes() const {
  const auto bytes_of = [](const auto& list) { return list.capacity() * sizeof list[0]; };
  return sum_of(processes, bytes_of) + processes.size() * sizeof processes[0] +
         sum_of(graphs, &OperationGraph::data_bytes) +
         collectives.size() * sizeof(ScheduledCollective) +
         sum_of(collectives, [&](const ScheduledCollective& collective) {
           return sum_of(collective.of_ranks, bytes_of);
         });
}

std::unique_ptr<Program> make_scheduled_program(std::string_view kind, Schedule schedule,
                                                const ScheduleSettings& settings,
                                                const ProgramContext& context) {
  return std::make_unique<ScheduledProgram>(kind, std::move(schedule), settings, context);
}

}  // namespace dcube
