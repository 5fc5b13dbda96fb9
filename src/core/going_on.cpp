#include "going_on.hpp"

#include <cstdint>
#include <utility>

namespace dcube {
namespace {

thread_local const std::function<void()>* asked = nullptr;
thread_local std::uint64_t since_ask = 0;  ///< passes

}  // namespace

AskedToGoOn::AskedToGoOn(std::function<void()> ask) : ask_{std::move(ask)} { asked = &ask_; }

AskedToGoOn::~AskedToGoOn() { asked = nullptr; }

void ask_to_go_on(std::uint32_t passes) {
  constexpr std::uint32_t passes_an_ask = 1024;
  if (asked == nullptr) {
    return;
  }
  since_ask += passes;
  if (since_ask >= passes_an_ask) {
    since_ask = 0;
    (*asked)();
  }
}

}  // namespace dcube
