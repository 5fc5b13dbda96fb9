#include "maze_input.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/input_file.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "image_file.hpp"

namespace dcube {
namespace {

/// A maze that may lack start and target.
struct MazeDraft {
  Maze maze;
  std::optional<std::uint32_t> start;
  std::optional<std::uint32_t> target;
};

[[noreturn]] void reject(std::string_view problem) { throw InputError("", problem); }

// --- Files ---

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines =
      mapped(split_at(without_byte_order_mark(text), '\n'), [](std::string_view line) {
        return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
      });
  while (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  return lines;
}

/// Notes the only cell with the mark; rejects a second.
void mark_once(std::optional<std::uint32_t>& cell, char mark, std::uint32_t here,
               std::uint32_t columns) {
  if (cell) {
    reject(fmt::format("has {} twice (row {} column {}, and row {} column {})", mark,
                       *cell / columns, *cell % columns, here / columns, here % columns));
  }
  cell = here;
}

void read_cell(MazeDraft& draft, char c) {
  Maze& maze = draft.maze;
  const auto here = static_cast<std::uint32_t>(maze.is_blocked.size());
  switch (c) {
    case '#':
    case '.':
    case ' ':
      break;
    case 'S':
      mark_once(draft.start, c, here, maze.columns);
      break;
    case 'T':
      mark_once(draft.target, c, here, maze.columns);
      break;
    default:
      reject(fmt::format("has {} at row {} column {} (cells are #, ., space, S and T)",
                         Setting{std::string(1, c)}.describe(), here / maze.columns,
                         here % maze.columns));
  }
  maze.is_blocked.push_back(c == '#' ? 1 : 0);
}

void refuse_cells_if(bool are_too_many) {
  refuse_if(are_too_many, "", "has more than {} cells", most_maze_cells);
}

MazeDraft read_text(std::string_view text) {
  constexpr std::uint64_t most_bytes_per_cell = 3;  // for cells at the end of a line
  refuse_cells_if(text.size() > most_bytes_per_cell * most_maze_cells);
  const std::vector<std::string_view> lines = lines_of(text);
  refuse_if(lines.empty(), "", "has no rows");
  refuse_cells_if(lines.size() * lines.front().size() > most_maze_cells);
  MazeDraft draft;
  draft.maze.rows = static_cast<std::uint32_t>(lines.size());
  draft.maze.columns = static_cast<std::uint32_t>(lines.front().size());
  for (std::size_t row = 0; row < lines.size(); ++row) {
    refuse_if(lines[row].size() != draft.maze.columns, "",
              "is ragged: row {} has {} cells, row 0 has {}", row, lines[row].size(),
              draft.maze.columns);
    for (const char c : lines[row]) {
      read_cell(draft, c);
    }
  }
  return draft;
}

MazeDraft read_picture(std::string_view content) {
  Picture bitmap = read_bitmap(content, most_maze_cells);
  MazeDraft draft;
  draft.maze.rows = bitmap.height;
  draft.maze.columns = bitmap.width;
  draft.maze.is_blocked = std::move(bitmap.pixels);
  return draft;
}

MazeDraft read_file(const Params& params, const ProgramContext& context) {
  for (const char* key : {"size", "blocked"}) {
    refuse_if(params.has(key), params.place_of(key),
              "is for a maze drawn from the seed (`input` names a file); leave out one");
  }
  const std::filesystem::path file = context.input_file(params, "input");
  const std::string content = read_input_file(file, params.place_of("input"));
  try {
    return is_bitmap(content) ? read_picture(content) : read_text(content);
  } catch (const InputError& error) {
    params.reject("input", fmt::format("{} {}", file.string(), error.problem()));
  }
}

// --- Drawn from the seed ---

constexpr std::uint64_t permille = 1000;

/// Blocked share of the cells, in thousandths, exactly as written.
std::uint64_t read_blocked(const Params& params) {
  constexpr std::uint64_t usual = 250;
  constexpr std::uint64_t most = 600;
  const Setting* const setting = params.find("blocked");
  if (setting == nullptr) {
    return usual;
  }
  std::optional<std::uint64_t> value;
  if (setting->number() != nullptr) {
    std::optional<Decimal> number = read_decimal(setting->number()->text);
    number->exponent += 3;
    value = whole_value(*number);
  }
  refuse_if(!value || *value > most, params.place_of("blocked"),
            "{} is not a part of the cells (0 to 0.6, at most three decimal places)",
            setting->describe());
  return *value;
}

void read_sides(const Params& params, Maze& maze) {
  constexpr std::uint32_t usual = 64;
  std::vector<std::uint32_t> sides{usual, usual};
  if (params.has("size")) {
    sides = params.positive_ints("size", "a side (a positive integer)");
  }
  if (sides.size() != 2) {
    params.reject("size", params.find("size")->describe() + " is not two sides, rows and columns");
  }
  refuse_if(std::uint64_t{sides[0]} * sides[1] > most_maze_cells, params.place_of("size"),
            "{} x {} cells are too many; at most {}", sides[0], sides[1], most_maze_cells);
  maze.rows = sides[0];
  maze.columns = sides[1];
}

/// Draws each cell by a hash of its place, so the order of drawing does not matter.
MazeDraft draw(const Params& params, std::uint64_t seed) {
  MazeDraft draft;
  Maze& maze = draft.maze;
  read_sides(params, maze);
  const std::uint64_t blocked = read_blocked(params);
  maze.is_blocked.reserve(maze.cell_count());
  for (std::uint32_t row = 0; row < maze.rows; ++row) {
    for (std::uint32_t column = 0; column < maze.columns; ++column) {
      const bool is_blocked = bounded(hash_of(seed, row, column), permille) < blocked;
      maze.is_blocked.push_back(is_blocked ? 1 : 0);
    }
  }
  return draft;
}

// --- Start and target ---

/// The cell of the setting `key`, else the one marked in the file, else `corner`.
std::uint32_t read_end(const Params& params, std::string_view key, const Maze& maze,
                       std::optional<std::uint32_t> marked, std::uint32_t corner) {
  if (!params.has(key)) {
    return marked.value_or(corner);
  }
  const std::vector<std::uint32_t> place =
      params.non_negative_ints(key, "a row or column (they count from 0)");
  const std::string written = params.find(key)->describe();
  refuse_if(place.size() != 2, params.place_of(key), "{} is not a cell, [row, column]", written);
  refuse_if(place[0] >= maze.rows || place[1] >= maze.columns, params.place_of(key),
            "{} is outside the maze ({} rows and {} columns, which count from 0)", written,
            maze.rows, maze.columns);
  return maze.cell(place[0], place[1]);
}

void expect_free(const Params& params, std::string_view key, const Maze& maze, std::uint32_t cell) {
  refuse_if(maze.is_blocked[cell] != 0, params.place_of(key),
            "the cell at row {} column {} is blocked; give a free cell, [row, column]",
            cell / maze.columns, cell % maze.columns);
}

}  // namespace

Maze read_maze(const Params& params, const ProgramContext& context) {
  const bool is_drawn = !params.has("input");
  MazeDraft draft = is_drawn ? draw(params, context.seed) : read_file(params, context);
  Maze maze = std::move(draft.maze);
  maze.start = read_end(params, "start", maze, draft.start, 0);
  maze.target = read_end(params, "target", maze, draft.target, maze.cell_count() - 1);
  if (is_drawn) {
    maze.is_blocked[maze.start] = 0;
    maze.is_blocked[maze.target] = 0;
  }
  expect_free(params, "start", maze, maze.start);
  expect_free(params, "target", maze, maze.target);
  return maze;
}

std::vector<ParameterHelp> maze_input_help() {
  return {
      {"input", "file with the maze: text (# . S T) or PBM (1 blocked)", "none: drawn at random"},
      {"size", "rows and columns of a maze drawn at random, such as 64x64", "64x64"},
      {"blocked", "part of its cells that is blocked (0 to 0.6, by thousandths)", "0.25"},
      {"start", "cell where the path begins, [row, column]", "S, or the top left"},
      {"target", "cell where it ends, [row, column]", "T, or the bottom right"}};
}

}  // namespace dcube
