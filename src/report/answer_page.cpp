#include "dcube/report/answer_page.hpp"

#include "page_filling.hpp"
#include "page_texts.hpp"

namespace dcube::report {

std::string answer_page(const std::string& title, const std::string& data) {
  return filled(answer_template(), {{"title", escaped_html(title)},
                                    {"style", std::string{page_style()}},
                                    {"data", inside_script(data)},
                                    {"format", std::string{format_script()}},
                                    {"colours", std::string{colours_script()}},
                                    {"curves", std::string{curves_script()}},
                                    {"script", std::string{answer_script()}}});
}

}  // namespace dcube::report
