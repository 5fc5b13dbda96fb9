#include "program.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/program/program.hpp"
#include "exceptions.hpp"
#include "process.hpp"
#include "started_collectives.hpp"

namespace dcube::python {
namespace {

/// A source that somebody needs.
class Source {
 public:
  /// `object` is its object in Python. Needs the lock.
  explicit Source(py::object object)
      : source_{object.cast<ProgramSource*>()}, object_{std::move(object)} {}

  const ProgramSource* operator->() const { return source_; }
  const ProgramSource& operator*() const { return *source_; }
  const Ref& object() const { return object_; }

 private:
  ProgramSource* source_;
  Ref object_;
};

/// The programs that are in use, by number. Needs the interpreter's lock.
std::map<std::uint64_t, ProgramSource*>& sources() {
  static std::map<std::uint64_t, ProgramSource*> all;
  return all;
}

class PythonProgram;

/// The generator of one process.
class Agent {
 public:
  Agent(PythonProgram& program, Process& process);
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent();

  /// Runs the generator up to its next yield. False when it has returned.
  bool step(Answer answer);
  /// Resumes the generator with an exception where it has yielded. False when it has returned.
  bool fail(const std::exception_ptr& failure);
  Action& action() { return action_; }

 private:
  class Running;
  template <class Code>
  bool noting_failure(Code code);
  void say_who_raised(const py::error_already_set& error) const;
  bool take(PySendResult result, PyObject* given);
  void finish(py::object value);

  PythonProgram& program_;
  const std::uint32_t rank_;
  std::shared_ptr<ProcessState> state_;
  Ref generator_;
  Action action_;
};

Task<> live(PythonProgram& program, Process& process);

Setting setting_of(py::object value);

/// Raises RecursionError for what holds itself.
Setting::List settings_of_items(const py::handle& items) {
  if (Py_EnterRecursiveCall(" in an answer") != 0) {
    throw py::error_already_set();
  }
  Setting::List all;
  try {
    for (const py::handle item : items) {
      all.push_back(setting_of(py::reinterpret_borrow<py::object>(item)));
    }
  } catch (...) {
    Py_LeaveRecursiveCall();
    throw;
  }
  Py_LeaveRecursiveCall();
  return all;
}

/// A value of an answer. Integers of more than 64 bits with a sign, infinities and nan are texts;
/// arrays are lists.
Setting setting_of(py::object value) {
  if (py::hasattr(value, "dtype") && py::hasattr(value, "item") &&
      py::len(value.attr("shape")) == 0) {
    value = value.attr("item")();  // of numpy
  } else if (py::hasattr(value, "tolist")) {
    value = value.attr("tolist")();
  }
  if (value.is_none()) {
    return {};
  }
  if (PyBool_Check(value.ptr())) {
    return value.cast<bool>();
  }
  if (PyLong_Check(value.ptr())) {
    // The digits of its value, whatever its class calls it.
    const auto digits = py::reinterpret_steal<py::object>(PyLong_Type.tp_repr(value.ptr()));
    if (!digits) {
      throw py::error_already_set();
    }
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    std::string text = py::str(digits);
    return overflow == 0 ? Setting{Setting::Number{std::move(text)}} : Setting{std::move(text)};
  }
  if (PyFloat_Check(value.ptr())) {
    const double number = PyFloat_AS_DOUBLE(value.ptr());
    std::string text = py::repr(py::float_(number));
    return std::isfinite(number) ? Setting{Setting::Number{std::move(text)}}
                                 : Setting{std::move(text)};
  }
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyRange_Check(value.ptr())) {
    return settings_of_items(value);
  }
  return std::string{py::str(value)};
}

/// What the user's function has given, a dict or what makes one.
py::dict figures_in(const py::object& given) {
  try {
    return given;
  } catch (const py::error_already_set&) {
    throw InputError("answer", fmt::format("gives {}, not a dict of figures",
                                           py::repr(given).cast<std::string>()));
  }
}

class PythonProgram final : public Program, public ReturnedValues {
 public:
  PythonProgram(Source source, Guest guest)
      : source_{std::move(source)}, guest_{std::move(guest)}, returned_(guest_.process_count()) {}

  std::string_view kind() const override { return source_->name; }
  Guest guest() const override { return guest_; }
  Task<> run(Process& process) override {
    if (begun_++ % guest_.process_count() == 0) {
      agreements_ = {};  // another run
    }
    return live(*this, process);
  }
  Agreements& agreements() { return agreements_; }
  std::uint32_t stage_count() const override { return source_->stages; }
  std::vector<std::string> stage_names() const override { return source_->stage_names; }
  bool repeats_stages() const override { return !source_->stage_names.empty(); }
  std::optional<bool> verify() override {
    if (!source_->verify) {
      return std::nullopt;
    }
    const Lock lock;
    return py::bool_(source_->verify.borrow()(returned()));
  }
  Params answer() const override {
    if (!source_->answer) {
      return {};
    }
    const Lock lock;
    Params answer;
    for (const auto& [key, value] : figures_in(source_->answer.borrow()(returned()))) {
      answer.set(py::str(key), setting_of(py::reinterpret_borrow<py::object>(value)));
    }
    return answer;
  }

  py::list returned() const override {
    py::list all;
    for (const Ref& value : returned_) {
      all.append(value.borrow());
    }
    return all;
  }
  void each_object(const std::function<void(const Ref&)>& visit) const override {
    visit(source_.object());
    std::ranges::for_each(returned_, visit);
  }
  void let_go() override { returned_.assign(returned_.size(), Ref{}); }
  const ProgramSource& source() const { return *source_; }

  /// After the first process that has raised the others do not go on: after Ctrl-C, say, they might
  /// compute for ever. The first failure is the run's.
  void note_failure() { has_failed_ = true; }
  void expect_nothing_failed() const { expects(!has_failed_, "no other process has raised"); }

  void put(std::uint32_t rank, py::object value) { returned_.at(rank) = Ref{std::move(value)}; }

 private:
  Source source_;
  Guest guest_;
  std::vector<Ref> returned_;
  bool has_failed_ = false;
  std::uint64_t begun_ = 0;
  Agreements agreements_;
};

/// The code of a process runs, and may ask for something.
class Agent::Running {
 public:
  explicit Running(ProcessState& state) : before_{std::exchange(ProcessState::running, &state)} {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { ProcessState::running = before_; }

 private:
  ProcessState* before_;
};

Agent::Agent(PythonProgram& program, Process& process)
    : program_{program},
      rank_{process.rank().index()},
      state_{std::make_shared<ProcessState>(process, program.source().stages,
                                            program.source().stage_names, program.agreements())} {}

Agent::~Agent() {
  state_->end();
  if (!generator_ || Py_IsInitialized() == 0) {
    return;
  }
  const Lock lock;
  const py::error_scope untouched;
  PyObject* const closed = PyObject_CallMethod(generator_.get(), "close", nullptr);
  if (closed == nullptr) {
    PyErr_WriteUnraisable(generator_.get());
  }
  Py_XDECREF(closed);
  generator_ = {};
}

/// Runs code of the process, unless another has raised.
template <class Code>
bool Agent::noting_failure(Code code) {
  const Lock lock;
  program_.expect_nothing_failed();
  const Running running{*state_};
  try {
    return code();
  } catch (const py::error_already_set& error) {
    program_.note_failure();
    say_who_raised(error);
    throw;
  } catch (...) {
    program_.note_failure();
    throw;
  }
}

void Agent::say_who_raised(const py::error_already_set& error) const {
  const py::object exception = error.value();
  if (!py::isinstance(exception, py::handle{PyExc_Exception})) {  // Ctrl-C, say
    return;
  }
  if (!RaisedInLine::is_wanted()) {
    if (py::hasattr(exception, "add_note")) {  // Python 3.11
      exception.attr("add_note")(
          fmt::format("raised by process {} of the program {}", rank_, program_.kind()));
    }
    return;
  }
  std::string text = py::str(exception);
  std::ranges::replace(text, '\n', ' ');
  throw InputError("program",
                   fmt::format("process {} raised {}{}{}", rank_,
                               std::string{py::str(exception.get_type().attr("__name__"))},
                               text.empty() ? "" : ": ", text));
}

bool Agent::step(Answer answer) {
  return noting_failure([&] {
    if (!generator_) {
      py::object made = program_.source().function.borrow()(ProcessView{state_});
      if (PyCoro_CheckExact(made.ptr()) || PyAsyncGen_CheckExact(made.ptr())) {
        if (PyCoro_CheckExact(made.ptr())) {  // else Python warns that nobody awaited it
          made.attr("close")();
        }
        throw py::type_error(program_.source().name +
                             " is an async function; write `def` and `yield` in place of `async "
                             "def` and `await`");
      }
      if (!PyGen_Check(made.ptr())) {  // a function without yield has run by now
        finish(std::move(made));
        return false;
      }
      generator_ = Ref{std::move(made)};
    }
    const py::object value = object_of(answer);
    PyObject* given = nullptr;
    const PySendResult result = PyIter_Send(generator_.get(), value.ptr(), &given);
    return take(result, given);
  });
}

bool Agent::fail(const std::exception_ptr& failure) {
  return noting_failure([&] {
    const py::object exception = python_exception(failure);
    if (PyObject* const given =
            PyObject_CallMethod(generator_.get(), "throw", "O", exception.ptr())) {
      return take(PYGEN_NEXT, given);
    }
    const py::error_already_set raised;
    if (!raised.matches(PyExc_StopIteration)) {
      throw raised;
    }
    finish(raised.value().attr("value"));
    return false;
  });
}

bool Agent::take(PySendResult result, PyObject* given) {
  if (result == PYGEN_ERROR) {
    throw py::error_already_set();
  }
  py::object value = py::reinterpret_steal<py::object>(given);
  if (result == PYGEN_RETURN) {
    finish(std::move(value));
    return false;
  }
  action_ = state_->take_action(value);
  return true;
}

void Agent::finish(py::object value) {
  generator_ = {};
  state_->expect_nothing_asked("its end");
  program_.put(rank_, std::move(value));
}

/// One process. Whatever it yields for is awaited here and not in a coroutine of its own: one that
/// goes on at once, time after time, would fill the stack in builds without optimisation.
Task<> live(PythonProgram& program, Process& process) {
  using Kind = Action::Kind;
  Agent agent{program, process};
  std::optional<StartedCollectives> started;
  bool goes_on = agent.step({});
  while (goes_on) {
    Action& action = agent.action();
    Answer answer;
    std::exception_ptr failure;
    try {
      if (started && !started->is_idle()) {
        if (std::optional<Answer> given = co_await started->beside(action)) {
          answer = *std::move(given);
          action.kind = Kind::none;
        }
      }
      switch (action.kind) {
        case Kind::none:
          break;
        case Kind::compute:
          co_await process.compute(action.duration);
          break;
        case Kind::compute_operation:
          co_await process.compute(action.operation, action.count);
          break;
        case Kind::compute_each:
          co_await process.compute(action.each, action.count);
          break;
        case Kind::receive:
          answer = answer_of(co_await process.receive(action.peer, action.tag));
          break;
        case Kind::receive_any:
          answer = answer_of(co_await process.receive_any(action.tag));
          break;
        case Kind::exchange:
          answer = answer_of(
              co_await process.exchange(action.peer, std::move(action.payload), action.mode));
          break;
        case Kind::wait:
          answer = answer_of(co_await process.wait(action.requests.front()));
          break;
        case Kind::wait_all:
          answer.kind = Answer::Kind::several;
          answer.messages = co_await process.wait_all(std::span<const Request>{action.requests});
          break;
        case Kind::wait_any: {
          Completed completed = co_await process.wait_any(action.requests);
          answer = answer_of(std::move(completed.message));
          answer.kind = Answer::Kind::first;
          answer.index = completed.index;
          break;
        }
        case Kind::wait_until: {
          Completed completed =
              co_await process.wait_any(action.requests, action.duration, action.meanwhile);
          answer.kind = Answer::Kind::first;
          answer.index = completed.index;
          if (completed.index < action.requests.size()) {
            answer.messages.push_back(std::move(completed.message));
          }
          break;
        }
        case Kind::test:
          answer.kind = Answer::Kind::truth;
          answer.truth = co_await process.test(action.requests.front());
          break;
        case Kind::collective:
          if (started && !started->is_idle()) {
            answer = answer_of(
                co_await started->wait(co_await started->start(std::move(action.collective))));
          } else if (action.collective->elements) {
            co_await run_collective(action.collective->group, action.collective->call,
                                    *action.collective->elements);
            answer = answer_of(values_for(*action.collective));
          } else {
            co_await run_collective(action.collective->group, action.collective->call);
          }
          break;
        case Kind::start:
          if (!started) {
            started.emplace(process);
          }
          answer.kind = Answer::Kind::started;
          answer.index = co_await started->start(std::move(action.collective));
          break;
        case Kind::wait_started:
          expects(started.has_value(), "a started collective is waited for by its own process");
          answer = answer_of(co_await started->wait(action.started));
          break;
      }
    } catch (...) {
      failure = std::current_exception();
    }
    goes_on = failure ? agent.fail(failure) : agent.step(std::move(answer));
  }
}

std::unique_ptr<Program> make_python_program(const Params& settings, const ProgramContext&) {
  const auto number = static_cast<std::uint64_t>(
      settings.integer("number", 0, INT64_MAX, "the number of a program"));
  const Lock lock;
  const auto found = sources().find(number);
  refuse_if(found == sources().end(), settings.place_of("number"),
            "is no program of this Python process (give the function itself)");
  Source source{py::cast(found->second, py::return_value_policy::reference)};
  Guest guest = at_place(settings.place_of("guest"), [&] { return Guest::parse(source->guest); });
  return std::make_unique<PythonProgram>(std::move(source), std::move(guest));
}

std::unique_ptr<ProgramSource> make_source(std::string name, const py::object& guest,
                                           std::uint32_t stages,
                                           std::vector<std::string> stage_names,
                                           py::object function, const py::object& verify,
                                           const py::object& answer) {
  static std::uint64_t last = 0;
  auto source = std::make_unique<ProgramSource>();
  source->number = ++last;
  source->name = std::move(name);
  source->guest = PyLong_Check(guest.ptr())
                      ? Guest::of_processes(guest.cast<std::uint32_t>()).name()
                      : Guest::parse(guest.cast<std::string>()).name();
  source->stages = stages;
  source->stage_names = std::move(stage_names);
  source->function = Ref{std::move(function)};
  if (!verify.is_none()) {
    source->verify = Ref{verify};
  }
  if (!answer.is_none()) {
    source->answer = Ref{answer};
  }
  sources()[source->number] = source.get();
  return source;
}

}  // namespace

ProgramSource::~ProgramSource() { sources().erase(number); }

void register_python_programs() {
  static const ProgramKind kind{
      .name = program_kind,
      .help = "a function of Python (see dcube.Program)",
      .example = "number=0",
      .parameters = {{"number", "of the program in this Python process", ""},
                     {"name", "of the function", ""},
                     {"guest", "shape of its processes", ""}},
      .make = make_python_program};
  static const bool is_registered = register_program(kind);
  expects(is_registered, "programs in Python have a kind of their own");
}

void bind_programs(py::module_& module) {
  py::class_<ProgramSource>(module, "ProgramSource", with_garbage_collection<ProgramSource>())
      .def(py::init(&make_source), py::arg("name"), py::arg("guest"), py::arg("stages"),
           py::arg("stage_names"), py::arg("function"), py::arg("verify"), py::arg("answer"))
      .def_property_readonly("settings", [](const ProgramSource& self) {
        py::dict settings;
        settings["kind"] = program_kind;
        settings["number"] = self.number;
        settings["name"] = self.name;
        settings["guest"] = self.guest;
        return settings;
      });
}

}  // namespace dcube::python
