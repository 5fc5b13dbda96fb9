#pragma once

#include <optional>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Tags of messages between two processes that do not match: ascending, each once.
struct TagMismatch {
  std::vector<Tag> sent;     ///< of messages that no receive awaits
  std::vector<Tag> awaited;  ///< by receives that no message answers; at least one
};

/// Compares what `from` sends `to` with what `to` receives from it by name and tag. Nothing where
/// every receive has a message, or one of `to` takes any tag or any source. O(operations of both).
std::optional<TagMismatch> tag_mismatch(const Schedule& schedule, ProcessId from, ProcessId to);
/// The same for a program that is a schedule; nothing for others, nor where `from` is `anyone`.
std::optional<TagMismatch> tag_mismatch(const Program& program, ProcessId from, ProcessId to);

}  // namespace dcube
