#pragma once

namespace dcube {

/// Loads SimGrid, unless it is there. Children that are forked afterwards have it, so who simulates
/// in children calls this first. Throws InputError when it cannot be loaded.
void load_simulator();

}  // namespace dcube
