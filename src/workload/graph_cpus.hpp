#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"

namespace dcube {

/// An array that grows on access. Optimised for one element.
template <class Thing>
class Numbered {
 public:
  Thing& operator[](std::size_t number) {
    if (number == 0) [[likely]] {
      return first_;
    }
    if (number > others_.size()) [[unlikely]] {
      others_.resize(number);
    }
    return others_[number - 1];
  }
  /// Needs an element that has been accessed.
  const Thing& operator[](std::size_t number) const {
    return number == 0 ? first_ : others_[number - 1];
  }
  const Thing& front() const { return first_; }
  template <class See>
  void for_each(See&& see) const {
    see(first_);
    std::ranges::for_each(others_, see);
  }

 private:
  Thing first_{};
  std::vector<Thing> others_;
};

/// The cpus and network interfaces of a process, with the instants until which they are busy.
class GraphCpus {
 public:
  struct Interface {
    Ticks send_free{0};
    Ticks receive_free{0};
  };
  Interface& interface(std::uint16_t number) { return interfaces_[number]; }

  Ticks free(std::uint8_t cpu) { return cpus_[cpu].free; }
  // If there is one cpu: free(), and what it does until then.
  Ticks only_free() const { return cpus_.front().free; }
  Activity only_activity() const { return cpus_.front().activity; }
  void occupy(std::uint8_t number, Ticks until, Activity activity) {
    Cpu& cpu = cpus_[number];
    if (until > cpu.free) {
      cpu = {until, activity};
      last_busy_ = std::max(last_busy_, until);
    }
  }

  /// When the next busy cpu becomes free; Ticks::max() if none is busy at `now`.
  Ticks next_free(Ticks now) const {
    Ticks next = Ticks::max();
    cpus_.for_each([&](const Cpu& cpu) {
      if (cpu.free > now) {
        next = std::min(next, cpu.free);
      }
    });
    return next;
  }
  Ticks last_busy() const { return last_busy_; }
  /// Activity of the process: compute if a cpu computes.
  Activity activity(Ticks now) const {
    Activity seen = Activity::waiting;
    cpus_.for_each([&](const Cpu& cpu) {
      if (cpu.free > now && seen != Activity::compute) {
        seen = cpu.activity;
      }
    });
    return seen;
  }

 private:
  struct Cpu {
    Ticks free{0};
    Activity activity = Activity::compute;
  };

  Numbered<Cpu> cpus_;
  Numbered<Interface> interfaces_;
  Ticks last_busy_{0};
};

}  // namespace dcube
