#pragma once

#include <cstdint>
#include <functional>

namespace dcube {

/// Calls `work(worker, task)` once for every task 0 .. tasks-1, with workers 0 .. jobs-1 at a time,
/// each in a thread of its own; worker 0 is the caller. What one throws is thrown when all are
/// done.
void share_out(std::uint32_t tasks, std::uint32_t jobs,
               const std::function<void(std::uint32_t, std::uint32_t)>& work);

}  // namespace dcube
