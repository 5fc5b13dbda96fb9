#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "machine_files.hpp"

// Networks of ASTRA-sim's analytical backend (network.yml): for each dimension, the first fastest,
// a building block, its number of NPUs, and the bandwidth and latency of a link in one direction. A
// GB is 2^30 bytes there. Of YAML this reads lists "key: [a, b]", one item a line "- a", and single
// values.

namespace dcube {
namespace {

constexpr std::array<std::string_view, 4> keys{"topology", "npus_count", "bandwidth", "latency"};

struct Entry {
  std::size_t line = 0;  ///< 0: missing
  std::vector<std::string> items{};
};

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string file) : file_{std::move(file)} {
    for (const std::string_view line : split_at(text, '\n')) {
      ++line_;
      read_line(line);
    }
    refuse_if(is_open_, place(), "a list has no end (`]`)");
  }

  const Entry& entry(std::size_t key) const {
    refuse_if(entries_[key].items.empty(), file_,
              "`{}` is missing (a network of ASTRA-sim has topology, npus_count, bandwidth and "
              "latency)",
              keys[key]);
    return entries_[key];
  }
  std::string place_of(std::size_t key) const {
    return fmt::format("{}:{}", file_, entries_[key].line);
  }

 private:
  std::string place() const { return fmt::format("{}:{}", file_, line_); }

  void read_line(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty() || line == "---") {
      return;
    }
    if (is_open_) {
      read_items(line);
    } else if (line == "-" || line.starts_with("- ")) {
      refuse_if(current_ == nullptr || !is_block_, place(), "an item belongs to no key");
      add_item(line.substr(1));
    } else {
      read_key(line);
    }
  }

  void read_key(std::string_view line) {
    const std::size_t colon = line.find(':');
    refuse_if(colon == std::string_view::npos, place(),
              "{} is no line of a network (`key: [value, ..]`)", shown(line));
    const std::string_view key = trimmed(line.substr(0, colon));
    const auto known = std::ranges::find(keys, key);
    refuse_if(known == keys.end(), place(),
              "{} is no key of a network of ASTRA-sim that dcube reads (topology, npus_count, "
              "bandwidth, latency)",
              shown(key));
    current_ = &entries_[static_cast<std::size_t>(known - keys.begin())];
    refuse_if(current_->line != 0, place(), "`{}` is given twice", key);
    current_->line = line_;
    const std::string_view value = trimmed(line.substr(colon + 1));
    is_block_ = value.empty();
    if (value.starts_with('[')) {
      is_open_ = true;
      read_items(value.substr(1));
    } else if (!value.empty()) {
      add_item(value);
    }
  }

  /// Items between brackets, which may be on several lines.
  void read_items(std::string_view text) {
    const std::size_t end = text.find(']');
    refuse_if(end != std::string_view::npos && !trimmed(text.substr(end + 1)).empty(), place(),
              "{} follows the end of a list", shown(trimmed(text.substr(end + 1))));
    const std::string_view inside = trimmed(text.substr(0, end));
    is_open_ = end == std::string_view::npos;
    if (inside.empty()) {
      return;
    }
    const std::vector<std::string_view> parts = split_at(inside, ',');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool ends_line = i + 1 == parts.size() && trimmed(parts[i]).empty() && i > 0;
      if (!ends_line) {
        add_item(parts[i]);
      }
    }
  }

  void add_item(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
        text.back() == text.front()) {
      text = text.substr(1, text.size() - 2);
    }
    refuse_if(text.empty() || text.find_first_of("[]{}\"'&*!|>") != std::string_view::npos, place(),
              "{} is no value of a list", shown(text));
    current_->items.emplace_back(text);
  }

  std::string file_;
  std::size_t line_ = 0;
  Entry* current_ = nullptr;
  bool is_open_ = false;   ///< in a list between brackets
  bool is_block_ = false;  ///< items of the key are on lines of their own
  std::array<Entry, keys.size()> entries_{};
};

Params read_network(const std::filesystem::path& file) {
  const std::string text = file_text(file);
  const YamlReader reader{text, file.string()};
  const std::vector<std::string>& kinds = reader.entry(0).items;
  for (std::size_t key = 1; key < keys.size(); ++key) {
    refuse_if(reader.entry(key).items.size() != kinds.size(), reader.place_of(key),
              "`{}` has {} for {}", keys[key], counted(reader.entry(key).items.size(), "value"),
              counted(kinds.size(), "dimension"));
  }
  Setting::List blocks;
  Params classes;
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    constexpr std::array<std::pair<std::string_view, const char*>, 3> known{
        {{"Ring", "ring"}, {"FullyConnected", "full"}, {"Switch", "switch"}}};
    const auto kind = std::ranges::find(known, std::string_view{kinds[d]},
                                        &std::pair<std::string_view, const char*>::first);
    refuse_if(kind == known.end(), reader.place_of(0),
              "{} is no building block that dcube reads (Ring, FullyConnected or Switch)",
              shown(kinds[d]));
    const std::string& count = reader.entry(1).items[d];
    refuse_if(parsed<std::uint32_t>(count).value_or(0) == 0, reader.place_of(1),
              "{} is no number of NPUs (1 or more)", shown(count));
    blocks.emplace_back(group_of({{"kind", kind->second}, {"size", Setting::Number{count}}}));
    const std::string bandwidth = reader.entry(2).items[d] + "GiB/s";
    const std::string latency = reader.entry(3).items[d] + "ns";
    at_place(reader.place_of(2), [&] { parse_time_per_byte(bandwidth); });
    at_place(reader.place_of(3), [&] { parse_duration(latency); });
    classes.set(fmt::format("block {}", d),
                group_of({{"latency", latency}, {"bandwidth", bandwidth}}));
  }
  Params topology{file.string() + ": "};
  topology.set("kind", "blocks");
  topology.set("blocks", std::move(blocks));
  return network_document_of(std::move(topology), std::move(classes));
}

}  // namespace

const MachineFormat astra_sim_machines{
    "astra-sim", "a network of ASTRA-sim's analytical backend (rings, cliques, switches)", ".yml",
    read_network};

}  // namespace dcube
