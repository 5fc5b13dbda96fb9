#include "dcube/program/collective_values.hpp"

#include <algorithm>
#include <utility>

#include "dcube/core/random.hpp"

namespace dcube {

/// Elements of the whole that belong to a process.
ElementRange CollectiveValues::share(std::uint32_t rank) const {
  const std::uint64_t each = elements_ / size_;
  const std::uint64_t larger = elements_ % size_;
  const auto begin = [&](std::uint64_t block) { return block * each + std::min(block, larger); };
  return {begin(rank), begin(rank + std::uint64_t{1})};
}

/// Elements of a process at the beginning.
ElementRange CollectiveValues::given(std::uint32_t rank) const {
  if (kind_ == CollectiveKind::allgather || kind_ == CollectiveKind::gather) {
    return share(rank);
  }
  const bool is_from_root = kind_ == CollectiveKind::broadcast || kind_ == CollectiveKind::scatter;
  return is_from_root && rank != root_ ? ElementRange{} : ElementRange{0, elements_};
}

/// Elements of a process at the end.
ElementRange CollectiveValues::result(std::uint32_t rank) const {
  switch (kind_) {
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::scatter:
      return share(rank);
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
      return rank == root_ ? ElementRange{0, elements_} : ElementRange{};
    case CollectiveKind::exscan:
      return rank == 0 ? ElementRange{} : ElementRange{0, elements_};
    default:
      return {0, elements_};
  }
}

std::uint64_t CollectiveValues::draw(std::uint32_t member, std::uint64_t round,
                                     std::uint64_t place) const {
  return hash_of(hash_of(seed_, round, member), place);
}

CollectiveValues::Elements CollectiveValues::drawn(std::uint32_t first, std::uint32_t rank,
                                                   std::uint64_t round) const {
  std::vector<std::uint64_t> drawn(elements_);
  const ElementRange own = given(rank);
  for (std::uint64_t place = own.begin; place < own.end; ++place) {
    drawn[place] = draw(first + rank, round, place);
  }
  if (kind_ == CollectiveKind::all_to_all) {
    return {std::vector<std::uint64_t>(elements_), std::move(drawn), {}, element_bytes_};
  }
  return {std::move(drawn), {}, {}, element_bytes_};
}

std::uint64_t CollectiveValues::hash_of_result(std::uint32_t rank,
                                               const std::vector<std::uint64_t>& values) const {
  std::uint64_t hash = 0;
  const ElementRange range = result(rank);
  for (std::uint64_t place = range.begin; place < range.end; ++place) {
    hash = hash_of(hash, values[place]);
  }
  return hash;
}

std::vector<std::uint64_t> CollectiveValues::expected_results(std::uint32_t first,
                                                              std::uint64_t round) const {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> values(elements_);
  const auto add = [&](std::uint32_t rank) {
    const ElementRange range = given(rank);
    for (std::uint64_t place = range.begin; place < range.end; ++place) {
      values[place] += draw(first + rank, round, place);
    }
  };
  const bool is_scan = kind_ == CollectiveKind::scan || kind_ == CollectiveKind::exscan;
  const bool is_exchange = kind_ == CollectiveKind::all_to_all;
  for (std::uint32_t rank = 0; rank < size_ && !is_scan && !is_exchange; ++rank) {
    add(rank);
  }
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    if (kind_ == CollectiveKind::scan) {
      add(rank);
    } else if (is_exchange) {
      for (std::uint32_t from = 0; from < size_; ++from) {
        for (std::uint64_t i = 0; i < count_; ++i) {
          values[from * count_ + i] = draw(first + from, round, rank * count_ + i);
        }
      }
    }
    hashes.push_back(hash_of_result(rank, values));
    if (kind_ == CollectiveKind::exscan) {
      add(rank);
    }
  }
  return hashes;
}

}  // namespace dcube
