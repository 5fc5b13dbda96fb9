#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t max_processes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t max_cube_dimensions = 31;

const std::array<std::string, 6> known_forms{"cube", "line", "mesh", "ring", "torus", "tree"};

/// Number of processes; nothing above max_processes.
std::optional<std::uint32_t> product(std::span<const std::uint32_t> shape) {
  std::uint64_t count = 1;
  for (const std::uint32_t side : shape) {
    count *= side;
    if (count > max_processes) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint32_t>(count);
}

std::uint32_t checked_product(std::span<const std::uint32_t> shape) {
  const std::optional<std::uint32_t> count = product(shape);
  expects(count.has_value(), "a process shape has fewer than 2^32 processes");
  return *count;
}

std::string shown(std::string_view text) { return Setting{std::string{text}}.describe(); }

[[noreturn]] void reject(std::string_view text, std::string_view reason) {
  throw InputError("", fmt::format("{} is not a process shape ({})", shown(text), reason));
}

/// "8x4" -> {8, 4}; nothing when a part is not a 32-bit number.
std::optional<std::vector<std::uint32_t>> read_sizes(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  for (const std::string_view part : split_at(text, 'x')) {
    const std::optional<std::uint32_t> size = parsed<std::uint32_t>(part);
    if (!size) {
      return std::nullopt;
    }
    sizes.push_back(*size);
  }
  return sizes;
}

struct GuestText {
  std::string_view form;
  std::vector<std::uint32_t> sizes;
};

GuestText split(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view form = text.substr(0, colon);
  if (std::ranges::find(known_forms, form) == known_forms.end()) {
    throw InputError(
        "", shown(text) + " is not a process shape" + nearest_name_hint(form, known_forms));
  }
  std::optional<std::vector<std::uint32_t>> sizes =
      colon == std::string_view::npos ? std::nullopt : read_sizes(text.substr(colon + 1));
  if (!sizes) {
    reject(text, "write its form and size, such as cube:6, ring:64 or mesh:8x8");
  }
  return {form, std::move(*sizes)};
}

void check_sizes(std::string_view text, const GuestText& parts) {
  const auto& [form, sizes] = parts;
  if (form != "mesh" && form != "torus" && sizes.size() != 1) {
    reject(text, fmt::format("a {} has one size", form));
  }
  if (form == "cube") {
    if (sizes[0] > max_cube_dimensions) {
      reject(text, fmt::format("a cube has 0 to {} dimensions", max_cube_dimensions));
    }
    return;
  }
  if (std::ranges::find(sizes, 0U) != sizes.end()) {
    reject(text, "each size is a positive integer");
  }
  if (form == "tree" && !std::has_single_bit(std::uint64_t{sizes[0]} + 1)) {
    reject(text, "a full tree has 2^k-1 processes");
  }
  if (!product(sizes)) {
    reject(text, fmt::format("at most {} processes", max_processes));
  }
}

}  // namespace

Guest::Guest(Kind kind, std::vector<std::uint32_t> shape)
    : kind_{kind}, shape_{std::move(shape)}, process_count_{checked_product(shape_)} {}

Guest Guest::cube(std::uint32_t dimensions) {
  expects(dimensions <= max_cube_dimensions, "a cube has 0 to 31 dimensions");
  return {Kind::cube, std::vector<std::uint32_t>(dimensions, 2)};
}

Guest Guest::of_processes(std::uint32_t count) {
  return std::has_single_bit(count) ? cube(static_cast<std::uint32_t>(std::countr_zero(count)))
                                    : Guest{Kind::mesh, {count}};
}

Guest Guest::parse(std::string_view text) {
  GuestText parts = split(text);
  check_sizes(text, parts);
  if (parts.form == "cube") {
    return cube(parts.sizes[0]);
  }
  if (parts.form == "tree") {
    return {Kind::tree, std::move(parts.sizes)};
  }
  const bool is_cyclic = parts.form == "ring" || parts.form == "torus";
  return {is_cyclic ? Kind::torus : Kind::mesh, std::move(parts.sizes)};
}

Guest Guest::with_axes(std::vector<std::string> names) const {
  expects(names.size() == dimension_count(), "every dimension has a name");
  Guest named{*this};
  named.axes_ = std::move(names);
  return named;
}

std::uint32_t Guest::dimension_count() const {
  return kind_ == Kind::tree ? 2 : static_cast<std::uint32_t>(shape_.size());
}

std::optional<ProcessId> Guest::partner(ProcessId process, std::uint32_t dimension) const {
  expects(process.index() < process_count_, "process is in this guest");
  expects(dimension < dimension_count(), "dimension is one of this guest");
  const std::uint32_t label = process.index();
  if (kind_ == Kind::cube) {
    const std::uint32_t bit = 1U << dimension;
    return (label & bit) == 0 ? std::optional{ProcessId{label | bit}} : std::nullopt;
  }
  if (kind_ == Kind::tree) {
    const std::uint64_t child = 2 * std::uint64_t{label} + 1 + dimension;
    return child < process_count_ ? std::optional{ProcessId{static_cast<std::uint32_t>(child)}}
                                  : std::nullopt;
  }
  return grid_partner(label, dimension);
}

std::optional<ProcessId> Guest::grid_partner(std::uint32_t label, std::uint32_t dimension) const {
  std::uint32_t stride = 1;
  for (std::uint32_t lower = 0; lower < dimension; ++lower) {
    stride *= shape_[lower];
  }
  const std::uint32_t side = shape_[dimension];
  const std::uint32_t last = side - 1;
  if (label / stride % side != last) {
    return ProcessId{label + stride};
  }
  // A side of two has one edge, a side of one none.
  return kind_ == Kind::torus && side > 2 ? std::optional{ProcessId{label - last * stride}}
                                          : std::nullopt;
}

std::string Guest::name() const {
  switch (kind_) {
    case Kind::cube:
      return fmt::format("cube:{}", shape_.size());
    case Kind::tree:
      return fmt::format("tree:{}", process_count_);
    case Kind::mesh:
      return fmt::format("{}:{}", shape_.size() == 1 ? "line" : "mesh", joined(shape_, "x"));
    case Kind::torus:
      return fmt::format("{}:{}", shape_.size() == 1 ? "ring" : "torus", joined(shape_, "x"));
  }
  throw ContractViolation("a guest is a cube, mesh, torus or tree");
}

}  // namespace dcube
