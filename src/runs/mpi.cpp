#include "mpi.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>
#include <vector>

#include "core/child_message.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/workload/module.hpp"
#include "modules/mpi_calls.hpp"

// A rank asks for chunks and sends records; rank 0 answers. Every rank has asked for one chunk more
// than it works on, so it need not wait for rank 0, which works on chunks, too. Messages:
//   to rank 0:    'w' id of the cases           a first wish for a chunk
//                 'r' time, then records        results of a chunk, and the next wish
//   from rank 0:  'c' runs                      a chunk
//                 'e'                           there are no more
//                 'x'                           the rank has other cases

namespace dcube {
namespace {

/// Sleep of a rank between looks at its messages. Every rank has a further chunk, of about 50 ms,
/// in hand.
constexpr std::chrono::milliseconds between_looks{5};
constexpr std::chrono::milliseconds when_idle{1};

std::optional<int> number_in_environment(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const char* const text = std::getenv(name)) {
      if (const auto number = parsed<int>(text)) {
        return number;
      }
    }
  }
  return std::nullopt;
}

void check(int error, const char* what) {
  refuse_if(error != 0, ".mpi", "{} (MPI reports an error)", what);
}

struct RecordsHead {
  std::int64_t nanoseconds = 0;
  std::size_t count = 0;
};

/// Rank 0.
class CoordinatorFeed final : public StoreFeed {
 public:
  CoordinatorFeed(MpiRanks& ranks, const Cases& cases, RunStore& store,
                  const SimulationLimits& limits, RecordListener on_record)
      : StoreFeed{cases, store, limits, static_cast<std::size_t>(ranks.count()),
                  std::move(on_record)},
        ranks_{ranks} {}

  bool turn() override {
    while (const auto message = ranks_.receive()) {
      hear(*message);
    }
    const bool goes_on = StoreFeed::turn();
    answer_wishes(goes_on);
    return goes_on || ended_ < ranks_.count() - 1;
  }
  std::chrono::milliseconds patience() const override {
    return is_busy() ? between_looks : when_idle;
  }

 protected:
  bool has_given_away() const override { return given_away_ > 0; }

 private:
  void hear(const MpiRanks::Message& message) {
    ChildReader parts{message.text};
    if (parts.read<char>() == 'w') {
      if (parts.read_text() != cases().id()) {
        ranks_.send(message.from, "x");
        refuse_if(true, ".mpi",
                  "rank {} has read other files than rank 0 (are they the same there?)",
                  message.from);
      }
      wishes_.push_back(message.from);
      return;
    }
    const auto head = parts.read<RecordsHead>();
    std::vector<RecordLine> records;
    for (std::size_t i = 0; i < head.count; ++i) {
      const auto run = parts.read<std::size_t>();
      records.emplace_back(run, parts.read_text());
    }
    given_away_ -= records.size();
    take(std::move(records), std::chrono::nanoseconds{head.nanoseconds});
    wishes_.push_back(message.from);
  }

  void answer_wishes(bool goes_on) {
    while (!wishes_.empty()) {
      const Chunk runs = more();
      if (runs.empty()) {
        break;
      }
      given_away_ += runs.size();
      ranks_.send(wishes_.front(), sent('c', runs));
      wishes_.pop_front();
    }
    if (!goes_on) {
      for (const int rank : wishes_) {
        ranks_.send(rank, sent('e'));
        ended_ += ++ends_[rank] == wishes_of_a_rank ? 1 : 0;
      }
      wishes_.clear();
    }
  }

  static constexpr int wishes_of_a_rank = 2;

  MpiRanks& ranks_;
  std::deque<int> wishes_;  ///< ranks that have asked for a chunk
  std::size_t given_away_ = 0;
  std::map<int, int> ends_;  ///< answers 'e' by rank
  int ended_ = 0;            ///< ranks that have had all of theirs
};

/// Feed of any other rank.
class RankFeed final : public ChunkFeed {
 public:
  RankFeed(MpiRanks& ranks, const Cases& cases) : ChunkFeed{cases}, ranks_{ranks} {
    for (int i = 0; i < wishes_; ++i) {
      ranks_.send(0, sent('w', cases.id()));
    }
  }

  bool turn() override {
    while (const auto message = ranks_.receive()) {
      ChildReader parts{message->text};
      const char kind = parts.read<char>();
      if (kind == 'c') {
        chunks_.push_back(parts.read_list<std::size_t>());
      } else {
        --wishes_;
        refuse_if(kind == 'x', ".mpi", "this rank has read other files than rank 0");
      }
    }
    return wishes_ > 0 || !chunks_.empty() || is_busy();
  }
  std::chrono::milliseconds patience() const override {
    return is_busy() ? between_looks : when_idle;
  }

 protected:
  Chunk more() override {
    if (chunks_.empty()) {
      return {};
    }
    Chunk runs = std::move(chunks_.front());
    chunks_.pop_front();
    left_.push_back({runs.size(), {}, {}});
    return runs;
  }

  /// A chunk is answered as a whole, also where its runs were made one by one.
  void take(std::vector<RecordLine> records, std::chrono::nanoseconds time) override {
    Answer& answer = left_.front();
    answer.time += time;
    std::ranges::move(records, std::back_inserter(answer.records));
    if (answer.records.size() < answer.runs) {
      return;
    }
    std::string message = sent('r', RecordsHead{answer.time.count(), answer.records.size()});
    for (const auto& [run, line] : answer.records) {
      append_sent(message, run);
      append_sent(message, line);
    }
    left_.pop_front();
    ranks_.send(0, message);
  }

 private:
  struct Answer {
    std::size_t runs = 0;
    std::vector<RecordLine> records;
    std::chrono::nanoseconds time{0};
  };

  MpiRanks& ranks_;
  int wishes_ = 2;  ///< chunks that may still come
  std::deque<Chunk> chunks_;
  std::deque<Answer> left_;  ///< chunks that are being worked on: one, as there is one child
};

}  // namespace

bool is_one_of_several_ranks() {
  const auto ranks =
      number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"});
  if (ranks) {
    return *ranks > 1;
  }
  // Slurm's srun with PMIx says the rank, and in its own words how many there are.
  return std::getenv("PMIX_RANK") != nullptr &&
         number_in_environment({"SLURM_STEP_NUM_TASKS"}).value_or(2) > 1;
}

int rank_in_environment() {
  return number_in_environment(
             {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"})
      .value_or(0);
}

MpiRanks::MpiRanks()
    : calls_{reinterpret_cast<DcubeMpiFunction>(load_module({.purpose = "share runs by MPI",
                                                             .file = "dcube-mpi.so",
                                                             .function = "dcube_mpi_1",
                                                             .packages = "libopenmpi-dev"}))()} {
  int rank = 0;
  check(calls_->start(&rank, &count_), "MPI cannot be started");
}

void MpiRanks::send(int to, std::string_view message) {
  check(calls_->send(to, message.data(), message.size()), "a message cannot be sent");
}

std::optional<MpiRanks::Message> MpiRanks::receive() {
  int has_come = 0;
  Message message;
  std::size_t size = 0;
  check(calls_->probe(&has_come, &message.from, &size), "messages cannot be read");
  if (has_come == 0) {
    return std::nullopt;
  }
  message.text.resize(size);
  check(calls_->receive(message.from, message.text.data(), size), "a message cannot be read");
  return message;
}

void MpiRanks::finish() {
  if (std::exchange(is_running_, false)) {
    check(calls_->finish(), "MPI cannot be ended");
  }
}

std::unique_ptr<StoreFeed> coordinator_feed(MpiRanks& ranks, const Cases& cases, RunStore& store,
                                            const SimulationLimits& limits,
                                            RecordListener on_record) {
  return std::make_unique<CoordinatorFeed>(ranks, cases, store, limits, std::move(on_record));
}

std::unique_ptr<JobFeed> rank_feed(MpiRanks& ranks, const Cases& cases) {
  return std::make_unique<RankFeed>(ranks, cases);
}

}  // namespace dcube
