#pragma once

#include <cstdint>
#include <functional>

namespace dcube {

/// While it lives, whatever this thread reads or builds that is long calls `ask` now and then,
/// which throws to end that. There is one at a time.
class AskedToGoOn {
 public:
  explicit AskedToGoOn(std::function<void()> ask);
  AskedToGoOn(const AskedToGoOn&) = delete;
  AskedToGoOn& operator=(const AskedToGoOn&) = delete;
  ~AskedToGoOn();

 private:
  std::function<void()> ask_;
};

/// Part of long loops that nobody listens to otherwise: asks in one pass of many. A step may count
/// as many passes.
void ask_to_go_on(std::uint32_t passes = 1);

}  // namespace dcube
