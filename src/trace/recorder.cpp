#include <utility>

#include "dcube/trace/trace.hpp"
#include "record_sorter.hpp"
#include "trace_files.hpp"

namespace dcube {

using detail::TraceRecord;

TraceRecorder::TraceRecorder(const Machine& machine, TraceFilter filter,
                             std::span<const TraceTarget> targets)
    : topology_{*machine.topology},
      is_half_duplex_{machine.links.duplex == Duplex::half},
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
  if ((filter_.links && filter_.links->empty()) || !filter_.overlaps(hop.arrival, hop.finish)) {
    return;
  }
  if (hop.link.index() >= topology_.link_slots()) {
    return;  // injection: its message reaches the first link later, and arrives later
  }
  const Link link = topology_.link(hop.link).value();
  // On a half-duplex machine one number stands for both directions. The message goes to the node
  // that is nearer to its destination.
  const bool is_backwards = is_half_duplex_ && topology_.distance(link.from, hop.to) <
                                                   topology_.distance(link.to, hop.to);
  TraceRecord record =
      TraceRecord::of(hop, is_backwards ? link.to : link.from, is_backwards ? link.from : link.to);
  record.is_named_backwards = is_backwards;
  add(record);
}

void TraceRecorder::write(TraceDescription description, const TraceProgress& progress) {
  description.filter = filter_;
  files_->write(*records_, std::move(description), progress);
}

}  // namespace dcube
