#include "catalog.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {
namespace {

Guest read_guest(const Params& settings) {
  const std::string text = settings.text("guest");
  try {
    return Guest::parse(text);
  } catch (const InputError& error) {
    settings.reject("guest", error.problem());
  }
}

/// The process shape to place: the one in the settings, or else the program's.
Guest chosen_guest(const Guest& program, const Params& settings) {
  if (!settings.has("guest")) {
    return program;
  }
  Guest guest = read_guest(settings);
  if (guest.process_count() != program.process_count()) {
    settings.reject(
        "guest", fmt::format("{} has {} processes ({} has {})", guest.name(), guest.process_count(),
                             program.name(), program.process_count()));
  }
  return guest;
}

enum class OwnSettings { none, some };

std::vector<std::string> fitting_kinds(const Topology& topology, const Guest& guest,
                                       OwnSettings settings) {
  std::vector<std::string> names;
  for (const EmbeddingKind* kind : embedding_catalog()) {
    const OwnSettings has = kind->parameters.empty() ? OwnSettings::none : OwnSettings::some;
    if (has == settings && !kind->obstacle(topology, guest)) {
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

/// The way out for a guest that does not fit.
std::string what_would_fit(const Topology& topology, const Guest& guest) {
  std::vector<std::string> names = fitting_kinds(topology, guest, OwnSettings::none);
  for (const std::string& name : fitting_kinds(topology, guest, OwnSettings::some)) {
    names.push_back(name);
  }
  return names.empty() ? fmt::format("a machine of at least {} nodes", guest.process_count())
                       : alternatives(names);
}

}  // namespace

std::span<const EmbeddingKind* const> embedding_catalog() {
#define DCUBE_KIND_ADDRESS(name) &name##_kind,
  static constexpr const EmbeddingKind* kinds[] = {DCUBE_EMBEDDINGS(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  return kinds;
}

std::unique_ptr<Embedding> make_embedding(const Topology& topology, const Guest& guest,
                                          const Params& settings) {
  const EmbeddingKind& kind = required_kind(embedding_catalog(), settings, "an embedding");
  check_keys(kind, settings, {"guest", "kind"});
  const Guest placed = chosen_guest(guest, settings);
  if (const std::optional<std::string> obstacle = kind.obstacle(topology, placed)) {
    settings.reject("kind",
                    fmt::format("{} does not fit the {} ({}); {} would fit", kind.name,
                                describe(topology), *obstacle, what_would_fit(topology, placed)));
  }
  try {
    return kind.make(topology, placed, settings);
  } catch (const MemoryError& error) {
    throw MemoryError(settings.place_of("kind"), error.problem());
  }
}

std::vector<std::string> fitting_embeddings(const Topology& topology, const Guest& guest) {
  return fitting_kinds(topology, guest, OwnSettings::none);
}

}  // namespace dcube
