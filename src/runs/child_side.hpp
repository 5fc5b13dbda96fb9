#pragma once

#include <cstddef>

#include "dcube/runs/child_batch.hpp"

namespace dcube {

/// Head of a child's answer; its text follows.
struct AnswerHead {
  std::size_t size = 0;  ///< of the text
  ChildEnd end = ChildEnd::finished;
  ChildLife life = ChildLife::one_job;  ///< many_jobs: the child goes on
};

/// Main loop of a child: reads requests from its socket and answers them. It does not return, and
/// _exit leaves the parent's buffers and files alone.
[[noreturn]] void live_as_child(const ChildPool::Work& work, ChildLife life, int socket);

}  // namespace dcube
