#include "process.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/engine/group.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

/// The object that is yielded. There is only one: the process knows what it has asked for.
struct Awaitable {};

/// A collective that a process has started.
struct StartedView {
  std::uint64_t number;
};

/// A group of processes, as one of them sees it.
struct GroupView {
  std::shared_ptr<ProcessState> state;
  Group group;

  GroupKey key() const {
    if (!key_) {
      const bool has_all = group.size() == group.process().size();
      bool is_world = has_all;
      GroupKey key{.members = group.size(), .order = group.size()};
      for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
        const std::uint32_t member = group.process(rank).index();
        is_world = is_world && member == rank;
        key.members += hash_of(member);
        key.order = hash_of(key.order, member);
      }
      if (has_all) {
        key.members = key_of_world.members;
      }
      key_ = is_world ? key_of_world : key;
    }
    return *key_;
  }
  /// Complains when the process has ended.
  const Group& get() const {
    state->process();
    return group;
  }
  ProcessId destination(std::uint32_t rank) const { return get().process(rank); }
  ProcessId peer(std::uint32_t rank, const char* /*does*/) const { return get().process(rank); }
  const Group& members() const { return get(); }

  mutable std::optional<GroupKey> key_{};
};

/// A message as receive_any() and waiting give it.
struct Message {
  std::uint32_t source = 0;
  Tag tag = 0;
  py::object data;
  std::uint64_t bytes = 0;
  std::int64_t arrival_ps = 0;
};

Message message_of(Received& received) {
  const std::uint64_t bytes = received.payload.size_bytes();
  return {received.source.index(), received.tag, data_of(received.payload), bytes,
          received.arrival.count()};
}

template <class Value>
using NamedValue = std::pair<const char*, Value>;

/// The value of a name; `problem` says what other names are not.
template <class Value>
Value value_of(const std::string& name, const char* problem,
               std::initializer_list<NamedValue<Value>> known) {
  const auto* const found = std::ranges::find(known, name, &NamedValue<Value>::first);
  if (found == known.end()) {
    throw py::value_error(fmt::format("{} is {} ({})", name, problem,
                                      joined(known, ", ", &NamedValue<Value>::first)));
  }
  return found->second;
}

SendMode send_mode(const std::string& mode) {
  return value_of<SendMode>(mode, "no way to send",
                            {{"by_size", SendMode::by_size},
                             {"eager", SendMode::eager},
                             {"rendezvous", SendMode::rendezvous}});
}

ExchangeMode exchange_mode(const std::string& mode) {
  return value_of<ExchangeMode>(
      mode, "no way to exchange",
      {{"rendezvous", ExchangeMode::rendezvous}, {"eager", ExchangeMode::eager}});
}

Activity activity_named(const std::string& name) {
  return value_of<Activity>(name, "nothing that a process does meanwhile",
                            {{"compute", Activity::compute},
                             {"endpoint", Activity::endpoint},
                             {"waiting", Activity::waiting}});
}

/// A tag of the program's own. Those from first_collective_tag on belong to collectives.
Tag own_tag(Tag tag) {
  if (tag >= first_collective_tag) {
    throw py::value_error("tag is one of collectives");  // told with its value
  }
  return tag;
}

/// The tag of a receive, which may take any of the program's own.
Tag own_or_any_tag(Tag tag) { return tag == any_tag ? tag : own_tag(tag); }

py::object compute(const ProcessView& self, const py::object& what, const py::object& count) {
  Action action{.kind = Action::Kind::compute, .call = "compute"};
  if (PyUnicode_Check(what.ptr())) {
    std::string text = what.cast<std::string>();
    if (!text.empty() &&
        (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_')) {
      action.kind = Action::Kind::compute_operation;
      action.operation = std::move(text);
      action.count = count.is_none() ? 1 : uncut<std::uint64_t>(count);
      return self.state->ask(std::move(action));
    }
  }
  if (count.is_none()) {
    action.duration = read_ticks(what);
  } else {
    action.kind = Action::Kind::compute_each;
    action.each = read_duration(what);
    action.count = uncut<std::uint64_t>(count);
  }
  return self.state->ask(std::move(action));
}

py::object ask_about(const ProcessView& self, Action::Kind kind, const char* call,
                     std::vector<Request> requests) {
  Action action{.kind = kind, .call = call};
  action.requests = std::move(requests);
  return self.state->ask(std::move(action));
}

py::object wait_any(const ProcessView& self, std::vector<Request> requests, const py::object& until,
                    const std::string& meanwhile) {
  Action action{.kind = Action::Kind::wait_any, .call = "wait_any"};
  action.requests = std::move(requests);
  if (!until.is_none()) {
    action.kind = Action::Kind::wait_until;
    action.duration = read_ticks(until);
    action.meanwhile = activity_named(meanwhile);
  }
  return self.state->ask(std::move(action));
}

std::vector<Request> requests_of(const py::args& arguments) {
  const bool is_list = arguments.size() == 1 && !py::isinstance<Request>(arguments[0]);
  return (is_list ? py::object{arguments[0]} : py::object{arguments}).cast<std::vector<Request>>();
}

/// Adds the calls that a process and a group have in common.
template <class View>
void bind_calls(py::class_<View>& view) {
  view.def(
          "send",
          [](const View& self, Whole<std::uint32_t> to, const py::object& data, Whole<Tag> tag,
             const py::object& bytes, const std::string& mode) {
            const ProcessId destination = self.destination(to);
            self.state->acting("send").send(destination, payload_of(data, bytes), own_tag(tag),
                                            send_mode(mode));
          },
          py::arg("to"), py::arg("data") = py::none(), py::arg("tag") = 0,
          py::arg("bytes") = py::none(), py::arg("mode") = "by_size", "Sends and goes on.")
      .def(
          "post_send",
          [](const View& self, Whole<std::uint32_t> to, const py::object& data, Whole<Tag> tag,
             const py::object& bytes, const std::string& mode) {
            const ProcessId destination = self.destination(to);
            return self.state->acting("post_send")
                .post_send(destination, payload_of(data, bytes), own_tag(tag), send_mode(mode));
          },
          py::arg("to"), py::arg("data") = py::none(), py::arg("tag") = 0,
          py::arg("bytes") = py::none(), py::arg("mode") = "by_size",
          "Sends and goes on; the request is complete when the message has left.")
      .def(
          "receive",
          [](const View& self, Whole<std::uint32_t> from, Whole<Tag> tag) {
            return self.state->ask({.kind = Action::Kind::receive,
                                    .call = "receive",
                                    .peer = self.peer(from, "receives from"),
                                    .tag = own_or_any_tag(tag)});
          },
          py::arg("source"), py::arg("tag") = 0,
          "The data of the next message of a process; yield it.")
      .def(
          "exchange",
          [](const View& self, Whole<std::uint32_t> partner, const py::object& data,
             const py::object& bytes, const std::string& mode) {
            return self.state->ask({.kind = Action::Kind::exchange,
                                    .call = "exchange",
                                    .peer = self.peer(partner, "exchanges with"),
                                    .payload = payload_of(data, bytes),
                                    .mode = exchange_mode(mode)});
          },
          py::arg("partner"), py::arg("data") = py::none(), py::arg("bytes") = py::none(),
          py::arg("mode") = "rendezvous", "Both send, both receive; yield it.");
  for (const CollectiveKind kind : collective_kinds()) {
    view.def(
        name_of(kind).data(),
        [kind](const View& self, const py::object& values, const py::kwargs& options) {
          Action action{.kind = Action::Kind::collective, .call = name_of(kind).data()};
          action.collective = read_collective(kind, self.members(), values, options);
          action.collective->group_key = self.key();
          return self.state->ask(std::move(action));
        },
        py::arg("values") = py::none(),
        "A collective over numbers; yield it. Options: algorithm, op (of two arrays), root, "
        "counts, ports, sides, node_size, segment_bytes, distances, radix, compute, copies, "
        "serial_copies, exchanges, plans, pieces, blocking, child_by_child, commutative, "
        "tag, element_bytes; or count=, without values: sizes only.");
  }
}

void bind_messages(py::module_& module) {
  py::class_<Awaitable>(module, "Awaitable", "What a process waits for: yield it.")
      .def(
          "start",
          [](const Awaitable&) {
            if (ProcessState::running == nullptr) {
              throw py::type_error("only the code of a process starts a collective");
            }
            return ProcessState::running->start_asked();
          },
          "Has a collective started only: yield it for what wait() takes. It goes on while the "
          "process computes, waits, receives and exchanges.")
      .def("__repr__", [](const Awaitable&) { return "<something to yield>"; });
  py::class_<StartedView>(module, "Started", "A collective that a process has started.")
      .def("__repr__", [](const StartedView&) { return "<a started collective>"; });
  py::class_<Request>(module, "Request", "A receive or a send that has been posted.");
  py::class_<Message>(module, "Received", "A message as its receiver gets it.")
      .def_readonly("source", &Message::source)
      .def_readonly("tag", &Message::tag)
      .def_readonly("data", &Message::data)
      .def_readonly("bytes", &Message::bytes)
      .def_readonly("arrival_ps", &Message::arrival_ps)
      .def("__repr__", [](const Message& message) {
        return fmt::format("Received(source={}, tag={}, data={}, bytes={}, arrival_ps={})",
                           message.source, message.tag, py::repr(message.data).cast<std::string>(),
                           message.bytes, message.arrival_ps);
      });
}

/// One name, or several.
using AxisNames = std::variant<std::string, std::vector<std::string>>;

Group along(const GroupView& self, const AxisNames& over, const py::dict& axes) {
  std::vector<std::string> names;
  std::vector<std::uint32_t> sides;
  for (const auto& [name, side] : axes) {
    names.push_back(name.cast<std::string>());
    sides.push_back(uncut<std::uint32_t>(side));
  }
  std::vector<std::uint32_t> numbers;
  const std::string* const one = std::get_if<std::string>(&over);
  for (const std::string& name : one != nullptr ? std::vector{*one} : std::get<1>(over)) {
    const auto found = std::ranges::find(names, name);
    refuse_if(found == names.end(), "over", "{} is not an axis{}", name,
              nearest_name_hint(name, names));
    numbers.push_back(static_cast<std::uint32_t>(found - names.begin()));
  }
  return self.get().along(numbers, sides);
}

void bind_group(py::module_& module) {
  py::class_<GroupView> group(module, "Group",
                              "Some of the processes, with ranks of their own from 0.");
  group.def_property_readonly("rank", [](const GroupView& self) { return self.group.rank(); })
      .def_property_readonly("size", [](const GroupView& self) { return self.group.size(); })
      .def("__len__", [](const GroupView& self) { return self.group.size(); })
      .def(
          "process",
          [](const GroupView& self, Whole<std::uint32_t> rank) {
            return self.get().process(rank).index();
          },
          py::arg("rank"), "The rank among all processes.")
      .def(
          "slice",
          [](const GroupView& self, Whole<std::uint32_t> first, Whole<std::uint32_t> count,
             Whole<std::uint32_t> stride) {
            return GroupView{self.state, self.get().slice(first, count, stride)};
          },
          py::arg("first"), py::arg("count"), py::arg("stride") = 1)
      .def(
          "subgroup",
          [](const GroupView& self, const py::object& ranks) {
            return GroupView{self.state, self.get().subgroup(uncut_list<std::uint32_t>(ranks))};
          },
          py::arg("ranks"))
      .def(
          "along",
          [](const GroupView& self, const AxisNames& over, const py::dict& axes) {
            return GroupView{self.state, along(self, over, axes)};
          },
          py::arg("over"), py::arg("axes"),
          "The members that differ from this one along the axes `over` alone, where `axes` names "
          "the dimensions of a torus and gives their sides, the first counting fastest.")
      .def(
          "split",
          [](const GroupView& self, const py::function& color) {
            return GroupView{self.state, self.get().split([&](std::uint32_t rank) {
                               return color(rank).cast<std::uint64_t>();
                             })};
          },
          py::arg("color"), "The members whose color(rank) is that of this one.")
      .def(
          "post_receive",
          [](const GroupView& self, Whole<std::uint32_t> from, Whole<Tag> tag) {
            return self.state->acting("post_receive")
                .post_receive(self.get().process(from), own_or_any_tag(tag));
          },
          py::arg("source"), py::arg("tag") = 0);
  bind_calls(group);
}

void bind_process_itself(py::module_& module) {
  py::class_<ProcessView> process(module, "Process", "One process of a running program.");
  process
      .def_property_readonly(
          "rank", [](const ProcessView& self) { return self.state->process().rank().index(); })
      .def_property_readonly("size",
                             [](const ProcessView& self) { return self.state->process().size(); })
      .def_property_readonly(
          "now_ps", [](const ProcessView& self) { return self.state->process().now().count(); },
          "The process's own simulated time, in picoseconds.")
      .def("world",
           [](const ProcessView& self) {
             return GroupView{self.state, self.members(), key_of_world};
           })
      .def("compute", &compute, py::arg("duration"), py::arg("count") = py::none(),
           "Computes for a duration, count times, or count operations of the machine's table; "
           "yield it.")
      .def(
          "enter_stage",
          [](const ProcessView& self, const py::object& stage) { self.state->enter_stage(stage); },
          py::arg("stage"),
          "What follows belongs to this stage of the program: its number, or its name where the "
          "program has named them.")
      .def(
          "receive_any",
          [](const ProcessView& self, Whole<Tag> tag) {
            return self.state->ask({.kind = Action::Kind::receive_any,
                                    .call = "receive_any",
                                    .tag = own_or_any_tag(tag)});
          },
          py::arg("tag") = any_tag, "The message that arrives first, a Received; yield it.")
      .def(
          "post_receive",
          [](const ProcessView& self, const py::object& from, Whole<Tag> tag) {
            const ProcessId source =
                from.is_none() ? anyone : ProcessId{uncut<std::uint32_t>(from)};
            return self.state->acting("post_receive").post_receive(source, own_or_any_tag(tag));
          },
          py::arg("source") = py::none(), py::arg("tag") = 0,
          "Asks for a message of a process, or None: of anyone, and goes on.")
      .def(
          "wait",
          [](const ProcessView& self, const std::variant<Request, StartedView>& request) {
            if (const auto* const started = std::get_if<StartedView>(&request)) {
              return self.state->ask(
                  {.kind = Action::Kind::wait_started, .call = "wait", .started = started->number});
            }
            return ask_about(self, Action::Kind::wait, "wait", {std::get<Request>(request)});
          },
          py::arg("request"),
          "The Received of a receive, None of a send, or the result of a started collective; yield "
          "it.")
      .def(
          "wait_all",
          [](const ProcessView& self, const py::args& requests) {
            return ask_about(self, Action::Kind::wait_all, "wait_all", requests_of(requests));
          },
          "A list of Received, one for each request; yield it.")
      .def("wait_any", &wait_any, py::arg("requests"), py::arg("until") = py::none(),
           py::arg("meanwhile") = "waiting",
           "(index, Received) of the first that is complete, (None, None) when none is in time; "
           "yield it.")
      .def(
          "test",
          [](const ProcessView& self, const Request& request) {
            return ask_about(self, Action::Kind::test, "test", {request});
          },
          py::arg("request"), "Whether the request is complete; yield it.")
      .def("__repr__", [](const ProcessView&) { return "<a process>"; });
  bind_calls(process);
}

}  // namespace

ProcessId ProcessView::peer(std::uint32_t rank, const char* does) const {
  Process& process = state->process();
  if (rank >= process.size()) {
    throw ContractViolation(fmt::format("process {} {} process {}, but the ranks are 0 to {}",
                                        process.rank().index(), does, rank, process.size() - 1));
  }
  return ProcessId{rank};
}

py::object awaitable() {
  // Never let go: the interpreter may have ended by then.
  static const PyObject* const the_one = py::cast(new Awaitable).release().ptr();
  return py::reinterpret_borrow<py::object>(const_cast<PyObject*>(the_one));
}

Payload payload_of(const py::object& data, const py::object& bytes) {
  py::object held = data;
  std::uint64_t size = 0;
  const bool is_array = py::isinstance<py::array>(data);
  if (!bytes.is_none()) {
    size = uncut<std::uint64_t>(bytes);
  } else if (PyBytes_Check(data.ptr()) || PyByteArray_Check(data.ptr())) {
    size = py::len(data);
  } else if (data.is_none()) {
    size = 0;
  } else if ((is_array || py::isinstance(data, numpy("generic"))) &&
             !data.attr("dtype").attr("hasobject").cast<bool>()) {
    size = data.attr("nbytes").cast<std::uint64_t>();
  } else {
    // A fixed protocol, so that the size does not depend on the version of Python.
    static const PyObject* const dumps =
        py::module_::import("pickle").attr("dumps").cast<py::object>().release().ptr();
    size = py::len(py::handle{const_cast<PyObject*>(dumps)}(data, 4));
  }
  if (data.is_none()) {
    return Payload::of_size(size);
  }
  if (is_array) {
    held = data.attr("copy")();
  }
  std::vector<Ref> values;
  values.emplace_back(std::move(held));
  return Payload::of(std::move(values), size);
}

py::object data_of(Payload& payload) {
  return payload.has_data() ? payload.take<Ref>().front().take() : py::none();
}

py::object object_of(Answer& answer) {
  switch (answer.kind) {
    case Answer::Kind::nothing:
      break;
    case Answer::Kind::data:
      return data_of(answer.payload);
    case Answer::Kind::received:
      return py::cast(message_of(answer.messages.front()));
    case Answer::Kind::several: {
      py::list all;
      for (Received& received : answer.messages) {
        all.append(message_of(received));
      }
      return all;
    }
    case Answer::Kind::first:
      return answer.messages.empty()
                 ? py::make_tuple(py::none(), py::none())
                 : py::make_tuple(answer.index, message_of(answer.messages.front()));
    case Answer::Kind::truth:
      return py::bool_(answer.truth);
    case Answer::Kind::started:
      return py::cast(StartedView{answer.index});
  }
  return py::none();
}

void bind_process(py::module_& module) {
  bind_messages(module);
  bind_group(module);
  bind_process_itself(module);
}

}  // namespace dcube::python
