#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace dcube {

// What one process does in a collective, as data: it says who sends what to whom, and knows neither
// a simulation nor values. Algorithms make plans, and run_plan() in elements.hpp carries them out.

/// Elements `begin` .. `end`-1 of a buffer.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

/// Some ranges in an order, often one: that takes no memory of its own.
class ElementRanges {
 public:
  ElementRanges() = default;
  ElementRanges(std::initializer_list<ElementRange> ranges) {
    for (const ElementRange& range : ranges) {
      add(range);
    }
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const ElementRange* begin() const { return size_ == 1 ? &single_ : several_.data(); }
  const ElementRange* end() const { return begin() + size_; }
  /// Joined to the last where it goes on from there. An empty one is left out.
  void add(const ElementRange& range);

  friend bool operator==(const ElementRanges& a, const ElementRanges& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  ElementRange single_;
  std::size_t size_ = 0;
  std::vector<ElementRange> several_;  ///< all, where they are more than one
};

/// Of all ranges together.
std::uint64_t element_count(const ElementRanges& ranges);

/// The buffers of a process. `work` holds its own values at the beginning and the answer at the
/// end. All-to-all reads from `input`. `scratch` is as large as `work`, whose values it has at the
/// beginning.
enum class ElementBuffer : std::uint8_t { work, input, scratch };

/// What happens to received elements: they replace those of the buffer, or the buffer becomes
/// `received op own` (combine_before), or `own op received` (combine_after).
enum class OnReceipt : std::uint8_t { write, combine_before, combine_after };

/// One message sent, then one received; either may be missing. A step from and to the process
/// itself moves elements inside it and sends no message. Ranks are those of the group.
struct CollectiveStep {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  std::uint32_t to = nobody;
  std::uint32_t from = nobody;
  ElementBuffer source = ElementBuffer::work;
  ElementBuffer target = ElementBuffer::work;
  OnReceipt on_receipt = OnReceipt::write;
  /// What happens with the same elements in `scratch`, too.
  std::optional<OnReceipt> in_scratch{};
  ElementRanges sent{};
  ElementRanges received{};
};

/// Steps one after the other. They are made when they are needed, so that a plan stays small.
class CollectiveSteps {
 public:
  using Make = std::function<CollectiveStep(std::uint32_t)>;

  /// `make` is called with 0 .. count-1, in that order.
  void add(std::uint32_t count, Make make) {
    if (count > 0) {
      parts_.push_back({count, std::move(make)});
    }
  }
  void add(CollectiveStep step) {
    add(1, [step = std::move(step)](std::uint32_t) { return step; });
  }
  void append(CollectiveSteps more) {
    for (Part& part : more.parts_) {
      parts_.push_back(std::move(part));
    }
  }

  /// The next step; nothing when there is none.
  std::optional<CollectiveStep> next() {
    if (part_ == parts_.size()) {
      return std::nullopt;
    }
    CollectiveStep step = parts_[part_].make(done_);
    if (++done_ == parts_[part_].count) {
      done_ = 0;
      parts_[part_++].make = nullptr;
    }
    return step;
  }

 private:
  struct Part {
    std::uint32_t count;
    Make make;
  };
  std::vector<Part> parts_;
  std::size_t part_ = 0;
  std::uint32_t done_ = 0;  ///< steps of this part
};

/// What a process does. The ports work on elements of their own, and none waits for another.
struct CollectivePlan {
  std::vector<CollectiveSteps> ports;
};

}  // namespace dcube
