#pragma once

#include <cstdint>

namespace dcube {

/// What compiled code assumes of dcube: the version of its headers, and the sizes of types that
/// pass between both. A plug-in that assumes anything else than the program is refused.
struct Headers {
  const char* version;
  std::uint64_t sizes;  ///< a hash
};

/// Those that this is compiled with, for the types that are given.
template <class... Types>
consteval Headers headers_of() {
  std::uint64_t sizes = 0;
  ((sizes = sizes * 31 + sizeof(Types)), ...);
  return {"0.1.0", sizes};  // the project's version, which CMakeLists.txt compares
}

}  // namespace dcube
