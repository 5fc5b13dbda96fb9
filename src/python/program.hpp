#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dcube/program/program.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// The kind of program under which scenarios name those that are written in Python.
inline constexpr const char* program_kind = "python";

/// A program written in Python, until its last scenario is gone: a function of a process that gives
/// a generator. Scenarios name it by its number. Its object in Python owns it, and whoever needs it
/// holds that: so the garbage collector sees who holds what.
struct ProgramSource {
  ProgramSource() = default;
  ProgramSource(const ProgramSource&) = delete;
  ProgramSource& operator=(const ProgramSource&) = delete;
  ~ProgramSource();

  std::uint64_t number = 0;
  std::string name;
  std::string guest;                     ///< "torus:4x4"
  std::uint32_t stages = 0;              ///< stages of its processes
  std::vector<std::string> stage_names;  ///< names of the stages, or none
  Ref function;
  Ref verify;  ///< function of the list of what the processes have returned, or nothing
  Ref answer;  ///< function of the same list, or nothing

  template <class Visit>
  void each_object(Visit visit) const {
    visit(function);
    visit(verify);
    visit(answer);
  }
  void let_go() { function = verify = answer = {}; }
};

/// Enters the catalogue of programs.
void register_python_programs();

/// A program in Python: what its processes have returned, by rank. Needs the lock.
class ReturnedValues {
 public:
  virtual ~ReturnedValues() = default;
  virtual py::list returned() const = 0;
  /// Objects that the program holds.
  virtual void each_object(const std::function<void(const Ref&)>& visit) const = 0;
  virtual void let_go() = 0;  ///< of the values
};

/// While it lives, what programs raise becomes an InputError of one line: for child processes,
/// whose exceptions nobody sees. Needs the lock.
class RaisedInLine {
 public:
  RaisedInLine() { ++wanted; }
  RaisedInLine(const RaisedInLine&) = delete;
  RaisedInLine& operator=(const RaisedInLine&) = delete;
  ~RaisedInLine() { --wanted; }

  static bool is_wanted() { return wanted > 0; }

 private:
  static inline int wanted = 0;
};

/// Holds the lock during a run of a program in Python, and not during others. Its code gives the
/// lock up as any code of Python does. Taking it for each step would keep it from everybody else.
class LockDuring {
 public:
  explicit LockDuring(const Program& program) {
    if (dynamic_cast<const ReturnedValues*>(&program) != nullptr) {
      lock_.emplace();
    }
  }

 private:
  std::optional<Lock> lock_;
};

}  // namespace dcube::python
