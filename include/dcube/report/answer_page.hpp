#pragma once

#include <string>

namespace dcube::report {

/// HTML page that shows the answer of `dcube search` or `dcube collective`. `data`: a JSON object
/// of "kind" (search, collective) and "answer", which is what the command prints with --json; that
/// of a search also has "knows_routes" and "pictures" with a name, a map and link_picture_data()
/// each. Texts in it are shown as they are and never run.
std::string answer_page(const std::string& title, const std::string& data);

}  // namespace dcube::report
