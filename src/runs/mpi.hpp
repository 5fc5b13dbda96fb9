#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store_feed.hpp"

struct DcubeMpiCalls;

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
  const DcubeMpiCalls* calls_;
  bool is_running_ = true;
  int count_ = 1;
};

/// The feed of rank 0, which hands out runs to all ranks, itself included, and keeps their records.
/// Each rank makes runs in a child process of its own.
std::unique_ptr<StoreFeed> coordinator_feed(MpiRanks& ranks, const Cases& cases, RunStore& store,
                                            const SimulationLimits& limits,
                                            RecordListener on_record);
/// The feed of any other rank.
std::unique_ptr<JobFeed> rank_feed(MpiRanks& ranks, const Cases& cases);

}  // namespace dcube
