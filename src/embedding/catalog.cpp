#include "catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/memory.hpp"
#include "obstacle.hpp"

namespace dcube {
namespace {

/// The guest in the settings, or else the program's.
Guest chosen_guest(const Guest& program, const Params& settings) {
  const Guest guest = named_guest(settings).value_or(program);
  refuse_if(guest.process_count() != program.process_count(), settings.place_of("guest"),
            "{} has {} processes ({} has {})", guest.name(), guest.process_count(), program.name(),
            program.process_count());
  return guest;
}

enum class OwnSettings { none, some };

std::vector<std::string> fitting_kinds(const EmbeddingTask& task, OwnSettings settings) {
  std::vector<std::string> names;
  for (const EmbeddingKind* kind : embedding_catalog()) {
    // Settings of those that fill slots in turn say in which other turn.
    const bool has_none = kind->parameters.empty() || kind->slot_use == SlotUse::several;
    const OwnSettings has = has_none ? OwnSettings::none : OwnSettings::some;
    const bool is_an_alternative = kind->slot_use != SlotUse::several || task.slots > 1;
    if (has == settings && is_an_alternative && !kind->obstacle(task)) {
      names.push_back(kind->name);
    }
  }
  return names;
}

/// "a, b or c"
std::string alternatives(std::span<const std::string> names) {
  std::string text = names.front();
  for (const std::string& name : names.subspan(1)) {
    text += (&name == &names.back() ? " or " : ", ") + name;
  }
  return text;
}

/// Alternatives for a guest that does not fit.
std::string what_would_fit(const EmbeddingTask& task) {
  std::vector<std::string> names = fitting_kinds(task, OwnSettings::none);
  std::ranges::move(fitting_kinds(task, OwnSettings::some), std::back_inserter(names));
  if (!names.empty()) {
    return alternatives(names);
  }
  const std::uint64_t nodes =
      (std::uint64_t{task.guest.process_count()} + task.slots - 1) / task.slots;
  return task.slots == 1
             ? fmt::format("a machine of at least {} nodes", nodes)
             : fmt::format("a machine of at least {} nodes of {} slots", nodes, task.slots);
}

}  // namespace

std::vector<NodeId> Embedding::map() const {
  std::vector<NodeId> nodes(process_count());
  nodes_of(ProcessId{0}, nodes);
  return nodes;
}

std::span<const EmbeddingKind* const> embedding_catalog() {
#define DCUBE_KIND_ADDRESS(name) &name##_kind,
  static constexpr const EmbeddingKind* kinds[] = {DCUBE_EMBEDDINGS(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  return kinds;
}

std::optional<Guest> named_guest(const Params& settings) {
  if (!settings.has("guest")) {
    return std::nullopt;
  }
  return at_place(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
}

std::unique_ptr<Embedding> make_embedding(const Topology& topology, const Guest& guest,
                                          const Params& settings, std::uint32_t slots) {
  expects(slots > 0 && std::uint64_t{slots} * topology.node_count() <=
                           std::numeric_limits<std::uint32_t>::max(),
          "a machine has 1 to 2^32-1 slots");
  const EmbeddingKind& kind = required_kind(embedding_catalog(), settings, "an embedding");
  std::vector<std::string> common{"guest", "kind"};
  if (kind.slot_use == SlotUse::fold) {
    common.insert(common.begin(), "fold");
  }
  check_keys(kind, settings, std::move(common));
  const Guest placed = chosen_guest(guest, settings);
  const EmbeddingTask task{topology, placed, slots};
  if (const std::optional<std::string> obstacle = kind.obstacle(task)) {
    // A larger machine would fit where that is what they lack, and nothing else.
    const std::string why = too_few_slots(task).value_or(*obstacle);
    settings.reject("kind", fmt::format("{} does not fit the {} ({}); {} would fit", kind.name,
                                        describe(topology), why, what_would_fit(task)));
  }
  try {
    return kind.make(task, settings);
  } catch (const MemoryError& error) {
    throw MemoryError(settings.place_of("kind"), error.problem());
  }
}

std::vector<std::string> fitting_embeddings(const Topology& topology, const Guest& guest,
                                            std::uint32_t slots) {
  return fitting_kinds({topology, guest, slots}, OwnSettings::none);
}

bool embedding_fits(std::string_view kind, const Topology& topology, const Guest& guest,
                    std::uint32_t slots) {
  const EmbeddingKind* const found = find_kind(embedding_catalog(), kind);
  expects(found != nullptr, "the embedding is in the catalogue");
  return !found->obstacle({topology, guest, slots});
}

}  // namespace dcube
