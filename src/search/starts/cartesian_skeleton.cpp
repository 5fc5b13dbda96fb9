#include "cartesian_skeleton.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/mapped.hpp"

namespace dcube {
namespace {

using Processes = std::vector<std::uint32_t>;

bool contains(const Processes& all, const Processes& some) {
  return std::ranges::includes(all, some);
}

bool is_less_than(const Processes& some, const Processes& all) {
  return some.size() < all.size() && contains(all, some);
}

Processes common(const Processes& one, const Processes& other) {
  Processes both;
  std::ranges::set_intersection(one, other, std::back_inserter(both));
  return both;
}

class Skeleton {
 public:
  explicit Skeleton(const Partners& partners)
      : around_{numbered(partners.process_count(), [&](std::uint32_t process) {
          Processes around =
              mapped(partners.of(process), [](const Partner& one) { return one.process.index(); });
          around.insert(std::ranges::lower_bound(around, process), process);
          return around;
        })} {}

  /// Whether the pair is that of a third process, and one of these two, as well: more of what is
  /// around one is around the third, or the third is between them. Seen from both ends.
  bool is_dispensable(std::uint32_t one, std::uint32_t other) const {
    const Processes both = common(around_[one], around_[other]);
    return std::ranges::any_of(both, [&](std::uint32_t third) {
      return third != one && third != other && is_nearer(one, other, third, both) &&
             is_nearer(other, one, third, both);
    });
  }

 private:
  /// Whether `third` is nearer to `from` than `to` is, where `both` are around `from` and `to`.
  bool is_nearer(std::uint32_t from, std::uint32_t to, std::uint32_t third,
                 const Processes& both) const {
    return is_less_than(both, common(around_[from], around_[third])) ||
           (is_less_than(around_[from], around_[third]) &&
            is_less_than(around_[third], around_[to]));
  }

  std::vector<Processes> around_;  ///< each process with its partners, ascending
};

/// Whether a process of a grid may have so many around it, itself included: 2 or 3 along each side.
bool may_be_around(std::uint64_t count) {
  while (count % 2 == 0) {
    count /= 2;
  }
  while (count % 3 == 0) {
    count /= 3;
  }
  return count == 1;
}

}  // namespace

std::optional<Partners> cartesian_skeleton(const Partners& partners) {
  constexpr std::uint64_t most_work = 500'000'000;
  std::uint64_t work = 0;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    const std::uint64_t around = partners.of(process).size() + 1;
    work += around * around * around;
    if (!may_be_around(around) || work > most_work) {
      return std::nullopt;
    }
  }
  const Skeleton skeleton{partners};
  return partners.filtered([&](std::uint32_t process, const Partner& partner) {
    return !skeleton.is_dispensable(process, partner.process.index());
  });
}

}  // namespace dcube
