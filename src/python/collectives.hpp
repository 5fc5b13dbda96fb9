#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Values of a collective in numpy arrays of one dimension.
class ArrayElements final : public Elements {
 public:
  /// `input` and `operation` may be None. Needs the lock.
  ArrayElements(py::object work, py::object input, py::object operation,
                std::uint64_t element_bytes);

  Payload read(ElementBuffer buffer, const ElementRanges& ranges) override;
  void receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
               const Payload& payload) override;
  std::uint64_t element_bytes() const override { return element_bytes_; }

  /// Needs the lock.
  py::object work() const { return buffers_[0].borrow(); }

 private:
  py::object values_of(ElementBuffer buffer);

  std::array<Ref, 3> buffers_;
  Ref operation_;
  std::uint64_t element_bytes_;
};

/// A collective that a process takes part in. Its call refers to members of this, so this must not
/// move.
struct CollectiveAction {
  enum class Gives { all, share, nothing };

  explicit CollectiveAction(const Group& members) : group{members} {}

  Group group;
  CollectiveCall call{};
  std::string algorithm{};
  std::vector<std::uint64_t> counts{}, send_counts{}, receive_counts{};
  std::optional<ArrayElements> elements{};  ///< none: sizes only
  Gives gives = Gives::all;
  ElementRange share{};
  bool is_scalar = false;

  /// The result for the process. Needs the lock.
  py::object answer() const;
};

/// The call `kind` of a group with the arguments of Python. Needs the lock.
std::unique_ptr<CollectiveAction> read_collective(CollectiveKind kind, const Group& group,
                                                  const py::object& values,
                                                  const py::kwargs& options);

}  // namespace dcube::python
