#pragma once

#include <cstdint>

namespace dcube {

/// Assumptions of compiled code about dcube: the version of its headers, and the sizes of types
/// that pass between both. A plug-in whose assumptions differ from the program's is refused.
struct Headers {
  const char* version;
  std::uint64_t sizes;  ///< a hash
};

/// Headers that the including code is compiled with; `sizes` covers `Types`.
template <class... Types>
consteval Headers headers_of() {
  std::uint64_t sizes = 0;
  ((sizes = sizes * 31 + sizeof(Types)), ...);
  return {"0.1.0", sizes};  // the project's version, which CMakeLists.txt compares
}

}  // namespace dcube
