#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "catalog.hpp"
#include "core/csv_columns.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/core/memory.hpp"
#include "flows.hpp"

namespace dcube {
namespace csv_traffic {
namespace {

const std::array<std::string, 4> traffic_columns{"from", "to", "bytes", "messages"};

constexpr std::uint64_t most_process = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::string_view bytes_words = "a number of bytes (0 to 2^63-1)";

std::string write(const Traffic& traffic, std::uint32_t first) {
  std::string text = "from,to,bytes,messages\n";
  std::uint32_t processes = 0;
  const auto number = [&](std::uint32_t process) { return std::uint64_t{process} + first; };
  for (const Flow& flow : with_own_flows(traffic)) {
    text += fmt::format("{},{},{},{}\n", number(flow.from.index()), number(flow.to.index()),
                        flow.bytes, flow.messages);
    processes = std::max({processes, flow.from.index() + 1, flow.to.index() + 1});
  }
  if (processes < traffic.process_count()) {  // shows that the last process exists
    const std::uint64_t last = number(traffic.process_count() - 1);
    text += fmt::format("{},{},0,0\n", last, last);
  }
  return text;
}

/// Reads rows of processes that count from `first`.
Traffic read_rows(std::string_view text, const std::string& file, std::uint32_t first) {
  Scanner scanner{text, file, '#'};
  CsvColumns columns{scanner, traffic_columns, 2};
  const std::string what =
      first == 0 ? "a process (a whole number)" : fmt::format("a process ({} and up)", first);
  const auto process = [&](std::size_t column) {
    const std::uint64_t number = whole_weight(scanner, columns.cell(column), what);
    scanner.reject_if(number < first || number > most_process, "{} is not {}", number, what);
    return ProcessId{static_cast<std::uint32_t>(number - first)};
  };
  const auto amount = [&](std::size_t column, std::string_view words) {
    return columns.has(column) ? whole_weight(scanner, columns.cell(column), words) : 1;
  };
  std::vector<Flow> flows;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t processes = 0;
  while (columns.next_row()) {
    const Flow flow{process(0), process(1), amount(2, bytes_words),
                    amount(3, "a number of messages (0 to 2^63-1)")};
    scanner.reject_if(flow.bytes > 0 && flow.messages == 0,
                      "{} bytes in 0 messages (bytes are in one message at least)", flow.bytes);
    least = std::min({least, flow.from.index(), flow.to.index()});
    processes = std::max({processes, flow.from.index() + 1, flow.to.index() + 1});
    flows.push_back(flow);
  }
  refuse_if(processes == 0, file, "holds no traffic (rows from,to,bytes,messages)");
  if (first == 0 && least == 1) {
    warn(file, fmt::format("no row names process 0, so {} processes are read; if the file counts "
                           "{} from 1, say csv-from-1:{}",
                           processes, processes - 1, file));
  }
  return traffic_of(file, processes, std::move(flows));
}

/// The numbers of a table without a header. Labels that pandas writes around them are left out.
class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& file) : scanner_{text, file, '#'} {
    if (scanner_.next_line()) {
      separator_ = CellSeparator{scanner_.line()};
      labels_ = separator_.cells(scanner_.line());
      is_labelled_ = labels_.front().empty();
      width_ = labels_.size() - (is_labelled_ ? 1 : 0);
      is_at_row_ = !is_labelled_;
    }
  }

  bool is_labelled() const { return is_labelled_; }
  bool begins_with_number() const {
    return !labels_.empty() && decimal_length(labels_.front()) > 0;
  }
  std::size_t width() const { return width_; }

  Traffic traffic() {
    std::vector<Flow> flows;
    while (next_row()) {
      const ProcessId from{static_cast<std::uint32_t>(rows_ - 1)};
      for (std::uint32_t to = 0; to < width_; ++to) {
        if (const std::uint64_t bytes = whole_weight(scanner_, cells_[to], bytes_words);
            bytes > 0) {
          flows.push_back({from, ProcessId{to}, bytes, 1});
        }
      }
    }
    refuse_if(
        rows_ != width_ || rows_ == 0, scanner_.file(),
        "{} rows of {} numbers are no square matrix (of the bytes from each process to each); "
        "rows of an edge list have at most 4: from,to,bytes,messages",
        rows_, width_);
    return traffic_of(scanner_.file(), rows_, std::move(flows));
  }

  /// Whether there are as many rows as numbers in each, and the diagonal is 0.
  bool looks_like_matrix() {
    while (next_row()) {
      if (rows_ > width_ || parsed<double>(cells_[rows_ - 1]) != 0.0) {
        return false;
      }
    }
    return rows_ == width_;
  }

 private:
  bool next_row() {
    if (!std::exchange(is_at_row_, false) && !scanner_.next_line()) {
      return false;
    }
    cells_ = separator_.cells(scanner_.line());
    if (is_labelled_) {
      const std::string_view label = cells_.front();
      cells_.erase(cells_.begin());
      scanner_.reject_if(rows_ >= width_ || label != labels_[rows_ + 1],
                         "{} is not the label of column {} (rows and columns are the same "
                         "processes)",
                         shown(label), rows_ + 1);
    }
    ++rows_;
    scanner_.reject_if(cells_.size() != width_, "{} cells where the first line has {}",
                       cells_.size(), width_);
    return true;
  }

  Scanner scanner_;
  CellSeparator separator_{{}};
  std::vector<std::string_view> labels_;  ///< cells of the first line
  std::vector<std::string_view> cells_;
  std::size_t width_ = 0;  ///< numbers of a row
  std::size_t rows_ = 0;
  bool is_labelled_ = false;
  bool is_at_row_ = false;  ///< the first line is a row, and the next
};

Traffic read(std::string_view text, const std::string& file) {
  MatrixReader matrix{text, file};
  if (matrix.is_labelled() ||
      (matrix.begins_with_number() && matrix.width() > traffic_columns.size())) {
    return matrix.traffic();
  }
  if (matrix.begins_with_number() && matrix.looks_like_matrix()) {
    const std::size_t width = matrix.width();
    warn(file,
         fmt::format("{} rows of {} numbers without a header are read as {}; if they are a "
                     "matrix, say matrix:{}",
                     width, width, joined(std::span{traffic_columns}.first(width), ","), file));
  }
  return read_rows(text, file, 0);
}

std::string write_matrix(const Traffic& traffic) {
  const std::uint64_t size = traffic.process_count();
  constexpr std::uint64_t bytes_of_zero = 2;
  expect_fits_in_memory(fmt::format("a matrix of {} rows", size), size * size * bytes_of_zero,
                        "write csv or mtx");
  std::string text;
  const std::vector<Flow> flows = with_own_flows(traffic);
  auto flow = flows.begin();
  for (std::uint32_t from = 0; from < size; ++from) {
    for (std::uint32_t to = 0; to < size; ++to) {
      const bool is_flow =
          flow != flows.end() && flow->from.index() == from && flow->to.index() == to;
      text += fmt::format("{}{}", to == 0 ? "" : " ",
                          is_flow ? single_weight(traffic, *flow++) : std::uint64_t{0});
    }
    text += '\n';
  }
  return text;
}

}  // namespace
}  // namespace csv_traffic

const TrafficFormat csv_traffic_format{
    "csv",
    "table of bytes and messages from process to process, or a matrix of bytes",
    "dcube run scenarios/quickstart.json --write traffic:csv:x.csv",
    ".csv",
    [](const Traffic& traffic) { return csv_traffic::write(traffic, 0); },
    csv_traffic::read};

const TrafficFormat csv_from_1_traffic_format{
    "csv-from-1",
    "table of bytes and messages between processes that count from 1",
    "dcube run scenarios/quickstart.json --write traffic:csv-from-1:x.csv",
    "",
    [](const Traffic& traffic) { return csv_traffic::write(traffic, 1); },
    [](std::string_view text, const std::string& file) {
      return csv_traffic::read_rows(text, file, 1);
    }};

const TrafficFormat matrix_traffic_format{
    "matrix",
    "a row of bytes for each process, a number for each receiver",
    "dcube run scenarios/quickstart.json --write traffic:matrix:x.txt",
    "",
    csv_traffic::write_matrix,
    traffic_by<csv_traffic::MatrixReader>};

}  // namespace dcube
