#include <algorithm>
#include <utility>

#include "dcube/topology/adjacency.hpp"
#include "dcube/trace/trace.hpp"
#include "record_sorter.hpp"
#include "trace_files.hpp"

namespace dcube {

using detail::TraceRecord;

namespace {

std::map<std::pair<NodeId, NodeId>, std::uint32_t> parallel_links_of(const Topology& topology) {
  const Adjacency links = adjacency_of(topology);
  std::map<std::pair<NodeId, NodeId>, std::uint32_t> numbers;
  for (std::uint32_t node = 0; node < links.node_count(); ++node) {
    const std::span<const Exit> exits = links.of(NodeId{node});
    for (auto first = exits.begin(); first != exits.end();) {
      const auto end = std::ranges::upper_bound(first, exits.end(), first->to, {}, &Exit::to);
      if (end - first > 1 && NodeId{node} < first->to) {
        numbers[{NodeId{node}, first->to}] = static_cast<std::uint32_t>(end - first);
      }
      first = end;
    }
  }
  return numbers;
}

}  // namespace

TraceRecorder::TraceRecorder(const Machine& machine, TraceFilter filter,
                             std::span<const TraceTarget> targets)
    : topology_{*machine.topology},
      filter_{std::move(filter)},
      files_{std::make_unique<detail::TraceFiles>(targets)},
      records_{std::make_unique<detail::RecordSorter>(files_->folder())} {}

TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::add(const TraceRecord& record) {
  if (detail::keeps(filter_, record)) {
    records_->add(record);
  }
}

void TraceRecorder::on_interval(const Interval& interval) { add(TraceRecord::of(interval)); }

void TraceRecorder::on_delivery(const Delivery& delivery) { add(TraceRecord::of(delivery)); }

void TraceRecorder::on_hop(const Hop& hop) {
  // The cheap questions come first, because most records of a large run are hops that a filter
  // leaves out.
  if ((filter_.links && filter_.links->empty()) || !filter_.overlaps(hop.arrival, hop.release)) {
    return;
  }
  if (hop.link.index() >= topology_.link_slots()) {
    return;  // injection: its message reaches the first link later, and arrives later
  }
  const Link link = topology_.link(hop.link).value();
  // A trace shows for how long messages have links.
  Hop on_link = hop;
  on_link.finish = hop.release;
  TraceRecord record = TraceRecord::of(on_link, hop.is_reverse ? link.to : link.from,
                                       hop.is_reverse ? link.from : link.to);
  record.is_named_backwards = hop.is_reverse;
  add(record);
}

void TraceRecorder::write(TraceDescription description, const TraceProgress& progress) {
  description.filter = filter_;
  description.parallel_links = parallel_links_of(topology_);
  files_->write(*records_, std::move(description), progress);
}

}  // namespace dcube
