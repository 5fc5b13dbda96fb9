#include "dcube/runs/module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "core/address_sanitizer.hpp"
#include "core/refuse.hpp"
#include "dcube/workload/trace_module.hpp"

namespace dcube {

void* load_module(const Module& module) {
  const std::filesystem::path file = find_module(module.file);
  refuse_if(file.empty(), "",
            "this dcube cannot {}: it was built without {} (on Debian: apt install {}; then build "
            "dcube again)",
            module.purpose, module.file, module.packages);
  // A module's own libraries come first: SimGrid has functions of MPI, too, which simulate it, and
  // names are found sooner, which saves 10 of 35 ms when SimGrid is loaded.
#ifdef DCUBE_ADDRESS_SANITIZER
  constexpr int own_first = 0;  // which the address sanitizer refuses
#else
  constexpr int own_first = RTLD_DEEPBIND;
#endif
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | own_first);
  refuse_if(library == nullptr, "", "this dcube cannot {}: {}", module.purpose,
            library == nullptr ? dlerror() : "");
  void* const function = dlsym(library, module.function);
  refuse_if(function == nullptr, "",
            "this dcube cannot {}: {} belongs to another dcube (build and install both from the "
            "same sources)",
            module.purpose, file.string());
  return function;
}

}  // namespace dcube
