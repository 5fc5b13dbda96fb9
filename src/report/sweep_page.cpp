#include "dcube/report/sweep_page.hpp"

#include "page_filling.hpp"
#include "page_texts.hpp"

namespace dcube::report {

std::string sweep_page(const std::string& title, const std::string& data) {
  return page_without_library(sweep_template(), sweep_script(), title, data);
}

}  // namespace dcube::report
