#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/group.hpp"

namespace dcube {

/// The setting "guest": a text such as torus:8x4, or {"axes": {"tensor": 8, "data": 4}}, a torus
/// whose first dimension counts fastest. "order" lists the axes in another order, "form" may be
/// mesh. Throws InputError.
Guest read_guest(const Params& settings);
ParameterHelp guest_help(std::string default_value);

/// Disjoint groups of processes that do the same thing at once.
class ProcessGroups {
 public:
  /// One group of all.
  explicit ProcessGroups(std::uint32_t processes) : sizes_{processes} {}
  /// The setting "over": an axis, a list of axes (the first counts fastest), or a list of groups,
  /// each a list of ranks; missing: all. Throws InputError.
  ProcessGroups(const Params& settings, const Guest& guest);

  bool is_all() const { return places_.empty(); }
  std::uint32_t group_count() const {
    return is_all() ? 1 : static_cast<std::uint32_t>(groups_.size());
  }
  /// "tensor", "tensor x data"; groups by ranks have none.
  const std::string& name() const { return name_; }
  /// Sizes of groups, ascending, each once.
  std::span<const std::uint32_t> sizes() const { return sizes_; }
  /// Sides of the axes; groups by ranks have none.
  std::span<const std::uint32_t> sides() const { return sides_; }
  /// The group of the process; nothing if it is in none.
  std::optional<Group> of(const Process& process) const;
  /// Number of the group that has the process, and its rank there; nothing if it is in none.
  struct Place {
    std::uint32_t group;
    std::uint32_t rank;
  };
  std::optional<Place> place_of(ProcessId process) const;
  std::uint64_t memory_bytes() const;

 private:
  using Members = std::vector<ProcessId>;

  void add_axes(const Params& settings, const Setting::List& names, const Guest& guest);
  void add_groups(const Params& settings, const Setting::List& groups, std::uint32_t processes);
  /// `place` of the setting, for complaints.
  void finish(const std::string& place, std::uint32_t processes);

  std::vector<std::shared_ptr<Members>> groups_;
  std::vector<Place> places_;  ///< [process]; empty if there is one group of all
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> sides_;
  std::string name_;
};

ParameterHelp groups_help();

/// Throws InputError at the place of an axis's name if the axes of the guest have no names.
void expect_named_axes(const Guest& guest, const std::string& place);

}  // namespace dcube
