#pragma once

#include <fstream>
#include <limits>
#include <string>

namespace dcube::bench {

/// The most memory this program has held so far, in bytes; 0 where /proc does not say. Unlike
/// getrusage it leaves out what the parent held while starting it.
inline double peak_memory_bytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string key; status >> key;) {
    if (key == "VmHWM:") {
      double kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace dcube::bench
