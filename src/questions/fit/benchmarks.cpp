#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/refuse.hpp"
#include "core/text.hpp"
#include "measured.hpp"

namespace dcube {
namespace {

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool begins_with_number(std::string_view line) {
  const std::string_view begin = trimmed(line);
  return !begin.empty() && begin.front() >= '0' && begin.front() <= '9';
}

std::size_t index_of(const std::vector<std::string_view>& words, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

// --- nccl-tests ---

/// "all_reduce" of "/opt/nccl-tests/build/all_reduce_perf"; empty where the line names no test.
std::string nccl_test_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == std::string_view::npos) {
    return {};
  }
  const std::size_t before = line.substr(0, end).find_last_of(" \t/:\"");
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return measured_operation(line.substr(begin, end - begin));
}

/// Lines of results have the cells that the line "# size count type .. time algbw .." names; the
/// first time is that out of place.
MeasuredFile read_nccl(std::string_view text, const std::string& file) {
  MeasuredFile measured;
  std::string operation;
  std::vector<std::string_view> heads;
  std::uint64_t ranks = 0;
  std::size_t number = 0;
  for (const std::string_view line : measured_lines(text)) {
    ++number;
    if (const std::string test = nccl_test_in(line); !test.empty()) {
      operation = test;
      ranks = 0;
    }
    const std::vector<std::string_view> words = blank_separated(line);
    if (words.size() > 2 && words[0] == "#" && words[1] == "Rank") {
      ++ranks;
    } else if (contains_text(line, "#") && contains_text(line, "algbw")) {
      heads = blank_separated(line.substr(line.find('#') + 1));
    } else if (begins_with_number(line) && !heads.empty()) {
      MeasuredRow row{.place = fmt::format("{}: line {}", file, number), .operation = operation};
      const std::size_t size = index_of(heads, "size");
      const std::size_t time = index_of(heads, "time");
      if (words.size() < heads.size()) {
        row.problem = fmt::format("{} cells where the head has {}", words.size(), heads.size());
      } else if (std::max(size, time) == heads.size()) {
        row.problem = fmt::format("the head has no `{}`", size < time ? "time" : "size");
      } else {
        take_measured_cell(row, "size", words[size]);
        take_measured_time(row, words[time], "us");
        const std::size_t root = index_of(heads, "root");
        if (root < heads.size() && parsed<std::uint32_t>(words[root])) {
          take_measured_cell(row, "root", words[root]);
        }
        row.processes = ranks > 0 ? std::optional{ranks} : std::nullopt;
      }
      measured.rows.push_back(std::move(row));
    }
  }
  return measured;
}

// --- OSU micro-benchmarks ---

/// The operation of "# OSU MPI Allreduce Latency Test v7.0"; as it is written, where dcube has no
/// word for it.
std::string osu_operation(std::string_view title) {
  constexpr std::string_view end = " Test";
  const std::size_t begin = std::min(title.find("OSU ") + 4, title.size());
  std::string_view name = title.substr(begin, title.find(end) - begin);
  name = name.substr(std::min(name.find(' ') + 1, name.size()));  // "MPI", "MPI-CUDA", ..
  constexpr std::string_view latency = "Latency";
  if (name == latency) {
    return MeasuredRow::ping_pong;
  }
  if (!name.ends_with(latency)) {
    return std::string{name};
  }
  name = trimmed(name.substr(0, name.size() - latency.size()));
  return contains_text(name, "All-to-All Personalized") && !contains_text(name, "locking")
             ? "alltoall"
             : measured_operation(name);
}

/// Sizes of a collective count what a process sends to one other, but those of vectors.
MeasuredFile read_osu(std::string_view text, const std::string& file) {
  MeasuredFile measured;
  std::string operation;
  std::size_t time = 1;
  std::size_t number = 0;
  for (const std::string_view line : measured_lines(text)) {
    ++number;
    if (contains_text(line, "# OSU ")) {
      operation = osu_operation(line);
    } else if (contains_text(line, "# Size") || contains_text(line, "# Avg Latency")) {
      // "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations"
      std::string heads{line.substr(line.find('#') + 1)};
      for (std::size_t at = heads.find(" Latency"); at != std::string::npos;
           at = heads.find(" Latency")) {
        heads.replace(at, 1, "_");
      }
      const std::vector<std::string_view> words = blank_separated(heads);
      const auto largest = std::ranges::find_if(
          words, [](std::string_view word) { return word.starts_with("Max"); });
      time = largest != words.end() ? static_cast<std::size_t>(largest - words.begin())
                                    : words.front() == "Size";
    } else if (begins_with_number(line) && !operation.empty()) {
      const std::vector<std::string_view> words = blank_separated(line);
      MeasuredRow row{.place = fmt::format("{}: line {}", file, number), .operation = operation};
      row.is_of_share = operation != "reducescatter";
      if (words.size() <= time) {
        row.problem = fmt::format("{} cells, and the time is the {}.", words.size(), time + 1);
      } else {
        if (time > 0 && operation != "barrier") {
          take_measured_cell(row, "size", words.front());
        }
        take_measured_time(row, words[time], "us");
      }
      measured.rows.push_back(std::move(row));
    }
  }
  return measured;
}

// --- mpiBench ---

bool is_of_mpi_bench(std::string_view line) {
  return contains_text(line, "Bytes:") && contains_text(line, "Iters:") &&
         contains_text(line, "Max:");
}

/// "Allreduce  Bytes:  8  Iters:  1000  Avg:  9.1  Min:  8.9  Max:  9.4  Comm: ..  Ranks: 8".
MeasuredFile read_mpi_bench(std::string_view text, const std::string& file) {
  MeasuredFile measured;
  std::size_t number = 0;
  for (const std::string_view line : measured_lines(text)) {
    ++number;
    if (!is_of_mpi_bench(line)) {
      continue;
    }
    MeasuredRow row{.place = fmt::format("{}: line {}", file, number)};
    const std::vector<std::string_view> words = blank_separated(line);
    const auto after = [&](std::string_view word) {
      const std::size_t next = index_of(words, word) + 1;
      return next < words.size() ? words[next] : std::string_view{};
    };
    row.operation = measured_operation(words.front());
    row.is_of_share = true;
    if (row.operation != "barrier") {
      take_measured_cell(row, "size", after("Bytes:"));
    }
    if (const auto ranks = parsed<std::uint64_t>(after("Ranks:"))) {
      row.processes = *ranks;
    }
    take_measured_time(row, after("Max:"), "us");
    measured.rows.push_back(std::move(row));
  }
  return measured;
}

}  // namespace

std::optional<MeasuredFile> read_benchmark(std::string_view text, const std::string& file) {
  const std::vector<std::string_view> lines = measured_lines(text);
  const auto has_line = [&](const std::function<bool(std::string_view)>& is_it) {
    return std::ranges::any_of(lines, is_it);
  };
  std::optional<MeasuredFile> measured;
  if (has_line([](std::string_view line) { return contains_text(line, "# OSU "); })) {
    measured = read_osu(text, file);
  } else if (has_line([](std::string_view line) {
               return contains_text(line, "#") && contains_text(line, "algbw");
             })) {
    measured = read_nccl(text, file);
  } else if (has_line(is_of_mpi_bench)) {
    measured = read_mpi_bench(text, file);
  }
  return measured;
}

}  // namespace dcube
