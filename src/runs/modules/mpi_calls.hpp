#pragma once

#include <cstddef>

// Calls of the program to the module dcube-mpi, which alone knows MPI: plain functions, so that the
// module fits any build of the program. The name of its function carries their version.

extern "C" {

/// Functions of the module; each returns 0 when it succeeds.
struct DcubeMpiCalls {
  /// Starts MPI, once.
  int (*start)(int* rank, int* ranks);
  /// Sends a message and returns when `bytes` may be changed.
  int (*send)(int to, const char* bytes, size_t size);
  /// Whether a message has come, and from whom and how long the next is; never waits.
  int (*probe)(int* has_come, int* from, size_t* size);
  /// Takes the message that probe() has found.
  int (*receive)(int from, char* bytes, size_t size);
  /// Ends MPI. Every rank waits for all others.
  int (*finish)();
};

using DcubeMpiFunction = const DcubeMpiCalls* (*)();
}
