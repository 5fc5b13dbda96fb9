#include "dcube/engine/jitter.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/random.hpp"

namespace dcube {

namespace {

std::uint64_t most_change(const Jitter& jitter, Ticks duration) {
  const auto time = static_cast<std::uint64_t>(duration.count());
  return static_cast<std::uint64_t>(UInt128{time} * jitter.part / Jitter::whole);
}

/// Maps `drawn` of 2 * most + 1 values to a change; the middle one changes nothing.
Ticks changed(Ticks duration, std::uint64_t most, std::uint64_t drawn) {
  return drawn < most ? duration - Ticks{static_cast<Ticks::rep>(most - drawn)}
                      : checked_add(duration, Ticks{static_cast<Ticks::rep>(drawn - most)});
}

}  // namespace

Ticks Jitter::varied(Ticks duration, ProcessId process, std::uint64_t computation) const {
  const std::uint64_t most = most_change(*this, duration);
  if (most == 0) {
    return duration;
  }
  const std::uint64_t values = 2 * most + 1;  // below 2^64
  const std::uint64_t of_run = bounded(hash_of(seed), values);
  const std::uint64_t own = bounded(hash_of(seed, process.index(), computation), values);
  return changed(duration, most, of_run / 2 + own / 2 + (of_run & own & 1));
}

Ticks Jitter::least(Ticks duration) const {
  const std::uint64_t most = most_change(*this, duration);
  return changed(duration, most, bounded(hash_of(seed), 2 * most + 1) / 2);
}

std::uint64_t parse_jitter_part(std::string_view text) {
  const std::optional<Decimal> number = read_decimal(text);
  if (number && number->is_zero()) {
    return 0;
  }
  const auto digits = number ? static_cast<std::int64_t>(number->digits.size()) : 0;
  refuse_if(!number || number->is_negative || number->exponent + digits > 0, "",
            "{} is not a relative amplitude (a number >= 0 and < 1, such as 1e-6)", shown(text));
  constexpr std::int64_t places = 18;  // of `whole`
  std::uint64_t part = 0;
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t digit = place + number->exponent + digits;  // after the decimal point
    const bool is_written = digit >= 0 && digit < digits;
    part = part * 10 +
           (is_written
                ? static_cast<std::uint64_t>(number->digits[static_cast<std::size_t>(digit)] - '0')
                : 0);
  }
  return part;
}

std::string jitter_part_text(const Jitter& jitter) {
  return fmt::format("{:g}", static_cast<double>(jitter.part) / static_cast<double>(Jitter::whole));
}

}  // namespace dcube
