#include "failed_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

constexpr const char* failures_field = ".failures";
}  // namespace

FailureDraws::FailureDraws(std::shared_ptr<const Topology> network, std::string machine)
    : network_{std::move(network)}, machine_{std::move(machine)} {
  for (std::uint32_t slot = 0; slot < network_->link_slots(); ++slot) {
    const LinkId link{slot};
    if (network_->link(link) && slot < network_->reverse(link).index()) {
      links_.push_back(link);
    }
  }
  for (std::uint32_t node = 0; node < network_->node_count(); ++node) {
    living_nodes_ += network_->is_alive(NodeId{node}) ? 1 : 0;
  }
}

std::vector<LinkId> FailureDraws::draw(std::uint32_t number, std::uint64_t seed,
                                       std::uint32_t attempt) const {
  std::vector<LinkId> drawn = links_;
  for (std::uint32_t choice = 0; choice < number; ++choice) {
    const std::uint64_t index = std::uint64_t{attempt} * number + choice;
    const std::uint64_t place =
        choice + bounded(hash_of(seed, number, index), drawn.size() - choice);
    std::swap(drawn[choice], drawn[place]);
  }
  drawn.resize(number);
  std::ranges::sort(drawn);
  return drawn;
}

std::vector<Link> FailureDraws::links(std::uint32_t number, std::uint64_t seed) const {
  // A network of n nodes in one piece has at least n - 1 links.
  refuse_if(number + living_nodes_ > links_.size() + 1, failures_field,
            "{} cannot fail on {} without disconnecting it ({}, {})", counted(number, "link"),
            machine_, counted(living_nodes_, "node"), counted(links_.size(), "link"));
  for (std::uint32_t attempt = 0; attempt < most_draws; ++attempt) {
    const std::vector<LinkId> drawn = draw(number, seed, attempt);
    if (cut_off_nodes(*with_failures(network_, {.nodes = {}, .links = drawn, .spares = {}}))
            .empty()) {
      return mapped(drawn, [&](LinkId link) { return *network_->link(link); });
    }
  }
  throw InputError(
      failures_field,
      fmt::format("{} disconnect {} in each of {} samples of seed {} (fewer links may not)",
                  counted(number, "failed link"), machine_, most_draws, seed));
}

ScenarioRequest with_failed_links(ScenarioRequest options, const Scenario& scenario,
                                  const std::vector<Link>& links) {
  const std::string drawn =
      fmt::format(R"({{"links": [{}]}})", joined(links, ", ", [](const Link& link) {
                    return fmt::format("[{}, {}]", link.from.index(), link.to.index());
                  }));
  // The scenario has what --set says already, and a pointer is given once.
  std::erase_if(options.settings, [](const std::string& setting) {
    const std::string pointer = parse_override(setting).pointer;
    return pointer == "/machine/failed" || pointer.starts_with("/machine/failed/");
  });
  const Setting* const failed = scenario.document.group("machine").find("failed");
  std::string groups = drawn;
  if (failed != nullptr && failed->group() != nullptr) {
    groups = fmt::format("[{}, {}]", json_text(*failed), drawn);
  } else if (failed != nullptr && failed->list() != nullptr) {
    groups = "[";
    for (const Setting& group : *failed->list()) {
      groups += json_text(group) + ", ";
    }
    groups += drawn + "]";
  }
  options.settings.push_back("/machine/failed=" + groups);
  return options;
}

}  // namespace dcube
