#include "dcube/workload/module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "core/address_sanitizer.hpp"
#include "core/own_folder.hpp"
#include "core/refuse.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_to_search() {
  std::vector<fs::path> folders;
  const ModuleFolders known = module_folders();
  if (const fs::path own = own_folder(); !own.empty()) {
    folders.push_back(own);
    folders.push_back(own / "dcube");
    folders.push_back(own / "bin" / known.from_program);  // in a wheel
  }
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) {
    folders.push_back(program.parent_path());
    folders.push_back(program.parent_path() / known.from_program);
  }
  folders.emplace_back(known.built);
  folders.emplace_back(known.installed);
  return folders;
}

}  // namespace

fs::path find_module(const char* name) {
  for (const fs::path& folder : folders_to_search()) {
    fs::path file = (folder / name).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(file, error)) {
      return file;
    }
  }
  return {};
}

void* load_module(const Module& module) {
  const fs::path file = find_module(module.file);
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
