#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "execute.hpp"

namespace dcube {

/// Whether mpirun, mpiexec or srun has started this process as one of several ranks.
bool is_one_of_several_ranks();
/// Number of this rank, as far as its environment says; 0 otherwise.
int rank_in_environment();

/// The ranks of an MPI program: this process is one of them.
class MpiRanks {
 public:
  /// Loads the module dcube-mpi and starts MPI. Throws InputError without a place.
  MpiRanks();
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks();

  int rank() const { return rank_; }
  int count() const { return count_; }

  void send(int to, std::string_view message);
  struct Message {
    int from = 0;
    std::string text;
  };
  /// The next message that has come; never waits.
  std::optional<Message> receive();

  /// Waits for all ranks and ends MPI. Not to be called after an interrupt, because other ranks
  /// may have died.
  void finish();

 private:
  struct Calls;
  std::unique_ptr<Calls> calls_;
  int rank_ = 0;
  int count_ = 1;
};

/// Executes like execute(), in all ranks: each makes runs in a child process of its own. Rank 0
/// hands them out and keeps the records; `store` is null in the others. False when an interrupt has
/// come.
bool execute_with(MpiRanks& ranks, const Cases& cases, RunStore* store,
                  const ExecutionLimits& limits, const InterruptWatch& interrupt,
                  const std::function<void(const RunsProgress&)>& on_progress);

}  // namespace dcube
