#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

namespace dcube {
namespace {

std::vector<NodeId> read_map(const Params& params, std::uint32_t node_count) {
  const std::string what = fmt::format("a node (0 to {})", node_count - 1);
  std::vector<NodeId> map;
  for (const std::uint32_t node : params.non_negative_ints("map", what)) {
    if (node >= node_count) {
      throw InputError(params.place_of("map", map.size()), fmt::format("{} is not {}", node, what));
    }
    map.emplace_back(node);
  }
  return map;
}

void check_slots(const Params& params, const std::vector<NodeId>& map, const EmbeddingTask& task) {
  struct Guests {
    std::uint32_t count = 0;
    std::size_t last = 0;
  };
  std::vector<Guests> guests_of(task.topology.node_count());
  for (std::size_t process = 0; process < map.size(); ++process) {
    const NodeId node = map[process];
    if (!task.topology.is_usable(node)) {
      const std::string place = params.place_of("map", process);
      const bool is_alive = task.topology.is_alive(node);
      refuse_if(is_alive && !task.topology.is_terminal(node), place,
                "node {} is {}, which hosts no process", node.index(), task.topology.name_of(node));
      throw InputError(place, fmt::format("node {} {} (see the machine's `failed`)", node.index(),
                                          is_alive ? "hosts no process: a spare, or it fails later"
                                                   : "has failed"));
    }
    Guests& guests = guests_of[node.index()];
    if (guests.count == task.slots) {
      const std::string place = params.place_of("map", process);
      refuse_if(task.slots == 1, place,
                "node {} already hosts process {} (a node hosts at most one)", node.index(),
                guests.last);
      throw InputError(place,
                       fmt::format("node {} already hosts {} processes (it has as many slots)",
                                   node.index(), guests.count));
    }
    ++guests.count;
    guests.last = process;
  }
}

std::unique_ptr<Embedding> make(const EmbeddingTask& task, const Params& params) {
  const Guest& guest = task.guest;
  for (const char* key : {"file", "format", "hosts"}) {
    if (params.has(key)) {  // the reader of scenarios replaces these by `map`
      params.reject(key, "is about a map file (`file`), and there is none to read");
    }
  }
  std::vector<NodeId> map = read_map(params, task.topology.node_count());
  refuse_if(map.size() != guest.process_count(), params.place_of("map"),
            "{} nodes for {} processes (one node for each process of {})", map.size(),
            guest.process_count(), guest.name());
  check_slots(params, map, task);
  return make_table_embedding("explicit", guest, std::move(map));
}

}  // namespace

const EmbeddingKind explicit_kind{
    "explicit",
    "a list of nodes, one for each process",
    "kind=ring,nodes=8 | cube:2 | map=[0,2,6,4]",
    {{"map", "node of process 0, of process 1, ..", ""},
     {"file", "map file to read instead of `map`", "none"},
     {"format", "of that file, see `dcube list formats`", "by suffix"},
     {"hosts", "names of nodes in it: a pattern or a file", "a platform's, or node-{}"}},
    too_few_slots,
    make,
    SlotUse::all};

}  // namespace dcube
