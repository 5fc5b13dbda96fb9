#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/counted.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/adjacency.hpp"
#include "fabric.hpp"
#include "places.hpp"

// Networks of alike routers, each with p terminals: HyperX (Ahn et al. 2009), Slim Fly (Besta &
// Hoefler 2014), PolarFly (Lakhotia et al. 2022) and Jellyfish (Singla et al. 2012). Terminals of
// router r are p r .. p r + p - 1.

namespace dcube {
namespace {

/// Terminals and their links; switches are named by number alone.
FabricPlan plan_of_routers(std::uint64_t routers, std::uint32_t terminals_each,
                           const Params& params) {
  FabricPlan plan{routers * terminals_each, routers, params.place()};
  const std::uint32_t terminals = plan.terminals();
  plan.begin_class("terminal", terminals);
  for (std::uint32_t terminal = 0; terminal < terminals; ++terminal) {
    plan.add_link(terminal, terminals + terminal / terminals_each);
  }
  plan.structure.routings = {"shortest", "ecmp", "valiant", "minimal_adaptive", "table"};
  return plan;
}

// --- HyperX ---

/// A row of a dimension: all its routers are linked to each other.
struct HyperXAxis {
  std::uint32_t side;
  std::uint32_t stride;
  std::uint32_t width;  ///< parallel links
};

class HyperX final : public Fabric {
 public:
  HyperX(FabricPlan plan, std::vector<HyperXAxis> axes, std::uint32_t terminals_each)
      : Fabric{"hyperx", std::move(plan)},
        axes_{std::move(axes)},
        terminals_each_{terminals_each} {}

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    if (from == to) {
      return 0;
    }
    const std::uint32_t a = router_of(from);
    const std::uint32_t b = router_of(to);
    std::uint32_t hops = (is_terminal(from) ? 1 : 0) + (is_terminal(to) ? 1 : 0);
    for (const HyperXAxis& axis : axes_) {
      hops += a / axis.stride % axis.side != b / axis.stride % axis.side ? 1 : 0;
    }
    return hops;
  }

  bool weighs_usual_ways() const override { return true; }
  std::uint64_t weight_between(NodeId from, NodeId to,
                               std::span<const std::uint32_t> weights) const override {
    check_ends(from, to);
    if (from == to) {
      return 0;
    }
    const std::uint32_t a = router_of(from);
    const std::uint32_t b = router_of(to);
    std::uint64_t sum = 2 * std::uint64_t{weights[0]};
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const HyperXAxis& axis = axes_[d];
      sum += a / axis.stride % axis.side != b / axis.stride % axis.side ? weights[d + 1] : 0;
    }
    return sum;
  }

  /// Through the dimensions in order.
  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const std::uint32_t a = router_of(at);
    if (is_terminal(at)) {
      return hop(LinkId{2 * at.index()}, terminal_count() + a, 0);
    }
    const std::uint32_t b = router_of(to);
    for (std::uint32_t d = 0; d < axes_.size(); ++d) {
      const HyperXAxis& axis = axes_[d];
      const std::uint32_t here = a / axis.stride % axis.side;
      const std::uint32_t there = b / axis.stride % axis.side;
      if (here != there) {
        const NodeId end{terminal_count() + a + (there - here) * axis.stride};  // modulo 2^32
        return hop(links().link_between(at, end).value(), end.index(), d + 1);
      }
    }
    return hop(LinkId{2 * to.index() + 1}, to.index(), 0);
  }

 private:
  std::uint32_t router_of(NodeId node) const {
    return is_terminal(node) ? node.index() / terminals_each_ : node.index() - terminal_count();
  }

  std::vector<HyperXAxis> axes_;
  std::uint32_t terminals_each_;
};

std::unique_ptr<Topology> make_hyperx(const Params& params) {
  const std::vector<std::uint32_t> shape =
      params.positive_ints("shape", "a side (a positive integer)");
  const std::vector<std::uint32_t> width =
      params.has("width")
          ? params.positive_ints("width", "a number of parallel links (a positive integer)")
          : std::vector<std::uint32_t>(shape.size(), 1);
  refuse_if(width.size() != shape.size(), params.place_of("width"), "{} for {} (one for each)",
            counted(width.size(), "entry"), counted(shape.size(), "dimension"));
  constexpr std::size_t most_dimensions = 32;
  refuse_if(shape.size() > most_dimensions, params.place_of("shape"), "{} dimensions (at most {})",
            shape.size(), most_dimensions);
  const std::uint32_t p = params.has("p") ? read_count(params, "p") : 1;
  constexpr std::uint64_t most_routers = std::uint64_t{1} << 31;
  std::uint64_t routers = 1;
  std::vector<HyperXAxis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    axes.push_back({shape[d], static_cast<std::uint32_t>(routers), width[d]});
    refuse_if(routers > most_routers / shape[d], params.place_of("shape"),
              "{} is too large for 32-bit node numbers", params.find("shape")->describe());
    routers *= shape[d];
  }
  FabricPlan plan = plan_of_routers(routers, p, params);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const HyperXAxis& axis = axes[d];
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    const std::uint64_t pairs = routers * (axis.side - 1) / 2;
    refuse_if(pairs > most / axis.width, params.place_of("width"),
              "the links are too many for 32-bit link numbers");
    plan.begin_class(fmt::format("dimension {}", d), pairs * axis.width);
    for (std::uint32_t router = 0; router < routers; ++router) {
      for (std::uint32_t to = router / axis.stride % axis.side + 1; to < axis.side; ++to) {
        plan.add_link(
            plan.terminals() + router,
            plan.terminals() + router + (to - router / axis.stride % axis.side) * axis.stride,
            axis.width);
      }
    }
  }
  if (plan.is_drawn()) {
    const std::uint32_t slice = shape[0] * (shape.size() > 1 ? shape[1] : 1);
    const Panel panel =
        shape.size() > 1 ? grid_panel(shape[0], shape[1], p, true) : arc_panel(shape[0], p);
    plan.structure.places = ring_of(panel, static_cast<std::uint32_t>(routers) / slice);
  }
  plan.structure.routings.insert(plan.structure.routings.begin(), "dimension_order");
  plan.details.set("shape", numbers_setting(shape));
  if (params.has("width")) {
    plan.details.set("width", numbers_setting(width));
  }
  plan.details.set("p", number_setting(p));
  return std::make_unique<HyperX>(std::move(plan), std::move(axes), p);
}

// --- Slim Fly and PolarFly ---

bool is_prime(std::uint32_t number) {
  for (std::uint32_t divisor = 2; std::uint64_t{divisor} * divisor <= number; ++divisor) {
    if (number % divisor == 0) {
      return false;
    }
  }
  return number >= 2;
}

std::uint32_t read_prime(const Params& params, std::uint32_t least) {
  constexpr std::int64_t most = 4093;
  const auto q = static_cast<std::uint32_t>(
      params.integer("q", least, most, fmt::format("a prime ({} to {})", least, most)));
  refuse_if(!is_prime(q), params.place_of("q"), "{} is no prime", q);
  return q;
}

/// The least number whose powers are all others modulo the prime q but 0.
std::uint32_t primitive_root(std::uint32_t q) {
  for (std::uint32_t root = 2;; ++root) {
    std::uint32_t power = root;
    std::uint32_t order = 1;
    for (; power != 1; power = power * root % q) {
      ++order;
    }
    if (order == q - 1) {
      return root;
    }
  }
}

std::unique_ptr<Topology> make_slim_fly(const Params& params) {
  const std::uint32_t q = read_prime(params, 5);
  const std::uint32_t p = params.has("p") ? read_count(params, "p") : 1;
  // [n]: xi^n
  std::vector<std::uint32_t> powers{1};
  const std::uint32_t root = primitive_root(q);
  while (powers.size() < q - 1) {
    powers.push_back(powers.back() * root % q);
  }
  // Differences of linked routers, for s = 0 and s = 1. Both sets hold -x with every x.
  std::vector<std::vector<bool>> is_difference(2, std::vector<bool>(q));
  const bool is_above = q % 4 == 1;  // q = 4 w + 1, else 4 w - 1
  const std::uint32_t w = (q + 1) / 4;
  for (std::uint32_t n = 0; n < q - 1; ++n) {
    const bool is_first = is_above        ? n % 2 == 0
                          : n < 2 * w - 1 ? n % 2 == 0
                                          : n % 2 == 1 && n <= 4 * w - 3;
    if (is_first) {
      is_difference[0][powers[n]] = true;
    }
    const std::uint32_t turned = powers[n] * root % q;
    if (is_above ? !is_first : is_first) {
      is_difference[1][is_above ? powers[n] : turned] = true;
    }
  }
  FabricPlan plan = plan_of_routers(std::uint64_t{2} * q * q, p, params);
  const auto router = [&](std::uint32_t s, std::uint32_t x, std::uint32_t y) {
    return plan.terminals() + s * q * q + x * q + y;
  };
  const auto differences = std::ranges::count(is_difference[0], true);
  plan.begin_class("local", static_cast<std::uint64_t>(differences) * q * q);
  for (std::uint32_t s = 0; s < 2; ++s) {
    for (std::uint32_t x = 0; x < q; ++x) {
      for (std::uint32_t y = 0; y < q; ++y) {
        for (std::uint32_t other = y + 1; other < q; ++other) {
          if (is_difference[s][other - y]) {
            plan.add_link(router(s, x, y), router(s, x, other));
          }
        }
      }
    }
  }
  plan.begin_class("global", std::uint64_t{q} * q * q);
  for (std::uint32_t x = 0; x < q; ++x) {
    for (std::uint32_t y = 0; y < q; ++y) {
      for (std::uint32_t m = 0; m < q; ++m) {
        plan.add_link(router(0, x, y), router(1, m, (y + q * q - m * x) % q));
      }
    }
  }
  // Routers of one (s, x) are a group, for other groups lead to all of them alike.
  constexpr std::uint32_t most_in_groups = 13;
  if (plan.is_drawn()) {
    plan.structure.places =
        q <= most_in_groups ? ring_of(arc_panel(q, p), 2 * q) : places_of_switches(2 * q * q, p);
  }
  plan.details.set("q", number_setting(q));
  plan.details.set("p", number_setting(p));
  return std::make_unique<Fabric>("slim_fly", std::move(plan));
}

std::unique_ptr<Topology> make_polarfly(const Params& params) {
  const std::uint32_t q = read_prime(params, 2);
  const std::uint32_t p = params.has("p") ? read_count(params, "p") : 1;
  constexpr std::uint32_t most_q = 1021;
  refuse_if(q > most_q, params.place_of("q"), "{} is too large (at most {})", q, most_q);
  const std::uint32_t routers = q * q + q + 1;
  const auto number = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x != 0 ? y * q + z : y != 0 ? q * q + z : q * q + q;
  };
  /// [0], [1], [2]: coordinates of a point.
  const auto point = [&](std::uint32_t of) {
    return of < q * q       ? std::vector<std::uint32_t>{1, of / q, of % q}
           : of < q * q + q ? std::vector<std::uint32_t>{0, 1, of - q * q}
                            : std::vector<std::uint32_t>{0, 0, 1};
  };
  std::vector<std::uint32_t> inverses(q);
  for (std::uint32_t a = 1; a < q; ++a) {
    while (inverses[a] * a % q != 1) {
      ++inverses[a];
    }
  }
  FabricPlan plan = plan_of_routers(routers, p, params);
  plan.begin_class("fabric", (std::uint64_t{routers} * (q + 1) - (q + 1)) / 2);
  for (std::uint32_t a = 0; a < routers; ++a) {
    const std::vector<std::uint32_t> v = point(a);
    std::vector<std::uint32_t> linked;
    // Points (1, y, z): v0 + v1 y + v2 z = 0.
    for (std::uint32_t y = 0; y < q; ++y) {
      const std::uint32_t rest = (2 * q - v[0] - v[1] * y % q) % q;  // = v2 z
      if (v[2] != 0) {
        linked.push_back(number(1, y, rest * inverses[v[2]] % q));
      } else if (rest == 0) {
        for (std::uint32_t z = 0; z < q; ++z) {
          linked.push_back(number(1, y, z));
        }
      }
    }
    // Points (0, 1, z): v1 + v2 z = 0.
    if (v[2] != 0) {
      linked.push_back(number(0, 1, (q - v[1]) % q * inverses[v[2]] % q));
    } else if (v[1] == 0) {
      for (std::uint32_t z = 0; z < q; ++z) {
        linked.push_back(number(0, 1, z));
      }
    }
    if (v[2] == 0) {
      linked.push_back(number(0, 0, 1));
    }
    std::ranges::sort(linked);
    for (const std::uint32_t b : linked) {
      if (a < b) {
        plan.add_link(plan.terminals() + a, plan.terminals() + b);
      }
    }
  }
  if (plan.is_drawn()) {
    plan.structure.places = places_of_switches(routers, p);
  }
  plan.details.set("q", number_setting(q));
  plan.details.set("p", number_setting(p));
  return std::make_unique<Fabric>("polarfly", std::move(plan));
}

// --- Jellyfish ---

using RouterLink = std::pair<std::uint32_t, std::uint32_t>;

bool is_connected(std::uint32_t routers, const std::set<RouterLink>& links) {
  std::vector<std::pair<NodeId, NodeId>> directed;
  for (const auto& [a, b] : links) {
    directed.emplace_back(a, b);
    directed.emplace_back(b, a);
  }
  return std::ranges::count(distances_to(Adjacency{routers, directed}, NodeId{0}), unreached) == 0;
}

/// Pairs the ports of the routers at random: the stream of SplitMix64 from the hash of the seed and
/// the attempt shuffles them from the end, and the first pairs with the second, and so on. Pairs
/// that join a router to itself, or two that are linked, are drawn again among themselves; after
/// 100 rounds without a new link, one link is taken off at random and its ports are free, too.
/// Above half of all links, those that are missing are drawn.
std::set<RouterLink> draw_links(std::uint32_t routers, std::uint32_t degree, std::uint64_t seed,
                                std::uint64_t attempt) {
  if (degree > (routers - 1) / 2) {
    const std::set<RouterLink> missing = draw_links(routers, routers - 1 - degree, seed, attempt);
    std::set<RouterLink> links;
    for (std::uint32_t a = 0; a < routers; ++a) {
      for (std::uint32_t b = a + 1; b < routers; ++b) {
        if (!missing.contains({a, b})) {
          links.emplace(a, b);
        }
      }
    }
    return links;
  }
  SplitMix64 random{hash_of(seed, attempt)};
  std::vector<std::uint32_t> ports;
  for (std::uint32_t router = 0; router < routers; ++router) {
    ports.insert(ports.end(), degree, router);
  }
  std::set<RouterLink> links;
  std::vector<RouterLink> in_order;
  for (int vain = 0; !ports.empty();) {
    for (std::size_t left = ports.size(); left > 1; --left) {
      std::swap(ports[left - 1], ports[bounded(random.next(), left)]);
    }
    std::vector<std::uint32_t> free;
    for (std::size_t i = 0; i < ports.size(); i += 2) {
      const RouterLink link = std::minmax(ports[i], ports[i + 1]);
      if (link.first == link.second || !links.insert(link).second) {
        free.insert(free.end(), {ports[i], ports[i + 1]});
      } else {
        in_order.push_back(link);
      }
    }
    vain = free.size() == ports.size() ? vain + 1 : 0;
    ports = std::move(free);
    if (vain >= 100 && !in_order.empty()) {
      const std::size_t off = bounded(random.next(), in_order.size());
      const RouterLink link = in_order[off];
      in_order.erase(in_order.begin() + static_cast<std::ptrdiff_t>(off));
      links.erase(link);
      ports.insert(ports.end(), {link.first, link.second});
      vain = 0;
    }
  }
  return links;
}

std::unique_ptr<Topology> make_jellyfish(const Params& params) {
  constexpr std::uint32_t most_routers = 1U << 20U;
  const auto routers = static_cast<std::uint32_t>(
      params.integer("routers", 2, most_routers, "a number of routers (2 to 1048576)"));
  const auto degree = static_cast<std::uint32_t>(params.integer(
      "degree", 1, routers - 1,
      fmt::format("a number of links of a router (1 to {}, all the others)", routers - 1)));
  refuse_if(std::uint64_t{routers} * degree % 2 != 0, params.place_of("degree"),
            "{} routers of {} ports have an odd number of ports, which no links fill", routers,
            degree);
  refuse_if(degree == 1 && routers > 2, params.place_of("degree"),
            "routers with one link each are not connected (two or more)");
  const std::uint64_t seed = params.seed("seed", 0);
  const std::uint32_t p = params.has("p") ? read_count(params, "p") : 1;
  FabricPlan plan = plan_of_routers(routers, p, params);
  plan.begin_class("fabric", std::uint64_t{routers} * degree / 2);
  std::set<RouterLink> links = draw_links(routers, degree, seed, 0);
  for (std::uint64_t attempt = 1; !is_connected(routers, links); ++attempt) {
    links = draw_links(routers, degree, seed, attempt);
  }
  for (const auto& [a, b] : links) {
    plan.add_link(plan.terminals() + a, plan.terminals() + b);
  }
  if (plan.is_drawn()) {
    plan.structure.places = places_of_switches(routers, p);
  }
  plan.details.set("routers", number_setting(routers));
  plan.details.set("degree", number_setting(degree));
  plan.details.set("seed", number_setting(seed));
  plan.details.set("p", number_setting(p));
  return std::make_unique<Fabric>("jellyfish", std::move(plan));
}

const ParameterHelp terminals_help{"p", "terminals of a router", "1"};

}  // namespace

const TopologyKind hyperx_kind{
    "hyperx",
    "routers in a grid, all of a row linked to each other",
    "shape=3x4,p=2",
    {{"shape", "routers per dimension, first (fastest) dimension first: [4, 4] or 4x4", ""},
     {"width", "parallel links between two routers, by dimension", "1"},
     terminals_help},
    make_hyperx};

const TopologyKind slim_fly_kind{"slim_fly",
                                 "2 q^2 routers, any two at most two hops apart",
                                 "q=5,p=2",
                                 {{"q", "a prime, 5 or more", ""}, terminals_help},
                                 make_slim_fly};

const TopologyKind polarfly_kind{
    "polarfly",
    "points of a projective plane as routers, any two at most two hops apart",
    "q=3,p=2",
    {{"q", "a prime, up to 1021", ""}, terminals_help},
    make_polarfly};

const TopologyKind jellyfish_kind{"jellyfish",
                                  "a random regular graph of routers",
                                  "routers=10,degree=3,p=2",
                                  {{"routers", "number of routers, 2 or more", ""},
                                   {"degree", "links of a router to others", ""},
                                   {"seed", "of the random draw", "0"},
                                   terminals_help},
                                  make_jellyfish};

}  // namespace dcube
