#pragma once

#include <filesystem>
#include <string_view>

namespace dcube {

// Readers of traces that need a library are modules: shared libraries, loaded when first needed.

/// Folders of modules, besides the program's own.
struct ModuleFolders {
  const char* from_program;  ///< of an installed program, relative to its folder
  const char* built;
  const char* installed;
};
ModuleFolders module_folders();

/// Path of a module; empty if it is in none of the folders.
std::filesystem::path find_module(const char* file);

/// Description of a module, for loading it and for messages.
struct TraceModule {
  std::string_view traces;    ///< "OTF2 traces"
  const char* file;           ///< "dcube-otf2.so"
  const char* function;       ///< its function, with the version of its interface
  std::string_view packages;  ///< Debian packages that it is built with
};

/// The module's function. Throws InputError without a place when the module is missing, cannot be
/// loaded, or belongs to another dcube.
void* load_trace_module(const TraceModule& module);

}  // namespace dcube
