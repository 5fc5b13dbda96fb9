#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube {

/// A message from every node of one task to its partner in another.
struct TaskMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
};

/// Reads "messages", [[from task, to task, bytes], ..]: at least `least`, between `tasks` tasks.
/// `bytes` reads the setting "2" of a message. Throws InputError.
std::vector<TaskMessage> read_task_messages(const Params& settings, std::size_t tasks,
                                            std::size_t least,
                                            std::uint64_t (*bytes)(const Params& message));

}  // namespace dcube
