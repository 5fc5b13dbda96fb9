#pragma once

#include <filesystem>
#include <functional>

#include "dcube/core/headers.hpp"

namespace dcube {

/// Loads a shared library whose static initialisers register programs or topologies, for good.
/// Throws InputError that names the file: it is missing or cannot be loaded, is loaded already, was
/// compiled with the headers of another dcube, or registers nothing or something unusable.
void load_plugin(const std::filesystem::path& file);

/// Throws InputError unless the two agree.
void check_headers(const Headers& built_with, const Headers& own);

/// Whether `add` added an entry to a catalogue. While load_plugin() runs, it throws the InputError
/// of `add` instead, because nothing may be thrown out of a static initialiser.
bool register_entry(const std::function<void()>& add);

}  // namespace dcube
