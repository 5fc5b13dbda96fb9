#include "hidden_cube.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "dcube/search/partners.hpp"

namespace dcube {
namespace {

bool differ_in_one_bit(const Partners& partners, const std::vector<std::uint32_t>& numbers) {
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (!std::has_single_bit(numbers[process] ^ numbers[partner.process.index()])) {
        return false;
      }
    }
  }
  return true;
}

/// A process that is further from process 0 than its nearer partners has all bits of theirs: what
/// is true of a cube, and wrong elsewhere.
std::vector<std::uint32_t> numbers_by_distance(const Partners& partners) {
  std::vector<std::uint32_t> numbers(partners.process_count());
  std::vector<std::uint32_t> distances(partners.process_count(), partners.process_count());
  std::vector<std::uint32_t> order{0};
  distances[0] = 0;
  const auto reach = [&](std::uint32_t process, std::uint32_t distance) {
    if (distances[process] == partners.process_count()) {
      distances[process] = distance;
      order.push_back(process);
    }
  };
  std::vector<Partner> first{partners.of(0).begin(), partners.of(0).end()};
  std::ranges::stable_sort(first, std::greater{}, &Partner::weight);
  for (std::size_t bit = 0; bit < first.size(); ++bit) {
    const std::uint32_t process = first[bit].process.index();
    numbers[process] = std::uint32_t{1} << bit;
    reach(process, 1);
  }
  for (std::size_t next = 1; next < order.size(); ++next) {
    const std::uint32_t process = order[next];
    for (const Partner& partner : partners.of(process)) {
      const std::uint32_t one = partner.process.index();
      reach(one, distances[process] + 1);
      if (distances[one] > distances[process]) {
        numbers[one] |= numbers[process];
      }
    }
  }
  return numbers;
}

bool are_distinct(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

}  // namespace

std::optional<std::vector<std::uint32_t>> hidden_cube(const Traffic& traffic) {
  const std::uint32_t processes = traffic.process_count();
  const auto dimensions = static_cast<std::size_t>(std::countr_zero(processes));
  const std::size_t ends = processes * dimensions;
  if (!std::has_single_bit(processes) || traffic.flows().size() < ends / 2 ||
      traffic.flows().size() > ends) {
    return std::nullopt;
  }
  const Partners partners{traffic, FlowWeight::bytes};
  for (std::uint32_t process = 0; process < processes; ++process) {
    if (partners.of(process).size() != dimensions) {
      return std::nullopt;
    }
  }
  if (partners.cube_weights()) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> numbers = numbers_by_distance(partners);
  if (!are_distinct(numbers) || !differ_in_one_bit(partners, numbers)) {
    return std::nullopt;
  }
  return numbers;
}

Traffic renumbered(const Traffic& traffic, const std::vector<std::uint32_t>& numbers) {
  std::vector<Flow> flows{traffic.flows().begin(), traffic.flows().end()};
  for (Flow& flow : flows) {
    flow.from = ProcessId{numbers[flow.from.index()]};
    flow.to = ProcessId{numbers[flow.to.index()]};
  }
  return Traffic{traffic.process_count(), std::move(flows)};
}

}  // namespace dcube
