#include "dcube/program/process_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr const char* over_forms =
    "an axis of the guest, a list of axes, or a list of groups, each a list of ranks";

/// The axes in the order that the setting "order" gives; without one, as written.
std::vector<std::string> read_order(const Params& guest, const Params& axes) {
  if (!guest.has("order")) {
    return axes.keys_as_written();
  }
  std::vector<std::string> order;
  for (const Setting& entry : guest.list("order", "axes")) {
    const std::string* const name = entry.text();
    refuse_if(name == nullptr || !axes.has(*name), guest.place_of("order", order.size()),
              "{} is not one of the axes ({})", entry.describe(),
              joined(axes.keys_as_written(), ", "));
    refuse_if(std::ranges::find(order, *name) != order.end(), guest.place_of("order", order.size()),
              "{} is given twice", *name);
    order.push_back(*name);
  }
  for (const std::string& name : axes.keys_as_written()) {
    refuse_if(std::ranges::find(order, name) == order.end(), guest.place_of("order"),
              "{} is missing: the order has all axes", name);
  }
  return order;
}

Guest read_axes(const Params& guest) {
  static const std::vector<std::string> keys{"axes", "order", "form"};
  guest.allow_only(keys);
  const Params& axes = guest.group("axes", R"({"tensor": 8, "data": 4})");
  std::vector<std::string> order = read_order(guest, axes);
  refuse_if(order.empty(), guest.place_of("axes"), "has no axis");
  const std::vector<std::uint32_t> sides =
      mapped(order, [&](const std::string& name) { return axes.positive_int(name); });
  const std::string form = guest.choice("form", std::vector<std::string>{"torus", "mesh"}, "torus");
  return at_place(guest.place_of("axes"),
                  [&] { return Guest::parse(fmt::format("{}:{}", form, joined(sides, "x"))); })
      .with_axes(std::move(order));
}

}  // namespace

Guest read_guest(const Params& settings) {
  const Setting& setting = settings.required("guest");
  if (setting.group() != nullptr) {
    return read_axes(*setting.group());
  }
  return at_place(settings.place_of("guest"), [&] { return Guest::parse(settings.text("guest")); });
}

ParameterHelp guest_help(std::string default_value) {
  return {
      "guest",
      "process topology (guest graph), whose neighbours exchange: torus:4x4x8, or a torus whose "
      "dimensions have names, the first counting fastest: {axes: {tensor: 8, data: 4}}, maybe "
      "with {order: [data, tensor]} or {form: mesh}",
      std::move(default_value)};
}

ProcessGroups::ProcessGroups(const Params& settings, const Guest& guest)
    : ProcessGroups(guest.process_count()) {
  const Setting* const over = settings.find("over");
  if (over == nullptr) {
    return;
  }
  sizes_.clear();
  const Setting::List* const list = over->list();
  if (over->text() != nullptr) {
    add_axes(settings, {*over}, guest);
  } else if (list != nullptr && !list->empty() && list->front().list() != nullptr) {
    add_groups(settings, *list, guest.process_count());
  } else if (list != nullptr && !list->empty()) {
    add_axes(settings, *list, guest);
  } else {
    settings.reject_value("over", over_forms);
  }
  finish(settings.place_of("over"), guest.process_count());
}

void ProcessGroups::add_axes(const Params& settings, const Setting::List& names,
                             const Guest& guest) {
  expect_named_axes(guest, settings.place_of("over"));
  const std::span<const std::uint32_t> shape = guest.shape();
  std::vector<std::uint32_t> axes;
  std::vector<std::string> taken;
  for (const Setting& entry : names) {
    const std::string* const name = entry.text();
    refuse_if(name == nullptr, settings.place_of("over"), "{} is not {}", entry.describe(),
              over_forms);
    const auto found = std::ranges::find(guest.axes(), *name);
    refuse_if(found == guest.axes().end(), settings.place_of("over"), "{} is not an axis{}",
              entry.describe(), nearest_name_hint(*name, guest.axes()));
    refuse_if(std::ranges::find(taken, *name) != taken.end(), settings.place_of("over"),
              "{} is given twice", *name);
    taken.push_back(*name);
    axes.push_back(static_cast<std::uint32_t>(found - guest.axes().begin()));
    sides_.push_back(shape[axes.back()]);
  }
  name_ = joined(taken, " x ");
  std::vector<bool> is_taken(guest.process_count());
  for (std::uint32_t first = 0; first < guest.process_count(); ++first) {
    if (is_taken[first]) {
      continue;
    }
    auto& members = *groups_.emplace_back(std::make_shared<Members>());
    for (const std::uint32_t rank : ranks_along(first, axes, shape)) {
      is_taken[rank] = true;
      members.emplace_back(rank);
    }
  }
}

void ProcessGroups::add_groups(const Params& settings, const Setting::List& groups,
                               std::uint32_t processes) {
  const Params entries = Params::of_entries(groups, settings.place_of("over"));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto members = std::make_shared<Members>();
    for (const std::uint32_t rank : entries.non_negative_ints(
             std::to_string(i), fmt::format("a rank (0 to {})", processes - 1))) {
      refuse_if(rank >= processes, entries.place_of(std::to_string(i), members->size()),
                "{} is not a rank (0 to {})", rank, processes - 1);
      members->emplace_back(rank);
    }
    groups_.push_back(std::move(members));
  }
}

void ProcessGroups::finish(const std::string& place, std::uint32_t processes) {
  places_.assign(processes, {none, none});
  for (std::uint32_t number = 0; number < groups_.size(); ++number) {
    const Members& members = *groups_[number];
    sizes_.push_back(static_cast<std::uint32_t>(members.size()));
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
      Place& own = places_[members[rank].index()];
      refuse_if(own.group != none, place, "process {} is {}", members[rank].index(),
                own.group == number ? "twice in one group" : "in two groups");
      own = {number, rank};
    }
  }
  std::ranges::sort(sizes_);
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());  // Clang 14 lacks ranges'
}

std::optional<ProcessGroups::Place> ProcessGroups::place_of(ProcessId process) const {
  if (is_all()) {
    return Place{0, process.index()};
  }
  const Place place = places_[process.index()];
  return place.group == none ? std::nullopt : std::optional{place};
}

std::optional<Group> ProcessGroups::of(const Process& process) const {
  if (is_all()) {
    return process.world();
  }
  const std::optional<Place> place = place_of(process.rank());
  return place ? std::optional{Group{process, groups_[place->group], place->rank}} : std::nullopt;
}

std::uint64_t ProcessGroups::memory_bytes() const {
  return places_.size() * (sizeof(Place) + sizeof(ProcessId)) +
         groups_.size() * (sizeof(Members) + sizeof(groups_.front()));
}

ParameterHelp groups_help() {
  return {"over",
          fmt::format("{}: those of one group take part together, all groups at once", over_forms),
          "all processes"};
}

void expect_named_axes(const Guest& guest, const std::string& place) {
  refuse_if(guest.axes().empty(), place,
            "names an axis, but the guest has none; name them: "
            R"("guest": {{"axes": {{"tensor": 8, "data": 4}}}})");
}

}  // namespace dcube
