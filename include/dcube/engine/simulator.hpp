#pragma once

namespace dcube {

/// Loads SimGrid, unless it is loaded. Call it before forking children that simulate, so they share
/// it. Throws InputError when it cannot be loaded.
void load_simulator();

}  // namespace dcube
