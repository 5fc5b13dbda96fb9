#include "otf2_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"

namespace dcube {
namespace {

[[noreturn]] void reject(const CollectiveBytes& bytes, std::uint32_t size) {
  throw InputError("", fmt::format("{} bytes sent and {} received do not fit this collective of {} "
                                   "processes",
                                   bytes.sent, bytes.received, size));
}

/// `sum` divided by the number of processes, or by one less if data were in place.
std::uint64_t part_of(std::uint64_t sum, const CollectiveBytes& bytes, std::uint32_t size) {
  const bool fits = sum % size == 0;
  const bool fits_in_place = size > 1 && sum % (size - 1) == 0;
  if (!fits && !fits_in_place) {
    reject(bytes, size);
  }
  if (fits && fits_in_place) {
    for (const std::uint64_t unit : {8U, 4U}) {
      if (sum / size % unit == 0) {
        return sum / size;
      }
      if (sum / (size - 1) % unit == 0) {
        return sum / (size - 1);
      }
    }
  }
  return fits ? sum / size : sum / (size - 1);
}

/// A prefix reduction sends to every later process and receives from every earlier one, and to and
/// from itself if it is inclusive and not in place.
std::uint64_t part_of_scan(const CollectiveBytes& bytes, const CollectiveCaller& caller,
                           bool is_exclusive) {
  const std::uint64_t own = is_exclusive ? 0 : 1;
  const auto fits = [&](std::uint64_t itself) -> std::optional<std::uint64_t> {
    const std::uint64_t later = caller.size - 1 - caller.rank + itself;
    const std::uint64_t earlier = caller.rank + itself;
    const std::uint64_t count = later > 0     ? bytes.sent / later
                                : earlier > 0 ? bytes.received / earlier
                                              : 0;
    return Int128{count} * later == bytes.sent && Int128{count} * earlier == bytes.received
               ? std::optional{count}
               : std::nullopt;
  };
  if (const std::optional<std::uint64_t> count = fits(own)) {
    return *count;
  }
  if (const std::optional<std::uint64_t> count = fits(0)) {
    return *count;
  }
  reject(bytes, caller.size);
}

std::optional<std::uint64_t> if_any(std::uint64_t count) {
  return count > 0 ? std::optional{count} : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> shared_count(CollectiveKind kind, const CollectiveBytes& bytes,
                                          const CollectiveCaller& caller, bool is_score_p) {
  const std::uint64_t size = caller.size;
  switch (kind) {
    case CollectiveKind::broadcast:
      if (bytes.received > 0 || !caller.is_root) {
        return bytes.received;
      }
      return if_any(is_score_p ? part_of(bytes.sent, bytes, caller.size) : bytes.sent);
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      return caller.is_root ? if_any(bytes.sent) : bytes.sent;
    case CollectiveKind::scatter:
      return caller.is_root ? if_any(bytes.received) : bytes.received;
    case CollectiveKind::all_to_all:
      return part_of(bytes.sent, bytes, caller.size);
    case CollectiveKind::allgather:
      if (is_score_p) {
        return part_of(bytes.sent, bytes, caller.size);
      }
      if (bytes.sent == 0 && bytes.received % size != 0) {
        reject(bytes, caller.size);
      }
      return bytes.sent > 0 ? bytes.sent : bytes.received / size;
    case CollectiveKind::allreduce:
      return is_score_p ? part_of(bytes.sent, bytes, caller.size)
                        : std::max(bytes.sent, bytes.received);
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return is_score_p ? part_of_scan(bytes, caller, kind == CollectiveKind::exscan)
                        : std::max(bytes.sent, bytes.received);
    case CollectiveKind::barrier:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_allv:
      break;
  }
  return 0;
}

std::vector<std::uint64_t> unequal_shares(CollectiveKind kind,
                                          const std::vector<CollectiveBytes>& bytes,
                                          bool is_score_p) {
  const std::uint64_t size = bytes.size();
  const bool is_reduced = kind == CollectiveKind::reduce_scatter;
  // Bytes that give a rank's share, and bytes of all shares together.
  const auto part = [&](const CollectiveBytes& of) {
    return kind == CollectiveKind::scatter || is_reduced ? of.received : of.sent;
  };
  const auto whole = [&](const CollectiveBytes& of) { return is_reduced ? of.sent : of.received; };
  std::vector<std::uint64_t> shares(bytes.size());
  if (!is_score_p || kind == CollectiveKind::gather || kind == CollectiveKind::scatter) {
    std::ranges::transform(bytes, shares.begin(), part);
    return shares;
  }
  // Divisor of each share: the size, or one less if data were in place.
  for (const std::uint64_t in_place : {std::uint64_t{0}, std::uint64_t{1}}) {
    const std::uint64_t times = size - in_place;
    if (times == 0 || std::ranges::any_of(bytes, [&](const CollectiveBytes& of) {
          return part(of) % times != 0;
        })) {
      continue;
    }
    std::ranges::transform(bytes, shares.begin(),
                           [&](const CollectiveBytes& of) { return part(of) / times; });
    const Int128 sum = std::accumulate(shares.begin(), shares.end(), Int128{0});
    bool fits = true;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      fits = fits && sum - Int128{in_place} * shares[i] == whole(bytes[i]);
    }
    if (fits) {
      return shares;
    }
  }
  reject(bytes.front(), static_cast<std::uint32_t>(size));
}

std::vector<std::vector<std::uint64_t>> shares_of_pairs(const std::vector<CollectiveBytes>& bytes) {
  const std::size_t size = bytes.size();
  Int128 sent = 0;
  Int128 received = 0;
  for (const CollectiveBytes& of : bytes) {
    sent += of.sent;
    received += of.received;
  }
  refuse_if(sent != received, "",
            "the processes together send and receive different numbers of bytes");
  std::vector<std::vector<std::uint64_t>> shares(size, std::vector<std::uint64_t>(2 * size, 0));
  const auto add = [&](std::size_t from, std::size_t to, std::uint64_t amount) {
    shares[from][to] += amount;
    shares[to][size + from] += amount;
  };
  std::vector<CollectiveBytes> left = bytes;
  for (std::size_t from = 0; from < size && sent > 0; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      const auto amount =
          static_cast<std::uint64_t>(Int128{bytes[from].sent} * Int128{bytes[to].received} / sent);
      add(from, to, amount);
      left[from].sent -= amount;
      left[to].received -= amount;
    }
  }
  // The remainder of rounding goes to ranks with bytes left.
  for (std::size_t from = 0, to = 0; from < size && to < size;) {
    const std::uint64_t amount = std::min(left[from].sent, left[to].received);
    add(from, to, amount);
    left[from].sent -= amount;
    left[to].received -= amount;
    if (left[from].sent == 0) {
      ++from;
    } else {
      ++to;
    }
  }
  return shares;
}

}  // namespace dcube
