#pragma once

#include <string_view>

namespace dcube::report {

/// Files of page/ and the visualisation library, compiled in by the build.
std::string_view page_template();
std::string_view page_style();
std::string_view page_script();
std::string_view page_charts();
std::string_view vega_library();
/// Texts of the page of a sweep.
std::string_view sweep_template();
std::string_view sweep_script();
/// Texts of the page of a search or of a collective operation.
std::string_view answer_template();
std::string_view answer_script();
/// Scripts of several pages: numbers and times, colours, curves.
std::string_view format_script();
std::string_view colours_script();
std::string_view curves_script();

}  // namespace dcube::report
