#include "otf2_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

/// A collective operation of OTF2, by its number.
struct Otf2Collective {
  std::string_view name;
  std::optional<CollectiveKind> kind{};  ///< none if no data are moved
  bool has_own_shares = false;
};

namespace {

constexpr std::array<Otf2Collective, 23> otf2_collectives{{
    {"BARRIER", CollectiveKind::barrier},
    {"BCAST", CollectiveKind::broadcast},
    {"GATHER", CollectiveKind::gather},
    {"GATHERV", CollectiveKind::gather, true},
    {"SCATTER", CollectiveKind::scatter},
    {"SCATTERV", CollectiveKind::scatter, true},
    {"ALLGATHER", CollectiveKind::allgather},
    {"ALLGATHERV", CollectiveKind::allgather, true},
    {"ALLTOALL", CollectiveKind::all_to_all},
    {"ALLTOALLV", CollectiveKind::all_to_allv, true},
    {"ALLTOALLW", CollectiveKind::all_to_allv, true},
    {"ALLREDUCE", CollectiveKind::allreduce},
    {"REDUCE", CollectiveKind::reduce},
    {"REDUCE_SCATTER", CollectiveKind::reduce_scatter, true},
    {"SCAN", CollectiveKind::scan},
    {"EXSCAN", CollectiveKind::exscan},
    {"REDUCE_SCATTER_BLOCK", CollectiveKind::reduce_scatter, true},
    {"CREATE_HANDLE"},
    {"DESTROY_HANDLE"},
    {"ALLOCATE"},
    {"DEALLOCATE"},
    {"CREATE_HANDLE_AND_ALLOCATE"},
    {"DESTROY_HANDLE_AND_DEALLOCATE"},
}};

}  // namespace

void Otf2Collectives::begin_rank(std::uint32_t rank) {
  rank_ = rank;
  for (auto& [communicator, calls] : of_communicators_) {
    calls.called = 0;
  }
}

std::optional<std::uint32_t> Otf2Collectives::call(const std::uint64_t (&values)[8]) {
  place_.reject_if(values[2] >= otf2_collectives.size(),
                   "{} is not a collective operation of OTF2 3.0", values[2]);
  const Otf2Collective& operation = otf2_collectives[values[2]];
  if (!operation.kind) {
    context_.ignored.count(operation.name);
    return std::nullopt;
  }
  if (context_.ignored.leaves_out(operation.name)) {
    return std::nullopt;
  }
  const Communicator& group = definitions_.communicator(values[3]);
  if (group.is_self) {
    return std::nullopt;  // a single process
  }
  const auto own = group.ranks.find(rank_);
  place_.reject_if(own == group.ranks.end(), "rank {} is not in communicator {}", rank_, values[3]);
  CollectiveCaller caller{static_cast<std::uint32_t>(group.members.size()), own->second, false};
  std::uint32_t root = 0;
  if (has_root(*operation.kind)) {
    root = root_of(values[4], group, values[3]);
    caller.is_root = root == caller.rank;
  }
  CallsOfCommunicator& calls = of_communicators_[values[3]];
  const std::uint32_t number = calls.called++;
  if (number == calls.numbers.size()) {
    calls.numbers.push_back(static_cast<std::uint32_t>(calls_.size()));
    calls_.push_back({&operation, values[3], root, 0, rank_, place_.text(), {}, {}});
    if (operation.has_own_shares) {
      calls_.back().bytes.resize(group.members.size());
    }
  }
  Call& known = calls_[calls.numbers[number]];
  expect_same(known, operation, root, number);
  ++known.callers;
  add_bytes(known, {values[5], values[6]}, caller, number);
  return calls.numbers[number];
}

std::uint32_t Otf2Collectives::root_of(std::uint64_t root, const Communicator& group,
                                       std::uint64_t number) const {
  if (group.is_global) {
    const auto known = group.ranks.find(static_cast<std::uint32_t>(root));
    if (root < definitions_.rank_count() && known != group.ranks.end()) {
      return known->second;
    }
  } else if (root < group.members.size()) {
    return static_cast<std::uint32_t>(root);
  }
  place_.reject(fmt::format("{} is not a root in communicator {}", root, number));
}

void Otf2Collectives::expect_same(const Call& known, const Otf2Collective& operation,
                                  std::uint32_t root, std::uint32_t number) const {
  place_.reject_if(known.operation != &operation || known.root != root,
                   "rank {} calls {} with root {} as its collective number {} of communicator "
                   "{}, where rank {} calls {} with root {} ({})",
                   rank_, operation.name, root, number, known.communicator, known.first,
                   known.operation->name, known.root, known.place);
}

bool Otf2Collectives::uses_score_p_sizes() const {
  return context_.sizes == Otf2Sizes::score_p ||
         (context_.sizes == Otf2Sizes::by_creator && definitions_.is_by_score_p());
}

void Otf2Collectives::add_bytes(Call& call, const CollectiveBytes& bytes,
                                const CollectiveCaller& caller, std::uint32_t number) const {
  place_.reject_if(bytes.sent > most_otf2_bytes || bytes.received > most_otf2_bytes,
                   "the collective has more than 2^62 bytes");
  if (call.operation->has_own_shares) {
    call.bytes[caller.rank] = bytes;
    return;
  }
  const std::optional<std::uint64_t> count = at_place(place_.text(), [&] {
    return shared_count(*call.operation->kind, bytes, caller, uses_score_p_sizes());
  });
  if (count && call.count && *count != *call.count) {
    place_.reject(fmt::format(
        "rank {} calls {} of {} bytes as its collective number {} of communicator "
        "{}, where others call it of {} bytes ({})",
        rank_, call.operation->name, *count, number, call.communicator, *call.count, call.place));
  }
  if (count) {
    call.count = count;
  }
}

std::vector<ScheduledCollective> Otf2Collectives::take(
    const std::vector<std::vector<Operation>>& processes) {
  return mapped(calls_, [&](Call& call) { return scheduled(call, processes); });
}

ScheduledCollective Otf2Collectives::scheduled(
    Call& call, const std::vector<std::vector<Operation>>& processes) const {
  const Communicator& group = definitions_.communicator(call.communicator);
  if (call.callers < group.members.size()) {
    throw InputError(call.place,
                     fmt::format("rank {} calls {} in communicator {}, which rank {} does not "
                                 "call as often",
                                 call.first, call.operation->name, call.communicator,
                                 missing_caller(call, group, processes)));
  }
  ScheduledCollective made{
      .kind = *call.operation->kind, .root = call.root, .count = call.count.value_or(0)};
  if (!group.is_world) {
    made.members = group.members;
  }
  at_place(call.place, [&] {
    if (made.kind == CollectiveKind::all_to_allv) {
      made.of_ranks = shares_of_pairs(call.bytes);
    } else if (call.operation->has_own_shares) {
      made.counts = unequal_shares(made.kind, call.bytes, uses_score_p_sizes());
      if (std::ranges::adjacent_find(made.counts, std::ranges::not_equal_to{}) ==
          made.counts.end()) {
        made.count = made.counts.front();
        made.counts.clear();
      }
    }
  });
  call.bytes = {};
  return made;
}

/// A member of the group that does not take part in the call.
std::uint32_t Otf2Collectives::missing_caller(
    const Call& call, const Communicator& group,
    const std::vector<std::vector<Operation>>& processes) const {
  for (const std::uint32_t rank : group.members) {
    const bool calls = std::ranges::any_of(processes[rank], [&](const Operation& of) {
      return (of.kind == Operation::Kind::collective || of.kind == Operation::Kind::start) &&
             &calls_[of.amount] == &call;
    });
    if (!calls) {
      return rank;
    }
  }
  return call.first;
}

}  // namespace dcube
