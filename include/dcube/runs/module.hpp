#pragma once

#include <string_view>

namespace dcube {

/// A shared library that is loaded on demand, so that nothing else pays for its dependencies.
struct Module {
  std::string_view purpose;   ///< "share runs by MPI"
  const char* file;           ///< "dcube-mpi.so"
  const char* function;       ///< name, with the version of the interface
  std::string_view packages;  ///< Debian packages that it is built with
};

/// The module's function. Throws InputError without a place: the module is missing, cannot be
/// loaded, or belongs to another dcube.
void* load_module(const Module& module);

}  // namespace dcube
