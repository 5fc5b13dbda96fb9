#pragma once

namespace dcube::detail {

/// A tick in SimGrid's seconds, on fluid networks: a power of two, so that whole ticks stay whole,
/// and rates in bytes per second are far from the absolute limits of SimGrid's solver.
inline constexpr double simgrid_tick = 0x1p-40;
/// Times that SimGrid may take for 0.
inline constexpr double simgrid_no_time = simgrid_tick / 4;

}  // namespace dcube::detail
