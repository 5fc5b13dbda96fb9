#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/argument_pointers.hpp"
#include "dcube/engine/simulation.hpp"
#include "engine/simgrid/compat.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

namespace sg4 = simgrid::s4u;

constexpr std::uint32_t corners = 16;  ///< nodes of the machine

/// Every node sends to every other, messages of several sizes, all at once.
struct Parcel {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
};
std::vector<Parcel> all_to_all() {
  std::vector<Parcel> parcels;
  for (std::uint32_t step = 1; step < corners; ++step) {
    for (std::uint32_t from = 0; from < corners; ++from) {
      parcels.push_back(
          {from, (from + step) % corners, std::uint64_t{1000} * (1 + (from * 7 + step * 3) % 11)});
    }
  }
  return parcels;
}

sg4::NetZone* full_zone([[maybe_unused]] sg4::Engine& engine) {
#if SIMGRID_VERSION >= 40000
  return engine.get_netzone_root()->add_netzone_full("all");
#else
  return sg4::create_full_zone("all");
#endif
}

void add_route(sg4::NetZone& zone, sg4::Host* from, sg4::Host* to,
               const std::vector<sg4::LinkInRoute>& route) {
#if SIMGRID_VERSION >= 40000
  zone.add_route(from, to, route, false);
#else
  zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
#endif
}

/// When each message of the machine's all-to-all arrives, in seconds, by a program that is
/// SimGrid's own: hosts, links, declared routes, one actor.
std::vector<double> arrivals_by_simgrid(const Machine& machine, const std::string& model) {
  std::array<std::string, 7> words{"test",
                                   "--log=root.thresh:critical",
                                   "--cfg=network/model:" + model,
                                   "--cfg=network/optim:Full",
                                   "--cfg=network/TCP-gamma:0",
                                   "--cfg=network/crosstraffic:0",
                                   std::string{"--cfg="} + detail::timing_setting + ":1e-13"};
  std::vector<char*> arguments = argument_pointers(words);
  int count = static_cast<int>(words.size());
  sg4::Engine engine{&count, arguments.data()};
  sg4::NetZone* const zone = full_zone(engine);
  const Topology& topology = *machine.topology;
  std::vector<sg4::Host*> hosts;
  for (std::uint32_t node = 0; node < corners; ++node) {
    hosts.push_back(detail::add_host(*zone, "node " + std::to_string(node)));
  }
  std::vector<sg4::Link*> links;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const TransferCost& cost = machine.links.per_dimension[topology.link(LinkId{slot})->dimension];
    links.push_back(detail::add_link(*zone, "link " + std::to_string(slot)));
    links.back()->set_latency(cost.fixed.seconds());
    links.back()->set_bandwidth(1 / cost.per_byte.seconds());
  }
  for (std::uint32_t from = 0; from < corners; ++from) {
    for (std::uint32_t to = 0; to < corners; ++to) {
      std::vector<sg4::LinkInRoute> route;
      for_each_link(topology, NodeId{from}, NodeId{to},
                    [&](LinkId link) { route.emplace_back(links[link.index()]); });
      if (from != to) {
        add_route(*zone, hosts[from], hosts[to], route);
      }
    }
  }
  zone->seal();
  std::vector<double> arrivals;
  detail::add_actor(*hosts[0], "sender", [&] {
    std::vector<sg4::CommPtr> sent;
    for (const Parcel& parcel : all_to_all()) {
      sent.push_back(sg4::Comm::sendto_async(hosts[parcel.from], hosts[parcel.to], parcel.bytes));
    }
    for (const sg4::CommPtr& communication : sent) {
      communication->wait();
    }
    for (const sg4::CommPtr& communication : sent) {
      arrivals.push_back(communication->get_finish_time());
    }
  });
  engine.run();
  return arrivals;
}

/// SimGrid has one engine in an operating-system process, which dcube's runs want for themselves.
std::vector<double> in_child(const Machine& machine, const std::string& model, std::size_t count) {
  std::vector<double> arrivals(count);
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<double> found = arrivals_by_simgrid(machine, model);
    const std::size_t bytes = found.size() * sizeof(double);
    _exit(write(ends[1], found.data(), bytes) == static_cast<ssize_t>(bytes) ? 0 : 1);
  }
  close(ends[1]);
  const std::size_t bytes = count * sizeof(double);
  EXPECT_EQ(read(ends[0], arrivals.data(), bytes), static_cast<ssize_t>(bytes));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return arrivals;
}

class ParcelArrivals final : public Observer {
 public:
  void on_delivery(const Delivery& delivery) override {
    // A process sends one parcel in every step.
    const std::size_t place = std::size_t{delivery.send_number} * corners + delivery.source.index();
    arrivals.resize(std::max(arrivals.size(), place + 1));
    arrivals[place] = delivery.arrival;
  }
  std::vector<Ticks> arrivals;
};

Task<> send_parcels(Process& process) {
  for (const Parcel& parcel : all_to_all()) {
    if (parcel.from == process.rank().index()) {
      process.send(ProcessId{parcel.to}, Payload::of_size(parcel.bytes));
    }
  }
  co_return;
}

class FluidPlatform : public ::testing::TestWithParam<FluidModel> {};

TEST_P(FluidPlatform, OfSimGridsOwnHostsRoutesAndCallsGivesTheSameArrivals) {
  const char* const name = GetParam() == FluidModel::cm02 ? "CM02" : "LV08";
  Machine machine = unit_machine("kind=torus,shape=4x4");
  const ExactTime us{std::chrono::microseconds{1}};
  machine.links.per_dimension = {{us, ExactTime{Ticks{1000}}}, {us + us, ExactTime{Ticks{800}}}};
  machine.fluid = GetParam();
  const std::vector<double> expected = in_child(machine, name, all_to_all().size());
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < corners; ++node) {
    map.emplace_back(node);
  }
  ParcelArrivals parcels;
  simulate({.machine = machine, .map = map, .body = send_parcels, .observer = &parcels});
  ASSERT_EQ(parcels.arrivals.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    constexpr double picosecond = 1e-12;
    ASSERT_NEAR(to_seconds(parcels.arrivals[i]), expected[i], 5 * picosecond) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, FluidPlatform,
                         ::testing::Values(FluidModel::cm02, FluidModel::lv08),
                         [](const auto& test) {
                           return test.param == FluidModel::cm02 ? "CM02" : "LV08";
                         });

}  // namespace
}  // namespace dcube::testing
