#include "chunk_feed.hpp"

#include <algorithm>

#include "core/child_message.hpp"
#include "dcube/engine/simulator.hpp"
#include "dcube/runs/make_record.hpp"
#include "record_text.hpp"

namespace dcube {
namespace {

constexpr std::size_t most_in_chunk = 256;
constexpr std::chrono::nanoseconds time_of_chunk = std::chrono::milliseconds{50};

}  // namespace

ChildPool::Work chunk_work(const Cases& cases) {
  load_simulator();
  return [&cases](std::string_view request) {
    std::string answer;
    for (const std::size_t run : ChildReader{request}.read_list<std::size_t>()) {
      append_sent(answer, record_text(cases.make(run)));
    }
    return answer;
  };
}

ChunkSize::ChunkSize(std::optional<std::chrono::nanoseconds> timeout)
    : longest_{timeout ? std::min(time_of_chunk, *timeout / 4) : time_of_chunk} {}

void ChunkSize::add(std::size_t runs, std::chrono::nanoseconds time) {
  mean_ = time / runs;
  const auto fitting =
      static_cast<std::size_t>(longest_ / std::max(mean_, std::chrono::nanoseconds{1000}));
  value_ = std::clamp<std::size_t>(fitting, 1, std::min(most_in_chunk, 4 * value_));
}

std::optional<std::string> ChunkFeed::next() {
  Chunk runs;
  if (!single_.empty()) {
    runs = {single_.front()};
    single_.pop_front();
  } else {
    runs = more();
  }
  if (runs.empty()) {
    return std::nullopt;
  }
  std::string request = sent(runs);
  given_.emplace(jobs_++, Given{std::move(runs), std::chrono::steady_clock::now()});
  return request;
}

void ChunkFeed::end(std::size_t number, ChildResult result) {
  const Given given = std::move(given_.at(number));
  given_.erase(number);
  if (result.end == ChildEnd::interrupted) {
    return;
  }
  if (result.end != ChildEnd::finished && given.runs.size() > 1) {
    single_.insert(single_.end(), given.runs.begin(), given.runs.end());
    return;
  }
  const auto time = std::chrono::steady_clock::now() - given.begin;
  std::vector<RecordLine> records;
  if (result.end == ChildEnd::finished) {
    ChildReader answer{result.output};
    for (const std::size_t run : given.runs) {
      records.emplace_back(run, answer.read_text());
    }
  } else {
    const std::size_t run = given.runs.front();
    RunRecord record = failed_run(cases_, run, outcome_of(result.end), result.problem);
    record.lacked_memory = result.end == ChildEnd::out_of_memory;
    if (result.end == ChildEnd::timed_out) {
      record.tried_s = std::chrono::duration<double>(time).count();
    }
    records.emplace_back(run, record_text(record));
  }
  take(std::move(records), time);
}

}  // namespace dcube
