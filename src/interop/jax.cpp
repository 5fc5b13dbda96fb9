#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace jax {
namespace {

// [device of process 0, of process 1, ..]: indices in a list of devices that counts the first
// coordinate fastest. Processes count theirs the same way, so an array of the reversed shape in
// row-major order, as jax.sharding.Mesh wants it, holds the devices in this order. The slots of a
// node are consecutive devices.

std::string write(const MapExport& content) {
  SlotNumbers slots{content.machine.topology->node_count()};
  std::vector<std::uint64_t> devices;
  devices.reserve(content.map.size());
  for (const NodeId node : content.map) {
    devices.push_back(std::uint64_t{node.index()} * content.machine.node.slots + slots.next(node));
  }
  return fmt::format("[{}]\n", joined(devices, ", "));
}

/// Reader of a list that may be nested, like a printed array of several axes in row-major order.
class Reader {
 public:
  Reader(std::string_view text, const MapImport& import)
      : scanner_{text, import.file},
        builder_{import},
        slots_{import.slots},
        devices_{std::uint64_t{import.topology.node_count()} * import.slots} {}

  std::vector<NodeId> map() {
    std::string_view rest = more();
    do {
      rest = item(rest);
    } while (!lengths_.empty());
    scanner_.reject_if(!rest.empty() || !more().empty(), "the list goes on past its end");
    return builder_.map();
  }

 private:
  /// The next word of the file; empty at its end.
  std::string_view more() {
    while (true) {
      if (const std::string_view word = scanner_.word(); !word.empty()) {
        return word;
      }
      if (!scanner_.next_line()) {
        return {};
      }
    }
  }

  /// Takes one bracket, comma or number off `rest`, and returns what is left.
  std::string_view item(std::string_view rest) {
    if (rest.empty()) {
      rest = more();
    }
    scanner_.reject_if(rest.empty(), "the list has no end (a `]` is missing)");
    if (rest.front() == '[' && !is_after_value_) {
      open();
      return rest.substr(1);
    }
    if (rest.front() == ']' && !lengths_.empty()) {
      close();
      is_after_value_ = true;
      return rest.substr(1);
    }
    if (rest.front() == ',' && is_after_value_) {
      is_after_value_ = false;
      return rest.substr(1);
    }
    const std::string_view number = rest.substr(0, rest.find_first_of("[],"));
    scanner_.reject_if(lengths_.empty() || is_after_value_ || number.empty(),
                       "{} is not where it can be in a list [0, 1, ..]", shown(rest));
    const std::uint64_t device = scanner_.whole(
        number, 0, devices_ - 1,
        fmt::format("a {} (0 to {})", slots_ == 1 ? "node" : "device", devices_ - 1));
    builder_.place(scanner_, builder_.next_process(),
                   NodeId{static_cast<std::uint32_t>(device / slots_)},
                   static_cast<std::uint32_t>(device % slots_));
    add_entry(true);
    is_after_value_ = true;
    return rest.substr(number.size());
  }

  void open() {
    if (!lengths_.empty()) {
      add_entry(false);
    }
    lengths_.push_back(0);
    sides_.resize(std::max(sides_.size(), lengths_.size()));
  }

  void close() {
    expect_array(sides_[lengths_.size() - 1], lengths_.back());
    lengths_.pop_back();
  }

  /// Adds a device, or a list, to the innermost list.
  void add_entry(bool is_device) {
    holds_devices_.resize(std::max(holds_devices_.size(), lengths_.size()));
    expect_array(holds_devices_[lengths_.size() - 1], is_device);
    ++lengths_.back();
  }

  /// What holds for one list of a depth holds for all.
  template <class Value>
  void expect_array(std::optional<Value>& known, Value value) const {
    scanner_.reject_if(known.value_or(value) != value,
                       "lists of unlike lengths or depths are no array of devices");
    known = value;
  }

  Scanner scanner_;
  MapBuilder builder_;
  std::uint32_t slots_;
  std::uint64_t devices_;
  std::vector<std::size_t> lengths_;                ///< of the open lists so far
  std::vector<std::optional<std::size_t>> sides_;   ///< [depth]: length of a list
  std::vector<std::optional<bool>> holds_devices_;  ///< [depth]: or lists
  bool is_after_value_ = false;
};

}  // namespace
}  // namespace jax

const MapFormat jax_map_format{
    "jax",
    "list of devices in the row-major order of a mesh of processes, for jax.sharding.Mesh",
    "dcube embed torus:8x8 --embedding xor --write jax:x.jax",
    ".jax",
    jax::write,
    [](std::string_view text, const MapImport& import) {
      return jax::Reader{text, import}.map();
    }};

}  // namespace dcube
