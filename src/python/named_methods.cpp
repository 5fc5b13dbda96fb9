#include <structmember.h>

#include <array>
#include <cstddef>
#include <string>

#include "bindings.hpp"

namespace dcube::python {
namespace {

/// A method that has another one do its work, and turns to Python where that fails.
struct NamedMethod {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;  ///< pybind11's
  PyObject* name;      ///< "Process.send"
};

NamedMethod& named(PyObject* self) { return *reinterpret_cast<NamedMethod*>(self); }

py::object methods_module(const char* name) {
  return py::module_::import("dcube.methods").attr(name);
}

/// What dcube.methods makes of an error in a call of the method.
py::object complaint_about(const NamedMethod& method, PyObject* const* values, std::size_t count,
                           PyObject* keywords, const py::object& error) {
  py::tuple in_order(count);
  for (std::size_t place = 0; place < count; ++place) {
    in_order[place] = py::handle(values[place]);
  }
  py::dict by_name;
  const py::ssize_t named_count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (py::ssize_t place = 0; place < named_count; ++place) {
    by_name[py::handle(PyTuple_GET_ITEM(keywords, place))] =
        py::handle(values[count + static_cast<std::size_t>(place)]);
  }
  return methods_module("complaint")(py::handle(method.name), py::handle(method.function), in_order,
                                     by_name, error);
}

/// Raises what dcube.methods makes of the error that is set.
void name_argument(const NamedMethod& method, PyObject* const* values, std::size_t count,
                   PyObject* keywords) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const auto error = py::reinterpret_steal<py::object>(value);
  try {
    const py::object complaint = complaint_about(method, values, count, keywords, error);
    if (complaint.is(error)) {
      PyErr_Restore(type, py::object{error}.release().ptr(), trace);
      return;
    }
    PyErr_SetObject(py::type::handle_of(complaint).ptr(), complaint.ptr());
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
  Py_XDECREF(type);
  Py_XDECREF(trace);
}

PyObject* call(PyObject* self, PyObject* const* values, std::size_t flagged_count,
               PyObject* keywords) {
  const NamedMethod& method = named(self);
  const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
  PyObject* const result = PyObject_Vectorcall(method.function, values, flagged_count, keywords);
  if (result == nullptr) {
    name_argument(method, values, count, keywords);
  }
  return result;
}

PyObject* bound(PyObject* self, PyObject* object, PyObject* /*type*/) {
  if (object == nullptr || object == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, object);
}

void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_XDECREF(named(self).function);
  Py_XDECREF(named(self).name);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* signature(PyObject* self, void* /*closure*/) {
  try {
    return methods_module("signature_of")(py::handle(named(self).function)).release().ptr();
  } catch (py::error_already_set& failure) {
    failure.restore();
    return nullptr;
  }
}

PyObject* attribute(PyObject* self, void* name) {
  return PyObject_GetAttrString(named(self).function, static_cast<const char*>(name));
}

PyTypeObject* make_type() {
  static std::array<PyMemberDef, 2> members{
      {{"__vectorcalloffset__", T_PYSSIZET, offsetof(NamedMethod, vectorcall), READONLY, nullptr},
       {}}};
  static std::string doc = "__doc__";
  static std::string name = "__name__";
  static std::array<PyGetSetDef, 4> attributes{
      {{"__doc__", attribute, nullptr, nullptr, doc.data()},
       {"__name__", attribute, nullptr, nullptr, name.data()},
       {"__signature__", signature, nullptr, nullptr, nullptr},
       {}}};
  static std::array<PyType_Slot, 7> slots{{{Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                           {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                           {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
                                           {Py_tp_members, members.data()},
                                           {Py_tp_getset, attributes.data()},
                                           {0, nullptr}}};
  static PyType_Spec spec{
      "dcube._dcube.method", static_cast<int>(sizeof(NamedMethod)), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) {
    throw py::error_already_set();
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

py::object named_method(const std::string& name, PyObject* function) {
  static PyTypeObject* const type = make_type();  // lives as long as the interpreter
  auto method = py::reinterpret_steal<py::object>(type->tp_alloc(type, 0));
  if (!method) {
    throw py::error_already_set();
  }
  named(method.ptr()).vectorcall = call;
  named(method.ptr()).function = py::reinterpret_borrow<py::object>(function).release().ptr();
  named(method.ptr()).name = py::str(name).release().ptr();
  return method;
}

}  // namespace

void name_arguments_of_methods(const py::object& type) {
  const auto of_type = type.attr("__name__").cast<std::string>();
  const py::dict members{type.attr("__dict__")};  // a copy
  for (const auto& [key, member] : members) {
    const auto name = key.cast<std::string>();
    if (PyInstanceMethod_Check(member.ptr()) && !name.starts_with("__")) {
      type.attr(key) =
          named_method(of_type + "." + name, PyInstanceMethod_GET_FUNCTION(member.ptr()));
    }
  }
}

}  // namespace dcube::python
