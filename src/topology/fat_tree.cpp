#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "fabric.hpp"
#include "places.hpp"

// Extended generalised fat trees, XGFT(h; m1 .. mh; w1 .. wh) (Öhring, Ibel, Das & Kumar 1995).
//
// A node of level l has digits a_h .. a_(l+1), b_l .. b_1, 0 <= a_i < m_i, 0 <= b_i < w_i. Its
// number in the level counts b_1 fastest, then b_2 .. b_l, a_(l+1) .. a_h:
//
//     number = low + W_l * high,   low of digits b, high of digits a,   W_l = w_1 .. w_l
//
// Terminals are level 0, so `high` of a node above terminal d is d / (m_1 .. m_l). A node is linked
// to the nodes of the next level with the same digits, apart from a_(l+1), which is replaced by any
// b_(l+1). Routes are those of D-Mod-K (Zahavi 2012).

namespace dcube {
namespace {

/// Ports of the links between level l - 1 and level l.
struct TreeLevel {
  std::uint32_t down = 1;      ///< m_l: children of a node of level l
  std::uint32_t up = 1;        ///< w_l: parents of a node of level l - 1
  std::uint32_t parallel = 1;  ///< links between a node and its parent
};

class FatTree final : public Fabric {
 public:
  FatTree(FabricPlan plan, const std::vector<TreeLevel>& levels)
      : Fabric{"fat_tree", std::move(plan)} {
    levels_.push_back({1, 1, 1, 1, 1, 0, 0});
    for (const TreeLevel& level : levels) {
      const Row& under = levels_.back();
      const std::uint32_t nodes = terminal_count() / under.below * under.above;
      levels_.push_back({level.down, level.up, level.parallel, under.below * level.down,
                         under.above * level.up, under.first + nodes,
                         link_directions()[levels_.size() - 1].first.index()});
    }
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    if (from == to) {
      return 0;
    }
    const std::size_t low = level_of(from);
    const std::size_t high = level_of(to);
    if (low > high) {
      return distance(to, from);
    }
    if (low > 0 || high > 0) {
      // The lower node goes up and down to a node with the higher one's digits.
      const Place a = place(from, low);
      const Place b = place(to, high);
      if (a.low != b.low % levels_[low].above) {
        return Fabric::distance(from, to);
      }
      const std::size_t turn =
          turn_of(a.high * levels_[low].below, b.high * levels_[high].below, high);
      return static_cast<std::uint32_t>(2 * turn - low - high);
    }
    return static_cast<std::uint32_t>(2 * turn_of(from.index(), to.index(), 1));
  }

  bool weighs_usual_ways() const override { return true; }
  std::uint64_t weight_between(NodeId from, NodeId to,
                               std::span<const std::uint32_t> weights) const override {
    check_ends(from, to);
    std::uint64_t way_up = 0;
    for (std::size_t l = 0; from.index() / levels_[l].below != to.index() / levels_[l].below; ++l) {
      way_up += weights[l];
    }
    return 2 * way_up;
  }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    if (!is_terminal(to)) {
      return Fabric::next_run(at, to);
    }
    const std::size_t l = level_of(at);
    const auto [low, high] = place(at, l);
    const std::uint32_t d = to.index();
    const Row& here = levels_[l];
    if (high != d / here.below) {
      // Level l + 1 in the block of its links.
      const Row& next = levels_[l + 1];
      const std::uint32_t port = d / here.above % next.up;
      const std::uint32_t parallel = d / next.above % next.parallel;
      const std::uint32_t number = at.index() - here.first;
      const std::uint32_t link =
          next.first_link + 2 * ((number * next.up + port) * next.parallel + parallel);
      const std::uint32_t parent = low + here.above * port + next.above * (high / next.down);
      return hop(LinkId{link}, next.first + parent, static_cast<std::uint32_t>(l));
    }
    const Row& below = levels_[l - 1];
    const std::uint32_t digit = d / below.below % here.down;
    const std::uint32_t child = low % below.above + below.above * (digit + here.down * high);
    const std::uint32_t port = low / below.above;
    const std::uint32_t parallel = d / here.above % here.parallel;
    const std::uint32_t link =
        here.first_link + 2 * ((child * here.up + port) * here.parallel + parallel) + 1;
    return hop(LinkId{link}, below.first + child, static_cast<std::uint32_t>(l - 1));
  }

  /// All ways up where the way turns above, else those down to one child.
  std::span<const Exit> nearer_links(NodeId at, NodeId to) const override {
    if (at == to || !is_terminal(to)) {
      return {};
    }
    const std::size_t l = level_of(at);
    const Row& here = levels_[l];
    const std::uint32_t down = l == 0 ? 0 : here.down * here.parallel;
    const std::span<const Exit> exits = links().of(at);
    const std::uint32_t d = to.index();
    if (place(at, l).high != d / here.below) {
      return exits.subspan(down);
    }
    const std::uint32_t child = d / levels_[l - 1].below % here.down;
    return exits.subspan(std::size_t{child} * here.parallel, here.parallel);
  }

 private:
  /// A level and the links below it.
  struct Row {
    std::uint32_t down;
    std::uint32_t up;
    std::uint32_t parallel;
    std::uint32_t below;       ///< m_1 .. m_l: terminals below a node
    std::uint32_t above;       ///< w_1 .. w_l: nodes above a terminal
    std::uint32_t first;       ///< its first node
    std::uint32_t first_link;  ///< of those below it
  };
  struct Place {
    std::uint32_t low;
    std::uint32_t high;
  };

  std::size_t level_of(NodeId node) const {
    std::size_t level = levels_.size() - 1;
    while (node.index() < levels_[level].first) {
      --level;
    }
    return level;
  }
  Place place(NodeId node, std::size_t level) const {
    const std::uint32_t number = node.index() - levels_[level].first;
    const std::uint32_t above = levels_[level].above;
    return {number % above, number / above};
  }
  /// The lowest level from `least` on with a node above both terminals.
  std::size_t turn_of(std::uint32_t a, std::uint32_t b, std::size_t least) const {
    std::size_t level = least;
    while (a / levels_[level].below != b / levels_[level].below) {
      ++level;
    }
    return level;
  }

  std::vector<Row> levels_;  ///< [level]
};

FabricPlan plan_of_tree(const std::vector<TreeLevel>& levels, const Params& params) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const auto product = [&](std::uint64_t a, std::uint64_t b) {
    refuse_if(b != 0 && a > most / b, params.place(),
              "the tree is too large for 32-bit node numbers");
    return a * b;
  };
  std::uint64_t terminals = 1;
  for (const TreeLevel& level : levels) {
    terminals = product(terminals, level.down);
  }
  std::vector<std::uint64_t> nodes{terminals};  // [level]
  std::uint64_t switches = 0;
  for (const TreeLevel& level : levels) {
    nodes.push_back(product(nodes.back() / level.down, level.up));
    switches += nodes.back();
  }
  FabricPlan plan{terminals, switches, params.place()};
  std::uint64_t above = 1;
  std::uint64_t first_child = 0;
  for (std::size_t l = 1; l <= levels.size(); ++l) {
    const TreeLevel& level = levels[l - 1];
    const std::uint64_t first = first_child + nodes[l - 1];
    plan.structure.switch_rows.push_back({NodeId{static_cast<std::uint32_t>(first)},
                                          static_cast<std::uint32_t>(nodes[l]), "level",
                                          static_cast<std::uint32_t>(l)});
    plan.begin_class(fmt::format("level {}", l),
                     product(product(nodes[l - 1], level.up), level.parallel));
    for (std::uint64_t child = 0; child < nodes[l - 1]; ++child) {
      const std::uint64_t low = child % above;
      const std::uint64_t high = child / above / level.down;
      for (std::uint64_t port = 0; port < level.up; ++port) {
        const std::uint64_t parent = low + above * port + above * level.up * high;
        plan.add_link(static_cast<std::uint32_t>(first_child + child),
                      static_cast<std::uint32_t>(first + parent), level.parallel);
      }
    }
    above *= level.up;
    first_child = first;
  }
  if (plan.is_drawn()) {
    plan.structure.places = places_in_levels(nodes, levels.front().down, levels.front().up);
  }
  plan.structure.routings = {"d_mod_k", "shortest", "ecmp", "minimal_adaptive", "table"};
  return plan;
}

std::vector<std::uint32_t> read_ports(const Params& params, const char* key, std::size_t levels) {
  std::vector<std::uint32_t> ports =
      params.positive_ints(key, "a number of ports (a positive integer)");
  refuse_if(ports.size() != levels, params.place_of(key),
            "{} for the {} that `down` has (one for each)", counted(ports.size(), "entry"),
            counted(levels, "level"));
  return ports;
}

/// The three-level tree of switches with `k` ports.
std::vector<TreeLevel> levels_of_ports(const Params& params) {
  for (const char* const key : {"down", "up", "parallel"}) {
    refuse_if(params.has(key), params.place_of(key),
              "given beside `k` (which says it all; give `down` and `up`, or `k` alone)");
  }
  const std::uint32_t k = read_count(params, "k", 2);
  refuse_if(k % 2 != 0, params.place_of("k"),
            "{} ports cannot be halved into those down and those up (an even number)", k);
  return {{k / 2, 1, 1}, {k / 2, k / 2, 1}, {k, k / 2, 1}};
}

std::unique_ptr<Topology> make_fat_tree(const Params& params) {
  if (params.has("k")) {
    const std::vector<TreeLevel> levels = levels_of_ports(params);
    FabricPlan plan = plan_of_tree(levels, params);
    plan.details.set("k", number_setting(levels[2].down));
    return std::make_unique<FatTree>(std::move(plan), levels);
  }
  refuse_if(params.has("up") && !params.has("down"), params.place_of("up"),
            "given without `down`, the ports downwards of a switch of each level");
  const std::vector<std::uint32_t> down =
      params.positive_ints("down", "a number of ports (a positive integer)");
  constexpr std::size_t most_levels = 16;
  refuse_if(down.size() > most_levels, params.place_of("down"), "{} levels (at most {})",
            down.size(), most_levels);
  params.required("up");
  const std::vector<std::uint32_t> up = read_ports(params, "up", down.size());
  const std::vector<std::uint32_t> parallel = params.has("parallel")
                                                  ? read_ports(params, "parallel", down.size())
                                                  : std::vector<std::uint32_t>(down.size(), 1);
  std::vector<TreeLevel> levels;
  for (std::size_t l = 0; l < down.size(); ++l) {
    levels.push_back({down[l], up[l], parallel[l]});
  }
  FabricPlan plan = plan_of_tree(levels, params);
  plan.details.set("down", numbers_setting(down));
  plan.details.set("up", numbers_setting(up));
  if (params.has("parallel")) {
    plan.details.set("parallel", numbers_setting(parallel));
  }
  return std::make_unique<FatTree>(std::move(plan), levels);
}

/// "4,4,8/1,2,4", also with the parallel links "/1,1,2"; as SST writes it, "4,2:4,4:8": ports down
/// and up of each level of switches, the last of which has none up; or "k=8" and the like.
Params read_fat_tree_spelling(std::string_view text) {
  if (text.find('=') != std::string_view::npos) {
    return Params::parse(text);
  }
  const auto list = [](const std::vector<std::string_view>& numbers) {
    return fmt::format("[{}]", joined(numbers, ","));
  };
  std::string settings;
  if (text.find(':') != std::string_view::npos) {
    std::vector<std::string_view> down;
    std::vector<std::string_view> up{"1"};
    const std::vector<std::string_view> levels = split_at(text, ':');
    for (const std::string_view& level : levels) {
      const std::vector<std::string_view> ports = split_at(level, ',');
      const bool is_last = &level == &levels.back();
      refuse_if(ports.size() != (is_last ? 1U : 2U), "",
                "`{}` of the shape is not {} (\"down,up:down,up:down\")", level,
                is_last ? "the ports down of the last level" : "the ports down and up of a level");
      down.push_back(ports.front());
      if (!is_last) {
        up.push_back(ports.back());
      }
    }
    settings = fmt::format("down={},up={}", list(down), list(up));
  } else {
    constexpr std::array<const char*, 3> keys{"down", "up", "parallel"};
    const std::vector<std::string_view> parts = split_at(text, '/');
    refuse_if(parts.size() < 2 || parts.size() > keys.size(), "",
              "`{}` is not the ports down and up of each level (\"4,4,8/1,2,4\", or \"k=8\")",
              text);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      settings += fmt::format("{}{}={}", i == 0 ? "" : ",", keys[i], list(split_at(parts[i], ',')));
    }
  }
  return Params::parse(settings);
}

}  // namespace

const TopologyKind fat_tree_kind{
    "fat_tree",
    "terminals below levels of switches, each linked to several of the next (XGFT)",
    "down=[2,3],up=[1,2]",
    {{"down", "ports down of a switch of each level, the lowest first: [4, 4, 8]", "from k"},
     {"up", "switches of each level that a node below is linked to: [1, 2, 4]", "from k"},
     {"parallel", "links between a node and each of those switches, by level", "1"},
     {"k", "in place of these, the ports of all switches of three levels", "none"}},
    make_fat_tree,
    nullptr,
    read_fat_tree_spelling};

}  // namespace dcube
