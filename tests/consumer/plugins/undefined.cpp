// Needs a function that this dcube does not have.
#include <dcube/core/params.hpp>

namespace dcube {
bool register_printer(const Params& settings);
}

extern const bool is_registered;
const bool is_registered = dcube::register_printer(dcube::Params{});
