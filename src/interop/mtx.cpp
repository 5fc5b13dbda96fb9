#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/scanner.hpp"
#include "flows.hpp"

namespace dcube {
namespace mtx {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view value =
    "a number of bytes (whole, 0 to 2^63-1; with `pattern` in the first line every entry counts "
    "one)";
constexpr std::string_view banner = "%%MatrixMarket";

std::string write(const Traffic& traffic) {
  const std::vector<Flow> flows = with_own_flows(traffic);
  std::string text = fmt::format(
      "{} matrix coordinate integer general\n"
      "% {} from a process (row) to another (column), both counted from 1\n{} {} {}\n",
      banner, traffic.total_bytes() > 0 ? "bytes" : "messages", traffic.process_count(),
      traffic.process_count(), flows.size());
  for (const Flow& flow : flows) {
    text += fmt::format("{} {} {}\n", flow.from.index() + 1, flow.to.index() + 1,
                        single_weight(traffic, flow));
  }
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : scanner_{text, file, '%'} {  // takes the banner for a comment
    read_banner(Scanner{text, file});
  }

  Traffic traffic() {
    read_size();
    while (scanner_.next_line()) {
      scanner_.reject_if(read_ == entries_, "there are more entries than the {} announced",
                         entries_);
      is_dense_ ? read_dense_entry() : read_entry();
      ++read_;
    }
    scanner_.reject_if(read_ != entries_, "the file ends after {} of {} entries", read_, entries_);
    return traffic_of(scanner_.file(), size_, std::move(flows_));
  }

 private:
  static std::string one_of(Scanner& banner_line, std::string_view what,
                            std::initializer_list<std::string_view> known) {
    std::string word = lower_case(banner_line.word());
    banner_line.reject_if(std::ranges::find(known, word) == known.end(),
                          "{} is not a {} that is read ({})",
                          word.empty() ? "nothing" : shown(word), what, joined(known, ", "));
    return word;
  }

  void read_banner(Scanner line) {
    line.reject_if(!line.next_line() || line.word() != banner,
                   "a Matrix Market file begins with {}", banner);
    one_of(line, "object", {"matrix"});
    is_dense_ = one_of(line, "format", {"array", "coordinate"}) == "array";
    is_pattern_ =
        one_of(line, "field", {"integer", "pattern", "real", "unsigned-integer"}) == "pattern";
    line.reject_if(is_dense_ && is_pattern_, "an array holds values, so it is no pattern");
    is_symmetric_ = one_of(line, "symmetry", {"general", "symmetric"}) == "symmetric";
    line.expect_end_of_line();
  }

  std::uint64_t number(std::uint64_t least, std::uint64_t largest, std::string_view what) {
    return scanner_.whole(scanner_.word(), least, largest, what);
  }

  void read_size() {
    constexpr std::uint64_t most_processes = std::numeric_limits<std::uint32_t>::max();
    scanner_.reject_if(!scanner_.next_line(),
                       "the line `ROWS COLUMNS ENTRIES` is missing (the file ends)");
    size_ = static_cast<std::uint32_t>(number(1, most_processes, "a number of rows"));
    const std::uint64_t columns = number(1, most_processes, "a number of columns");
    scanner_.reject_if(columns != size_,
                       "{} rows and {} columns (traffic between the same processes "
                       "makes a square matrix)",
                       size_, columns);
    const std::uint64_t size = size_;
    if (is_dense_) {
      entries_ = is_symmetric_ ? size * (size + 1) / 2 : size * size;
    } else {
      entries_ = number(0, most, "a number of entries");
    }
    scanner_.expect_end_of_line();
  }

  void read_entry() {
    const std::string what = fmt::format("a process (1 to {})", size_);
    const auto from = static_cast<std::uint32_t>(number(1, size_, what) - 1);
    const auto to = static_cast<std::uint32_t>(number(1, size_, what) - 1);
    if (is_pattern_) {
      scanner_.word();  // a value, which need not be whole
      add(from, to, 1);
    } else {
      add(from, to, whole_weight(scanner_, scanner_.word(), value));
    }
    scanner_.expect_end_of_line();
  }

  /// Entries come column by column, in a symmetric matrix from the diagonal on.
  void read_dense_entry() {
    const std::uint64_t bytes = whole_weight(scanner_, scanner_.word(), value);
    scanner_.expect_end_of_line();
    if (bytes > 0) {
      add(row_, column_, bytes);
    }
    if (++row_ == size_) {
      ++column_;
      row_ = is_symmetric_ ? column_ : 0;
    }
  }

  void add(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    flows_.push_back({ProcessId{from}, ProcessId{to}, bytes, 1});
    if (is_symmetric_ && from != to) {
      flows_.push_back({ProcessId{to}, ProcessId{from}, bytes, 1});
    }
  }

  Scanner scanner_;
  bool is_dense_ = false;
  bool is_pattern_ = false;
  bool is_symmetric_ = false;
  std::uint32_t size_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t read_ = 0;
  std::uint32_t row_ = 0;  ///< of the next dense entry
  std::uint32_t column_ = 0;
  std::vector<Flow> flows_;
};

}  // namespace
}  // namespace mtx

const TrafficFormat mtx_traffic_format{
    "mtx",
    "Matrix Market file: bytes from row to column",
    "dcube run scenarios/quickstart.json --write traffic:mtx:x.mtx",
    ".mtx",
    mtx::write,
    traffic_by<mtx::Reader>};

}  // namespace dcube
