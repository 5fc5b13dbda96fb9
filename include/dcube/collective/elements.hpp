#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "dcube/collective/plan.hpp"
#include "dcube/core/payload.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/group.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

/// Buffers of one process in a collective, whatever they hold.
class Elements {
 public:
  virtual ~Elements() = default;

  /// Message of the elements of `ranges`, in their order.
  virtual Payload read(ElementBuffer buffer, const ElementRanges& ranges) = 0;
  /// Writes or combines a received message into `ranges`, in their order.
  virtual void receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
                       const Payload& payload) = 0;
  virtual std::uint64_t element_bytes() const = 0;
};

class ElementSizes final : public Elements {
 public:
  explicit ElementSizes(std::uint64_t element_bytes) : element_bytes_{element_bytes} {}

  Payload read(ElementBuffer, const ElementRanges& ranges) override {
    return Payload::of_size(element_count(ranges) * element_bytes_);
  }
  void receive(ElementBuffer, OnReceipt, const ElementRanges&, const Payload&) override {}
  std::uint64_t element_bytes() const override { return element_bytes_; }

 private:
  std::uint64_t element_bytes_;
};

/// Elements with values, which `operation` combines.
template <class T, class Operation>
class ElementValues final : public Elements {
 public:
  /// Takes the first contents of the buffers `work` and `input`.
  ElementValues(std::vector<T> work, std::vector<T> input, Operation operation,
                std::uint64_t element_bytes)
      : buffers_{std::move(work), std::move(input), {}},
        operation_{std::move(operation)},
        element_bytes_{element_bytes} {}

  std::vector<T> take() { return std::move(buffers_[0]); }

  Payload read(ElementBuffer buffer, const ElementRanges& ranges) override {
    const std::vector<T>& values = values_of(buffer);
    std::vector<T> read;
    read.reserve(element_count(ranges));
    for (const ElementRange& range : ranges) {
      read.insert(read.end(), values.begin() + signed_place(range.begin),
                  values.begin() + signed_place(range.end));
    }
    const std::uint64_t bytes = read.size() * element_bytes_;
    return Payload::of(std::move(read), bytes);
  }

  void receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
               const Payload& payload) override {
    std::vector<T>& values = values_of(buffer);
    const std::vector<T>* const received = payload.find<T>();
    expects(received != nullptr,
            "a collective receives a message that is none of its own (a program's own tags are 0 "
            "to 2147483647, below first_collective_tag)");
    expects(received->size() == element_count(ranges),
            "every process of a collective gives the same counts");
    auto begin = received->begin();
    for (const ElementRange& range : ranges) {
      const auto end = begin + signed_place(range.end - range.begin);
      const auto own = values.begin() + signed_place(range.begin);
      if (what == OnReceipt::write) {
        std::copy(begin, end, own);
      } else if (what == OnReceipt::combine_before) {
        std::transform(begin, end, own, own, std::ref(operation_));
      } else {
        std::transform(begin, end, own, own,
                       [this](const T& theirs, const T& ours) { return operation_(ours, theirs); });
      }
      begin = end;
    }
  }

  std::uint64_t element_bytes() const override { return element_bytes_; }

 private:
  static std::ptrdiff_t signed_place(std::uint64_t place) {
    return static_cast<std::ptrdiff_t>(place);
  }
  std::vector<T>& values_of(ElementBuffer buffer) {
    if (buffer == ElementBuffer::scratch && !has_scratch_) {
      has_scratch_ = true;
      buffers_[2] = buffers_[0];
    }
    return buffers_[static_cast<std::size_t>(buffer)];
  }

  std::array<std::vector<T>, 3> buffers_;
  bool has_scratch_ = false;
  Operation operation_;
  std::uint64_t element_bytes_;
};

/// `co_await` carries out the plan. Port i uses tag `tag` + i. Combining takes `compute` a byte.
Task<> run_plan(Group group, CollectivePlan plan, Elements& elements,
                std::optional<ExactTime> compute, Tag tag);

}  // namespace dcube
