#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcube {

/// "1,234,567".
std::string grouped(std::uint64_t count);

/// grouped() and the noun, in the plural unless it is one: "1 process", "2,048 processes".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace dcube
