#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Throws InputError at `file` when a process is sent more messages than it receives, naming it and
/// a sender. When it receives more, or as many others, the run ends in a deadlock, which names who
/// waits for whom.
void expect_as_many_receives(const Schedule& schedule, const std::string& file);

/// Messages sent and not received, by sender and receiver.
using OpenMessages = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

/// The same of messages that a reader has counted, of each pair by itself.
void expect_as_many_receives(const OpenMessages& open,
                             const std::function<std::string(std::uint32_t sender)>& file_of);

}  // namespace dcube
