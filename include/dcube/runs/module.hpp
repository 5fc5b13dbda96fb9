#pragma once

#include <string_view>

namespace dcube {

/// A shared library that is loaded when it is needed, so that nothing else pays for what it needs.
struct Module {
  std::string_view purpose;   ///< "share runs by MPI"
  const char* file;           ///< "dcube-mpi.so"
  const char* function;       ///< that it offers, with the version of its interface
  std::string_view packages;  ///< of Debian, that it is built with
};

/// The module's function. Throws InputError without a place: the module is missing, cannot be
/// loaded, or belongs to another dcube.
void* load_module(const Module& module);

}  // namespace dcube
