#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcube/engine/simulation.hpp"

namespace dcube::python {

namespace py = pybind11;

/// Gives the interpreter's lock up while C++ code runs for a caller in Python. The interpreter does
/// not end before such code has: a thread that Python ends in the middle of C++ code, as it does to
/// those that ask for the lock too late, ends the process.
class Unlocked {
 public:
  /// Raises SystemExit in threads when the interpreter is about to end.
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

  /// Whether the interpreter waits for the end of all such code. It then has to throw.
  static bool is_late();
  /// Throws what ends the thread. Needs the lock.
  [[noreturn]] static void end_thread();
  /// Has the interpreter wait for all such code before it ends. Needs the lock.
  static void wait_at_exit();

 private:
  PyThreadState* state_;
};

/// Holds the interpreter's lock, which simulations run without. May be nested.
class Lock {
 public:
  Lock() : state_{PyGILState_Ensure()} {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// A Python object that code without the lock may move, copy and let go: a message that nobody has
/// taken, a generator in the frame of a coroutine.
class Ref {
 public:
  Ref() = default;
  /// Needs the lock.
  explicit Ref(py::object object) : object_{object.release().ptr()} {}
  Ref(const Ref& other) : object_{other.object_} {
    if (object_ != nullptr) {
      const Lock lock;
      Py_INCREF(object_);
    }
  }
  Ref(Ref&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && Py_IsInitialized() != 0) {
      const Lock lock;
      Py_DECREF(object_);
    }
  }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  /// Needs the lock. None where there is no object.
  py::object borrow() const {
    return object_ == nullptr ? py::none() : py::reinterpret_borrow<py::object>(object_);
  }
  /// Needs the lock.
  py::object take() {
    return object_ == nullptr ? py::none()
                              : py::reinterpret_steal<py::object>(std::exchange(object_, nullptr));
  }

 private:
  PyObject* object_ = nullptr;
};

/// Whether it is True or False, of Python or numpy.
inline bool is_truth(py::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  return PyBool_Check(value.ptr()) || type == "numpy.bool_" || type == "numpy.bool";
}

/// The value of whatever has __index__ and is no bool; none beyond `most`. Needs the lock.
inline std::optional<std::uint64_t> whole_number(py::handle value, std::uint64_t most) {
  py::object index;
  if (!PyLong_CheckExact(value.ptr())) {
    if (is_truth(value) || PyIndex_Check(value.ptr()) == 0) {
      return std::nullopt;
    }
    index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    value = index;
  }
  const std::uint64_t number = value ? PyLong_AsUnsignedLongLong(value.ptr()) : 0;
  if (!value || (number == UINT64_MAX && PyErr_Occurred() != nullptr)) {
    PyErr_Clear();
    return std::nullopt;
  }
  return number <= most ? std::optional{number} : std::nullopt;
}

/// An argument that takes whole numbers, and neither bools nor fractions.
template <class T>
struct Whole {
  T value;
  operator T() const { return value; }  // NOLINT(google-explicit-constructor)
};

/// The value as pybind11 reads it, but whole numbers as Whole takes them. Throws py::cast_error.
template <class T>
T uncut(py::handle value) {
  constexpr bool is_whole = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
  py::detail::make_caster<std::conditional_t<is_whole, Whole<T>, T>> caster;
  if (!caster.load(value, std::is_same_v<T, bool>)) {
    throw py::cast_error("Unable to cast Python instance");  // told with its argument
  }
  return py::detail::cast_op<std::conditional_t<is_whole, Whole<T>, T>>(std::move(caster));
}

template <class T>
std::vector<T> uncut_list(py::handle values) {
  const auto whole = uncut<std::vector<Whole<T>>>(values);
  return {whole.begin(), whole.end()};
}

/// The T of its object in Python; null while that is made.
template <class T>
T* value_of(PyObject* object) {
  const auto value = reinterpret_cast<py::detail::instance*>(object)->get_value_and_holder();
  return value.holder_constructed() ? static_cast<T*>(value.value_ptr()) : nullptr;
}

/// Has Python's garbage collector see the objects that a T holds, which T::each_object() tells.
/// T::let_go() frees what may be part of a cycle.
template <class T>
py::custom_type_setup with_garbage_collection() {
  return py::custom_type_setup{[](PyHeapTypeObject* heap) {
    PyTypeObject& type = heap->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
      Py_VISIT(Py_TYPE(self));
      int result = 0;
      if (T* const held = value_of<T>(self)) {
        held->each_object([&](const Ref& ref) {
          if (result == 0 && ref) {
            result = visit(ref.get(), arg);
          }
        });
      }
      return result;
    };
    type.tp_clear = [](PyObject* self) {
      if (T* const held = value_of<T>(self)) {
        held->let_go();
      }
      return 0;
    };
    type.tp_dealloc = [](PyObject* self) {
      PyObject_GC_UnTrack(self);
      py::detail::pybind11_object_dealloc(self);
    };
  }};
}

/// The right to simulate: SimGrid's engine belongs to the thread that makes the first run, and
/// makes one at a time. Needs the lock. Throws ContractViolation where a run is not possible now
/// and here.
class Turn {
 public:
  Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();
};

/// Looks now and then, while C++ code runs without the lock, whether Ctrl-C has been pressed, and
/// tells how far that code is.
class Watch {
 public:
  /// `on_progress` may be None. It is called with what `told` of look() gives.
  explicit Watch(py::object on_progress) : on_progress_{std::move(on_progress)} {}

  /// Often called; does something every twentieth of a second. Throws py::error_already_set when a
  /// signal handler of Python or `on_progress` has raised.
  template <class Told>
  void look(Told told) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) {
      return;
    }
    next_ = now + std::chrono::milliseconds{50};
    const Lock lock;
    look_at_signals();
    if (Unlocked::is_late()) {
      Unlocked::end_thread();
    }
    if (on_progress_ && on_progress_.get() != Py_None) {
      on_progress_.borrow()(*py::tuple{told()});
    }
    const py::gil_scoped_release to_others;  // to threads that waited while a program held the lock
  }

  /// Throws py::error_already_set when a signal handler of Python has raised.
  static void look_at_signals() {
    const Lock lock;
    if (PyErr_CheckSignals() != 0) {
      throw py::error_already_set();
    }
  }

  /// Progress of a run of so many processes; must not outlive this.
  RunProgress of_run(std::uint32_t processes);

 private:
  Ref on_progress_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace dcube::python

template <class T>
struct pybind11::detail::type_caster<dcube::python::Whole<T>> {
  PYBIND11_TYPE_CASTER(dcube::python::Whole<T>, const_name("int"));

  bool load(handle source, bool /*convert*/) {
    const auto number = dcube::python::whole_number(source, std::numeric_limits<T>::max());
    value.value = static_cast<T>(number.value_or(0));
    return number.has_value();
  }
};
