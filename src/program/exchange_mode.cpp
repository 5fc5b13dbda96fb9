#include "exchange_mode.hpp"

#include <array>
#include <string>

namespace dcube {

namespace {

std::string name_of(ExchangeMode mode) {
  return mode == ExchangeMode::rendezvous ? "rendezvous" : "eager";
}

}  // namespace

ExchangeMode read_exchange_mode(const Params& params, ExchangeMode fallback) {
  const std::array<std::string, 2> modes{"rendezvous", "eager"};
  return params.choice("exchange", modes, name_of(fallback)) == "eager" ? ExchangeMode::eager
                                                                        : ExchangeMode::rendezvous;
}

ParameterHelp exchange_mode_help(ExchangeMode fallback) {
  return {"exchange", "rendezvous (when both are ready) or eager (when the sender is)",
          name_of(fallback)};
}

}  // namespace dcube
