#pragma once

#include <string>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Throws InputError at `file` when a process is sent more messages than it receives, naming it and
/// a sender. When it receives more, or as many others, the run ends in a deadlock, which names who
/// waits for whom.
void expect_as_many_receives(const Schedule& schedule, const std::string& file);

}  // namespace dcube
