#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "chakra_reader.hpp"
#include "core/input_file.hpp"
#include "core/refuse.hpp"
#include "program/catalog.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view rank_mark = "{}";

/// The files of rank 0, 1, .. that exist, for a pattern such as "trace.{}.et".
std::vector<fs::path> files_of_pattern(const fs::path& pattern, const std::string& place) {
  const std::string text = pattern.string();
  const std::size_t mark = text.rfind(rank_mark);
  if (mark == std::string::npos) {
    return {pattern};
  }
  std::vector<fs::path> files;
  for (;;) {
    fs::path file{text.substr(0, mark) + std::to_string(files.size()) +
                  text.substr(mark + rank_mark.size())};
    std::error_code error;
    if (!files.empty() && !fs::exists(file, error)) {
      return files;
    }
    expect_readable(file, place);  // at least rank 0 must exist
    files.push_back(std::move(file));
  }
}

std::vector<fs::path> read_files(const Params& settings, const ProgramContext& context) {
  const Setting& setting = settings.required("file");
  if (setting.list() == nullptr) {
    return files_of_pattern(context.input_file(settings, "file"), settings.place_of("file"));
  }
  std::vector<fs::path> files;
  const Setting::List& names = settings.list("file", "names of files");
  for (std::size_t i = 0; i < names.size(); ++i) {
    refuse_if(names[i].text() == nullptr, settings.place_of("file", i),
              "{} is not the name of a file", names[i].describe());
    files.push_back(context.folder / *names[i].text());
    expect_readable(files.back(), settings.place_of("file", i));
  }
  return files;
}

std::map<std::string, std::vector<std::uint32_t>> read_groups(const Params& settings,
                                                              std::size_t ranks) {
  std::map<std::string, std::vector<std::uint32_t>> read;
  if (!settings.has("groups")) {
    return read;
  }
  const Params& groups = settings.group("groups");
  for (const std::string& name : groups.keys()) {
    std::vector<std::uint32_t> members = groups.non_negative_ints(name, "a rank");
    std::vector<std::uint32_t> sorted = members;
    std::ranges::sort(sorted);
    refuse_if(sorted.back() >= ranks, groups.place_of(name), "{} is not a rank (0 to {})",
              sorted.back(), ranks - 1);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      groups.reject(name, fmt::format("{} is a member twice", *std::ranges::adjacent_find(sorted)));
    }
    read.emplace(name, std::move(members));
  }
  return read;
}

bool has_stream_per_group(const Params& settings) {
  static const std::array<std::string, 2> names{"one", "per_group"};
  return settings.choice("streams", names, "one") == "per_group";
}

std::unique_ptr<Program> make_chakra(const Params& settings, const ProgramContext& context) {
  const std::vector<fs::path> files = read_files(settings, context);
  ChakraContext reading{.microsecond = read_time_unit(settings, "us"),
                        .ignored = read_ignored(settings),
                        .groups = read_groups(settings, files.size()),
                        .place_of_groups = settings.place_of("groups"),
                        .has_stream_per_group = has_stream_per_group(settings),
                        .text_of = [&](const fs::path& file, ReadingPart part) {
                          if (const auto listen = part_listener(file, context, part)) {
                            listen(0);
                          }
                          return read_input_file(file, settings.place_of("file"));
                        }};
  Schedule schedule = read_chakra(files, std::move(reading));
  return make_scheduled_program(chakra_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind chakra_kind{
    "chakra",
    "execution traces of MLCommons Chakra: a graph of computations, messages and collectives for "
    "each rank",
    "",
    trace_parameters(
        "the traces (.et): a name with {} for the rank, or a list of files, one a rank",
        "types of nodes",
        {{"groups", "ranks of the groups that collectives name (pg_name): {\"0\": [0, 1]}",
          "the ranks that use the name"},
         {"streams",
          "per_group: collectives of different groups overlap on a rank, as on streams of their "
          "own; one: they and sends take turns",
          "one"}}),
    make_chakra};

}  // namespace dcube
