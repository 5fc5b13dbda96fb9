#include "dcube/embedding/traffic.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  if (b > most || a > most - b) {
    throw InputError("", "the traffic adds up to more than 2^63-1 bytes or messages");
  }
  return a + b;
}

/// At most 2^63-1: nothing is computed from it.
std::uint64_t limited_sum(std::uint64_t a, std::uint64_t b) {
  return b > most || a > most - b ? most : a + b;
}

/// Flows sorted by pair, one for each.
template <class Sum>
std::vector<Flow> merged(std::vector<Flow> flows, Sum sum) {
  std::erase_if(flows, [](const Flow& flow) { return flow.bytes == 0 && flow.messages == 0; });
  std::ranges::sort(flows, {}, [](const Flow& flow) { return std::tuple{flow.from, flow.to}; });
  std::size_t count = 0;
  for (const Flow& flow : flows) {
    Flow* const last = count == 0 ? nullptr : &flows[count - 1];
    if (last != nullptr && last->from == flow.from && last->to == flow.to) {
      last->bytes = sum(last->bytes, flow.bytes);
      last->messages = sum(last->messages, flow.messages);
    } else {
      flows[count++] = flow;
    }
  }
  flows.resize(count);
  return flows;
}

}  // namespace

Traffic::Traffic(std::uint32_t process_count, std::vector<Flow> flows)
    : process_count_{process_count} {
  const auto own =
      std::partition(flows.begin(), flows.end(), [](const Flow& f) { return f.from != f.to; });
  own_flows_ = merged({own, flows.end()}, limited_sum);
  flows.erase(own, flows.end());
  flows_ = merged(std::move(flows), sum);
  for (const Flow& flow : flows_) {
    expects(std::max(flow.from, flow.to).index() < process_count, "a flow joins two processes");
    total_bytes_ = sum(total_bytes_, flow.bytes);
  }
}

std::uint64_t Traffic::own_bytes() const {
  std::uint64_t bytes = 0;
  for (const Flow& flow : own_flows_) {
    bytes = limited_sum(bytes, flow.bytes);
  }
  return bytes;
}

Traffic Traffic::of(const Guest& guest, std::span<const std::uint64_t> weights) {
  expects(weights.size() == guest.dimension_count(), "every guest dimension has a weight");
  const std::uint64_t most_flows = std::uint64_t{guest.process_count()} * guest.dimension_count() *
                                   (guest.kind() == Guest::Kind::cube ? 1 : 2);
  expect_fits_in_memory("the traffic", most_flows * sizeof(Flow));
  std::vector<Flow> flows;
  flows.reserve(most_flows);
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for (std::uint32_t label = 0; label < guest.process_count(); ++label) {
      if (const auto partner = guest.partner(ProcessId{label}, dimension)) {
        flows.push_back({ProcessId{label}, *partner, weights[dimension], 1});
        flows.push_back({*partner, ProcessId{label}, weights[dimension], 1});
      }
    }
  }
  return {guest.process_count(), std::move(flows)};
}

Traffic Traffic::of(const Guest& guest) {
  return of(guest, std::vector<std::uint64_t>(guest.dimension_count(), 1));
}

}  // namespace dcube
