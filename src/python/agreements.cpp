#include "agreements.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <span>
#include <string_view>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::python {
namespace {

std::string text_of(std::span<const std::uint64_t> shape, bool has_own_length) {
  std::vector<std::string> sides;
  for (const std::uint64_t side : shape) {
    sides.push_back(has_own_length && sides.empty() ? ".." : std::to_string(side));
  }
  return fmt::format("({}{})", joined(sides, ", "), sides.size() == 1 ? "," : "");
}

std::uint64_t length_of(std::span<const std::uint64_t> shape) {
  std::uint64_t length = 1;
  for (const std::uint64_t side : shape) {
    length *= side;
  }
  return length;
}

/// 0 where no counts are given.
std::uint64_t count_in(const std::vector<std::uint64_t>& counts, std::uint32_t rank) {
  return counts.empty() ? 0 : counts[rank];
}

/// Whether a process gives values of the shape that the others give.
bool goes_with(CollectiveKind kind, const Given& own, const Given& others) {
  if (own.has_own_length || others.has_own_length) {
    const auto row = [](const Given& given) {
      return std::span{given.shape}.subspan(given.shape.size() < 2 ? given.shape.size() : 1);
    };
    return std::ranges::equal(row(own), row(others));
  }
  return is_of_root(kind) ? length_of(own.shape) == length_of(others.shape)
                          : own.shape == others.shape;
}

/// Whether one of the types holds all values, and sums of the other are as well computed in it. The
/// first processes of a scan end before others have told their types.
bool may_mix(CollectiveKind kind, const py::dtype& one, const py::dtype& other) {
  if (kind == CollectiveKind::scan || kind == CollectiveKind::exscan) {
    return false;
  }
  const py::object common = common_type(one, other);
  const bool is_one = !common.is_none() && (common.equal(one) || common.equal(other));
  return is_one && (!reduces(kind) || (one.itemsize() == other.itemsize() && one.kind() != 'b' &&
                                       other.kind() != 'b'));
}

bool is_of_float64(const py::dtype& type) {
  return (type.kind() == 'f' && type.itemsize() == sizeof(double)) ||
         (type.kind() == 'c' && type.itemsize() == 2 * sizeof(double));
}

template <std::integral Number>
std::string text_of(Number number) {
  return std::to_string(number);
}
std::string text_of(bool is_so) { return is_so ? "True" : "False"; }
std::string text_of(TreeDistances distances) {
  return distances == TreeDistances::doubling ? "'doubling'" : "'halving'";
}
std::string text_of(const TorusSides& sides) {
  return fmt::format(
      "[{}]", joined(sides.sides(), ", ", [](std::uint32_t side) { return std::to_string(side); }));
}

/// Calls `refuse` with the texts of the first option that differs, of those that decide which
/// messages there are.
template <class Refuse>
void compare_options(const CollectiveOptions& own, const CollectiveOptions& others, Refuse refuse) {
  const auto compare = [&](const char* name, const auto& of_own, const auto& of_others) {
    const std::string text = text_of(of_own);
    if (const std::string other = text_of(of_others); text != other) {
      refuse(name, text, other);
    }
  };
  compare("ports", own.ports, others.ports);
  compare("sides", own.sides, others.sides);
  compare("node_size", own.node_size, others.node_size);
  compare("segment_bytes", own.segment_bytes, others.segment_bytes);
  compare("distances", own.distances, others.distances);
  compare("radix", own.radix, others.radix);
  compare("exchanges", own.exchanges, others.exchanges);
  compare("commutative", own.is_commutative, others.is_commutative);
}

}  // namespace

std::shared_ptr<const Agreement> Agreements::join(Calls& calls, const GroupKey& key,
                                                  const Group& group, CollectiveKind kind, Tag tag,
                                                  const Given& given) {
  const std::uint64_t call = calls[{key.members, tag}]++;
  const auto [place, is_first] = open_.try_emplace({key.members, tag, call});
  const std::uint32_t process = group.process().rank().index();
  if (is_first) {
    place->second = std::make_shared<Agreement>(Agreement{.kind = kind,
                                                          .order = key.order,
                                                          .first = group.rank(),
                                                          .process = process,
                                                          .given = given,
                                                          .number = agreed_++});
  }
  const std::shared_ptr<Agreement> agreed = place->second;
  refuse_if(key.order != agreed->order, name_of(kind),
            "process {} has the members of the group in another order than process {} (all give "
            "one order)",
            process, agreed->process);
  refuse_if(kind != agreed->kind, name_of(kind),
            "rank {} calls it where rank {} calls {} (all call collectives in one order, or give "
            "each a tag)",
            group.rank(), agreed->first, name_of(agreed->kind));
  const Given& others = agreed->given;
  const auto refuse_at = [&](std::string_view argument, const std::string& own, std::uint32_t rank,
                             const std::string& theirs, std::string_view way_out) {
    throw InputError(argument,
                     fmt::format("rank {} gives {} to {}, and rank {} {} ({})", group.rank(), own,
                                 name_of(kind), rank, theirs, way_out));
  };
  const auto refuse = std::bind_front(refuse_at, "values");
  const auto typed = [](const py::object& type) { return "values of type " + name_of_type(type); };
  const auto what = [&](const Given& some) {
    return some.has_values ? typed(some.type.borrow()) : std::string{"no values"};
  };
  if (given.has_values != others.has_values) {
    refuse(what(given), agreed->first, what(others), "all give values, or sizes alone");
  }
  if (given.root != others.root) {
    refuse_at("root", fmt::format("root={}", given.root), agreed->first,
              fmt::format("root={}", others.root), "all give one root");
  }
  if (given.algorithm != others.algorithm) {
    refuse_at("algorithm", "algorithm='" + given.algorithm + "'", agreed->first,
              "'" + others.algorithm + "'", "all give one algorithm");
  }
  compare_options(given.options, others.options,
                  [&](const std::string& name, const std::string& own, const std::string& theirs) {
                    refuse_at(name, name + "=" + own, agreed->first, name + "=" + theirs,
                              "all give one");
                  });
  if (reduces(kind) && given.operation != others.operation && !given.operation.empty() &&
      !others.operation.empty()) {
    refuse_at("op", "op=" + given.operation, agreed->first, "op=" + others.operation,
              "all give one operation");
  }
  if (given.has_values) {
    const std::string beyond = "integers that float64 does not hold";
    const auto own = py::reinterpret_borrow<py::dtype>(given.type.borrow());
    bool is_new = true;
    for (const auto& [other, rank] : agreed->types) {
      const auto type = py::reinterpret_borrow<py::dtype>(other.borrow());
      if (own.is(type) || own.equal(type)) {
        is_new = false;
      } else if (given.element_bytes != others.element_bytes) {
        refuse(typed(own), rank, typed(type),
               "their messages differ in size: convert values to one type");
      } else if (!is_of_root(kind) && !may_mix(kind, own, type)) {
        refuse(typed(own), rank, typed(type), "convert values to one type");
      }
      if (!is_of_root(kind) && given.exceeds_float64 && is_of_float64(type)) {
        refuse(beyond, rank, typed(type), "convert values to one type");
      }
    }
    if (!is_of_root(kind) && agreed->exceeds_float64 && is_of_float64(own)) {
      refuse(typed(own), *agreed->exceeds_float64, beyond, "convert values to one type");
    }
    if (is_new) {
      agreed->types.push_back({given.type, group.rank()});
    }
    if (given.exceeds_float64 && !agreed->exceeds_float64) {
      agreed->exceeds_float64 = group.rank();
    }
    if (given.element_bytes != others.element_bytes) {
      refuse(fmt::format("element_bytes={}", given.element_bytes), agreed->first,
             std::to_string(others.element_bytes), "all give one");
    }
    if (!goes_with(kind, given, others)) {
      const bool is_ragged = given.has_own_length || others.has_own_length;
      refuse("values of shape " + text_of(given.shape, is_ragged), agreed->first,
             text_of(others.shape, is_ragged), "all give one shape");
    }
  }
  if (kind == CollectiveKind::all_to_allv) {
    const auto agree = [&](std::uint32_t rank, const char* own, std::uint64_t own_count,
                           const char* theirs, std::uint64_t count) {
      if (own_count != count) {
        refuse_at(own, fmt::format("{}[{}]={}", own, rank, own_count), rank,
                  fmt::format("{}[{}]={}", theirs, group.rank(), count),
                  "what one sends the other receives");
      }
    };
    agreed->counts[group.rank()] = {.send_counts = given.send_counts,
                                    .receive_counts = given.receive_counts};
    for (const auto& [rank, counts] : agreed->counts) {
      agree(rank, "send_counts", count_in(given.send_counts, rank), "receive_counts",
            count_in(counts.receive_counts, group.rank()));
      agree(rank, "receive_counts", count_in(given.receive_counts, rank), "send_counts",
            count_in(counts.send_counts, group.rank()));
    }
  }
  if (is_of_root(kind) && group.rank() == given.root) {
    agreed->shape = given.shape;
  }
  if (++agreed->callers == group.size()) {
    open_.erase(place);
  }
  return agreed;
}

bool is_of_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter;
}

py::dtype type_of(const Agreement& agreement) {
  py::object common = agreement.types.front().type.borrow();
  for (const Agreement::Type& each : agreement.types) {
    common = common_type(common, each.type.borrow());
  }
  return common;
}

std::string name_of_type(const py::object& type) { return py::str(type).cast<std::string>(); }

py::object common_type(const py::object& one, const py::object& other) {
  if (one.is(other)) {
    return one;
  }
  const char kinds[] = {py::reinterpret_borrow<py::dtype>(one).kind(),
                        py::reinterpret_borrow<py::dtype>(other).kind()};
  constexpr std::string_view numbers = "biufc";
  const bool are_numbers = numbers.find(kinds[0]) != std::string_view::npos &&
                           numbers.find(kinds[1]) != std::string_view::npos;
  if (!are_numbers && kinds[0] != kinds[1]) {
    return py::none();
  }
  try {
    return py::module_::import("numpy").attr("promote_types")(one, other);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
    return py::none();
  }
}

}  // namespace dcube::python
