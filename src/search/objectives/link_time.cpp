#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "link_loads.hpp"

namespace dcube {
namespace {

UInt128 most_link_time(const SearchProblem& problem) {
  const UInt128 units = UInt128{problem.traffic.total_bytes()} * problem.rates.most();
  return units > greatest_cost ? units
                               : units * static_cast<UInt128>(problem.rates.unit.numerator()) /
                                         static_cast<UInt128>(problem.rates.unit.denominator()) +
                                     1;
}

void check_link_time(const SearchProblem& problem) {
  expects(problem.rates.units.size() == problem.topology.link_slots(),
          "link-time comes with the rates of all links");
  const UInt128 units = UInt128{problem.traffic.total_bytes()} * problem.rates.most();
  refuse_if(units > greatest_cost / problem.topology.node_count() ||
                most_link_time(problem) > greatest_cost,
            "", "the bytes' times on a link may pass 2^63-1; use a larger unit of bytes");
}

/// A link takes at least as long as its bytes on the fastest link.
std::vector<CostBound> link_time_bounds(const SearchProblem& problem) {
  std::uint64_t fastest = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t link = 0; link < problem.topology.link_slots(); ++link) {
    if (problem.topology.link(LinkId{link})) {
      fastest = std::min(fastest, problem.rates.units[link]);
    }
  }
  if (problem.topology.link_count() == 0) {
    return {{0, "the machine has no links"}};
  }
  std::vector<CostBound> bounds = cost_bounds(problem.with_objective(Objective::link_load));
  for (CostBound& bound : bounds) {
    bound.cost = problem.rates.time_of(bound.cost * fastest);
    bound.source = fmt::format("link load, on the fastest link; {}", bound.source);
  }
  return bounds;
}

}  // namespace

/// The picoseconds of the link whose bytes take longest.
const ObjectiveKind link_time_objective{
    .traits = {.name = "link-time",
               .quantity = "slowest link, s",
               .is_time = true,
               .needs_routes = true,
               .needs_rates = true,
               .is_reason = true,
               .is_unchecked = true,
               .models = {Objective::hop_bytes}},
    .most_cost = most_link_time,
    .check = check_link_time,
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return problem.rates.time_of(
              greatest_load(problem, map, &problem.rates, [](std::uint32_t) { return true; }));
        },
    .map_cost = [](const SearchProblem& problem,
                   const Distances&) { return link_load_cost(problem, &problem.rates); },
    .bounds = link_time_bounds,
    .least_cost =
        [](const PartialBound& placed, std::uint64_t) {
          const LinkRates& rates = placed.problem().rates;
          return rates.time_of(greatest_load_placed(placed, &rates));
        }};

std::uint64_t LinkRates::most() const {
  return units.empty() ? 0 : *std::ranges::max_element(units);
}

std::uint64_t LinkRates::time_of(std::uint64_t units_of_bytes) const {
  const auto numerator = static_cast<UInt128>(unit.numerator());
  const auto denominator = static_cast<UInt128>(unit.denominator());
  return static_cast<std::uint64_t>((2 * UInt128{units_of_bytes} * numerator + denominator) /
                                    (2 * denominator));
}

LinkRates link_rates(std::span<const ExactTime> per_byte) {
  constexpr auto most = static_cast<UInt128>(std::numeric_limits<std::int64_t>::max());
  const auto refuse = [] {
    throw InputError("",
                     "the links' times for a byte have no common unit; write them with fewer "
                     "digits");
  };
  // All are whole multiples of 1 / common; what divides all of those is the unit.
  UInt128 common = 1;
  for (const ExactTime& time : per_byte) {
    const auto denominator = static_cast<std::uint64_t>(time.denominator());
    common *= denominator / std::gcd(static_cast<std::uint64_t>(common), denominator);
    if (common > most) {
      refuse();
    }
  }
  LinkRates rates;
  std::uint64_t divisor = 0;
  for (const ExactTime& time : per_byte) {
    const UInt128 units = static_cast<UInt128>(time.numerator()) *
                          (common / static_cast<std::uint64_t>(time.denominator()));
    if (units > most) {
      refuse();
    }
    rates.units.push_back(static_cast<std::uint64_t>(units));
    divisor = std::gcd(divisor, rates.units.back());
  }
  if (divisor == 0) {
    refuse_if(per_byte.empty(), "", "the machine has no links, so link-time tells nothing");
    throw InputError("",
                     "the machine's links take no time for a byte, so link-time tells nothing "
                     "(a machine with per_byte or bandwidth)");
  }
  for (std::uint64_t& units : rates.units) {
    units /= divisor;
  }
  rates.unit = ExactTime{static_cast<std::int64_t>(divisor), static_cast<std::int64_t>(common)};
  return rates;
}

}  // namespace dcube
