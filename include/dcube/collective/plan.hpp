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

// A process's part in a collective, as data: who sends which elements to whom, without values or
// simulation. Algorithms make plans, and run_plan() in elements.hpp carries them out.

/// Elements `begin` .. `end`-1 of a buffer.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

/// Ranges in an order. A single one, the usual case, takes no memory of its own.
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
  /// Joins `range` to the last one if it begins where that ends. Leaves out an empty one.
  void add(const ElementRange& range);

  friend bool operator==(const ElementRanges& a, const ElementRanges& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  ElementRange single_;
  std::size_t size_ = 0;
  std::vector<ElementRange> several_;  ///< all ranges, if more than one
};

/// Ranges cut off one after the other.
class ElementPieces {
 public:
  explicit ElementPieces(ElementRanges ranges = {}) : ranges_{std::move(ranges)} {}
  /// The next `count` elements, or as many as are left.
  ElementRanges next(std::uint64_t count);

 private:
  ElementRanges ranges_;
  std::size_t range_ = 0;
  std::uint64_t taken_ = 0;  ///< of this range
};

/// Elements of all ranges together.
std::uint64_t element_count(const ElementRanges& ranges);

/// Buffers of a process. `work` first holds its own values and at last the answer. All-to-all reads
/// from `input`. `scratch` begins as a copy of `work`.
enum class ElementBuffer : std::uint8_t { work, input, scratch };

/// Use of received elements: they replace those of the buffer (write), or the buffer becomes
/// `received op own` (combine_before) or `own op received` (combine_after).
enum class OnReceipt : std::uint8_t { write, combine_before, combine_after };

/// One message sent, then one received; either may be missing. A step from and to the process
/// itself moves elements between its buffers. Ranks are those of the group.
struct CollectiveStep {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  std::uint32_t to = nobody;
  std::uint32_t from = nobody;
  ElementBuffer source = ElementBuffer::work;
  ElementBuffer target = ElementBuffer::work;
  OnReceipt on_receipt = OnReceipt::write;
  /// Use of the same elements in `scratch`, too.
  std::optional<OnReceipt> in_scratch{};
  ElementRanges sent{};
  ElementRanges received{};
  bool continues = false;  ///< what it sends belongs to the message before
};

/// Sequence of steps, each made when it is needed, so that a plan stays small.
class CollectiveSteps {
 public:
  using Make = std::function<std::optional<CollectiveStep>(std::uint32_t)>;

  CollectiveSteps() = default;
  CollectiveSteps(std::uint32_t count, Make make) { add(count, std::move(make)); }

  /// `make` is called with 0 .. count-1, in that order, unless it returns nothing before.
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
    while (part_ < parts_.size()) {
      std::optional<CollectiveStep> step = parts_[part_].make(done_);
      if (++done_ == parts_[part_].count || !step) {
        done_ = 0;
        parts_[part_++].make = nullptr;
      }
      if (step) {
        return step;
      }
    }
    return std::nullopt;
  }

 private:
  struct Part {
    std::uint32_t count;
    Make make;
  };
  std::vector<Part> parts_;
  std::size_t part_ = 0;
  std::uint32_t done_ = 0;  ///< steps taken of this part
};

/// The same steps with each message cut into pieces of `elements` at most, all sent before the
/// first is received. Steps from and to `rank` itself stay whole.
CollectiveSteps cut_messages(CollectiveSteps steps, std::uint64_t elements, std::uint32_t rank);

/// Steps of a process by port. Ports work on elements of their own, and none waits for another.
struct CollectivePlan {
  std::vector<CollectiveSteps> ports;
  /// Tag of each port's messages, below tags_of_collective; none: the port's number. Ports that
  /// have one tag never receive from the same process.
  std::vector<std::uint32_t> tags{};
  /// Elements that the process copies in its memory before the first step and after the last.
  struct Copied {
    std::uint64_t by_ports = 0;
    std::uint64_t by_one_core = 0;
  };
  Copied copied_first{};
  Copied copied_last{};
  std::uint32_t plans = 0;   ///< see CollectiveOptions
  std::uint64_t rounds = 0;  ///< in which something small is exchanged before the first step
  bool sends_pieces = false;
  bool sends_block = false;
};

}  // namespace dcube
