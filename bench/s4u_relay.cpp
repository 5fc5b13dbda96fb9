// What would the CC d-cube algorithm on a square torus cost, written by hand with s4u? Standard
// embedding; one run; prints one line of JSON.
//
// Every directed link is an s4u::Link, the one-link route between two neighbouring hosts, and has a
// mailbox. A relay actor at its far end takes one message at a time from the mailbox, which is the
// link's queue; the Comm that brings it there is the hop. Then the relay puts the message into the
// mailbox of the next link, or hands it to the process it is for.

#include <xbt/log.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/random.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"
#include "peak_memory.hpp"

namespace {

using namespace dcube;
namespace sg4 = simgrid::s4u;

enum class Compute { uniform, random };

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t message_bytes = 1;
constexpr double link_bandwidth = 1;  ///< bytes a second: a hop takes 1 s

struct Message {
  std::uint32_t to_process;
};

/// 1 s, or between 0.5 s and 1.5 s: drawn as the simulator's own program draws it.
Ticks compute_time(Compute compute, ProcessId process, std::uint32_t stage) {
  const Ticks least = std::chrono::milliseconds{500};
  const Ticks range = std::chrono::seconds{1};
  if (compute == Compute::uniform) {
    return std::chrono::seconds{1};
  }
  const std::uint64_t hash = hash_of(seed, process.index(), stage);
  return least + Ticks{static_cast<Ticks::rep>(
                     bounded(hash, static_cast<std::uint64_t>(range.count()) + 1))};
}

/// The machine, the relays and the processes of one run.
class RelaySimulation {
 public:
  RelaySimulation(const Topology& topology, std::vector<NodeId> map, Compute compute)
      : topology_{topology},
        map_{std::move(map)},
        compute_{compute},
        stages_{static_cast<std::uint32_t>(std::countr_zero(map_.size()))},
        pair_ready_(map_.size() * stages_),
        arrived_(map_.size()) {}

  void build() {
    sg4::NetZone* const zone = sg4::create_full_zone("torus");
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      hosts_.push_back(zone->create_host("node-" + std::to_string(node), 1.0));
    }
    for (std::uint32_t link = 0; link < topology_.link_slots(); ++link) {
      add_link(*zone, LinkId{link});
    }
    zone->seal();
    add_relays();
    add_processes();
  }

  std::uint64_t hops() const { return hops_; }

 private:
  void add_link(sg4::NetZone& zone, LinkId number) {
    const std::string name = "link-" + std::to_string(number.index());
    const Link ends = topology_.link(number).value();
    sg4::Link* const link = zone.create_link(name, link_bandwidth)->set_latency(0)->seal();
    zone.add_route(hosts_[ends.from.index()]->get_netpoint(),
                   hosts_[ends.to.index()]->get_netpoint(), nullptr, nullptr,
                   {sg4::LinkInRoute{link}}, false);
    mailboxes_.push_back(sg4::Mailbox::by_name(name));
  }

  void add_relays() {
    for (std::uint32_t link = 0; link < topology_.link_slots(); ++link) {
      const NodeId end = topology_.link(LinkId{link}).value().to;
      sg4::Actor::create("relay-" + std::to_string(link), hosts_[end.index()], [this, link, end] {
        relay(*mailboxes_[link], end);
      })->daemonize();
    }
  }

  void add_processes() {
    for (std::uint32_t rank = 0; rank < map_.size(); ++rank) {
      arrived_[rank] = sg4::Semaphore::create(0);
      for (std::uint32_t stage = 0; stage < stages_; ++stage) {
        if (partner(rank, stage) > rank) {
          pair_ready_[barrier_index(rank, stage)] = sg4::Barrier::create(2);
        }
      }
      sg4::Actor::create("process-" + std::to_string(rank), hosts_[map_[rank].index()],
                         [this, rank] { run_process(rank); });
    }
  }

  void relay(sg4::Mailbox& mailbox, NodeId here) {
    while (true) {
      auto message = mailbox.get_unique<Message>();
      ++hops_;
      if (map_[message->to_process] == here) {
        arrived_[message->to_process]->release();
      } else {
        forward(here, std::move(message));
      }
    }
  }

  void forward(NodeId here, std::unique_ptr<Message> message) {
    const LinkId next = topology_.next_run(here, map_[message->to_process]).first;
    mailboxes_[next.index()]->put_init(message.release(), message_bytes)->detach();
  }

  void run_process(std::uint32_t rank) {
    for (std::uint32_t stage = 0; stage < stages_; ++stage) {
      sg4::this_actor::sleep_for(to_seconds(compute_time(compute_, ProcessId{rank}, stage)));
      const std::uint32_t other = partner(rank, stage);
      pair_ready_[barrier_index(std::min(rank, other), stage)]->wait();
      forward(map_[rank], std::make_unique<Message>(Message{other}));
      arrived_[rank]->acquire();
    }
  }

  static std::uint32_t partner(std::uint32_t rank, std::uint32_t stage) {
    return rank ^ (1U << stage);
  }
  std::size_t barrier_index(std::uint32_t lower_rank, std::uint32_t stage) const {
    return std::size_t{lower_rank} * stages_ + stage;
  }

  const Topology& topology_;
  std::vector<NodeId> map_;
  Compute compute_;
  std::uint32_t stages_;
  std::vector<sg4::Host*> hosts_;
  std::vector<sg4::Mailbox*> mailboxes_;     ///< [LinkId]
  std::vector<sg4::BarrierPtr> pair_ready_;  ///< [lower rank of the pair, stage]
  std::vector<sg4::SemaphorePtr> arrived_;   ///< [rank]
  std::uint64_t hops_ = 0;
};

/// A hop takes exactly bytes / bandwidth, whatever the other links do.
void configure() {
  xbt_log_control_set("xbt_cfg.thres:warning");
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("contexts/stack-size:64");
}

/// Without contention, which messages of the standard embedding meet only when stages take random
/// times.
double recurrence(const Topology& topology, const std::vector<NodeId>& map) {
  const Ticks second = std::chrono::seconds{1};
  return to_seconds(predict_cc(topology, map, second, second).makespan);
}

int run(sg4::Engine& engine, const std::string& side, Compute compute) {
  const auto torus = make_topology(Params::parse("kind=torus,shape=" + side + "x" + side));
  const Guest cube = Guest::cube(static_cast<std::uint32_t>(std::countr_zero(torus->node_count())));
  const auto map = make_embedding(*torus, cube, Params::parse("kind=standard"))->map();
  RelaySimulation simulation{*torus, map, compute};

  const auto begin = std::chrono::steady_clock::now();
  simulation.build();
  engine.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

  const double makespan = sg4::Engine::get_clock();
  std::printf("{\"makespan_s\": %.17g, \"hops\": %llu, \"wall_s\": %.9g, \"peak_memory\": %.0f}\n",
              makespan, static_cast<unsigned long long>(simulation.hops()), wall.count(),
              bench::peak_memory_bytes());
  std::fflush(stdout);
  if (compute == Compute::uniform && makespan != recurrence(*torus, map)) {
    std::fprintf(stderr, "s4u_relay: the recurrence gives %.17g s\n", recurrence(*torus, map));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine{&argc, argv};
  const std::string compute = argc == 3 ? argv[2] : "";
  if (compute != "uniform" && compute != "random") {
    std::fputs("usage: s4u_relay SIDE uniform|random\n", stderr);
    return 2;
  }
  configure();
  int status = 2;
  try {
    status = run(engine, argv[1], compute == "random" ? Compute::random : Compute::uniform);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "s4u_relay: %s\n", error.what());
  }
  // Tearing down a hundred thousand kernel objects is of no interest.
  std::_Exit(status);
}
