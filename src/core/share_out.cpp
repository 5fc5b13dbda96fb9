#include "share_out.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace dcube {

void share_out(std::uint32_t tasks, std::uint32_t jobs,
               const std::function<void(std::uint32_t, std::uint32_t)>& work) {
  std::atomic<std::uint32_t> next = 0;
  std::vector<std::exception_ptr> problems(jobs);
  const auto run = [&](std::uint32_t worker) {
    try {
      for (std::uint32_t task = next++; task < tasks; task = next++) {
        work(worker, task);
      }
    } catch (...) {
      problems[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t worker = 1; worker < std::min(jobs, tasks); ++worker) {
      threads.emplace_back(run, worker);
    }
    run(0);
  }
  for (const std::exception_ptr& problem : problems) {
    if (problem) {
      std::rethrow_exception(problem);
    }
  }
}

}  // namespace dcube
