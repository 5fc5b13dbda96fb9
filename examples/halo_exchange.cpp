// Heat spreads over a grid that wraps around. Each process of a ring holds some of its rows. In
// every step it needs one row of each neighbour: its halo.

#include <cstdint>
#include <dcube/core/random.hpp>
#include <dcube/program/program.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using dcube::Payload;
using dcube::ProcessId;
using dcube::Request;
using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// The heat of every cell becomes the average of itself and its four neighbours.
Rows spread(const Rows& rows, const Row& above, const Row& below) {
  const std::size_t columns = above.size();
  Rows next = rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& north = r == 0 ? above : rows[r - 1];
    const Row& south = r + 1 == rows.size() ? below : rows[r + 1];
    for (std::size_t c = 0; c < columns; ++c) {
      const double west = rows[r][(c + columns - 1) % columns];
      const double east = rows[r][(c + 1) % columns];
      next[r][c] = (rows[r][c] + west + east + north[c] + south[c]) / 5;
    }
  }
  return next;
}

struct Sizes {
  std::uint32_t processes, rows, columns, steps;  ///< the rows are those of one process
};

class HaloExchange final : public dcube::Program {
 public:
  HaloExchange(const Sizes& sizes, std::uint64_t seed)
      : sizes_{sizes}, seed_{seed}, results_(sizes.processes) {}

  std::string_view kind() const override { return "halo_exchange"; }
  dcube::Guest guest() const override {
    return dcube::Guest::parse("ring:" + std::to_string(sizes_.processes));
  }

  dcube::Task<> run(dcube::Process& process) override {
    const std::uint32_t rank = process.rank().index();
    const ProcessId north{(rank + sizes_.processes - 1) % sizes_.processes};
    const ProcessId south{(rank + 1) % sizes_.processes};
    // In a ring of two both neighbours are one process: tags tell its messages apart.
    enum Way : dcube::Tag { northward, southward };

    Rows rows = first_rows(rank * sizes_.rows, sizes_.rows);
    for (std::uint32_t step = 0; step < sizes_.steps; ++step) {
      const Request above = process.post_receive(north, southward);
      const Request below = process.post_receive(south, northward);
      process.send(north, Payload::of(rows.front()), northward);
      process.send(south, Payload::of(rows.back()), southward);
      // All rows but the outer two are computed while the messages travel.
      const std::uint32_t outer = std::min(sizes_.rows, 2U);
      co_await process.compute("cell", std::uint64_t{sizes_.rows - outer} * sizes_.columns);
      const auto [from_north, from_south] = co_await process.wait_all(above, below);
      co_await process.compute("cell", std::uint64_t{outer} * sizes_.columns);
      rows = spread(rows, from_north.payload.view<double>(), from_south.payload.view<double>());
    }
    results_[rank] = std::move(rows);
  }

  std::optional<bool> verify() override {
    Rows grid = first_rows(0, sizes_.processes * sizes_.rows);
    for (std::uint32_t step = 0; step < sizes_.steps; ++step) {
      grid = spread(grid, grid.back(), grid.front());
    }
    Rows joined;
    for (const Rows& rows : results_) {
      joined.insert(joined.end(), rows.begin(), rows.end());
    }
    return joined == grid;
  }

 private:
  /// Heat drawn from the seed, for rows of the grid from `begin` on.
  Rows first_rows(std::uint32_t begin, std::uint32_t count) const {
    Rows rows(count, Row(sizes_.columns));
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t c = 0; c < sizes_.columns; ++c) {
        rows[r][c] = static_cast<double>(dcube::hash_of(seed_, begin + r, c) % 1000);
      }
    }
    return rows;
  }

  Sizes sizes_;
  std::uint64_t seed_;
  std::vector<Rows> results_;  ///< by process
};

std::unique_ptr<dcube::Program> make_halo_exchange(const dcube::Params& settings,
                                                   const dcube::ProgramContext& context) {
  const Sizes sizes{.processes = settings.positive_int("processes"),
                    .rows = settings.positive_int("rows"),
                    .columns = settings.positive_int("columns"),
                    .steps = settings.positive_int("steps")};
  return std::make_unique<HaloExchange>(sizes, context.seed);
}

const dcube::ProgramKind kind{
    .name = "halo_exchange",
    .help = "heat spreads over a grid; each process of a ring holds some of its rows",
    .example = "processes=4,rows=3,columns=8,steps=2",
    .parameters = {{"processes", "number of processes (>= 1)", ""},
                   {"rows", "rows that a process holds (>= 1)", ""},
                   {"columns", "cells of a row (>= 1)", ""},
                   {"steps", "how often the heat spreads (>= 1)", ""}},
    .make = make_halo_exchange};

const bool is_registered = dcube::register_program(kind);

}  // namespace
