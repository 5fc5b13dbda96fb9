#pragma once

#include <filesystem>

namespace dcube {

/// Folder of the shared library that holds this code, such as a module of Python; empty in a
/// program.
std::filesystem::path own_folder();

}  // namespace dcube
