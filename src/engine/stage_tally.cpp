#include "stage_tally.hpp"

#include <algorithm>

#include "time_sum.hpp"

namespace dcube::detail {

StageTally::StageTally(std::uint32_t stage_count, std::size_t process_count)
    : rows_(std::size_t{stage_count} + 1), since_(process_count) {
  for (Row& row : rows_) {
    row.stays.resize(process_count);
  }
}

std::vector<StageCosts> StageTally::costs() const {
  std::vector<StageCosts> all;
  for (const Row& row : rows_) {
    StageCosts& costs = all.emplace_back();
    TimeSum time;
    Int128 left = 0;
    for (const Stay& stay : row.stays) {
      time.add(stay.time);
      costs.iterations = std::max(costs.iterations, stay.times);
      left += stay.time.count();
    }
    costs.time = time.summary(row.stays.size());
    for (std::size_t activity = 0; activity < tallied; ++activity) {
      costs.total_s.at(activity) = to_seconds(row.time.at(activity));
      left -= row.time.at(activity);
    }
    costs.total_s.at(static_cast<std::size_t>(Activity::communication)) = to_seconds(left);
    costs.messages = row.messages;
    costs.bytes = row.bytes;
    costs.queued_hops = row.queued;
    costs.queued_s = to_seconds(row.queued_ticks);
  }
  return all;
}

}  // namespace dcube::detail
