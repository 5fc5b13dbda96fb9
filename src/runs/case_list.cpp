#include "dcube/runs/case_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/json_writing.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/scenario/result_json.hpp"
#include "key.hpp"

namespace dcube {

CaseList::CaseList(std::string_view question, std::vector<Case> cases,
                   std::uint64_t largest_run_bytes, const std::set<std::filesystem::path>& files)
    : cases_{std::move(cases)}, largest_run_bytes_{std::max<std::uint64_t>(1, largest_run_bytes)} {
  KeyMaker maker;
  maker.add(question);
  maker.add(version());
  for (const Case& one : cases_) {
    maker.add(one.identity);
  }
  for (const std::filesystem::path& file : files) {
    if (std::error_code ignored; std::filesystem::is_regular_file(file, ignored)) {
      maker.add(content_key(file));
    }
  }
  id_ = maker.key();
  description_ = json_layout({{"id", id_},
                              {"question", question},
                              {"runs", cases_.size()},
                              {"dcube", {{"version", version()}}}});
}

std::string CaseList::key(std::size_t run) const {
  KeyMaker maker;
  maker.add(id_);
  maker.add(cases_[run].identity);
  maker.add(cases_[run].manner);
  return maker.key();
}

RunRecord CaseList::make(std::size_t run) const {
  return made_record(*this, run, cases_[run].make);
}

}  // namespace dcube
