#include "dcube/questions/search_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/traffic_files.hpp"

namespace dcube {
namespace {

/// Whether there is such a file, also for a text that can be the name of none.
bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored);
}

/// "cube:8" rather than a file or "mtx:FILE".
bool names_shape(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != std::string::npos && !is_file(text) &&
         find_kind(traffic_format_catalog(), text.substr(0, colon)) == nullptr;
}

Guest shape_named(const std::string& text) {
  try {
    return Guest::parse(text);
  } catch (const InputError& error) {
    const std::size_t colon = text.find(':');
    const std::string format = text.substr(0, colon);
    refuse_if(is_file(text.substr(colon + 1)), ".traffic", "`{}` is no format of traffic{}", format,
              nearest_name_hint(format, names_of(traffic_format_catalog())));
    throw InputError(".traffic", error.problem());
  }
}

Traffic traffic_of_file(const std::string& file) {
  return at_least_at(".traffic", [&] { return read_traffic(file); });
}

std::vector<std::uint64_t> read_weights(const std::string& text, std::size_t dimensions) {
  std::vector<std::uint64_t> weights;
  if (text == "doubling" || text == "halving") {
    refuse_if(dimensions > 62, ".weights", "{} has no more than 62 steps", text);
    for (std::size_t i = 0; i < dimensions; ++i) {
      weights.push_back(std::uint64_t{1} << i);
    }
    if (text == "halving") {
      std::ranges::reverse(weights);
    }
    return weights;
  }
  at_place(".weights", [&] {
    for (const std::string_view word : split_at(text, ',')) {
      refuse_if(trimmed(word).empty(), "", "{} has an empty entry (leave out a comma)",
                shown(text));
      const auto weight = parsed<std::uint64_t>(trimmed(word));
      if (!weight) {  // Params says what is wrong with it
        for (const std::uint32_t other :
             Params::parse("weights=[" + std::string{word} + "]")
                 .non_negative_ints("weights", "a weight (doubling, halving or whole numbers)")) {
          weights.push_back(other);
        }
        continue;
      }
      weights.push_back(*weight);
    }
  });
  refuse_if(weights.size() != dimensions, ".weights",
            "{} weights for {} dimensions; give one for each", weights.size(), dimensions);
  return weights;
}

}  // namespace

NamedTraffic traffic_option(const std::string& shape_or_file, const std::string& weights,
                            const std::shared_ptr<const Traffic>& matrix, const Machine* machine) {
  if (matrix != nullptr || !names_shape(shape_or_file)) {
    refuse_if(!weights.empty(), ".weights",
              "a {} has its own weights (for process shapes such as cube:8)",
              matrix != nullptr ? "matrix" : "file");
    return {shape_or_file, std::nullopt,
            matrix != nullptr ? *matrix : traffic_of_file(shape_or_file)};
  }
  const Guest guest = shape_named(shape_or_file);
  if (machine != nullptr) {
    const std::uint64_t nodes = machine->topology->usable_count();
    const std::uint64_t slots = nodes * machine->node.slots;
    refuse_if(guest.process_count() > slots, ".traffic", "{} has {} processes, the machine {}",
              guest.name(), guest.process_count(),
              slots == nodes ? fmt::format("{} nodes (a node hosts at most one)", nodes)
                             : fmt::format("{} slots on {} nodes", slots, nodes));
  }
  if (weights.empty()) {
    return {guest.name(), guest, at_least_at(".traffic", [&] { return Traffic::of(guest); })};
  }
  const auto by_dimension = read_weights(weights, guest.dimension_count());
  return {fmt::format("{}, weights {}", guest.name(), weights), guest,
          at_least_at(".weights", [&] { return Traffic::of(guest, by_dimension); })};
}

}  // namespace dcube
