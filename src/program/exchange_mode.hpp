#pragma once

#include "dcube/core/params.hpp"
#include "dcube/engine/process.hpp"

namespace dcube {

/// The setting "exchange": rendezvous (the default) or eager.
ExchangeMode read_exchange_mode(const Params& params);

/// The help of that setting.
ParameterHelp exchange_mode_help();

}  // namespace dcube
