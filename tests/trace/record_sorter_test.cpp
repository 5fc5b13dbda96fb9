#include "trace/record_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dcube/core/random.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube::detail {
namespace {

std::vector<TraceRecord> random_records(std::size_t count, std::uint64_t seed) {
  SplitMix64 random{seed};
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(bounded(random.next(), bound));
  };
  std::vector<TraceRecord> records(count);
  for (TraceRecord& record : records) {
    record.begin = Ticks{below(50)};  // ties are frequent
    record.kind = static_cast<RecordKind>(below(3));
    record.words = {below(4), below(4), below(4), below(4), below(4)};
    record.end = record.begin + Ticks{below(10)};
  }
  return records;
}

std::vector<TraceRecord> sorted(const std::vector<TraceRecord>& records, std::size_t capacity) {
  const TemporaryFolder folder;
  RecordSorter sorter{folder.path(), capacity};
  for (const TraceRecord& record : records) {
    sorter.add(record);
  }
  EXPECT_EQ(sorter.size(), records.size());
  std::vector<TraceRecord> result;
  sorter.visit([&](const TraceRecord& record) { result.push_back(record); });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  return result;
}

TEST(RecordSorter, GivesTheSameOrderWhateverFitsInMemory) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 64U, 1000U}) {
    std::vector<TraceRecord> records = random_records(count, count);
    std::vector<TraceRecord> expected = records;
    std::sort(expected.begin(), expected.end());
    for (const std::size_t capacity : {1U, 2U, 8U, 33U, 10'000U}) {
      EXPECT_EQ(sorted(records, capacity), expected) << count << " by " << capacity;
    }
  }
}

TEST(RecordSorter, CountsKindsAndKnowsTheLatestEnd) {
  const TemporaryFolder folder;
  RecordSorter sorter{folder.path(), 2};
  TraceRecord record;
  for (const RecordKind kind : {RecordKind::hop, RecordKind::message, RecordKind::hop}) {
    record.kind = kind;
    record.end += Ticks{5};
    sorter.add(record);
  }
  record.end = Ticks{3};
  sorter.add(record);
  EXPECT_EQ(sorter.count(RecordKind::interval), 0U);
  EXPECT_EQ(sorter.count(RecordKind::hop), 3U);
  EXPECT_EQ(sorter.count(RecordKind::message), 1U);
  EXPECT_EQ(sorter.last_end(), Ticks{15});
}

}  // namespace
}  // namespace dcube::detail
