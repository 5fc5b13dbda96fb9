#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcube {

/// A measured time and what was measured.
struct MeasuredRow {
  std::string place;        ///< "osu.txt: line 3"
  std::string operation{};  ///< as it is written; empty: `settings` name a program
  std::string algorithm{};  ///< empty: not said
  std::string network{};    ///< a machine that has the topology; empty: not said
  std::optional<std::uint64_t> bytes{};
  /// `bytes` count one process's share of an allgather, gather, scatter or all_to_all.
  bool is_of_share = false;
  std::optional<std::uint64_t> processes{};
  std::uint64_t from = 0;  ///< of a ping-pong
  std::uint64_t to = 1;    ///< of a ping-pong
  /// Pointers into the scenario and values.
  std::vector<std::pair<std::string, std::string>> settings{};
  double seconds = 0;
  std::string problem{};  ///< why the row cannot be used

  bool is_ping_pong() const { return operation == ping_pong; }
  static constexpr const char* ping_pong = "pingpong";
};

struct MeasuredFile {
  std::vector<MeasuredRow> rows{};
  std::vector<std::string> unused{};  ///< columns that say nothing to dcube
  bool is_printed = false;            ///< by a benchmark: its columns are known
};

/// Reads a table, or what nccl-tests, the OSU micro-benchmarks or mpiBench print. `columns` are
/// "name=value" for rows without the column. `time` names the column of times; empty: the one that
/// looks like it. A row that cannot be read has a `problem`. Throws InputError.
MeasuredFile read_measured(const std::string& file, std::string_view time,
                           std::span<const std::string> columns);

/// The pointer into a scenario: "/link/latency" is "/machine/link/latency".
std::string scenario_pointer(std::string_view pointer);

// Parts of read_measured().

/// A file's lines, without their ends.
std::vector<std::string_view> measured_lines(std::string_view text);
/// Puts a column's cell into a row. False where no column has that name. A cell that cannot be read
/// becomes the row's problem; an empty one says nothing.
bool take_measured_cell(MeasuredRow& row, std::string_view column, std::string_view cell);
/// A positive time in `unit` (empty: the cell has one). Otherwise it becomes the row's problem.
void take_measured_time(MeasuredRow& row, std::string_view cell, std::string_view unit);
/// The operation that a tool means by a word, in dcube's words: "bcast" is broadcast.
std::string measured_operation(std::string_view word);

/// Reads the output of a benchmark; nothing where the text is none.
std::optional<MeasuredFile> read_benchmark(std::string_view text, const std::string& file);

}  // namespace dcube
