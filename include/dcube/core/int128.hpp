#pragma once

namespace dcube {

/// Integers for sums and products of 64-bit numbers. Standard C++ has none; g++ and clang++ do.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace dcube
