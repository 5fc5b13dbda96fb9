// The longest common subsequence of two texts, by a table that each process of a line fills some
// columns of. A process needs the last column of its neighbour. It gets it a block of rows at a
// time, so a wave runs through the line and all processes compute once it has reached the last.

#include <algorithm>
#include <cstdint>
#include <dcube/core/random.hpp>
#include <dcube/program/program.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using dcube::Payload;
using dcube::ProcessId;
/// Lengths of common subsequences.
using Lengths = std::vector<std::uint32_t>;

/// An entry of the table, from those beside it, above it and both.
std::uint32_t entry(bool is_equal, std::uint32_t left, std::uint32_t above, std::uint32_t corner) {
  return is_equal ? corner + 1 : std::max(left, above);
}

struct Sizes {
  std::uint32_t processes, columns;  ///< the columns are those of one process
  std::uint32_t rows, block;         ///< of these rows, so many at a time
};

class Wavefront final : public dcube::Program {
 public:
  Wavefront(const Sizes& sizes, std::uint64_t seed)
      : sizes_{sizes},
        down_{letters(seed, sizes.rows)},
        across_{letters(seed + 1, sizes.processes * sizes.columns)} {}

  std::string_view kind() const override { return "wavefront"; }
  dcube::Guest guest() const override {
    return dcube::Guest::parse("line:" + std::to_string(sizes_.processes));
  }

  dcube::Task<> run(dcube::Process& process) override {
    const std::uint32_t rank = process.rank().index();
    const bool is_first = rank == 0;
    const bool is_last = rank + 1 == sizes_.processes;
    Lengths above(sizes_.columns + 1, 0);  // the row above; its first entry is the neighbour's
    for (std::uint32_t begin = 0; begin < sizes_.rows; begin += sizes_.block) {
      const std::uint32_t count = std::min(sizes_.block, sizes_.rows - begin);
      Lengths border(count, 0);
      if (!is_first) {
        border = (co_await process.receive(ProcessId{rank - 1})).take<std::uint32_t>();
      }
      co_await process.compute("cell", std::uint64_t{count} * sizes_.columns);
      for (std::uint32_t i = 0; i < count; ++i) {
        Lengths row(sizes_.columns + 1, border[i]);
        for (std::uint32_t c = 1; c <= sizes_.columns; ++c) {
          const bool is_equal = down_[begin + i] == across_[rank * sizes_.columns + c - 1];
          row[c] = entry(is_equal, row[c - 1], above[c], above[c - 1]);
        }
        border[i] = row.back();
        above = std::move(row);
      }
      if (!is_last) {
        process.send(ProcessId{rank + 1}, Payload::of(std::move(border)));
      }
    }
    if (is_last) {
      longest_ = above.back();
    }
  }

  std::optional<bool> verify() override {
    Lengths above(across_.size() + 1, 0);
    for (const char letter : down_) {
      Lengths row(above.size(), 0);
      for (std::size_t c = 1; c < row.size(); ++c) {
        row[c] = entry(letter == across_[c - 1], row[c - 1], above[c], above[c - 1]);
      }
      above = std::move(row);
    }
    return longest_ == above.back();
  }

  dcube::Params answer() const override {
    dcube::Params answer;
    answer.set("longest", longest_);
    return answer;
  }

 private:
  static std::string letters(std::uint64_t seed, std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
      text += "ACGT"[dcube::hash_of(seed, i) % 4];
    }
    return text;
  }

  Sizes sizes_;
  std::string down_;    ///< a letter for each row
  std::string across_;  ///< a letter for each column of all processes
  std::uint32_t longest_ = 0;
};

std::unique_ptr<dcube::Program> make_wavefront(const dcube::Params& settings,
                                               const dcube::ProgramContext& context) {
  const Sizes sizes{.processes = settings.positive_int("processes"),
                    .columns = settings.positive_int("columns"),
                    .rows = settings.positive_int("rows"),
                    .block = settings.positive_int("block")};
  return std::make_unique<Wavefront>(sizes, context.seed);
}

const dcube::ProgramKind kind{
    .name = "wavefront",
    .help = "the longest common subsequence of two texts; a wave runs along a line of processes",
    .example = "processes=4,columns=8,rows=32,block=4",
    .parameters = {{"processes", "number of processes (>= 1)", ""},
                   {"columns", "letters of the second text that a process has (>= 1)", ""},
                   {"rows", "letters of the first text (>= 1)", ""},
                   {"block", "rows between two messages (>= 1)", ""}},
    .make = make_wavefront};

const bool is_registered = dcube::register_program(kind);

}  // namespace
