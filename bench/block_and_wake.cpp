// What does it cost to block a process and wake it again? SimGrid alone: a model, as the engine's
// network is one, wakes either actors that suspend, or one actor that resumes coroutines. One run;
// prints one line of JSON.

#include <xbt/log.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/engine/task.hpp"
#include "engine/simgrid/compat.hpp"
#include "peak_memory.hpp"

namespace {

using namespace dcube;
namespace sg4 = simgrid::s4u;
using Clock = std::chrono::steady_clock;

/// Calls `wake` once a second of simulated time, and at the end knows how long that took.
class Alarm final : public simgrid::kernel::resource::Model {
 public:
  Alarm(std::uint64_t rings, std::function<void()> wake)
      : Model("alarm"), rings_left_{rings}, wake_{std::move(wake)} {}

  bool next_occurring_event_is_idempotent() override { return false; }
  double next_occurring_event(double /*others*/) override {
    // By now all that ran has blocked again.
    end_ = Clock::now();
    if (begin_ == Clock::time_point{}) {
      begin_ = end_;
    }
    return rings_left_ > 0 ? 1 : -1;
  }
  void update_actions_state(double /*now*/, double /*delta*/) override {
    --rings_left_;
    wake_();
  }

  double wall_s() const { return std::chrono::duration<double>(end_ - begin_).count(); }

 private:
  std::uint64_t rings_left_;
  std::function<void()> wake_;
  Clock::time_point begin_;
  Clock::time_point end_;
};

/// Lets the engine run; wall time of all rounds.
double ring(sg4::Engine& engine, std::uint64_t rounds, std::function<void()> wake) {
  const auto alarm = std::make_shared<Alarm>(rounds, std::move(wake));
  engine.add_model(alarm);
  engine.run();
  return alarm->wall_s();
}

/// As many wakes at a time as the engine asks for.
constexpr std::uint64_t batch = 1024;

double wake_actors(sg4::Engine& engine, sg4::Host& host, std::uint64_t count,
                   std::uint64_t rounds) {
  std::vector<sg4::ActorPtr> actors;
  for (std::uint64_t i = 0; i < count; ++i) {
    actors.push_back(detail::add_actor(host, std::to_string(i), [rounds] {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        sg4::this_actor::suspend();
      }
    }));
  }
  std::uint64_t next = 0;
  const std::uint64_t batches = (count + batch - 1) / batch;
  return ring(engine, rounds * batches, [&actors, &next] {
    const std::uint64_t end = std::min<std::uint64_t>(next + batch, actors.size());
    for (; next < end; ++next) {
      actors[next]->resume();
    }
    next %= actors.size();
  });
}

Task<> sleep_often(std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    co_await std::suspend_always{};
  }
}

double wake_coroutines(sg4::Engine& engine, sg4::Host& host, std::uint64_t count,
                       std::uint64_t rounds) {
  std::vector<Task<>> sleepers;
  for (std::uint64_t i = 0; i < count; ++i) {
    sleepers.push_back(sleep_often(rounds));
  }
  const auto resume_all = [&sleepers] {
    for (const Task<>& sleeper : sleepers) {
      sleeper.handle().resume();
    }
  };
  const sg4::ActorPtr conductor = detail::add_actor(host, "conductor", [rounds, &resume_all] {
    resume_all();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      sg4::this_actor::suspend();
      resume_all();
    }
  });
  return ring(engine, rounds, [&conductor] { conductor->resume(); });
}

/// Small stacks without guard pages, as the engine sets them.
void configure() {
  xbt_log_control_set("xbt_cfg.thres:warning");
  sg4::Engine::set_config("contexts/stack-size:8");
  sg4::Engine::set_config("contexts/guard-size:0");
}

int run(sg4::Engine& engine, std::uint64_t count, bool are_actors) {
  constexpr std::uint64_t actor_wakes = std::uint64_t{1} << 21;
  constexpr std::uint64_t coroutine_wakes = std::uint64_t{1} << 26;
  configure();
  sg4::NetZone* const zone = detail::add_empty_zone(engine, "machine");
  sg4::Host* const host = detail::add_host(*zone, "host");
  zone->seal();

  const double base = bench::peak_memory_bytes();
  const std::uint64_t rounds = (are_actors ? actor_wakes : coroutine_wakes) / count;
  const auto wake = are_actors ? wake_actors : wake_coroutines;
  const double wall_s = wake(engine, *host, count, rounds);
  const double memory = bench::peak_memory_bytes() - base;
  std::printf("{\"wakes\": %llu, \"wall_s\": %.9g, \"bytes_each\": %.6g}\n",
              static_cast<unsigned long long>(rounds * count), wall_s,
              memory / static_cast<double>(count));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[2] : "";
  const std::uint64_t count = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (count == 0 || (kind != "suspend" && kind != "coroutine")) {
    std::fputs("usage: block_and_wake COUNT suspend|coroutine\n", stderr);
    return 2;
  }
  int engine_argc = 1;
  sg4::Engine engine{&engine_argc, argv};
  int status = 2;
  try {
    status = run(engine, count, kind == "suspend");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "block_and_wake: %s\n", error.what());
  }
  // Tearing down so many kernel objects is of no interest.
  std::_Exit(status);
}
