#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interpreter.hpp"

namespace dcube::python {

/// The kind of program under which scenarios name those that are written in Python.
inline constexpr const char* program_kind = "python";

/// A program written in Python, until its last scenario is gone: a function of a process that gives
/// a generator. Scenarios name it by its number.
struct ProgramSource {
  std::uint64_t number = 0;
  std::string name;
  std::string guest;         ///< "torus:4x4"
  std::uint32_t stages = 0;  ///< that its processes go through
  Ref function;
  Ref verify;  ///< of the list of what the processes have returned, or nothing
  Ref answer;  ///< likewise
};

/// Enters the catalogue of programs.
void register_python_programs();

/// What the processes of the program that a run has made have returned, by rank. None when it is no
/// program of Python. Needs the lock.
class ReturnedValues {
 public:
  virtual ~ReturnedValues() = default;
  virtual py::list returned() const = 0;
};

void bind_programs(py::module_& module);

}  // namespace dcube::python
