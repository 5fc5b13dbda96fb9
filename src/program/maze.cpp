#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "collectives.hpp"
#include "core/refuse.hpp"
#include "dcube/program/operations.hpp"
#include "maze_input.hpp"
#include "maze_partition.hpp"
#include "maze_region.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Order of a process's steps in an iteration [N 4]: simple expands, sends, receives and labels
/// (Fig 17); overlapped sends the cells found in the previous iteration, meanwhile expands its own
/// cells, receives, labels and expands the received ones (Fig 18).
enum class MazeAlgorithm { simple, overlapped };

/// Waves of a maze by a sequential search, and derived numbers of the parallel programs.
class MazeWaves {
 public:
  /// Both must outlive this.
  MazeWaves(const Maze& maze, const MazePartition& partition)
      : maze_{maze}, partition_{partition}, search_{breadth_first_search(maze)} {
    for (std::size_t i = 0; i < search_.order.size(); ++i) {
      if (search_.of_cell[search_.order[i]] == first_.size()) {
        first_.push_back(i);
      }
    }
    first_.push_back(search_.order.size());
  }

  const std::vector<std::uint32_t>& distances() const { return search_.of_cell; }
  /// Number of waves with a cell.
  std::uint32_t wave_count() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  /// Number of cells to expand before the target is labelled, or until none is left.
  std::uint64_t cells_to_expand() const {
    const std::uint32_t target_wave = search_.of_cell[maze_.target];
    return first_[std::min(target_wave, wave_count())];
  }

  /// Iterations until the target is labelled, or no cell is left on a wave or to be sent.
  std::uint32_t iterations(MazeAlgorithm algorithm) const {
    const std::uint32_t target_wave = search_.of_cell[maze_.target];
    if (target_wave == 0) {
      return 0;
    }
    if (target_wave != not_reached) {
      const bool is_late =
          algorithm == MazeAlgorithm::overlapped && !is_found_at_home(maze_.target);
      return target_wave + (is_late ? 1 : 0);
    }
    // Overlapped, foreign cells found by the last wave are still to be sent, blocked or not.
    const auto last_wave = search_.order.begin() + static_cast<std::ptrdiff_t>(*(first_.end() - 2));
    const bool is_late = algorithm == MazeAlgorithm::overlapped &&
                         std::any_of(last_wave, search_.order.end(), [this](std::uint32_t cell) {
                           return is_beside_neighbour(cell);
                         });
    return wave_count() + (is_late ? 1 : 0);
  }

 private:
  /// Whether a process finds the cell while it expands its own.
  bool is_found_at_home(std::uint32_t cell) const {
    const NextCells around{maze_, cell};
    return std::ranges::any_of(around, [&](std::uint32_t next) {
      return search_.of_cell[next] + 1 == search_.of_cell[cell] &&
             partition_.owner(next) == partition_.owner(cell);
    });
  }

  bool is_beside_neighbour(std::uint32_t cell) const {
    const NextCells around{maze_, cell};
    return std::ranges::any_of(around, [&](std::uint32_t next) {
      return partition_.owner(next) != partition_.owner(cell);
    });
  }

  const Maze& maze_;
  const MazePartition& partition_;
  MazeDistances search_;
  std::vector<std::size_t> first_;  ///< [wave]: first place in the search's order; then the end
};

/// A packet is a number of cells, then the cells.
constexpr std::uint64_t bytes_per_cell = 4;

/// State that all processes must know to stop.
struct Tally {
  std::uint32_t reached_target = 0;
  std::uint32_t cells_left = 0;

  bool is_end() const { return reached_target != 0 || cells_left == 0; }
};

/// Shortest path by front wave expansion [N 4]: in iteration i the cells at distance i from the
/// start are expanded, each by its owner. Neighbouring owners exchange found cells in one packet.
class MazeProgram final : public Program {
 public:
  struct Settings {
    MazeAlgorithm algorithm = MazeAlgorithm::simple;
    std::uint32_t test_every = 0;  ///< 0: every process knows the end without messages
    std::string output;            ///< empty: none
  };

  MazeProgram(Settings settings, Maze maze, MazePartition partition, const Machine& machine)
      : settings_{std::move(settings)},
        maze_{std::move(maze)},
        partition_{std::move(partition)},
        waves_{maze_, partition_},
        cell_time_{operation_time(machine, "cell", {{"add", 4}})},
        free_iterations_{waves_.iterations(settings_.algorithm)},
        labels_(maze_.cell_count(), not_reached) {}

  std::string_view kind() const override { return maze_kind.name; }
  Guest guest() const override { return partition_.guest(); }
  std::uint64_t data_bytes() const override { return maze_.cell_count() * bytes_per_maze_cell; }

  Task<> run(Process& process) override {
    MazeRegion region{maze_, partition_, process.rank().index(), labels_};
    std::uint32_t iteration = 0;
    // Every process knows from the settings whether start and target are one cell.
    bool is_over = maze_.start == maze_.target;
    while (!is_over) {
      if (settings_.algorithm == MazeAlgorithm::simple) {
        co_await iterate_simple(process, region);
      } else {
        co_await iterate_overlapped(process, region);
      }
      ++iteration;
      is_over = co_await has_ended(process, region, iteration);
    }
    iterations_ = iteration;
  }

  std::optional<bool> verify() override { return are_labels_right() && is_path_right(); }

  Params answer() const override {
    std::vector<std::uint32_t> fronts(maze_.cell_count());  // [label]: cells
    std::uint64_t labelled = 0;
    for (const std::uint32_t label : labels_) {
      if (label < fronts.size()) {
        ++labelled;
        ++fronts[label];
      }
    }
    const std::uint32_t largest = *std::ranges::max_element(fronts);
    const std::uint32_t length = labels_[maze_.target];
    Params answer;
    answer.set("path_length", length == not_reached ? Setting{"none"} : number(length));
    answer.set("waves", number(iterations_));
    answer.set("cells_labelled", number(labelled));
    answer.set("largest_front", number(largest));
    return answer;
  }

  std::vector<OutputFile> output_files() const override {
    if (settings_.output.empty()) {
      return {};
    }
    const std::vector<std::uint32_t> path = shortest_path(maze_, labels_);
    const bool is_image = settings_.output.ends_with(".ppm");
    return {{settings_.output, is_image ? maze_image(maze_, path) : maze_text(maze_, path)}};
  }

  std::optional<Ticks> sequential_time() const override {
    return round_cost(ExactTime{}, cell_time_, waves_.cells_to_expand());
  }

 private:
  // --- Code of a process ---

  Task<> iterate_simple(Process& process, MazeRegion& region) {
    co_await process.compute(cell_time_, region.expand_wave());
    send_packets(process, region);
    for (const std::uint32_t neighbour : partition_.neighbours(process.rank().index())) {
      Payload packet = co_await process.receive(ProcessId{neighbour});
      co_await process.compute(cell_time_, region.label_next(packet.take<std::uint32_t>()));
    }
    region.advance();
  }

  /// Packets travel while the process expands its cells. Cells of this wave that are still under
  /// way to it get no wrong label: cells at equal distances are never adjacent.
  Task<> iterate_overlapped(Process& process, MazeRegion& region) {
    send_packets(process, region);
    co_await process.compute(cell_time_, region.expand_wave());
    for (const std::uint32_t neighbour : partition_.neighbours(process.rank().index())) {
      Payload packet = co_await process.receive(ProcessId{neighbour});
      co_await process.compute(cell_time_,
                               2 * region.label_and_expand(packet.take<std::uint32_t>()));
    }
    region.advance();
  }

  void send_packets(Process& process, MazeRegion& region) const {
    const std::span<const std::uint32_t> neighbours = partition_.neighbours(process.rank().index());
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      std::vector<std::uint32_t> cells = region.take_packet(i);
      const std::uint64_t bytes = bytes_per_cell * (1 + cells.size());
      process.send(ProcessId{neighbours[i]}, Payload::of(std::move(cells), bytes));
    }
  }

  /// Returns the same for every process.
  Task<bool> has_ended(Process& process, const MazeRegion& region, std::uint32_t iteration) {
    if (settings_.test_every == 0) {
      co_return iteration == free_iterations_;
    }
    if (iteration % settings_.test_every != 0) {
      co_return false;
    }
    std::vector<Tally> tallies(1);
    tallies[0].reached_target = region.has_reached_target() ? 1 : 0;
    tallies[0].cells_left = static_cast<std::uint32_t>(region.cells_left());
    const auto add = [](std::vector<Tally> a,
                        const std::vector<Tally>& b) -> Task<std::vector<Tally>> {
      a[0].reached_target += b[0].reached_target;
      a[0].cells_left += b[0].cells_left;
      co_return a;
    };
    tallies = co_await collapse(process, std::move(tallies), add);
    tallies = co_await broadcast(process, std::move(tallies));
    co_return tallies[0].is_end();
  }

  // --- Afterwards ---

  /// Labels equal distances, and none is missing in the waves found or, overlapped, begun.
  bool are_labels_right() const {
    const bool is_simple = settings_.algorithm == MazeAlgorithm::simple;
    const std::uint32_t complete = is_simple ? iterations_ : std::max(iterations_, 1U) - 1;
    for (std::uint32_t cell = 0; cell < maze_.cell_count(); ++cell) {
      const std::uint32_t distance = waves_.distances()[cell];
      const bool is_missing = labels_[cell] == not_reached;
      if (is_missing ? distance <= complete : labels_[cell] != distance) {
        return false;
      }
    }
    return true;
  }

  /// The path is as long as in the sequential search, and its cells are free and adjacent.
  bool is_path_right() const {
    const std::vector<std::uint32_t> path = shortest_path(maze_, labels_);
    const std::uint32_t length = waves_.distances()[maze_.target];
    if (length == not_reached) {
      return path.empty();
    }
    if (path.size() != std::size_t{length} + 1 || path.front() != maze_.start) {
      return false;
    }
    for (std::size_t i = 1; i < path.size(); ++i) {
      const NextCells around{maze_, path[i]};
      const bool is_next = std::ranges::find(around, path[i - 1]) != around.end();
      if (!is_next || maze_.is_blocked[path[i]] != 0) {
        return false;
      }
    }
    return path.back() == maze_.target;
  }

  Settings settings_;
  Maze maze_;
  MazePartition partition_;
  MazeWaves waves_;
  ExactTime cell_time_;
  std::uint32_t free_iterations_;
  std::vector<std::uint32_t> labels_;  ///< each process writes those of its own cells
  std::uint32_t iterations_ = 0;
};

constexpr WholeNumber algorithm_number{
    "algorithm",
    "1 (expand, send, receive, label) or 2 (expands while packets travel)",
    "an algorithm (1 or 2)",
    {1, 2, 1}};
/// All iterations up to the next test are run, however small the maze is.
constexpr WholeNumber test_interval{"test_every",
                                    "iterations between two global tests (1 to 2^20)",
                                    "a number of iterations (1 to 1048576)",
                                    {1, 1 << 20, 1}};

/// 0 without tests.
std::uint32_t read_test_every(const Params& params) {
  const std::array<std::string, 2> ways{"global", "free"};
  const bool is_global = params.choice("termination", ways, "global") == "global";
  refuse_if(!is_global && params.has("test_every"), params.place_of("test_every"),
            "is for termination \"global\" (\"free\" tests nothing); leave it out");
  return is_global ? test_interval.read(params) : 0;
}

std::unique_ptr<Program> make_maze(const Params& params, const ProgramContext& context) {
  MazeProgram::Settings settings;
  settings.algorithm =
      algorithm_number.read(params) == 1 ? MazeAlgorithm::simple : MazeAlgorithm::overlapped;
  settings.test_every = read_test_every(params);
  settings.output = params.text("output", "");
  Maze maze = read_maze(params, context);
  MazePartition partition{params, context.machine, maze};
  return std::make_unique<MazeProgram>(std::move(settings), std::move(maze), std::move(partition),
                                       context.machine);
}

std::vector<ParameterHelp> maze_parameters() {
  std::vector<ParameterHelp> parameters{
      algorithm_number,
      process_count_help(),
      {"partition", "block (near-square grid), strip (rows in strips) or cyclic (rows in turn)",
       "block"},
      {"termination", "global (collapse and broadcast) or free (known without messages)", "global"},
      test_interval,
      {"output", "file for the maze with the path: a picture if it ends in .ppm, else text",
       "none"}};
  std::ranges::move(maze_input_help(), std::back_inserter(parameters));
  return parameters;
}

}  // namespace

const ProgramKind maze_kind{
    "maze", "shortest path in a maze by front wave expansion, neighbours exchanging cells [N 4]",
    "processes=4,size=12x12,algorithm=2", maze_parameters(), make_maze};

}  // namespace dcube
