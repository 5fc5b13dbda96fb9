#include "exchange_mode.hpp"

#include <array>
#include <string>

namespace dcube {

ExchangeMode read_exchange_mode(const Params& params) {
  const std::array<std::string, 2> modes{"rendezvous", "eager"};
  return params.choice("exchange", modes, "rendezvous") == "eager" ? ExchangeMode::eager
                                                                   : ExchangeMode::rendezvous;
}

ParameterHelp exchange_mode_help() {
  return {"exchange", "rendezvous (when both are ready) or eager (when the sender is)",
          "rendezvous"};
}

}  // namespace dcube
