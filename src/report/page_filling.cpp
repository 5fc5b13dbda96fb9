#include "page_filling.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"
#include "dcube/report/answer_page.hpp"
#include "dcube/report/sweep_page.hpp"
#include "page_texts.hpp"

namespace dcube::report {

// A '<', which JSON has in strings alone, could begin an end tag.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    text += c == '<' ? std::string_view{"\\u003c"} : std::string_view{&c, 1};
  }
  return text;
}

std::string escaped_html(std::string_view plain) {
  std::string text;
  for (const char c : plain) {
    text += c == '<'   ? std::string_view{"&lt;"}
            : c == '>' ? std::string_view{"&gt;"}
            : c == '&' ? std::string_view{"&amp;"}
                       : std::string_view{&c, 1};
  }
  return text;
}

std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find("{{");
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) {
      return result;
    }
    const std::size_t end = text.find("}}", begin);
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    expects(value != values.end(), "every place of the template has a value");
    result += value->second;
    text.remove_prefix(end + 2);
  }
}

namespace {

/// The template `page` of a page that draws without Vega, with its own script and the shared ones.
/// `data` is JSON.
std::string page_without_library(std::string_view page, std::string_view script,
                                 const std::string& title, const std::string& data) {
  return filled(page, {{"title", escaped_html(title)},
                       {"style", std::string{page_style()}},
                       {"data", inside_script(data)},
                       {"format", std::string{format_script()}},
                       {"colours", std::string{colours_script()}},
                       {"curves", std::string{curves_script()}},
                       {"script", std::string{script}}});
}

}  // namespace

std::string answer_page(const std::string& title, const std::string& data) {
  return page_without_library(answer_template(), answer_script(), title, data);
}

std::string sweep_page(const std::string& title, const std::string& data) {
  return page_without_library(sweep_template(), sweep_script(), title, data);
}

}  // namespace dcube::report
