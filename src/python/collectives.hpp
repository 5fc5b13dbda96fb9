#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agreements.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Values of a collective in numpy arrays of one dimension. They become of a wider type where other
/// processes or the operation give such values, and integers of Python where a sum or a product
/// on its way does not fit in its type: the whole one may.
class ArrayElements final : public Elements {
 public:
  enum class Computes { sums, products, anything };
  struct Options {
    std::uint64_t element_bytes = 0;
    bool is_sized = false;        ///< the user said so: any type is sent in that many bytes
    bool takes_any_type = false;  ///< what arrives first decides
    bool may_write = false;       ///< the operation, into the first of its arrays
    Computes computes = Computes::anything;
  };

  /// `input` and `operation` may be None. Needs the lock.
  ArrayElements(py::object work, py::object input, py::object operation, Options options);

  Payload read(ElementBuffer buffer, const ElementRanges& ranges) override;
  void receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
               const Payload& payload) override;
  std::uint64_t element_bytes() const override { return options_.element_bytes; }

  /// Needs the lock.
  py::object work() const { return buffers_[0].borrow(); }

 private:
  py::array values_of(ElementBuffer buffer);
  /// As common_type(), but integers of Python go together with numbers: sums on their way.
  py::object common_of(const py::dtype& one, const py::dtype& other) const;
  /// Makes the buffer of a type that holds values of `type`, too, and returns it.
  py::array widen(ElementBuffer buffer, const py::object& type);
  /// What the operation makes of the values of two processes, as far as it goes into a buffer.
  py::array combined(py::array before, py::array after) const;

  std::array<Ref, 3> buffers_;
  Ref operation_;
  Options options_;
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
  Given given{};
  GroupKey group_key{};
  std::shared_ptr<const Agreement> agreement{};

  /// The result for the process. Needs the lock.
  py::object answer() const;
};

/// The call `kind` of a group with the arguments of Python. Needs the lock.
std::unique_ptr<CollectiveAction> read_collective(CollectiveKind kind, const Group& group,
                                                  const py::object& values,
                                                  const py::kwargs& options);

}  // namespace dcube::python
