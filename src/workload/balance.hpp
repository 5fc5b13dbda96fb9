#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Throws InputError at `file`, naming sender and receiver, when a process is sent more messages
/// than it receives. Otherwise a mismatch ends in a deadlock that names who waits for whom.
void expect_as_many_receives(const Schedule& schedule, const std::string& file);

/// Messages sent minus messages received, by sender and receiver.
using OpenMessages = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

/// Throws InputError when a pair has more messages sent than received; for readers that count them.
void expect_as_many_receives(const OpenMessages& open,
                             const std::function<std::string(std::uint32_t sender)>& file_of);

}  // namespace dcube
