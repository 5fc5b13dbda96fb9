#pragma once

#include <string>

namespace dcube::report {

/// One HTML page that shows any measure of a sweep against any setting. `data` is what `dcube sweep
/// --json` prints. Texts in it are shown as they are and never run.
std::string sweep_page(const std::string& title, const std::string& data);

}  // namespace dcube::report
