#pragma once

#include <filesystem>
#include <string_view>

namespace dcube {

// Modules are shared libraries of dcube, loaded on demand, so that nothing else pays for what they
// depend on: readers of traces, MPI, databases, SimGrid.

/// Folders of modules, besides the program's own.
struct ModuleFolders {
  const char* from_program;  ///< of an installed program, relative to its folder
  const char* built;
  const char* installed;
};
ModuleFolders module_folders();

/// Path of a module; empty if it is in none of the folders.
std::filesystem::path find_module(const char* file);

struct Module {
  std::string_view purpose;   ///< "read OTF2 traces"
  const char* file;           ///< "dcube-otf2.so"
  const char* function;       ///< name, with the version of the interface
  std::string_view packages;  ///< Debian packages that it is built with
};

/// The module's function. Throws InputError without a place: the module is missing, cannot be
/// loaded, or belongs to another dcube.
void* load_module(const Module& module);

}  // namespace dcube
