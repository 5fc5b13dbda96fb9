#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcube::report {

/// `json` in a form that is safe inside a script element.
std::string inside_script(const std::string& json);

std::string escaped_html(std::string_view plain);

/// `text` with each {{name}} replaced by its value. Values are not searched for names.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values);

}  // namespace dcube::report
