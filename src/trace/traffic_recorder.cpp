#include "dcube/trace/traffic_recorder.hpp"

#include <algorithm>

namespace dcube {

void TrafficRecorder::on_delivery(const Delivery& delivery) {
  const std::uint32_t to = delivery.destination.index();
  if (delivery.source.index() >= sent_.size() || to >= sent_.size()) {
    return;
  }
  std::vector<Sum>& sums = sent_[delivery.source.index()];
  auto sum = std::ranges::lower_bound(sums, to, {}, &Sum::to);
  if (sum == sums.end() || sum->to != to) {
    sum = sums.insert(sum, Sum{.to = to});
  }
  sum->bytes += std::min(delivery.bytes, ~sum->bytes);  // a full counter is refused in the end
  sum->messages += 1;
}

Traffic TrafficRecorder::traffic() const {
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < sent_.size(); ++from) {
    for (const Sum& sum : sent_[from]) {
      flows.push_back({ProcessId{from}, ProcessId{sum.to}, sum.bytes, sum.messages});
    }
  }
  return {static_cast<std::uint32_t>(sent_.size()), std::move(flows)};
}

}  // namespace dcube
