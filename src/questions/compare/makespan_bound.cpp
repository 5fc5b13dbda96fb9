#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/search/link_sections.hpp"
#include "dcube/search/search.hpp"
#include "dcube/workload/graph_bound.hpp"

namespace dcube {
namespace {

/// Time of any hop; nothing when links differ or the message is several packets.
std::optional<HopTime> uniform_hop(const LinkModel& links, std::uint64_t bytes) {
  const std::vector<TransferCost>& costs = links.per_dimension;
  const bool is_uniform =
      !costs.empty() && links.overrides.empty() &&
      std::ranges::count(costs, costs.front()) == static_cast<std::ptrdiff_t>(costs.size());
  const bool is_whole = !links.packet_bytes || bytes <= *links.packet_bytes;
  return is_uniform && is_whole ? std::optional{hop_time(links.switching, costs.front(), bytes)}
                                : std::nullopt;
}

/// Whether the program is cc_dcube with every dimension once and one computing time for all stages.
bool is_uniform_cc(const Scenario& scenario) {
  const Setting* compute = scenario.program_settings.find("compute");
  const Setting* order = scenario.program_settings.find("order");
  return scenario.program->kind() == "cc_dcube" &&
         (compute == nullptr || compute->group() == nullptr) &&
         (order == nullptr || order->list() == nullptr);
}

std::string cc_default(std::string_view parameter) {
  const std::vector<ParameterHelp>& parameters =
      find_kind(program_catalog(), "cc_dcube")->parameters;
  return std::ranges::find(parameters, parameter, &ParameterHelp::name)->default_value;
}

/// The mean of `sum` over `count`, rounded up: one of them has no less.
Ticks share_of(Int128 sum, Int128 count) {
  return Ticks{static_cast<Ticks::rep>((sum + count - 1) / count)};
}

/// Picoseconds of rounded `seconds`: exact below 2^49 ps, never more than the original above.
Int128 picoseconds(double seconds) {
  return static_cast<Int128>(seconds * static_cast<double>(Ticks::period::den) * (1 - 0x1p-50) +
                             0.5);
}

/// Whether ports may have cores of their own, which compute in turn but send and receive at once.
bool may_have_cores_of_ports(const Scenario& scenario) {
  return scenario.machine->endpoint.several_ports.threads;
}

/// Sum over the processes of the time that each takes alone for computing and at endpoints.
Int128 own_work(const Scenario& scenario, const RunReport& run) {
  return picoseconds(run.compute.total_s) +
         (may_have_cores_of_ports(scenario) ? Int128{0} : picoseconds(run.endpoint.total_s));
}

/// Bound by a contention-free run: no process does anything earlier in a run that counts.
MakespanBound reached(const RunReport& run) {
  std::string source = "the program with every message over one link at most, and no queues";
  if (run.heeds_time) {
    source += ", up to where its processes receive from anyone, test or ask the time";
  }
  return {run.makespan, std::move(source)};
}

/// Every exchange of two processes adds twice what its messages take to the sum of the clocks of
/// both: each goes on no earlier than the other was ready for it, and a message later. Computing
/// and endpoint costs add themselves. Some process ends no earlier than the mean of all [X IV.A].
std::optional<MakespanBound> mean_bound(const Scenario& scenario, const RunReport& run) {
  const Machine& machine = *scenario.run_machine;
  const std::uint32_t processes = scenario.program->guest().process_count();
  if (run.heeds_time || run.exchanges.empty() || run.process_ends.size() != processes ||
      machine.fluid) {
    return std::nullopt;
  }
  Machine between_nodes = machine;
  between_nodes.node.slots = 1;
  std::vector<Flow> flows;
  Int128 once_all = 0;  // what does not depend on distances, of all messages
  for (const Exchanged& exchange : run.exchanges) {
    const LeastTransfer least{between_nodes, exchange.bytes};
    const Ticks hop = least.further_hop();
    // A message inside a node makes no hop.
    const Ticks beside = least.time() - hop;
    const Ticks once = machine.node.slots == 1
                           ? beside
                           : std::min(beside, hop_time(machine.node.local, exchange.bytes));
    once_all += Int128{once.count()} * exchange.messages;
    std::uint64_t weight = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(hop.count()), exchange.messages,
                               &weight)) {
      return std::nullopt;
    }
    flows.push_back({exchange.process, exchange.partner, weight, 1});
  }
  try {
    const Traffic traffic{processes, std::move(flows)};
    const SearchProblem problem{
        .topology = *machine.topology, .traffic = traffic, .slots = machine.node.slots};
    check_problem(problem);
    const CostBound hops = cost_bounds(problem, UnitInSource::left_out).front();
    return MakespanBound{share_of(own_work(scenario, run) + once_all + hops.cost, processes),
                         "what a process computes and exchanges on the average; " + hops.source};
  } catch (const InputError&) {
    return std::nullopt;  // more than 63 bits
  }
}

/// Traffic of a contention-free run over links: a flow for each two processes, whose bytes are the
/// picoseconds that its messages keep a link busy at least.
class LinkWork final : public Observer {
 public:
  explicit LinkWork(const Machine& machine) : machine_{machine} {}

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_delivery(const Delivery& delivery) override {
    const bool has_links = !machine_.links.per_dimension.empty();  // a cube of one node has none
    if (delivery.source == delivery.destination || !has_links) {
      return;
    }
    first_ = std::min(first_, delivery.start);
    std::uint64_t& sum = work_[{delivery.source, delivery.destination}];
    const std::uint64_t before = sum;
    sum += busy_for(delivery.bytes);
    overflows_ = overflows_ || sum < before;
  }

  /// Instant at which the first message starts.
  Ticks first() const { return first_; }
  /// Least time from when a packet leaves its link free to its arrival at the next node.
  Ticks tail() const { return tail_; }
  /// The flows; nothing where a sum overflows 64 bits.
  std::optional<std::vector<Flow>> flows() const {
    return overflows_ ? std::nullopt : std::optional{mapped(work_, [](const auto& between) {
      return Flow{between.first.first, between.first.second, between.second, 1};
    })};
  }

 private:
  /// Time for which a message, all its packets together, keeps the link busy that is fastest for
  /// it.
  std::uint64_t busy_for(std::uint64_t bytes) {
    const auto [known, is_new] = busy_.try_emplace(bytes);
    if (is_new) {
      const LinkModel& links = machine_.links;
      const std::uint64_t packet = std::min(bytes, links.packet_bytes.value_or(bytes));
      const std::uint64_t before = packet == 0 ? 0 : (bytes - 1) / packet;
      const auto busy = [&](const TransferCost& cost) {
        const auto one = [&](std::uint64_t size) {
          const HopTime hop = hop_time(links.switching, cost, size);
          tail_ = std::min(tail_, hop.advance + hop.body - hop.occupancy);
          return static_cast<std::uint64_t>(hop.occupancy.count());
        };
        return before * one(packet) + one(bytes - before * packet);
      };
      known->second = busy(links.per_dimension.front());
      for (const TransferCost& cost : links.per_dimension) {
        known->second = std::min(known->second, busy(cost));
      }
      for (const auto& [link, cost] : links.overrides) {
        known->second = std::min(known->second, busy(cost));
      }
    }
    return known->second;
  }

  const Machine& machine_;
  std::map<std::pair<ProcessId, ProcessId>, std::uint64_t> work_;
  std::map<std::uint64_t, std::uint64_t> busy_;  ///< by bytes of a message
  Ticks first_ = Ticks::max();
  Ticks tail_ = Ticks::max();
  bool overflows_ = false;
};

/// The bound of the busiest link that takes long, for runs that share the work on it: those whose
/// flows are the first one's have its bound, others what takes no time.
class WorkedLinks {
 public:
  explicit WorkedLinks(double work) : work_{work} {}

  CostBound busiest(const SearchProblem& problem) {
    const auto flows = problem.traffic.flows();
    if (!bound_) {
      flows_.assign(flows.begin(), flows.end());
      bound_ = worked(problem);
    }
    return std::ranges::equal(flows, flows_) ? *bound_ : cost_bounds(problem).front();
  }

 private:
  CostBound worked(const SearchProblem& problem) const {
    CostBound busiest = cost_bounds(problem).front();
    std::vector<CostBound> better =
        worked_link_bounds(problem, {.work = work_, .above = busiest.cost});
    return better.empty() ? std::move(busiest) : std::move(better.front());
  }

  double work_;
  std::vector<Flow> flows_;
  std::optional<CostBound> bound_;
};

/// A link carries one message at a time, and a received message has crossed its links before its
/// receiver ends. So some link is busy for as long as the bound of the busiest link says, of flows
/// that are measured in the time for which they keep a link busy, and not before the first message
/// starts; the last packet comes a tail later. All messages of a flow go the same way.
std::optional<MakespanBound> links_bound(const Scenario& scenario, bool takes_all_messages,
                                         const LinkWork& work, WorkedLinks& links) {
  const Machine& machine = *scenario.run_machine;
  const std::uint32_t processes = scenario.program->guest().process_count();
  const std::optional<std::vector<Flow>> flows = work.flows();
  if (!flows || flows->empty() || !takes_all_messages || scenario.program->uses_host() ||
      machine.fluid || machine.links.contention == Contention::off ||
      machine.links.routing.kind != Routing::fixed || !machine.links.faults.empty()) {
    return std::nullopt;
  }
  try {
    const Traffic traffic{processes, *flows};
    const SearchProblem problem{.topology = *machine.topology,
                                .traffic = traffic,
                                .objective = Objective::link_load,
                                .slots = machine.node.slots,
                                .sharing = link_sharing(machine)};
    check_problem(problem);
    const CostBound busiest = links.busiest(problem);
    if (busiest.cost == 0) {
      return std::nullopt;  // all may be inside a node
    }
    const Ticks busy{static_cast<Ticks::rep>(busiest.cost)};
    return MakespanBound{checked_add(checked_add(work.first(), busy), work.tail()),
                         "what the busiest link carries; " + busiest.source};
  } catch (const InputError&) {
    return std::nullopt;  // more than 63 bits
  }
}

/// Bound by one process, which computes and pays for its messages one after the other.
MakespanBound work_bound(const Scenario& scenario, const RunReport& run) {
  const Ticks endpoint = may_have_cores_of_ports(scenario) ? Ticks{0} : run.endpoint.max;
  return {std::max({run.compute.max, endpoint,
                    share_of(own_work(scenario, run), scenario.program->guest().process_count())}),
          "what a process computes and pays for its messages"};
}

/// Keeps the first of equals.
void take_greater(std::optional<MakespanBound>& bound, std::optional<MakespanBound> other) {
  if (other && other->makespan > (bound ? bound->makespan : Ticks{0})) {
    bound = std::move(other);
  }
}

/// Bound of a schedule that heeds the time: it sends and computes the same in every run.
std::optional<MakespanBound> schedule_bound(const Scenario& scenario, const ScheduleWork& schedule,
                                            WorkedLinks& links) {
  LinkWork work{*scenario.run_machine};
  for (const ScheduleWork::Sent& sent : schedule.messages) {
    work.on_delivery({.source = sent.from, .destination = sent.to, .bytes = sent.bytes});
  }
  std::optional<MakespanBound> bound =
      links_bound(scenario, schedule.takes_all_messages, work, links);
  if (scenario.jitter.part == 0 && schedule.most_computing > Ticks{0}) {
    take_greater(bound, MakespanBound{schedule.most_computing,
                                      "what a process computes, one thing after the other"});
  }
  return bound;
}

/// Bound by what all cores can compute together.
std::optional<MakespanBound> cores_bound(const Scenario& scenario, const RunReport& run) {
  const NodeModel& node = scenario.machine->node;
  if (!node.cores || scenario.program->uses_host()) {
    return std::nullopt;
  }
  const Int128 cores = Int128{*node.cores} * scenario.machine->topology->usable_count();
  return MakespanBound{share_of(picoseconds(run.compute.total_s), cores),
                       "what the program computes, over all cores"};
}

/// A program whose processes share no variables sends and computes the same in every run.
bool may_be_of_one_program(const Scenario& scenario, const RunReport& least, const RunReport& run) {
  if (least.heeds_time || run.outcome != Outcome::completed) {
    return true;  // one of them has not done everything
  }
  const bool computes_the_same =
      scenario.jitter.part > 0 || may_have_cores_of_ports(scenario) ||
      (least.compute.total_s == run.compute.total_s && least.compute.max == run.compute.max);
  return least.messages == run.messages && least.bytes == run.bytes && computes_the_same;
}

std::optional<MakespanBound> bound_of(const Scenario& scenario, const RunReport* known_run,
                                      WorkedLinks& links) {
  std::optional<MakespanBound> bound = closed_makespan_bound(scenario);
  LinkWork work{*scenario.run_machine};
  const std::optional<RunReport> run = contention_free_run(scenario, &work);
  if (run && known_run != nullptr && !may_be_of_one_program(scenario, *run, *known_run)) {
    return bound;
  }
  if (run) {
    take_greater(bound, reached(*run));
    take_greater(bound, mean_bound(scenario, *run));
    take_greater(bound, links_bound(scenario, run->takes_all_messages, work, links));
    take_greater(bound, work_bound(scenario, *run));
    take_greater(bound, cores_bound(scenario, *run));
  }
  if (!run || run->heeds_time) {
    if (const auto schedule = work_of_schedule(*scenario.program)) {
      take_greater(bound, schedule_bound(scenario, *schedule, links));
    }
  }
  if (scenario.jitter.part == 0) {
    if (const std::optional<Ticks> time =
            least_time_of_graphs(*scenario.program, *scenario.run_machine)) {
      take_greater(bound,
                   MakespanBound{*time,
                                 "the longest chain of operations that require each other, or "
                                 "what a processor computes"});
    }
  }
  return bound;
}

}  // namespace

std::optional<MakespanBound> closed_makespan_bound(const Scenario& scenario) {
  if (!is_uniform_cc(scenario) || scenario.machine->fluid || scenario.jitter.part > 0 ||
      scenario.program->guest().process_count() < 2) {
    return std::nullopt;
  }
  const Params& settings = scenario.program_settings;
  const std::uint64_t message_bytes =
      settings.size_bytes("message", parse_size(cc_default("message")));
  const std::optional<HopTime> hop = uniform_hop(scenario.machine->links, message_bytes);
  if (!hop) {
    return std::nullopt;
  }
  const ExactTime compute = settings.duration("compute", parse_duration(cc_default("compute")));
  const Guest guest = scenario.program->guest();
  const DilationBound dilation =
      dilation_bound(*scenario.machine->topology, guest, scenario.machine->node.slots);
  // The tail of a message inside a node is not behind its head.
  const NodeModel& node = scenario.machine->node;
  const Ticks body =
      node.slots == 1 ? hop->body : std::min(hop->body, hop_time(node.local, message_bytes));
  const Ticks own = round_cost(compute, ExactTime{}, 0) + body;
  return MakespanBound{Ticks{own.count() * guest.dimension_count()} +
                           share_of(Int128{dilation.total_dilation} * hop->advance.count(),
                                    guest.process_count() / 2),
                       dilation.source};
}

std::optional<MakespanBound> makespan_bound(const Scenario& scenario, const RunReport* known_run,
                                            double link_work) {
  WorkedLinks links{link_work};
  return bound_of(scenario, known_run, links);
}

std::vector<MakespanBound> makespan_bounds_over_seeds(Scenario& scenario, std::uint32_t seeds,
                                                      double link_work) {
  const Jitter own = scenario.jitter;
  WorkedLinks links{link_work};
  std::vector<MakespanBound> bounds;
  for (std::uint32_t i = 0; i < seeds; ++i, ++scenario.jitter.seed) {
    std::optional<MakespanBound> bound = bound_of(scenario, nullptr, links);
    if (!bound) {
      bounds.clear();
      break;
    }
    bounds.push_back(*std::move(bound));
  }
  scenario.jitter = own;
  return bounds;
}

}  // namespace dcube
