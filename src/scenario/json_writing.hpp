#pragma once

#include <string>

#include "dcube/core/params.hpp"

namespace dcube {

/// The setting as JSON on one line, numbers as 64-bit integers or doubles. Invalid UTF-8 becomes
/// U+FFFD.
std::string json_text(const Setting& setting);

}  // namespace dcube
