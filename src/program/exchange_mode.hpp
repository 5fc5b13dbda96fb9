#pragma once

#include "dcube/core/params.hpp"
#include "dcube/engine/process.hpp"

namespace dcube {

/// The setting "exchange": rendezvous or eager.
ExchangeMode read_exchange_mode(const Params& params,
                                ExchangeMode fallback = ExchangeMode::rendezvous);

/// The help of that setting.
ParameterHelp exchange_mode_help(ExchangeMode fallback = ExchangeMode::rendezvous);

}  // namespace dcube
