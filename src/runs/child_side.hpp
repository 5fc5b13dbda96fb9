#pragma once

#include <cstddef>

#include "dcube/runs/child_batch.hpp"

namespace dcube {

/// What a child's answer begins with; its text follows.
struct AnswerHead {
  std::size_t size = 0;  ///< of the text
  ChildEnd end = ChildEnd::finished;
  ChildLife life = ChildLife::one_job;  ///< many_jobs: the child goes on
};

/// What a child does with its end of the sockets: reads requests and answers them. It does not
/// return, and _exit leaves the parent's buffers and files alone.
[[noreturn]] void live_as_child(const ChildPool::Work& work, ChildLife life, int socket);

}  // namespace dcube
