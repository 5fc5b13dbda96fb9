#include "balance.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/workload/tag_mismatch.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

bool sends(const Operation& operation) {
  return operation.kind == Kind::send || operation.kind == Kind::post_send;
}
bool receives(const Operation& operation) {
  return operation.kind == Kind::receive || operation.kind == Kind::post_receive;
}

[[noreturn]] void refuse(const std::string& file, std::uint32_t sender, std::uint32_t receiver,
                         std::int64_t messages) {
  throw InputError(file,
                   fmt::format("rank {} sends rank {} {} more than that receives from it", sender,
                               receiver, counted(static_cast<std::uint64_t>(messages), "message")));
}

/// Throws for the first process that sends more to `receiver` than it receives by name.
[[noreturn]] void refuse(const Schedule& schedule, std::uint32_t receiver, std::int64_t missing,
                         const std::string& file) {
  std::vector<std::int64_t> open(schedule.processes.size(), 0);
  for (std::uint32_t rank = 0; rank < schedule.processes.size(); ++rank) {
    for (const Operation& operation : schedule.processes[rank]) {
      if (sends(operation) && operation.peer.index() == receiver) {
        ++open[rank];
      } else if (rank == receiver && receives(operation) && operation.peer != anyone) {
        --open[operation.peer.index()];
      }
    }
  }
  std::uint32_t sender = 0;
  while (open[sender] <= 0) {
    ++sender;
  }
  refuse(file, sender, receiver, missing);
}

}  // namespace

void expect_as_many_receives(const Schedule& schedule, const std::string& file) {
  std::vector<std::int64_t> open(schedule.processes.size(), 0);
  for (std::uint32_t rank = 0; rank < schedule.processes.size(); ++rank) {
    for (const Operation& operation : schedule.processes[rank]) {
      if (sends(operation)) {
        ++open[operation.peer.index()];
      } else if (receives(operation)) {
        --open[rank];
      }
    }
  }
  for (std::uint32_t receiver = 0; receiver < open.size(); ++receiver) {
    if (open[receiver] > 0) {
      refuse(schedule, receiver, open[receiver], file);
    }
  }
}

std::optional<TagMismatch> tag_mismatch(const Schedule& schedule, ProcessId from, ProcessId to) {
  std::map<Tag, std::int64_t> open;  // messages sent minus messages received
  for (const Operation& operation : schedule.processes.at(from.index())) {
    if (sends(operation) && operation.peer == to) {
      ++open[operation.tag];
    }
  }
  for (const Operation& operation : schedule.processes.at(to.index())) {
    if (!receives(operation)) {
      continue;
    }
    if (operation.peer == anyone || operation.tag == any_tag) {
      return std::nullopt;
    }
    if (operation.peer == from) {
      --open[operation.tag];
    }
  }
  TagMismatch mismatch;
  for (const auto& [tag, messages] : open) {
    if (messages != 0) {
      (messages > 0 ? mismatch.sent : mismatch.awaited).push_back(tag);
    }
  }
  return mismatch.awaited.empty() ? std::nullopt : std::optional{std::move(mismatch)};
}

void expect_as_many_receives(const OpenMessages& open,
                             const std::function<std::string(std::uint32_t)>& file_of) {
  for (const auto& [pair, messages] : open) {
    if (messages > 0) {
      refuse(file_of(pair.first), pair.first, pair.second, messages);
    }
  }
}

}  // namespace dcube
