#include "collectives.hpp"

#include <pybind11/stl.h>

#include <numeric>
#include <utility>

#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

py::slice slice_of(const ElementRange& range) {
  return {static_cast<py::ssize_t>(range.begin), static_cast<py::ssize_t>(range.end), 1};
}

py::object numpy(const char* name) { return py::module_::import("numpy").attr(name); }

/// Options of one call, each of which is used.
class Options {
 public:
  explicit Options(const py::kwargs& given) : given_{given.attr("copy")()} {}

  template <class T>
  T get(const char* name, T otherwise) {
    const py::object value = given_.attr("pop")(name, py::none());
    return value.is_none() ? otherwise : value.cast<T>();
  }
  py::object object(const char* name) { return given_.attr("pop")(name, py::none()); }
  void expect_empty(std::string_view call) const {
    for (const auto& item : given_) {
      throw py::type_error(std::string{call} + "() got an unexpected keyword argument '" +
                           item.first.cast<std::string>() + "'");
    }
  }

 private:
  py::dict given_;
};

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

ElementRange share_of(const CollectiveAction& action) {
  const std::uint32_t rank = action.group.rank();
  if (action.counts.empty()) {
    return {action.call.count * rank, action.call.count * (rank + std::uint64_t{1})};
  }
  const std::uint64_t begin =
      std::accumulate(action.counts.begin(), action.counts.begin() + rank, std::uint64_t{0});
  return {begin, begin + action.counts[rank]};
}

std::uint64_t all_shares(const CollectiveAction& action) {
  return action.counts.empty() ? action.call.count * action.group.size() : sum_of(action.counts);
}

/// One's own values among those of all, with room for the others'.
py::object placed(const py::object& values, const ElementRange& share, std::uint64_t all) {
  py::object room = numpy("zeros")(all, values.attr("dtype"));
  room[slice_of(share)] = values;
  return room;
}

void read_options(CollectiveAction& action, Options& options) {
  CollectiveOptions& chosen = action.call.options;
  action.algorithm = options.get<std::string>("algorithm", "automatic");
  chosen.algorithm = action.algorithm;
  chosen.ports = options.get<std::uint32_t>("ports", chosen.ports);
  if (const py::object sides = options.object("sides"); !sides.is_none()) {
    chosen.sides = TorusSides{sides.cast<std::vector<std::uint32_t>>()};
  }
  chosen.node_size = options.get<std::uint32_t>("node_size", chosen.node_size);
  chosen.segment_bytes = options.get<std::uint64_t>("segment_bytes", chosen.segment_bytes);
  if (const py::object compute = options.object("compute"); !compute.is_none()) {
    chosen.compute = read_duration(compute);
  }
  chosen.is_commutative = options.get<bool>("commutative", chosen.is_commutative);
  chosen.tag = options.get<Tag>("tag", chosen.tag);
  chosen.element_bytes = options.get<std::uint64_t>("element_bytes", 0);
}

void read_counts(CollectiveAction& action, Options& options) {
  action.counts = options.get<std::vector<std::uint64_t>>("counts", {});
  action.send_counts = options.get<std::vector<std::uint64_t>>("send_counts", {});
  action.receive_counts = options.get<std::vector<std::uint64_t>>("receive_counts", {});
  for (const auto* counts : {&action.counts, &action.send_counts, &action.receive_counts}) {
    expects(counts->empty() || counts->size() == action.group.size(),
            "a collective with counts has one for each process");
  }
  action.call.counts = action.counts;
  action.call.send_counts = action.send_counts;
  action.call.receive_counts = action.receive_counts;
}

/// Fills in the count of the call, the buffers, and the part of them that is the answer.
void take_values(CollectiveAction& action, const py::object& values, const py::object& operation,
                 std::uint64_t element_bytes) {
  CollectiveCall& call = action.call;
  const std::uint32_t size = action.group.size();
  const std::uint64_t length = py::len(values);
  const bool is_root = action.group.rank() == call.root;
  py::object work = values;
  py::object input = py::none();
  switch (call.kind) {
    case CollectiveKind::allgather:
    case CollectiveKind::gather:
      call.count = length;
      expects(share_of(action).size() == length, "a process gives its own share to a collective");
      work = placed(values, share_of(action), all_shares(action));
      break;
    case CollectiveKind::scatter:
      if (action.counts.empty()) {
        expects(length % size == 0, "a process gives as many values for each rank");
        call.count = length / size;
      }
      expects(!is_root || length == all_shares(action), "the root gives the values of all shares");
      if (length != all_shares(action)) {
        work = numpy("zeros")(all_shares(action), values.attr("dtype"));
      }
      break;
    case CollectiveKind::reduce_scatter:
      call.count = length / size;
      expects(length == all_shares(action),
              "a process gives the values of all shares to a reduce_scatter");
      break;
    case CollectiveKind::all_to_all:
      expects(length % size == 0, "a process gives as many values for each rank");
      call.count = length / size;
      input = values;
      work = numpy("zeros_like")(values);
      break;
    case CollectiveKind::all_to_allv:
      expects(length == sum_of(action.send_counts), "a process gives the values that it sends");
      input = values;
      work = numpy("zeros")(sum_of(action.receive_counts), values.attr("dtype"));
      break;
    default:
      call.count = length;
      break;
  }
  if (call.kind == CollectiveKind::scatter || call.kind == CollectiveKind::reduce_scatter) {
    action.gives = CollectiveAction::Gives::share;
    action.share = share_of(action);
  } else if (((call.kind == CollectiveKind::reduce || call.kind == CollectiveKind::gather) &&
              !is_root) ||
             (call.kind == CollectiveKind::exscan && action.group.rank() == 0)) {
    action.gives = CollectiveAction::Gives::nothing;
  }
  action.elements.emplace(work, input, operation, element_bytes);
}

}  // namespace

ArrayElements::ArrayElements(py::object work, py::object input, py::object operation,
                             std::uint64_t element_bytes)
    : buffers_{Ref{std::move(work)}, Ref{std::move(input)}, Ref{}},
      operation_{std::move(operation)},
      element_bytes_{element_bytes} {}

py::object ArrayElements::values_of(ElementBuffer buffer) {
  if (buffer == ElementBuffer::scratch && !buffers_[2]) {
    buffers_[2] = Ref{buffers_[0].borrow().attr("copy")()};
  }
  return buffers_.at(static_cast<std::size_t>(buffer)).borrow();
}

Payload ArrayElements::read(ElementBuffer buffer, const ElementRanges& ranges) {
  const Lock lock;
  const py::object values = values_of(buffer);
  py::list parts;
  for (const ElementRange& range : ranges) {
    parts.append(values[slice_of(range)]);
  }
  py::object read = parts.empty()       ? values[py::slice(0, 0, 1)].attr("copy")()
                    : parts.size() == 1 ? parts[0].attr("copy")()
                                        : numpy("concatenate")(parts);
  std::vector<Ref> held;
  held.emplace_back(std::move(read));
  return Payload::of(std::move(held), element_count(ranges) * element_bytes_);
}

void ArrayElements::receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
                            const Payload& payload) {
  const Lock lock;
  const py::object values = values_of(buffer);
  const py::object received = payload.view<Ref>().front().borrow();
  expects(py::len(received) == element_count(ranges),
          "every process of a collective gives the same counts");
  std::uint64_t next = 0;
  for (const ElementRange& range : ranges) {
    const py::slice own = slice_of(range);
    const py::object part = received[slice_of({next, next + range.size()})];
    next += range.size();
    if (what == OnReceipt::write) {
      values[own] = part;
    } else if (what == OnReceipt::combine_before) {
      values[own] = operation_.borrow()(part, values[own]);
    } else {
      values[own] = operation_.borrow()(values[own], part);
    }
  }
}

py::object CollectiveAction::answer() const {
  if (!elements || gives == Gives::nothing) {
    return py::none();
  }
  py::object all = elements->work();
  if (gives == Gives::share) {
    return all[slice_of(share)].attr("copy")();
  }
  return is_scalar && py::len(all) == 1 ? py::object{all[py::int_(0)]} : all;
}

std::unique_ptr<CollectiveAction> read_collective(CollectiveKind kind, const Group& group,
                                                  const py::object& values,
                                                  const py::kwargs& given) {
  auto action = std::make_unique<CollectiveAction>(group);
  CollectiveCall& call = action->call;
  call.kind = kind;
  Options options{given};
  if (has_root(kind)) {
    call.root = options.get<std::uint32_t>("root", 0);
  }
  read_options(*action, options);
  read_counts(*action, options);
  py::object operation = options.object("op");
  if (operation.is_none()) {
    operation = py::module_::import("operator").attr("add");
  }
  if (values.is_none()) {
    if (kind != CollectiveKind::barrier && kind != CollectiveKind::all_to_allv &&
        action->counts.empty()) {
      const auto whole = options.get<std::uint64_t>("count", 0);
      action->counts = at_place("count", [&] { return share_out(call, whole, group.size()); });
      call.counts = action->counts;
    }
    options.expect_empty(name_of(kind));
    return action;
  }
  options.expect_empty(name_of(kind));
  py::object array = numpy("array")(values);  // a copy: collectives write into it
  action->is_scalar = array.attr("ndim").cast<int>() == 0;
  array = array.attr("reshape")(-1);
  std::uint64_t bytes = call.options.element_bytes;
  if (bytes == 0) {
    if (array.attr("dtype").attr("hasobject").cast<bool>()) {
      throw py::type_error(
          "values that are no numbers need element_bytes=, the size of one in a message");
    }
    bytes = array.attr("itemsize").cast<std::uint64_t>();
    call.options.element_bytes = bytes;
  }
  take_values(*action, array, operation, bytes);
  return action;
}

}  // namespace dcube::python
