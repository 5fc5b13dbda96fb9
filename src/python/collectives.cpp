#include "collectives.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <span>
#include <utility>

#include "arrays.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

py::slice slice_of(const ElementRange& range) {
  return {static_cast<py::ssize_t>(range.begin), static_cast<py::ssize_t>(range.end), 1};
}

/// A part of an array, without the conversions that an index in C++ goes through.
py::array part_of(const py::array& values, const py::slice& slice) {
  PyObject* const part = PyObject_GetItem(values.ptr(), slice.ptr());
  if (part == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::array>(part);
}

/// Options of one call, each of which is used.
class Options {
 public:
  explicit Options(const py::kwargs& given) : given_{given.attr("copy")()} {}

  template <class T>
  T get(const char* name, T otherwise) {
    const py::object value = object(name);
    return value.is_none() ? otherwise : uncut<T>(value);
  }
  std::vector<std::uint64_t> counts(const char* name) {
    const py::object value = object(name);
    return value.is_none() ? std::vector<std::uint64_t>{} : uncut_list<std::uint64_t>(value);
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

/// A number, or a part of the data: "1/4".
void read_serial_copies(const py::object& given, CollectiveOptions& options) {
  if (py::isinstance<py::str>(given)) {
    const std::optional<std::uint32_t> parts = parts_of_whole(given.cast<std::string>());
    if (!parts) {
      throw py::value_error("serial_copies is no part of the data");  // told with its value
    }
    options.serial_copies = 1;
    options.serial_parts = *parts;
  } else if (!given.is_none()) {
    options.serial_copies = uncut<std::uint32_t>(given);
  }
}

void read_options(CollectiveAction& action, Options& options) {
  CollectiveOptions& chosen = action.call.options;
  action.algorithm = options.get<std::string>("algorithm", "automatic");
  chosen.algorithm = action.algorithm;
  chosen.ports = options.get<std::uint32_t>("ports", chosen.ports);
  if (const py::object sides = options.object("sides"); !sides.is_none()) {
    chosen.sides = TorusSides{uncut_list<std::uint32_t>(sides)};
  }
  chosen.node_size = options.get<std::uint32_t>("node_size", chosen.node_size);
  chosen.segment_bytes = options.get<std::uint64_t>("segment_bytes", chosen.segment_bytes);
  chosen.radix = options.get<std::uint32_t>("radix", chosen.radix);
  const std::string distances = options.get<std::string>("distances", "halving");
  if (distances != "halving" && distances != "doubling") {
    throw py::value_error("distances are halving or doubling, not " + distances);
  }
  chosen.distances = distances == "doubling" ? TreeDistances::doubling : TreeDistances::halving;
  if (const py::object copies = options.object("copies"); !copies.is_none()) {
    chosen.copies = uncut<std::uint32_t>(copies);
  }
  read_serial_copies(options.object("serial_copies"), chosen);
  chosen.exchanges = options.get<std::uint32_t>("exchanges", chosen.exchanges);
  if (const py::object plans = options.object("plans"); !plans.is_none()) {
    chosen.plans = is_truth(plans) ? uncut<bool>(plans) : uncut<std::uint32_t>(plans);
  }
  chosen.sends_pieces = options.get<bool>("pieces", chosen.sends_pieces);
  chosen.child_by_child = options.get<bool>("child_by_child", chosen.child_by_child);
  chosen.sends_block = options.get<bool>("blocking", chosen.sends_block);
  if (const py::object compute = options.object("compute"); !compute.is_none()) {
    chosen.compute = read_duration(compute);
  }
  chosen.is_commutative = options.get<bool>("commutative", chosen.is_commutative);
  chosen.tag = options.get<Tag>("tag", chosen.tag);
  if (const py::object bytes = options.object("element_bytes"); !bytes.is_none()) {
    chosen.element_bytes = uncut<std::uint64_t>(bytes);
    if (chosen.element_bytes == 0) {
      throw py::value_error("element_bytes is 0");  // told with its value
    }
  }
}

void read_counts(CollectiveAction& action, Options& options) {
  action.counts = options.counts("counts");
  action.send_counts = options.counts("send_counts");
  action.receive_counts = options.counts("receive_counts");
  for (const auto* counts : {&action.counts, &action.send_counts, &action.receive_counts}) {
    expects(counts->empty() || counts->size() == action.group.size(),
            "a collective with counts has one for each process");
  }
  action.call.counts = action.counts;
  action.call.send_counts = action.send_counts;
  action.call.receive_counts = action.receive_counts;
}

ArrayElements::Computes computes(const py::object& operation) {
  const auto is_one_of = [&](const char* module, std::initializer_list<const char*> names) {
    const auto all = py::module_::import(module);
    return std::ranges::any_of(names,
                               [&](const char* name) { return operation.is(all.attr(name)); });
  };
  return is_one_of("operator", {"add", "iadd"}) || is_one_of("numpy", {"add"})
             ? ArrayElements::Computes::sums
         : is_one_of("operator", {"mul", "imul"}) || is_one_of("numpy", {"multiply"})
             ? ArrayElements::Computes::products
             : ArrayElements::Computes::anything;
}

/// "numpy.maximum", "operator.and_"; empty for a function of the user.
std::string name_of_operation(const py::object& operation, ArrayElements::Computes computes) {
  if (computes != ArrayElements::Computes::anything) {
    return computes == ArrayElements::Computes::sums ? "numpy.add" : "numpy.multiply";
  }
  const py::object name = py::getattr(operation, "__name__", py::none());
  for (const char* module : {"numpy", "operator"}) {
    if (py::isinstance<py::str>(name) &&
        py::getattr(py::module_::import(module), name, py::none()).is(operation)) {
      return fmt::format("{}.{}", module, name.cast<std::string>());
    }
  }
  return {};
}

/// Python's integers as numbers of a type. Throws InputError when one does not fit.
py::array fitted(const py::array& integers, const py::dtype& type) {
  if (type.kind() == 'i' || type.kind() == 'u') {
    const py::object limits = numpy("iinfo")(type);
    const py::object is_below = integers.attr("__lt__")(limits.attr("min"));
    const py::object is_above = integers.attr("__gt__")(limits.attr("max"));
    if (numpy("any")(numpy("logical_or")(is_below, is_above)).cast<bool>()) {
      refuse_values(
          fmt::format("the result does not fit in {} (give floats, say)", name_of_type(type)));
    }
  }
  return integers.attr("astype")(type);
}

[[noreturn]] void refuse_operation(const std::string& problem) { throw InputError("op", problem); }

std::vector<std::uint64_t> shape_of(const py::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

/// Values of one row of a shape; 0 where it has no rows.
std::uint64_t row_of(std::span<const std::uint64_t> shape) {
  return shape.size() < 2 ? 0
                          : std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{1},
                                            std::multiplies<>{});
}

/// Whether a collective takes and gives whole rows of so many values.
bool has_whole_rows(const CollectiveAction& action, std::uint64_t row) {
  const auto is_whole = [&](std::uint64_t count) { return count % row == 0; };
  return row != 0 && (!action.counts.empty() || is_whole(action.call.count)) &&
         std::ranges::all_of(action.counts, is_whole) &&
         std::ranges::all_of(action.receive_counts, is_whole);
}

/// Whether shares of processes are put together or taken apart.
bool is_in_shares(CollectiveKind kind) {
  return has_shares(kind) || kind == CollectiveKind::all_to_allv;
}

/// Where the call gives no shares, the first processes have one value more.
void set_default_shares(CollectiveAction& action, std::uint64_t length) {
  if (action.counts.empty()) {
    action.counts = set_counts(action.call, length, action.group.size());
    action.call.counts = action.counts;
  }
}

/// Fills in the count of the call, the buffers, and the part of them that is the answer.
void take_values(CollectiveAction& action, const py::object& values, const py::object& operation,
                 ArrayElements::Options options) {
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
      set_default_shares(action, length);
      expects(!is_root || length == all_shares(action), "the root gives the values of all shares");
      if (length != all_shares(action)) {
        work = numpy("zeros")(all_shares(action), values.attr("dtype"));
      }
      break;
    case CollectiveKind::reduce_scatter:
      set_default_shares(action, length);
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
  options.takes_any_type = is_of_root(call.kind) && !is_root;
  action.elements.emplace(work, input, operation, options);
}

}  // namespace

ArrayElements::ArrayElements(py::object work, py::object input, py::object operation,
                             Options options)
    : buffers_{Ref{std::move(work)}, Ref{std::move(input)}, Ref{}},
      operation_{std::move(operation)},
      options_{options} {}

py::array ArrayElements::values_of(ElementBuffer buffer) {
  if (buffer == ElementBuffer::scratch && !buffers_[2]) {
    buffers_[2] = Ref{buffers_[0].borrow().attr("copy")()};
  }
  return py::reinterpret_borrow<py::array>(buffers_.at(static_cast<std::size_t>(buffer)).borrow());
}

Payload ArrayElements::read(ElementBuffer buffer, const ElementRanges& ranges) {
  const Lock lock;
  const py::array values = values_of(buffer);
  py::object read;
  if (ranges.size() == 1) {
    read = part_of(values, slice_of(*ranges.begin())).attr("copy")();
  } else {
    py::list parts;
    parts.append(part_of(values, slice_of({0, 0})));  // of their type, if there are none
    for (const ElementRange& range : ranges) {
      parts.append(part_of(values, slice_of(range)));
    }
    read = numpy("concatenate")(parts);
  }
  std::vector<Ref> held;
  held.emplace_back(std::move(read));
  return Payload::of(std::move(held), element_count(ranges) * options_.element_bytes);
}

void ArrayElements::receive(ElementBuffer buffer, OnReceipt what, const ElementRanges& ranges,
                            const Payload& payload) {
  const Lock lock;
  py::array values = values_of(buffer);
  const auto received = py::reinterpret_borrow<py::array>(payload.view<Ref>().front().borrow());
  expects(static_cast<std::uint64_t>(received.size()) == element_count(ranges),
          "every process of a collective gives the same counts");
  std::uint64_t next = 0;
  for (const ElementRange& range : ranges) {
    const py::slice own = slice_of(range);
    py::array part =
        ranges.size() == 1 ? received : part_of(received, slice_of({next, next + range.size()}));
    next += range.size();
    if (what == OnReceipt::combine_before) {
      // An operation that is no ufunc may write into what comes first: `+=`.
      part = combined(options_.may_write ? part.attr("copy")() : part, part_of(values, own));
    } else if (what != OnReceipt::write) {
      part = combined(part_of(values, own), part);
    }
    if (!part.dtype().is(values.dtype())) {
      values = widen(buffer, part.dtype());
    }
    values[own] = part;
  }
}

py::array ArrayElements::widen(ElementBuffer buffer, const py::object& type) {
  py::array values = values_of(buffer);
  const bool takes_it = std::exchange(options_.takes_any_type, false);
  const py::object wanted =
      takes_it ? type : common_of(values.dtype(), py::reinterpret_borrow<py::dtype>(type));
  expects(!wanted.is_none(), "values of a collective have a type in common");
  if (!wanted.equal(values.dtype())) {
    values = takes_it ? numpy("zeros")(values.size(), wanted) : values.attr("astype")(wanted);
    buffers_.at(static_cast<std::size_t>(buffer)) = Ref{values};
  }
  return values;
}

py::object ArrayElements::common_of(const py::dtype& one, const py::dtype& other) const {
  if (options_.computes == Computes::anything || (one.kind() == 'O') == (other.kind() == 'O')) {
    return common_type(one, other);
  }
  const py::dtype& numbers = one.kind() == 'O' ? other : one;
  const bool are_integers = numbers.kind() == 'i' || numbers.kind() == 'u';
  return are_integers ? py::dtype{"O"} : numbers;
}

py::array ArrayElements::combined(py::array before, py::array after) const {
  const py::object common = common_of(before.dtype(), after.dtype());
  expects(!common.is_none(), "values of a collective have a type in common");
  auto type = py::reinterpret_borrow<py::dtype>(common);
  const auto convert = [&] {
    before = before.attr("astype")(type);
    after = after.attr("astype")(type);
  };
  if (!before.dtype().is(after.dtype())) {
    convert();
  }
  const py::object operation = operation_.borrow();
  if (options_.computes != Computes::anything &&
      wraps(options_.computes == Computes::products, before, after)) {
    type = py::dtype{"O"};
    convert();
  }
  py::object made = operation(before, after);
  if (!is_array(made)) {
    made = numpy("asarray")(made);
  }
  py::array result = py::reinterpret_steal<py::array>(made.release());
  if (result.size() != after.size()) {
    refuse_operation(
        fmt::format("gives {} of two arrays of {} (give as many, as numpy.maximum does)",
                    counted(static_cast<std::uint64_t>(result.size()), "value"), after.size()));
  }
  if (result.dtype().is(type)) {
    return result.ndim() == 1 ? result : result.attr("reshape")(-1);
  }
  if (result.dtype().kind() == 'O') {
    result = plain_numbers(result, type);
  }
  const py::object wider = common_type(type, result.dtype());
  if (wider.is_none() ||
      (!wider.equal(type) && !options_.is_sized &&
       static_cast<std::uint64_t>(py::reinterpret_borrow<py::dtype>(wider).itemsize()) !=
           options_.element_bytes)) {
    refuse_operation(
        fmt::format("gives values of type {} of two of type {} (convert values beforehand, or "
                    "say element_bytes=)",
                    name_of_type(result.dtype()), name_of_type(type)));
  }
  return result.attr("reshape")(-1);
}

py::object CollectiveAction::answer() const {
  if (!elements || gives == Gives::nothing) {
    return py::none();
  }
  py::object all = elements->work();
  if (gives == Gives::share) {
    all = all[slice_of(share)].attr("copy")();
  }
  const py::array values = all;
  if (agreement && reduces(call.kind) && values.dtype().kind() == 'O') {
    const py::dtype type = type_of(*agreement);
    all = type.kind() == 'O' ? values : fitted(values, type);
  }
  const std::vector<std::uint64_t>& shape =
      agreement && agreement->shape ? *agreement->shape : given.shape;
  if (!is_in_shares(call.kind)) {
    return shape.empty() ? py::object{all[py::int_(0)]} : all.attr("reshape")(shape);
  }
  const std::uint64_t row = row_of(shape);
  if (!has_whole_rows(*this, row)) {
    return all;
  }
  std::vector<std::uint64_t> rows = shape;
  rows.front() = py::len(all) / row;
  return all.attr("reshape")(rows);
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
  if (!operation.is_none() && PyCallable_Check(operation.ptr()) == 0) {
    throw py::type_error("op is no function");  // which is told with its value
  }
  const bool is_sum = operation.is_none();
  if (is_sum) {
    operation = py::module_::import("operator").attr("add");
  }
  const ArrayElements::Computes does = is_sum ? ArrayElements::Computes::sums : computes(operation);
  action->given = {.element_bytes = call.options.element_bytes,
                   .root = call.root,
                   .algorithm = action->algorithm,
                   .operation = name_of_operation(operation, does),
                   .options = call.options,
                   .send_counts = action->send_counts,
                   .receive_counts = action->receive_counts};
  action->given.options.algorithm = {};
  if (values.is_none()) {
    if (!action->counts.empty() && !options.object("count").is_none()) {
      throw py::type_error("count stands beside counts, the shares of all (leave one out)");
    }
    if (kind != CollectiveKind::barrier && kind != CollectiveKind::all_to_allv &&
        action->counts.empty()) {
      const auto whole = options.get<std::uint64_t>("count", 0);
      action->counts = at_place("count", [&] { return set_counts(call, whole, group.size()); });
      call.counts = action->counts;
    }
    options.expect_empty(name_of(kind));
    return action;
  }
  if (!options.object("count").is_none()) {
    throw py::type_error("count stands beside values, which have their own (leave one out)");
  }
  options.expect_empty(name_of(kind));
  const bool is_sized = call.options.element_bytes != 0;
  py::array array = array_given(values, is_sized);
  if (is_sum && reduces(kind) && array.dtype().kind() == 'b') {
    array = array.attr("astype")("int64");  // as numpy.sum counts them
  }
  action->given.shape = shape_of(array);
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
  action->given.has_values = true;
  action->given.has_own_length = kind == CollectiveKind::all_to_allv || !action->counts.empty();
  action->given.type = Ref{array.dtype()};
  action->given.element_bytes = bytes;
  action->given.exceeds_float64 = exceed_float64(array);
  take_values(*action, array, operation,
              {.element_bytes = bytes,
               .is_sized = is_sized,
               .may_write = !is_sum && !py::isinstance(operation, numpy("ufunc")),
               .computes = does});
  return action;
}

}  // namespace dcube::python
