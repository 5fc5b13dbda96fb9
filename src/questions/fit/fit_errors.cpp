#include "fit_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/mapped.hpp"

namespace dcube {
namespace {

/// Times that differ by less rank nothing: measurements vary as much.
constexpr double ranked_ratio = 1.1;

FitErrors errors_of(std::string group, const std::vector<double>& errors) {
  FitErrors all{.group = std::move(group), .rows = errors.size()};
  if (errors.empty()) {
    return all;
  }
  std::vector<double> sizes = mapped(errors, [](double error) { return std::abs(error); });
  std::ranges::sort(sizes);
  const auto within = [&](double most) {
    return static_cast<double>(std::ranges::upper_bound(sizes, most) - sizes.begin()) /
           static_cast<double>(sizes.size());
  };
  all.median = median_of(sizes);
  all.bias = median_of(errors);
  // The smallest of which 9 of 10 are no greater.
  all.ninth_tenth = sizes[(9 * sizes.size() + 9) / 10 - 1];
  all.within_tenth = within(0.1);
  all.within_third = within(0.3);
  return all;
}

}  // namespace

double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

FitErrors errors_of_all(const std::vector<FitRow>& rows) {
  std::vector<double> errors;
  for (const FitRow& row : rows) {
    if (row.is_used()) {
      errors.push_back(row.error());
    }
  }
  return errors_of({}, errors);
}

std::vector<FitErrors> errors_by_group(const std::vector<FitRow>& rows) {
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  for (const FitRow& row : rows) {
    if (row.is_used()) {
      auto group =
          std::ranges::find_if(groups, [&](const auto& known) { return known.first == row.group; });
      if (group == groups.end()) {
        group = groups.insert(groups.end(), {row.group, {}});
      }
      group->second.push_back(row.error());
    }
  }
  return mapped(groups, [](const auto& group) { return errors_of(group.first, group.second); });
}

std::vector<LeftOutRows> left_out_rows(const std::vector<FitRow>& rows) {
  std::vector<LeftOutRows> reasons;
  for (const FitRow& row : rows) {
    if (row.is_used()) {
      continue;
    }
    const auto known = std::ranges::find(reasons, row.problem, &LeftOutRows::problem);
    if (known == reasons.end()) {
      reasons.push_back({row.problem, row.place, 1});
    } else {
      ++known->rows;
    }
  }
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &LeftOutRows::rows);
  return reasons;
}

FitRanking fit_ranking(const std::vector<FitRow>& rows) {
  std::map<std::pair<std::string, std::optional<std::uint64_t>>, std::vector<const FitRow*>> cases;
  for (const FitRow& row : rows) {
    auto& same = cases[{row.question, row.bytes}];
    if (row.is_used() && std::ranges::find(same, row.group, &FitRow::group) == same.end()) {
      same.push_back(&row);
    }
  }
  FitRanking ranking;
  for (const auto& [question, same] : cases) {
    if (same.size() < 2) {
      continue;
    }
    ++ranking.cases;
    const FitRow& fastest = **std::ranges::min_element(same, {}, &FitRow::measured_s);
    const FitRow& called = **std::ranges::min_element(same, {}, &FitRow::simulated_s);
    ranking.right += called.measured_s <= ranked_ratio * fastest.measured_s ? 1 : 0;
    for (std::size_t i = 0; i < same.size(); ++i) {
      for (std::size_t j = 0; j < same.size(); ++j) {
        if (same[i]->measured_s > ranked_ratio * same[j]->measured_s) {
          ++ranking.pairs;
          ranking.pairs_right += same[i]->simulated_s > same[j]->simulated_s ? 1 : 0;
        }
      }
    }
  }
  return ranking;
}

}  // namespace dcube
