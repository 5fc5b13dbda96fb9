#pragma once

#include <string>

namespace dcube::report {

/// HTML page that shows any measure of a sweep against any setting. `data`: output of `dcube sweep
/// --json`. Texts in it are shown as they are and never run.
std::string sweep_page(const std::string& title, const std::string& data);

}  // namespace dcube::report
