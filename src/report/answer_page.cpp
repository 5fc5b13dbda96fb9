#include "dcube/report/answer_page.hpp"

#include "page_filling.hpp"
#include "page_texts.hpp"

namespace dcube::report {

std::string answer_page(const std::string& title, const std::string& data) {
  return page_without_library(answer_template(), answer_script(), title, data);
}

}  // namespace dcube::report
