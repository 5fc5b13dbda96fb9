#pragma once

#include <queue>
#include <vector>

#include "record.hpp"

namespace dcube::detail {

/// Holds records that have begun, and hands them out in order of their end. It holds those that are
/// under way, however long the trace is. Records that end together come in the order of records.
class Ends {
 public:
  void add(const TraceRecord& record) { records_.push(record); }
  /// Hands out the records that end at `time` or before.
  template <class Use>
  void pop_until(Ticks time, Use use) {
    while (!records_.empty() && records_.top().end <= time) {
      const TraceRecord record = records_.top();
      records_.pop();
      use(record);
    }
  }

 private:
  struct EndsLater {
    bool operator()(const TraceRecord& a, const TraceRecord& b) const {
      return a.end != b.end ? a.end > b.end : b < a;
    }
  };
  std::priority_queue<TraceRecord, std::vector<TraceRecord>, EndsLater> records_;
};

}  // namespace dcube::detail
