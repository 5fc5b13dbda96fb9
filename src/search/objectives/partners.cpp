#include "dcube/search/partners.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "core/mapped.hpp"

namespace dcube {

Partners::Partners(const Traffic& traffic, FlowWeight flow_weight)
    : first_(traffic.process_count() + std::size_t{2}), partners_(2 * traffic.flows().size()) {
  // Counts two places ahead, so that filling in moves every entry to where its process begins.
  for (const Flow& flow : traffic.flows()) {
    ++first_[flow.from.index() + std::size_t{2}];
    ++first_[flow.to.index() + std::size_t{2}];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  const auto weight = [&](const Flow& flow) {
    return flow_weight == FlowWeight::bytes ? flow.bytes : 1;
  };
  for (const Flow& flow : traffic.flows()) {
    partners_[first_[flow.to.index() + std::size_t{1}]++] = {flow.from, weight(flow)};
  }
  const std::vector<std::size_t> received = first_;
  for (const Flow& flow : traffic.flows()) {
    partners_[first_[flow.from.index() + std::size_t{1}]++] = {flow.to, weight(flow)};
    total_weight_ += weight(flow);
  }
  first_.pop_back();
  // The flows of both directions, ascending each, become pairs.
  std::size_t kept = 0;
  for (std::size_t process = 0; process + 1 < first_.size(); ++process) {
    const std::span all =
        std::span{partners_}.subspan(first_[process], first_[process + 1] - first_[process]);
    const auto middle = static_cast<std::ptrdiff_t>(received[process + 1] - first_[process]);
    std::ranges::inplace_merge(all, all.begin() + middle, {}, &Partner::process);
    first_[process] = kept;
    for (const Partner partner : all) {
      if (kept > first_[process] && partners_[kept - 1].process == partner.process) {
        partners_[kept - 1].weight += partner.weight;
      } else {
        partners_[kept++] = partner;
      }
    }
  }
  first_.back() = kept;
  partners_.resize(kept);
  partners_.shrink_to_fit();
}

Partners Partners::renumbered(std::span<const std::uint32_t> order) const {
  std::vector<std::uint32_t> number(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
  }
  Partners all;
  all.total_weight_ = total_weight_;
  all.first_.reserve(first_.size());
  all.partners_.reserve(partners_.size());
  for (const std::uint32_t process : order) {
    all.first_.push_back(all.partners_.size());
    for (const Partner& partner : of(process)) {
      all.partners_.push_back({ProcessId{number[partner.process.index()]}, partner.weight});
    }
  }
  all.first_.push_back(all.partners_.size());
  return all;
}

Partners Partners::joined(std::span<const std::uint32_t> group, std::uint32_t group_count) const {
  // Processes by group.
  std::vector<std::size_t> begin(group_count + std::size_t{2});
  for (const std::uint32_t one : group) {
    ++begin[one + std::size_t{2}];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> members(group.size());
  for (std::uint32_t process = 0; process < group.size(); ++process) {
    members[begin[group[process] + std::size_t{1}]++] = process;
  }
  Partners all;
  all.first_.reserve(group_count + std::size_t{1});
  std::vector<std::size_t> entry(group_count);  // of each group, past those of earlier ones
  for (std::uint32_t one = 0; one < group_count; ++one) {
    const std::size_t first = all.partners_.size();
    all.first_.push_back(first);
    for (std::size_t i = begin[one]; i < begin[one + std::size_t{1}]; ++i) {
      for (const Partner& partner : of(members[i])) {
        const std::uint32_t other = group[partner.process.index()];
        if (other == one) {
          continue;
        }
        if (entry[other] <= first) {
          all.partners_.push_back({ProcessId{other}, 0});
          entry[other] = all.partners_.size();
        }
        all.partners_[entry[other] - 1].weight += partner.weight;
        all.total_weight_ += one < other ? partner.weight : 0;
      }
    }
  }
  all.first_.push_back(all.partners_.size());
  return all;
}

std::size_t Partners::most_partners() const {
  return std::ranges::max(
      numbered(process_count(), [&](std::uint32_t process) { return of(process).size(); }));
}

std::optional<std::vector<std::uint64_t>> Partners::cube_weights() const {
  if (!std::has_single_bit(process_count())) {
    return std::nullopt;
  }
  const auto dimensions = static_cast<std::size_t>(std::countr_zero(process_count()));
  std::vector<std::uint64_t> weights(dimensions);
  std::vector<std::uint64_t> pair_ends(dimensions);
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    for (const Partner& partner : of(process)) {
      const std::uint32_t difference = process ^ partner.process.index();
      if (!std::has_single_bit(difference)) {
        return std::nullopt;
      }
      const auto dimension = static_cast<std::size_t>(std::countr_zero(difference));
      if (pair_ends[dimension]++ == 0) {
        weights[dimension] = partner.weight;
      } else if (weights[dimension] != partner.weight) {
        return std::nullopt;
      }
    }
  }
  const bool is_whole = std::ranges::all_of(
      pair_ends, [&](std::uint64_t ends) { return ends == 0 || ends == process_count(); });
  return is_whole ? std::optional{weights} : std::nullopt;
}

std::uint64_t Partners::least_distances(const Spheres& spheres, std::uint32_t slots) const {
  std::uint64_t twice = 0;
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    std::vector<std::uint64_t> weights = mapped(of(process), &Partner::weight);
    std::ranges::sort(weights, std::greater{});
    std::size_t next = slots - 1;
    for (std::size_t distance = 1; distance < spheres.size(); ++distance) {
      for (std::uint64_t i = 0; i < slots * spheres[distance] && next < weights.size(); ++i) {
        twice += distance * weights[next++];
      }
    }
  }
  return (twice + 1) / 2;
}

}  // namespace dcube
