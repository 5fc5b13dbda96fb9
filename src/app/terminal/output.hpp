#pragma once

#include <string_view>

namespace dcube::app {

/// Writes to standard output. Throws InputError when it cannot (a full disk).
void print(std::string_view text);

/// Writes "dcube: ", the message and a newline to standard error.
void complain(std::string_view message);

}  // namespace dcube::app
