#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dcube/engine/process.hpp"

namespace dcube {

/// An ordered set of processes of a run, as seen by one of its members. Members have the ranks 0 ..
/// size()-1. Making a group sends nothing: every member makes it by itself from the same numbers.
/// Copies share the list of members.
///
/// Groups that share two processes keep their messages apart by tags. A rank outside the group, or
/// a group without the calling process, is a ContractViolation that names process, stage and call.
class Group {
 public:
  /// All processes of a run by their ranks; see Process::world().
  explicit Group(const Process& process);
  /// The processes of a list that the members share, at `rank` the own one. O(1).
  Group(const Process& process, std::shared_ptr<const std::vector<ProcessId>> members,
        std::uint32_t rank);

  /// The member that holds this object.
  const Process& process() const { return process_; }
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  /// The process of a rank. O(1).
  ProcessId process(std::uint32_t rank) const {
    expect_rank(rank, "asks for");
    return member(rank);
  }

  /// Members `first`, `first + stride`, .., `count` of them: a row, a column, a subcube. O(1).
  Group slice(std::uint32_t first, std::uint32_t count, std::uint32_t stride = 1) const;
  /// Members with these ranks, in this order, each once. O(ranks).
  Group subgroup(std::span<const std::uint32_t> ranks) const;
  /// Members whose coordinates differ from the own ones along `axes` alone. The ranks are a torus
  /// of these sides, and the new ones too; the first axis counts fastest. O(new size).
  Group along(std::span<const std::uint32_t> axes, std::span<const std::uint32_t> sides) const;
  /// Members whose ranks have the colour of the own rank, ascending. O(size()).
  Group split(const std::function<std::uint64_t(std::uint32_t rank)>& color) const;

  // Functions of Process, with ranks of the group.
  void send(std::uint32_t to, Payload payload, Tag tag = 0) {
    expect_rank(to, "sends to");
    process_.send(member(to), std::move(payload), tag);
  }
  Request post_send(std::uint32_t to, Payload payload, Tag tag = 0,
                    SendMode mode = SendMode::by_size, SendEnd end = SendEnd::left) {
    expect_rank(to, "sends to");
    return process_.post_send(member(to), std::move(payload), tag, mode, end);
  }
  Request post_receive(std::uint32_t from, Tag tag = 0) {
    expect_rank(from, "receives from");
    return process_.post_receive(member(from), tag);
  }
  Process::Receive receive(std::uint32_t from, Tag tag = 0) const {
    expect_rank(from, "receives from");
    return process_.receive(member(from), tag);
  }
  Process::Receive exchange(std::uint32_t partner, Payload payload,
                            ExchangeMode mode = ExchangeMode::rendezvous) const {
    expect_rank(partner, "exchanges with");
    return process_.exchange(member(partner), std::move(payload), mode);
  }

 private:
  using Members = std::shared_ptr<const std::vector<ProcessId>>;

  Group(const Process& process, std::uint32_t rank, std::uint32_t size, std::uint32_t first,
        std::uint32_t stride, Members members)
      : process_{process},
        rank_{rank},
        size_{size},
        first_{first},
        stride_{stride},
        members_{std::move(members)} {}

  ProcessId member(std::uint32_t rank) const {
    const std::uint32_t place = first_ + rank * stride_;
    return members_ ? (*members_)[place] : ProcessId{place};
  }
  void expect_rank(std::uint32_t rank, const char* does) const {
    if (rank >= size_) [[unlikely]] {
      refuse_rank(rank, does);
    }
  }
  [[noreturn, gnu::cold]] void refuse_rank(std::uint32_t rank, const char* does) const;

  Process process_;
  std::uint32_t rank_;
  std::uint32_t size_;
  /// Rank r is `(*members_)[first + r * stride]`; without a list, process `first + r * stride`.
  std::uint32_t first_ = 0;
  std::uint32_t stride_ = 1;
  Members members_;
};

/// Ranks of a torus that differ from `rank` along `axes` alone, the first axis counting fastest.
/// The torus has these sides, of which the first counts fastest. O(ranks).
std::vector<std::uint32_t> ranks_along(std::uint32_t rank, std::span<const std::uint32_t> axes,
                                       std::span<const std::uint32_t> sides);

}  // namespace dcube
