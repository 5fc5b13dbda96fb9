#pragma once

#include <filesystem>
#include <string_view>

namespace dcube {

// Some readers of traces need a library of their own. Each is a module, a shared library apart,
// which is loaded when the first trace of its kind is read.

/// Where modules may be, besides beside the program.
struct ModuleFolders {
  const char* from_program;  ///< of an installed program, relative to its folder
  const char* built;
  const char* installed;
};
ModuleFolders module_folders();

/// The file of a module; empty when it is nowhere.
std::filesystem::path find_module(const char* file);

/// What users call it, its file, the function that it offers, and what it is built with.
struct TraceModule {
  std::string_view traces;    ///< "OTF2 traces"
  const char* file;           ///< "dcube-otf2.so"
  const char* function;       ///< with the version of its interface
  std::string_view packages;  ///< of Debian
};

/// The module's function. Throws InputError without a place: the module is missing, cannot be
/// loaded, or belongs to another dcube.
void* load_trace_module(const TraceModule& module);

}  // namespace dcube
