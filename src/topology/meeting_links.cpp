#include "meeting_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/refuse.hpp"

namespace dcube {

std::uint32_t MeetingLinks::Sets::find(std::uint32_t member) {
  std::uint32_t root = member;
  std::uint8_t side = 0;
  while (parent_[root] != root) {
    side ^= side_[root];
    root = parent_[root];
  }
  while (parent_[member] != root && member != root) {
    const std::uint8_t own = side_[member];
    const std::uint32_t next = parent_[member];
    side_[member] = side;
    parent_[member] = root;
    side ^= own;
    member = next;
  }
  return root;
}

bool MeetingLinks::Sets::join(std::uint32_t a, std::uint32_t b, std::uint8_t apart) {
  const std::uint32_t root_a = find(a);
  const std::uint32_t root_b = find(b);
  const auto differ = static_cast<std::uint8_t>(side_[a] ^ side_[b] ^ apart);
  if (root_a == root_b) {
    return differ == 0;
  }
  // The lower number represents the set, so hosts do.
  const std::uint32_t low = std::min(root_a, root_b);
  const std::uint32_t high = std::max(root_a, root_b);
  parent_[high] = low;
  side_[high] = differ;
  return true;
}

MeetingLinks::MeetingLinks(const Platform& platform, const std::string& place)
    : platform_{platform},
      place_{place},
      hosts_{static_cast<std::uint32_t>(platform.hosts.size())},
      ways_(platform.links.size(), Way::one),
      is_apart_(platform.links.size()),
      is_used_(platform.links.size()),
      edge_of_link_(platform.links.size(), none),
      connectors_(platform.links.size(), 0) {
  list_steps();
  find_ways();
  do {
    while (!join_ends()) {
    }
    number_nodes();
    add_connectors();
  } while (!are_routes_paths());
}

std::string MeetingLinks::route_name(std::uint32_t pair) const {
  return fmt::format("{} to {}", platform_.hosts[pair / hosts_].name,
                     platform_.hosts[pair % hosts_].name);
}

void MeetingLinks::list_steps() {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  step_of_.reserve(platform_.routes.size() + platform_.lengths.size());
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t pair) {
    const auto [place, is_new] = known.try_emplace(std::uint64_t{from} << 32U | to,
                                                   static_cast<std::uint32_t>(steps_.size()));
    if (is_new) {
      steps_.push_back({from, to, pair});
    }
    step_of_.push_back(place->second);
  };
  std::size_t link = 0;
  for (std::uint32_t pair = 0; pair < platform_.lengths.size(); ++pair) {
    if (pair / hosts_ == pair % hosts_) {
      continue;
    }
    refuse_if(platform_.lengths[pair] == 0, place_,
              "no links lead from {} (every two hosts of a machine need some)", route_name(pair));
    std::uint32_t at = pair / hosts_;
    for (std::uint32_t hop = 0; hop < platform_.lengths[pair]; ++hop) {
      is_used_[platform_.routes[link]] = true;
      const std::uint32_t next = hosts_ + platform_.routes[link++];
      add(at, next, pair);
      at = next;
    }
    add(at, pair % hosts_, pair);
  }
  for (Step& step : steps_) {
    if (const auto back = known.find(std::uint64_t{step.to} << 32U | step.from);
        back != known.end()) {
      step.back = back->second;
    }
  }
}

/// Decides for each link whether it is crossed in one direction, in both, or is a bus.
void MeetingLinks::find_ways() {
  std::vector<std::vector<std::uint32_t>> steps_at(ways_.size());  // [link]
  for (std::uint32_t number = 0; number < steps_.size(); ++number) {
    const Step& step = steps_[number];
    for (const std::uint32_t symbol : {step.from, step.to}) {
      if (!is_host(symbol)) {
        steps_at[link_of(symbol)].push_back(number);
        if (step.back != none) {
          ways_[link_of(symbol)] = Way::both;
        }
      }
    }
  }
  find_sides();
  for (std::uint32_t link = 0; link < ways_.size(); ++link) {
    if (ways_[link] != Way::bus && !has_one_host_a_side(link, steps_at[link])) {
      ways_[link] = Way::bus;
    }
  }
}

/// Finds the ends of links that are crossed in both directions.
void MeetingLinks::find_sides() {
  Sets halves(2 * steps_.size());
  std::size_t at = 0;
  for (std::uint32_t pair = 0; pair < platform_.lengths.size(); ++pair) {
    if (pair / hosts_ == pair % hosts_) {
      continue;
    }
    for (std::uint32_t hop = 0; hop < platform_.lengths[pair]; ++hop, ++at) {
      Way& way = ways_[link_of(steps_[step_of_[at]].to)];
      if (way == Way::both && !halves.join(2 * step_of_[at] + 1, 2 * step_of_[at + 1], 1)) {
        way = Way::bus;
      }
    }
    ++at;
  }
  for (std::uint32_t number = 0; number < steps_.size(); ++number) {
    const Step& step = steps_[number];
    if (step.back != none && !is_host(step.to) && ways_[link_of(step.to)] == Way::both &&
        !halves.join(2 * number + 1, 2 * step.back, 0)) {
      ways_[link_of(step.to)] = Way::bus;
    }
  }
  std::vector<std::uint32_t> set_of(ways_.size(), none);
  sides_.assign(2 * steps_.size(), 0);
  for (std::uint32_t half = 0; half < sides_.size(); ++half) {
    const Step& step = steps_[half / 2];
    const std::uint32_t symbol = half % 2 == 0 ? step.from : step.to;
    if (is_host(symbol) || ways_[link_of(symbol)] != Way::both) {
      continue;
    }
    const std::uint32_t set = halves.find(half);
    std::uint32_t& own = set_of[link_of(symbol)];
    own = own == none ? set : own;
    if (own != set) {
      ways_[link_of(symbol)] = Way::bus;  // nothing says which of its ends are the same
    }
    sides_[half] = halves.side(half);
  }
}

bool MeetingLinks::has_one_host_a_side(std::uint32_t link,
                                       const std::vector<std::uint32_t>& steps) const {
  std::array<std::uint32_t, 2> host{none, none};
  return std::ranges::all_of(steps, [&](std::uint32_t number) {
    const Step& step = steps_[number];
    const bool leaves = step.from == hosts_ + link;
    const std::uint32_t other = leaves ? step.to : step.from;
    if (!is_host(other)) {
      return true;
    }
    const std::uint32_t side = ways_[link] == Way::both ? sides_[2 * number + (leaves ? 0 : 1)]
                               : leaves                 ? 1
                                                        : 0;
    host[side] = host[side] == none ? other : host[side];
    return host[side] == other;
  });
}

bool MeetingLinks::needs_connector(const Step& step) const {
  const bool is_turning = step.back != none || is_host(step.from) || is_host(step.to);
  const auto asks = [&](std::uint32_t symbol) {
    return !is_host(symbol) && ways_[link_of(symbol)] == Way::bus &&
           (is_turning || is_apart_[link_of(symbol)]);
  };
  return asks(step.from) || asks(step.to);
}

std::uint32_t MeetingLinks::end_left(std::uint32_t number) const {
  const std::uint32_t symbol = steps_[number].from;
  if (is_host(symbol)) {
    return symbol;
  }
  const std::uint32_t link = link_of(symbol);
  return hosts_ + 2 * link + (ways_[link] == Way::both ? sides_[std::size_t{2} * number] : 1);
}

std::uint32_t MeetingLinks::end_reached(std::uint32_t number) const {
  const std::uint32_t symbol = steps_[number].to;
  if (is_host(symbol)) {
    return symbol;
  }
  const std::uint32_t link = link_of(symbol);
  return hosts_ + 2 * link + (ways_[link] == Way::both ? sides_[2 * number + 1] : 0);
}

bool MeetingLinks::set_apart(std::uint32_t symbol) {
  if (is_host(symbol) || is_apart_[link_of(symbol)]) {
    return false;
  }
  ways_[link_of(symbol)] = Way::bus;
  is_apart_[link_of(symbol)] = true;
  return true;
}

/// Joins the ends that meet. False: two hosts would be one place, or a link would lead from a place
/// to itself; such links are apart from now on.
bool MeetingLinks::join_ends() {
  Sets ends(hosts_ + 2 * ways_.size());
  bool is_done = true;
  for (std::uint32_t number = 0; number < steps_.size(); ++number) {
    if (needs_connector(steps_[number])) {
      continue;
    }
    const std::uint32_t a = ends.find(end_left(number));
    const std::uint32_t b = ends.find(end_reached(number));
    if (a != b && is_host(a) && is_host(b)) {
      set_apart(steps_[number].from);
      set_apart(steps_[number].to);
      is_done = false;
    } else {
      ends.join(a, b, 0);
    }
  }
  for (std::uint32_t link = 0; link < ways_.size(); ++link) {
    if (is_used_[link] && ends.find(hosts_ + 2 * link) == ends.find(hosts_ + 2 * link + 1)) {
      set_apart(hosts_ + link);
      is_done = false;
    }
  }
  node_of_end_.resize(hosts_ + 2 * ways_.size());
  for (std::uint32_t end = 0; end < node_of_end_.size(); ++end) {
    node_of_end_[end] = ends.find(end);
  }
  return is_done;
}

void MeetingLinks::number_nodes() {
  std::vector<std::uint32_t> number(node_of_end_.size(), none);
  edges_.clear();
  for (nodes_ = 0; nodes_ < hosts_; ++nodes_) {
    number[nodes_] = nodes_;
  }
  for (std::uint32_t link = 0; link < ways_.size(); ++link) {
    if (!is_used_[link]) {
      continue;
    }
    for (std::uint32_t end = hosts_ + 2 * link; end < hosts_ + 2 * link + 2; ++end) {
      std::uint32_t& node = number[node_of_end_[end]];
      node = node == none ? nodes_++ : node;
      node_of_end_[end] = node;
    }
    edge_of_link_[link] = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back({node_of_end_[hosts_ + 2 * link], node_of_end_[hosts_ + 2 * link + 1], link});
  }
}

void MeetingLinks::add_connectors() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  connectors_.assign(ways_.size(), 0);
  // [2 * link + side]: 0 or 1 connectors, 2 where crossings differ.
  std::vector<std::uint8_t> counts(2 * ways_.size(), 3);
  const auto count = [&](std::uint32_t symbol, std::uint32_t side, bool has_connector) {
    if (!is_host(symbol) && ways_[link_of(symbol)] == Way::bus) {
      std::uint8_t& of = counts[2 * link_of(symbol) + side];
      const std::uint8_t own = has_connector ? 1 : 0;
      of = of == 3 || of == own ? own : std::uint8_t{2};
    }
  };
  for (std::uint32_t number = 0; number < steps_.size(); ++number) {
    Step& step = steps_[number];
    const std::uint32_t from = node_of_end_[end_left(number)];
    const std::uint32_t to = node_of_end_[end_reached(number)];
    const bool has_connector = needs_connector(step) && from != to;
    step.connector = none;
    if (has_connector) {
      const auto [place, is_new] =
          known.try_emplace({from, to}, static_cast<std::uint32_t>(edges_.size()));
      if (is_new) {
        edges_.push_back({from, to});
      }
      step.connector = place->second;
    }
    // A connector between two buses is the first one's.
    const bool is_first = !is_host(step.from) && ways_[link_of(step.from)] == Way::bus;
    count(step.from, 1, has_connector);
    count(step.to, 0, has_connector && !is_first);
  }
  for (std::uint32_t link = 0; link < ways_.size(); ++link) {
    for (const std::uint8_t of :
         {counts[std::size_t{2} * link], counts[std::size_t{2} * link + 1]}) {
      connectors_[link] += of == 1 ? 1 : 0;
    }
  }
}

std::vector<std::uint32_t> MeetingLinks::next_route() {
  const std::uint32_t pair = next_pair_++;
  std::vector<std::uint32_t> route;
  if (pair / hosts_ == pair % hosts_) {
    return route;
  }
  for (std::uint32_t hop = 0;; ++hop) {
    const std::uint32_t number = step_of_[next_step_++];
    if (steps_[number].connector != none) {
      route.push_back(2 * steps_[number].connector);
    }
    if (hop == platform_.lengths[pair]) {
      return route;
    }
    const std::uint32_t link = link_of(steps_[number].to);
    const bool is_back = ways_[link] == Way::both && sides_[2 * number + 1] == 1;
    route.push_back(2 * edge_of_link_[link] + (is_back ? 1 : 0));
  }
}

/// Looks for routes that come twice to a node. False: some do, and links there are apart from now
/// on. Also notes whether routes pass hosts.
bool MeetingLinks::are_routes_paths() {
  do_hosts_forward_ = false;
  struct Visit {
    std::uint32_t pair = none;
    std::uint32_t step = 0;
  };
  std::vector<Visit> visits(nodes_);  // [node]
  std::vector<std::uint32_t> links;   // to be set apart
  // Of the links around a node that a route leaves by one step and leaves again by another, marks
  // one, unless one is marked.
  const auto mark = [&](const Step& first, const Step& again, std::uint32_t pair) {
    std::uint32_t chosen = none;
    for (const std::uint32_t symbol : {again.to, first.from, again.from, first.to}) {
      if (is_host(symbol)) {
        continue;
      }
      if (std::ranges::count(links, link_of(symbol)) > 0) {
        return;
      }
      if (chosen == none && !is_apart_[link_of(symbol)]) {
        chosen = link_of(symbol);
      }
    }
    refuse_if(chosen == none, place_, "the route from {} comes twice to one place",
              route_name(pair));
    links.push_back(chosen);
  };
  std::size_t at = 0;
  for (std::uint32_t pair = 0; pair < platform_.lengths.size(); ++pair) {
    if (pair / hosts_ == pair % hosts_) {
      continue;
    }
    const auto is_first_visit = [&](std::uint32_t node, std::uint32_t step) {
      const Visit earlier = std::exchange(visits[node], {pair, step});
      if (earlier.pair == pair) {
        mark(steps_[earlier.step], steps_[step], pair);
      }
      return earlier.pair != pair;
    };
    // Of each step: the place that it leaves, and, behind a connector, the one that it reaches.
    bool is_path = true;
    for (std::uint32_t hop = 0; hop <= platform_.lengths[pair] && is_path; ++hop) {
      const std::uint32_t step = step_of_[at + hop];
      const std::uint32_t from = node_of_end_[end_left(step)];
      do_hosts_forward_ |= hop > 0 && is_host(from) && !is_host(steps_[step].to);
      is_path = is_first_visit(from, step);
      if (steps_[step].connector != none && is_path) {
        const std::uint32_t to = node_of_end_[end_reached(step)];
        do_hosts_forward_ |= is_host(to) && hop < platform_.lengths[pair];
        is_path = is_first_visit(to, step);
      }
    }
    at += platform_.lengths[pair] + std::size_t{1};
  }
  for (const std::uint32_t link : links) {
    set_apart(hosts_ + link);
  }
  return links.empty();
}

}  // namespace dcube
