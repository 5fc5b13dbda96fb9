#pragma once

#include <string_view>

namespace dcube::report {

/// Files of page/ and the visualisation library, compiled in by the build.
std::string_view page_template();
std::string_view page_style();
std::string_view page_script();
std::string_view page_charts();
std::string_view vega_library();
/// Texts of the page of a sweep; format_script() is also in the page of results.
std::string_view sweep_template();
std::string_view sweep_script();
std::string_view format_script();

}  // namespace dcube::report
