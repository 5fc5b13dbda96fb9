#include "csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/topology/topology.hpp"
#include "trace_files.hpp"

namespace dcube::detail {
namespace {

constexpr std::string_view comment = "# ";
constexpr std::uint32_t most_words = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::size_t longest_row = 1 << 16;      ///< in characters
constexpr std::size_t longest_comment = 1 << 28;  ///< a map of most_traced_processes fits

const char* name_of(CsvColumn column) {
  return csv_column_names.at(static_cast<std::size_t>(column));
}

/// A network with all links that one of this kind and shape may have; null where others would tell.
std::unique_ptr<Topology> known_network(const TraceDescription& run) {
  if (run.has_host || (run.topology != "torus" && run.topology != "mesh" &&
                       run.topology != "ring" && run.topology != "line")) {
    return nullptr;
  }
  const bool has_shape = run.topology == "torus" || run.topology == "mesh";
  return make_topology(Params::parse(
      has_shape ? fmt::format("kind={},shape={}", run.topology, joined(run.shape, "x"))
                : fmt::format("kind={},nodes={}", run.topology, run.nodes)));
}

}  // namespace

CsvReader::CsvReader(const std::filesystem::path& file, const TraceFilter& filter)
    : file_{file}, stream_{file}, buffer_(longest_row) {
  std::error_code ignored;
  refuse_if(std::filesystem::is_directory(file, ignored), file.string(),
            "cannot be read (it is a directory)");
  refuse_if(!stream_, file.string(), "cannot be read ({})", std::strerror(errno));
  read_comments();
  check_description();
  read_columns();
  check_processes(filter, description_.processes);
  if (const auto network = filter.links ? known_network(description_) : nullptr) {
    check_links(filter, *network);
  } else {
    check_links(filter, std::uint64_t{description_.nodes} + (description_.has_host ? 1 : 0));
  }
  const Ticks end = std::min(description_.makespan, description_.filter.end);
  refuse_if(filter.begin > Ticks{0} && filter.begin >= end, ".window",
            "begins at {}, and {} ends at {}", format_time(filter.begin), file.string(),
            format_time(end));
  description_.filter = both(description_.filter, filter);
}

void CsvReader::reject(std::string_view problem) const {
  throw InputError(fmt::format("{}: line {}", file_.string(), line_number_), problem);
}

bool CsvReader::read_line() {
  ++line_number_;
  line_.clear();
  for (;;) {
    stream_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto count = static_cast<std::size_t>(stream_.gcount());
    refuse_if(stream_.bad(), file_.string(), "cannot be read ({})", std::strerror(errno));
    if (stream_.eof()) {
      if (count == 0 && line_.empty()) {
        return false;
      }
      reject("the line is cut off (the file is not complete)");
    }
    if (!stream_.fail()) {
      line_.append(buffer_.data(), count - 1);  // without the end of the line
      break;
    }
    line_.append(buffer_.data(), count);
    reject_if(line_.size() > longest_comment || !line_.starts_with('#'),
              "the line is too long for a trace");
    stream_.clear();
  }
  if (line_number_ == 1) {
    line_ = without_byte_order_mark(line_);
  }
  if (line_.ends_with('\r')) {
    line_.pop_back();
  }
  return true;
}

// --- The description ---

void CsvReader::read_comments() {
  while (read_line() && line_.starts_with('#')) {
    const std::size_t colon = line_.find(':');
    reject_if(!line_.starts_with(comment) || colon == std::string::npos,
              "a line of the description is `# key: value`");
    const std::string key = line_.substr(comment.size(), colon - comment.size());
    const std::size_t value = line_.find_first_not_of(' ', colon + 1);
    if (keys_.empty() && key != csv_first_key) {
      break;
    }
    reject_if(std::ranges::find(keys_, key) != keys_.end(), "`{}` is given twice", key);
    set(key, value == std::string::npos ? "" : line_.substr(value));
    keys_.push_back(key);
  }
  reject_if(keys_.empty(), "this is no CSV trace of dcube (its first line is `# {}: {}`)",
            csv_first_key, csv_version);
}

void CsvReader::set(const std::string& key, const std::string& value) {
  const auto known = std::ranges::find(csv_keys(), key, &CsvKey::name);
  if (known == csv_keys().end()) {
    return;  // a key of a later minor version of the format
  }
  try {
    known->read(description_, value);
  } catch (const InputError& error) {
    reject(fmt::format("`{}`: {}", key, error.problem()));
  }
}

void CsvReader::check_description() const {
  for (const CsvKey& key : csv_keys()) {
    reject_if(key.is_required && std::ranges::find(keys_, key.name) == keys_.end(),
              "the description has no `{0}` (a line `# {0}: ..` before this one)", key.name);
  }
  const TraceDescription& run = description_;
  const std::uint64_t host = run.has_host ? 1 : 0;
  const std::uint64_t places = run.nodes + host;
  UInt128 nodes = 1;
  for (const std::uint32_t side : run.shape) {
    nodes = std::min(nodes * side, UInt128{1} << 64);
  }
  // Only the shape of a network of the catalogue says how many nodes there are; one that may have
  // switches has a single side, of terminals.
  reject_if((nodes > run.nodes || (nodes < run.nodes && run.shape.size() > 1)) &&
                find_kind(topology_catalog(), run.topology) != nullptr,
            "a machine of shape {} has not {} nodes", joined(run.shape, "x"), run.nodes);
  reject_if(run.processes > most_traced_processes,
            "{} processes are too many to be read (at most {})", run.processes,
            most_traced_processes);
  reject_if(run.processes > std::uint64_t{run.nodes} * run.slots + host,
            "{} processes have no place on {} nodes{}", run.processes, run.nodes,
            run.slots == 1 ? "" : fmt::format(" of {} slots", run.slots));
  reject_if(!run.map.empty() && run.map.size() != run.processes,
            "the map is of {} processes instead of {}", run.map.size(), run.processes);
  for (const NodeId node : run.map) {
    reject_if(node.index() >= places, "the map names node {} of {}", node.index(), run.nodes);
  }
}

// --- Rows ---

void CsvReader::read_columns() {
  reject_if(line_number_ == 0 || !stream_, "the names of the columns are missing");
  const std::vector<std::string_view> names = split_at(line_, ',');
  for (const char* name : csv_column_names) {
    const auto place = std::ranges::find(names, name);
    reject_if(place == names.end(), "the column `{}` is missing", name);
    place_of_.push_back(static_cast<std::size_t>(place - names.begin()));
  }
  cells_.resize(names.size());
}

void CsvReader::split() {
  std::string_view rest = line_;
  for (std::size_t i = 0; i + 1 < cells_.size(); ++i) {
    const std::size_t comma = rest.find(',');
    reject_if(comma == std::string_view::npos, "{} cells in place of {}", i + 1, cells_.size());
    cells_[i] = rest.substr(0, comma);
    rest.remove_prefix(comma + 1);
  }
  reject_if(rest.find(',') != std::string_view::npos, "more than {} cells", cells_.size());
  cells_.back() = rest;
}

std::string_view CsvReader::cell(CsvColumn column) const {
  return cells_[place_of_[static_cast<std::size_t>(column)]];
}

std::int64_t CsvReader::number(CsvColumn column, std::int64_t most) const {
  const std::string_view text = cell(column);
  const auto value = parsed<std::int64_t>(text);
  reject_if(!value || *value < 0, "`{}` in column {} is not a whole number", text, name_of(column));
  reject_if(*value > most, "{} in column {} is too large (at most {})", text, name_of(column),
            most);
  return *value;
}

std::uint32_t CsvReader::word(CsvColumn column) const {
  return static_cast<std::uint32_t>(number(column, most_words));
}

std::uint64_t CsvReader::bytes() const {
  return static_cast<std::uint64_t>(
      number(CsvColumn::bytes, std::numeric_limits<std::int64_t>::max()));
}

Ticks CsvReader::time(CsvColumn column) const {
  return Ticks{number(column, std::numeric_limits<std::int64_t>::max())};
}

ProcessId CsvReader::process(CsvColumn column) const {
  return ProcessId{
      static_cast<std::uint32_t>(number(column, std::int64_t{description_.processes} - 1))};
}

NodeId CsvReader::node(CsvColumn column) const {
  const std::int64_t most = std::int64_t{description_.nodes} - (description_.has_host ? 0 : 1);
  return NodeId{static_cast<std::uint32_t>(number(column, most))};
}

TraceRecord CsvReader::interval() const {
  Interval interval;
  interval.process = process(CsvColumn::process);
  const std::string_view activity = cell(CsvColumn::activity);
  constexpr std::span traced = std::span{activity_names}.first<activity_count - 1>();  // not idle
  const auto found = std::ranges::find(traced, activity);
  if (found == traced.end()) {
    reject(fmt::format("`{}` is not an activity ({})", activity, joined(traced, ", ")));
  }
  interval.activity = static_cast<Activity>(found - traced.begin());
  interval.stage = has(CsvColumn::stage) ? word(CsvColumn::stage) : no_stage;
  interval.peer =
      interval.activity == Activity::compute ? interval.process : process(CsvColumn::peer);
  if (has(CsvColumn::source) || has(CsvColumn::send_number)) {
    interval.message = MessageName{process(CsvColumn::source), word(CsvColumn::send_number)};
  }
  interval.begin = time(CsvColumn::begin_ps);
  interval.end = time(CsvColumn::end_ps);
  reject_if(interval.begin >= interval.end, "an interval ends no later than it begins");
  reject_if(interval.end > description_.makespan,
            "an interval ends at {} ps, after the makespan ({} ps)", interval.end.count(),
            description_.makespan.count());
  return TraceRecord::of(interval);
}

TraceRecord CsvReader::hop() const {
  Hop hop;
  hop.source = process(CsvColumn::source);
  hop.send_number = word(CsvColumn::send_number);
  hop.arrival = time(CsvColumn::arrival_ps);
  hop.start = time(CsvColumn::begin_ps);
  hop.finish = time(CsvColumn::end_ps);
  hop.bytes = bytes();
  reject_if(
      hop.arrival > hop.start || hop.start >= hop.finish,
      "a hop begins before its message has reached the link, or ends no later than it begins");
  const NodeId from = node(CsvColumn::from_node);
  const NodeId to = node(CsvColumn::to_node);
  hop.destination = process(CsvColumn::destination);
  TraceRecord record = TraceRecord::of(hop, from, to);
  if (hop_link_name(record, description_.duplex) != cell(CsvColumn::link)) {
    record.is_named_backwards = true;
    reject_if(description_.duplex == Duplex::full ||
                  hop_link_name(record, description_.duplex) != cell(CsvColumn::link),
              "`{}` is not the link from node {} to node {}", cell(CsvColumn::link), from.index(),
              to.index());
  }
  return record;
}

TraceRecord CsvReader::message() const {
  Delivery delivery;
  delivery.source = process(CsvColumn::source);
  delivery.send_number = word(CsvColumn::send_number);
  delivery.destination = process(CsvColumn::destination);
  delivery.bytes = bytes();
  delivery.hops = word(CsvColumn::hops);
  delivery.start = time(CsvColumn::begin_ps);
  delivery.arrival = time(CsvColumn::end_ps);
  reject_if(delivery.start > delivery.arrival, "a message arrives before it starts");
  return TraceRecord::of(delivery);
}

TraceRecord CsvReader::record() const {
  const std::string_view kind = cell(CsvColumn::record);
  if (kind == "interval") {
    return interval();
  }
  if (kind == "hop") {
    return hop();
  }
  if (kind == "message") {
    return message();
  }
  reject(fmt::format("`{}` is not a record (interval, hop, message)", kind));
}

std::optional<TraceRecord> CsvReader::next() {
  while (read_line()) {
    split();
    const TraceRecord found = record();
    ++counts_[static_cast<std::size_t>(found.kind)];
    if (keeps(description_.filter, found)) {
      return found;
    }
  }
  check_counts();
  return std::nullopt;
}

void CsvReader::check_counts() const {
  const std::array<std::pair<const char*, std::uint64_t>, 3> promised{
      {{"intervals", description_.intervals},
       {"hops", description_.hops},
       {"messages", description_.messages}}};
  for (std::size_t kind = 0; kind < promised.size(); ++kind) {
    const auto& [key, count] = promised[kind];
    reject_if(std::ranges::find(keys_, key) != keys_.end() && count != counts_[kind],
              "the file ends with {} of {} {}; it is not complete (when rows were taken "
              "out on purpose, take out the line `# {}: {}` too)",
              counts_[kind], count, key, key, count);
  }
}

}  // namespace dcube::detail
