#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "record.hpp"

namespace dcube::detail {

/// Records that have begun, handed out again by their end: as many as are under way at an instant,
/// however long the trace is. Those that end together come in the order of records.
class Ends {
 public:
  void add(const TraceRecord& record) { records_.push(record); }
  /// Hands out those that end at `time` or before.
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
