#pragma once

#include <string>

#include "dcube/questions/fit.hpp"

namespace dcube::app {

/// Text for people: values, errors by group, what the rows do not tell; with `is_full`, all rows.
std::string fit_text(const FitAnswer& answer, bool is_full);

}  // namespace dcube::app
