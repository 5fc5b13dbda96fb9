#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/topology/graph.hpp"
#include "fabric.hpp"
#include "places.hpp"

// Products of blocks, such as GPUs around the switch of their node and rails across nodes.
// Terminals have a coordinate for each block, the first fastest. Those that agree in all others are
// linked by an instance of the block, a small network of its own; instances are numbered by the
// other coordinates. Switches are numbered block by block, instance by instance. Routes go through
// the blocks in order, over terminals, and inside a block by its own routes.

namespace dcube {
namespace {

struct Block {
  std::shared_ptr<const Topology> unit;  ///< an instance; its terminals are the coordinates
  std::uint32_t stride = 1;
  std::uint32_t first_switch = 0;
  std::uint32_t first_link = 0;
  std::uint32_t links_each = 0;                ///< link numbers of an instance
  std::vector<std::uint32_t> place_of_link{};  ///< [link of the unit]: its place in an instance

  std::uint32_t side() const { return unit->terminal_count(); }
  std::uint32_t switches() const { return unit->structure().switches; }
};

class Blocks final : public Fabric {
 public:
  Blocks(FabricPlan plan, std::vector<Block> blocks)
      : Fabric{"blocks", std::move(plan)}, blocks_{std::move(blocks)} {}

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    if (!is_terminal(to)) {
      return is_terminal(from) ? distance(to, from) : Fabric::distance(from, to);
    }
    const Seat here = seat(from);
    std::uint32_t hops = 0;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      hops += blocks_[b].unit->distance(node_in(b, here), coordinate(b, to.index()));
    }
    return hops;
  }

  bool weighs_usual_ways() const override { return true; }
  std::uint64_t weight_between(NodeId from, NodeId to,
                               std::span<const std::uint32_t> weights) const override {
    check_ends(from, to);
    std::uint64_t sum = 0;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      sum += std::uint64_t{weights[b]} *
             blocks_[b].unit->distance(coordinate(b, from.index()), coordinate(b, to.index()));
    }
    return sum;
  }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    if (!is_terminal(to)) {
      return Fabric::next_run(at, to);
    }
    const Seat here = seat(at);
    // A switch belongs to one block, which the way leaves first.
    std::uint32_t b = here.block;
    if (is_terminal(at)) {
      b = 0;
      while (coordinate(b, at.index()) == coordinate(b, to.index())) {
        ++b;
      }
    }
    const Block& block = blocks_[b];
    const Run run = block.unit->next_run(node_in(b, here), coordinate(b, to.index()));
    const NodeId end = block.unit->link(run.first).value().to;
    const std::uint32_t instance = instance_of(b, here.terminal);
    const std::uint32_t next =
        end.index() < block.side()
            ? here.terminal + (end.index() - coordinate(b, here.terminal).index()) * block.stride
            : block.first_switch + instance * block.switches() + (end.index() - block.side());
    return hop(LinkId{block.first_link + instance * block.links_each +
                      block.place_of_link[run.first.index()]},
               next, b);
  }

  /// Number of the instance of a block that holds a terminal.
  static std::uint32_t instance_of(const Block& block, std::uint32_t terminal) {
    return terminal % block.stride + terminal / block.stride / block.side() * block.stride;
  }
  /// The terminal of an instance with coordinate 0.
  static std::uint32_t terminal_of(const Block& block, std::uint32_t instance) {
    return instance % block.stride + instance / block.stride * block.stride * block.side();
  }

 private:
  /// Where a node is: at a terminal, or at a switch of a block, beside its terminal of coordinate
  /// 0.
  struct Seat {
    std::uint32_t terminal;
    std::uint32_t block = 0;
    std::optional<NodeId> in_block = std::nullopt;
  };

  Seat seat(NodeId node) const {
    if (is_terminal(node)) {
      return {node.index()};
    }
    auto b = static_cast<std::uint32_t>(blocks_.size() - 1);
    while (blocks_[b].switches() == 0 || node.index() < blocks_[b].first_switch) {
      --b;
    }
    const Block& block = blocks_[b];
    const std::uint32_t number = node.index() - block.first_switch;
    return {terminal_of(block, number / block.switches()), b,
            NodeId{block.side() + number % block.switches()}};
  }
  NodeId coordinate(std::uint32_t b, std::uint32_t terminal) const {
    return NodeId{terminal / blocks_[b].stride % blocks_[b].side()};
  }
  NodeId node_in(std::uint32_t b, const Seat& seat) const {
    return seat.in_block && seat.block == b ? *seat.in_block : coordinate(b, seat.terminal);
  }
  std::uint32_t instance_of(std::uint32_t b, std::uint32_t terminal) const {
    return instance_of(blocks_[b], terminal);
  }

  std::vector<Block> blocks_;
};

/// An instance of a block.
std::shared_ptr<const Topology> read_unit(const Params& block) {
  static const std::vector<std::string> kinds{"ring", "line", "full", "switch", "fat_tree"};
  block.required("kind");
  const std::string kind = block.choice("kind", kinds, "");
  constexpr std::int64_t most_full = 4096;
  Params settings{block.place()};
  if (kind == "fat_tree") {
    block.allow_only(std::array<std::string, 6>{"kind", "size", "down", "up", "parallel", "k"});
    for (const std::string& key : block.keys_as_written()) {
      if (key != "kind" && key != "size") {
        settings.set(key, *block.find(key));
      }
    }
    std::shared_ptr<const Topology> tree = fat_tree_kind.make(settings);
    const std::uint32_t size =
        block.has("size") ? read_count(block, "size") : tree->terminal_count();
    refuse_if(size != tree->terminal_count(), block.place_of("size"),
              "{} is not the number of terminals of the tree ({})", size, tree->terminal_count());
    return tree;
  }
  block.allow_only(std::array<std::string, 2>{"kind", "size"});
  const std::uint32_t size = read_count(block, "size");
  if (kind == "switch") {
    settings.set("down", number_setting(size));
    settings.set("up", number_setting(1));
    return fat_tree_kind.make(settings);
  }
  if (kind != "full" || size == 1) {
    settings.set("nodes", number_setting(size));
    return (kind == "ring" ? ring_kind : line_kind).make(settings);
  }
  block.integer("size", 1, most_full,
                fmt::format("a number of nodes, all linked (1 to {})", most_full));
  std::vector<GraphEdge> edges;
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = a + 1; b < size; ++b) {
      edges.push_back({NodeId{a}, NodeId{b}});
    }
  }
  settings.set("edges", Setting::List{});
  return make_graph_topology(edges, settings);
}

/// A group, or a text: "switch:8", "fat_tree:4x4/1x2".
Params block_settings(const Setting& setting, const std::string& place) {
  if (setting.group() != nullptr) {
    return *setting.group();
  }
  const std::string_view text = setting.text() != nullptr ? *setting.text() : std::string_view{};
  const std::size_t colon = text.find(':');
  refuse_if(colon == std::string_view::npos, place,
            "{} is no block (a group with its kind and size, or \"switch:8\")", setting.describe());
  const std::string_view size = text.substr(colon + 1);
  const std::size_t slash = size.find('/');
  Params block =
      slash == std::string_view::npos
          ? Params::parse(fmt::format("size={}", size), place)
          : Params::parse(
                fmt::format("down={},up={}", size.substr(0, slash), size.substr(slash + 1)), place);
  block.set("kind", std::string{text.substr(0, colon)});
  return block;
}

std::unique_ptr<Topology> make_blocks(const Params& params) {
  std::vector<Block> blocks;
  std::uint64_t terminals = 1;
  for (const Setting& setting :
       params.list("blocks", R"(blocks [{"kind": "switch", "size": 8}, ..])")) {
    const Params entry = block_settings(setting, params.place_of("blocks", blocks.size()));
    Block block{read_unit(entry), static_cast<std::uint32_t>(terminals)};
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    refuse_if(terminals > most / block.side(), entry.place(),
              "the product of the blocks is too large for 32-bit node numbers");
    terminals *= block.side();
    blocks.push_back(std::move(block));
  }
  constexpr std::size_t most_blocks = 32;
  refuse_if(blocks.size() > most_blocks, params.place_of("blocks"), "{} blocks (at most {})",
            blocks.size(), most_blocks);
  std::uint64_t switches = 0;
  for (const Block& block : blocks) {
    switches += terminals / block.side() * block.switches();
  }
  FabricPlan plan{terminals, switches, params.place()};
  plan.structure.do_terminals_forward = true;
  std::uint32_t first_switch = plan.terminals();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    const Topology& unit = *block.unit;
    const std::uint32_t instances = plan.terminals() / block.side();
    block.first_switch = first_switch;
    if (block.switches() > 0) {
      plan.structure.switch_rows.push_back({NodeId{first_switch}, instances * block.switches(),
                                            "block", static_cast<std::uint32_t>(b)});
    }
    first_switch += instances * block.switches();
    std::vector<Link> links;
    block.place_of_link.resize(unit.link_slots());
    for (std::uint32_t slot = 0; slot < unit.link_slots(); ++slot) {
      const std::optional<Link> link = unit.link(LinkId{slot});
      const LinkId back = link ? unit.reverse(LinkId{slot}) : LinkId{};
      if (link && LinkId{slot} < back) {
        block.place_of_link[slot] = static_cast<std::uint32_t>(2 * links.size());
        block.place_of_link[back.index()] = block.place_of_link[slot] + 1;
        links.push_back(*link);
      }
    }
    plan.begin_class(fmt::format("block {}", b), std::uint64_t{links.size()} * instances);
    block.first_link = plan.next_link();
    for (std::uint32_t instance = 0; instance < instances; ++instance) {
      const auto node = [&](NodeId in_block) {
        return in_block.index() < block.side()
                   ? Blocks::terminal_of(block, instance) + in_block.index() * block.stride
                   : block.first_switch + instance * block.switches() +
                         (in_block.index() - block.side());
      };
      for (const Link& link : links) {
        plan.add_link(node(link.from), node(link.to));
      }
    }
    block.links_each = static_cast<std::uint32_t>(2 * links.size());
  }
  if (plan.is_drawn()) {
    plan.structure.places =
        places_of_blocks(mapped(blocks, [](const Block& block) { return block.unit.get(); }));
  }
  plan.structure.routings = {"dimension_order", "shortest",         "ecmp",
                             "valiant",         "minimal_adaptive", "table"};
  plan.details.set("blocks", *params.find("blocks"));
  return std::make_unique<Blocks>(std::move(plan), std::move(blocks));
}

/// "switch:8,switch:16".
Params read_blocks_spelling(std::string_view text) {
  Params settings;
  settings.set("blocks", mapped(split_at(text, ','),
                                [](std::string_view part) { return Setting{std::string{part}}; }));
  return settings;
}

}  // namespace

const TopologyKind blocks_kind{
    "blocks",
    "product of rings, lines, cliques, switches and fat trees: nodes of GPUs and rails",
    "blocks=[switch:4,ring:3]",
    {{"blocks",
      "list of {\"kind\": \"ring\", \"line\", \"full\" or \"switch\", \"size\": ..} or "
      "{\"kind\": \"fat_tree\", \"down\": .., \"up\": ..}, or texts \"switch:8\"; first coordinate "
      "fastest",
      ""}},
    make_blocks,
    nullptr,
    read_blocks_spelling};

}  // namespace dcube
