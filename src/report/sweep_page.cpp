#include "dcube/report/sweep_page.hpp"

#include "page_filling.hpp"
#include "page_texts.hpp"

namespace dcube::report {

std::string sweep_page(const std::string& title, const std::string& data) {
  return filled(sweep_template(), {{"title", escaped_html(title)},
                                   {"style", std::string{page_style()}},
                                   {"data", inside_script(data)},
                                   {"format", std::string{format_script()}},
                                   {"curves", std::string{curves_script()}},
                                   {"script", std::string{sweep_script()}}});
}

}  // namespace dcube::report
