#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/trace/filter.hpp"

namespace dcube {

class WholeFile;

/// Description of the run in a trace, so that a reader needs nothing else.
struct TraceDescription {
  std::string machine;
  std::string topology;              ///< kind: "torus"
  std::vector<std::uint32_t> shape;  ///< nodes per dimension
  std::uint32_t nodes = 0;           ///< without the host computer
  std::uint32_t slots = 1;           ///< processes that a node hosts at most
  Duplex duplex = Duplex::full;
  Contention contention = Contention::on;
  std::optional<std::uint64_t> packet_bytes;  ///< hops are those of packets
  /// Number of links between two nodes, the lower first, where there are several: hops do not say
  /// which they crossed. Recorders of traces fill it in.
  std::map<std::pair<NodeId, NodeId>, std::uint32_t> parallel_links;
  /// The last process runs on a host computer beside the network, whose node number is `nodes`.
  bool has_host = false;
  std::string embedding;  ///< kind
  std::string program;    ///< kind
  std::uint32_t processes = 0;
  std::uint32_t stages = 0;
  std::vector<std::string> stage_names;  ///< of the stages, or none
  std::string outcome;
  Ticks makespan{0};
  /// The makespan, or the later arrival of a message that nobody received. Writers of traces fill
  /// it in.
  Ticks end{0};
  std::vector<NodeId> map;  ///< node of each process; may be empty
  TraceFilter filter;

  // How many records of each kind the trace holds.
  std::uint64_t intervals = 0;
  std::uint64_t hops = 0;
  std::uint64_t messages = 0;

  friend bool operator==(const TraceDescription&, const TraceDescription&) = default;
};

namespace detail {
class RecordSorter;
class TraceFiles;
class TraceWriter;
struct TraceRecord;
}  // namespace detail

/// An entry of the catalogue.
struct TraceFormat {
  std::string name;
  std::string help;
  std::string example;
  std::unique_ptr<detail::TraceWriter> (*make)(WholeFile&, const TraceDescription&);
};

/// Every format, sorted by name.
std::span<const TraceFormat* const> trace_catalog();

/// A trace to write.
struct TraceTarget {
  const TraceFormat* format = nullptr;
  std::filesystem::path file;
};

/// Called with the number of records written, of `total`.
using TraceProgress = std::function<void(std::uint64_t written, std::uint64_t total)>;

/// Writes traces of a run, all from the same records. It collects the records during the run and
/// orders them by time afterwards, so the files depend on the simulated events only. Memory is
/// bounded; records beyond the bound go to a temporary file in the first target's folder, 56 bytes
/// each.
///
/// Every function throws InputError when a file cannot be written. The files appear when write()
/// returns, and not at all after an error.
class TraceRecorder final : public Observer {
 public:
  /// Opens the files of the targets; there must be at least one. The machine must outlive the
  /// recorder.
  TraceRecorder(const Machine& machine, TraceFilter filter, std::span<const TraceTarget> targets);
  ~TraceRecorder() override;

  /// The engine need not report hops one by one when the filter leaves out all of them.
  HopReports hop_reports() const override {
    return filter_.links && filter_.links->empty() ? HopReports::queued : HopReports::all;
  }
  void on_interval(const Interval& interval) override;
  void on_hop(const Hop& hop) override;
  void on_delivery(const Delivery& delivery) override;

  /// Writes the files after the run. Fills in the description's filter and counts.
  void write(TraceDescription description, const TraceProgress& progress = {});

 private:
  void add(const detail::TraceRecord& record);

  const Topology& topology_;
  TraceFilter filter_;
  std::unique_ptr<detail::TraceFiles> files_;
  std::unique_ptr<detail::RecordSorter> records_;
};

}  // namespace dcube
