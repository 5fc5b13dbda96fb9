#include "warnings.hpp"

#include <mutex>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

struct Listening {
  std::mutex mutex;
  WarningListener listener;
};

Listening& listening() {
  static Listening listening;
  return listening;
}

}  // namespace

WarningListener listen_to_warnings(WarningListener listener) {
  const std::lock_guard lock{listening().mutex};
  return std::exchange(listening().listener, std::move(listener));
}

void warn(std::string_view place, std::string_view problem) {
  WarningListener listener;
  {
    const std::lock_guard lock{listening().mutex};
    listener = listening().listener;
  }
  // Called unlocked: it may wait for another lock, such as Python's.
  if (listener) {
    listener(InputError{place, problem}.what());
  }
}

}  // namespace dcube
