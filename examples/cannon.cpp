// The product of two square matrices, by Cannon's algorithm (L. E. Cannon, 1969). A torus of
// processes holds a tile of each matrix. In every step the tiles of A move west and those of B
// north, so that in the end each process has seen all tiles that its tile of the product needs.

#include <cstdint>
#include <dcube/core/random.hpp>
#include <dcube/program/program.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using dcube::Group;
using dcube::Payload;
using dcube::Process;
using dcube::Request;
/// Row after row of a square.
using Matrix = std::vector<std::int64_t>;

/// Adds the product of a and b, which have so many rows, to c.
void multiply_add(const Matrix& a, const Matrix& b, Matrix& c, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t j = 0; j < rows; ++j) {
        c[i * rows + j] += a[i * rows + k] * b[k * rows + j];
      }
    }
  }
}

class Cannon final : public dcube::Program {
 public:
  Cannon(std::uint32_t side, std::uint32_t rows, std::uint64_t seed)
      : side_{side}, rows_{rows}, seed_{seed}, product_(std::size_t{size()} * size()) {}

  std::string_view kind() const override { return "cannon"; }
  dcube::Guest guest() const override {
    return dcube::Guest::parse("torus:" + std::to_string(side_) + "x" + std::to_string(side_));
  }

  dcube::Task<> run(Process& process) override {
    const std::uint32_t x = process.rank().index() % side_;
    const std::uint32_t y = process.rank().index() / side_;
    Group row = process.world().slice(y * side_, side_);
    Group column = process.world().slice(x, side_, side_);
    Matrix a = tile(0, x, y);
    Matrix b = tile(1, x, y);
    Matrix c(a.size(), 0);
    // Row y of A moves y places to begin with, column x of B moves x places.
    co_await move(row, a, y, column, b, x);
    for (std::uint32_t step = 0; step < side_; ++step) {
      co_await process.compute("multiply_add", std::uint64_t{rows_} * rows_ * rows_);
      multiply_add(a, b, c, rows_);
      if (step + 1 < side_) {
        co_await move(row, a, 1, column, b, 1);
      }
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      product_[std::size_t{y * rows_ + i / rows_} * size() + x * rows_ + i % rows_] = c[i];
    }
  }

  std::optional<bool> verify() override {
    const Matrix a = whole(0);
    const Matrix b = whole(1);
    Matrix c(a.size(), 0);
    multiply_add(a, b, c, size());
    return product_ == c;
  }

  dcube::Params answer() const override {
    std::int64_t trace = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      trace += product_[i * size() + i];
    }
    dcube::Params answer;
    answer.set("trace", trace);
    return answer;
  }

 private:
  /// Moves a tile `west` places down the row and another `north` places down the column, both at
  /// once.
  dcube::Task<> move(Group& row, Matrix& a, std::uint32_t west, Group& column, Matrix& b,
                     std::uint32_t north) {
    constexpr dcube::Tag of_a = 0;
    constexpr dcube::Tag of_b = 1;
    const Request next_a = row.post_receive((row.rank() + west) % side_, of_a);
    const Request next_b = column.post_receive((column.rank() + north) % side_, of_b);
    row.send((row.rank() + side_ - west) % side_, Payload::of(std::move(a)), of_a);
    column.send((column.rank() + side_ - north) % side_, Payload::of(std::move(b)), of_b);
    auto [got_a, got_b] = co_await row.process().wait_all(next_a, next_b);
    a = got_a.payload.take<std::int64_t>();
    b = got_b.payload.take<std::int64_t>();
  }

  std::uint32_t size() const { return side_ * rows_; }  ///< rows of the whole matrices

  /// -9 .. 9, drawn from the seed.
  std::int64_t element(std::uint32_t matrix, std::uint32_t row, std::uint32_t column) const {
    return static_cast<std::int64_t>(dcube::hash_of(seed_, matrix, row, column) % 19) - 9;
  }
  Matrix part(std::uint32_t matrix, std::uint32_t row, std::uint32_t column,
              std::uint32_t rows) const {
    Matrix values;
    for (std::uint32_t i = 0; i < rows * rows; ++i) {
      values.push_back(element(matrix, row + i / rows, column + i % rows));
    }
    return values;
  }
  Matrix tile(std::uint32_t matrix, std::uint32_t x, std::uint32_t y) const {
    return part(matrix, y * rows_, x * rows_, rows_);
  }
  Matrix whole(std::uint32_t matrix) const { return part(matrix, 0, 0, size()); }

  std::uint32_t side_;  ///< of the torus, in processes
  std::uint32_t rows_;  ///< of a tile
  std::uint64_t seed_;
  Matrix product_;
};

std::unique_ptr<dcube::Program> make_cannon(const dcube::Params& settings,
                                            const dcube::ProgramContext& context) {
  return std::make_unique<Cannon>(settings.positive_int("side"), settings.positive_int("rows"),
                                  context.seed);
}

const dcube::ProgramKind kind{
    .name = "cannon",
    .help = "product of two square matrices on a torus of processes (Cannon 1969)",
    .example = "side=3,rows=4",
    .parameters = {{"side", "side of the torus of processes (>= 1)", ""},
                   {"rows", "rows of the tile of a process (>= 1)", ""}},
    .make = make_cannon};

const bool is_registered = dcube::register_program(kind);

}  // namespace
