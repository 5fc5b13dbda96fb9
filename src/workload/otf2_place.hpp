#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/refuse.hpp"

namespace dcube {

/// Position of the reader in an OTF2 archive, for messages.
struct Otf2Place : RejectsIf<Otf2Place> {
  explicit Otf2Place(std::string name) : file{std::move(name)} {}

  std::string file;
  bool is_in_rank = false;  ///< among the events of a process
  std::uint64_t location = 0;
  std::uint64_t event = 0;  ///< number in the location

  std::string text() const {
    return fmt::format("{}: location {}, event {}", file, location, event);
  }
  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(is_in_rank || event > 0 ? text() : file, problem);
  }
};

constexpr std::uint64_t most_otf2_bytes = std::uint64_t{1} << 62;

}  // namespace dcube
