#include "dcube/program/task_messages.hpp"

#include <fmt/format.h>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

std::vector<TaskMessage> read_task_messages(const Params& settings, std::size_t tasks,
                                            std::size_t least,
                                            std::uint64_t (*bytes)(const Params& message)) {
  const auto last = static_cast<std::int64_t>(tasks) - 1;
  const std::string task = fmt::format("a task (0 to {})", last);
  std::vector<TaskMessage> messages;
  for (const Setting& entry : settings.list("messages", "messages [from, to, bytes]", least)) {
    const std::string place = settings.place_of("messages", messages.size());
    if (entry.list() == nullptr || entry.list()->size() != 3) {
      throw InputError(place, entry.describe() + " is not a message [from task, to task, bytes]");
    }
    const Params message = Params::of_entries(*entry.list(), place);
    const auto from = static_cast<std::uint32_t>(message.integer("0", 0, last, task));
    const auto to = static_cast<std::uint32_t>(message.integer("1", 0, last, task));
    messages.push_back({from, to, bytes(message)});
    refuse_if(from == to, place, "task {} sends to itself (which needs no network)", from);
  }
  return messages;
}

}  // namespace dcube
