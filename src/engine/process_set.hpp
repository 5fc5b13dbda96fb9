#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"

namespace dcube::detail {

/// A set of processes in the order of insertion.
class ProcessSet {
 public:
  bool is_empty() const { return members_.empty(); }
  const std::vector<ProcessId>& members() const { return members_; }

  void insert(ProcessId process) {
    if (process.index() >= is_member_.size()) {
      is_member_.resize(process.index() + 1);
    }
    if (!is_member_[process.index()]) {
      is_member_[process.index()] = true;
      members_.push_back(process);
    }
  }
  void insert(std::span<const ProcessId> processes) {
    for (const ProcessId process : processes) {
      insert(process);
    }
  }
  void clear() {
    for (const ProcessId process : members_) {
      is_member_[process.index()] = false;
    }
    members_.clear();
  }

 private:
  std::vector<ProcessId> members_;
  std::vector<char> is_member_;  ///< [process]
};

}  // namespace dcube::detail
