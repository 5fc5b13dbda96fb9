#include "core/own_folder.hpp"

#include <dlfcn.h>

#include <string>

namespace dcube {

std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  const std::filesystem::path file{info.dli_fname};
  return file.filename().string().find(".so") == std::string::npos ? std::filesystem::path{}
                                                                   : file.parent_path();
}

}  // namespace dcube
