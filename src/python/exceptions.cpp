#include "exceptions.hpp"

#include <pybind11/stl.h>

#include <filesystem>
#include <new>
#include <optional>

#include "core/fields.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube::python {
namespace {

py::object make(const char* name, const InputError& error) {
  const py::module_ errors = py::module_::import("dcube.errors");
  const auto named = [&](std::string_view text) {
    return with_fields_named(text, [&](std::string_view field) {
      return errors.attr("argument_of")(std::string{field}).cast<std::optional<std::string>>();
    });
  };
  return errors.attr(name)(named(error.place()), named(error.problem()), named(error.what()));
}

}  // namespace

py::object python_exception(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const py::error_already_set& error) {
    py::object value = error.value();
    if (error.trace()) {
      PyException_SetTraceback(value.ptr(), error.trace().ptr());
    }
    return value;
  } catch (const MemoryError& error) {
    return make("MemoryError", error);
  } catch (const InputError& error) {
    return make("InputError", error);
  } catch (const std::bad_alloc&) {
    return make("MemoryError", InputError{"",
                                          "memory ran out; use a smaller machine, fewer "
                                          "processes or a larger computer"});
  } catch (const std::filesystem::filesystem_error& error) {
    return make("InputError", InputError{error.path1().string(), error.code().message()});
  } catch (const ContractViolation& error) {
    return py::module_::import("dcube.errors").attr("ContractViolation")(error.what());
  } catch (const std::exception& error) {
    return py::module_::import("dcube.errors").attr("Error")(error.what());
  }
}

void translate_exceptions() {
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) {
        std::rethrow_exception(failure);
      }
    } catch (const py::error_already_set&) {
      throw;
    } catch (const py::builtin_exception&) {
      throw;
    } catch (const std::exception&) {
      const py::object exception = python_exception(failure);
      PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
    }
  });
}

}  // namespace dcube::python
