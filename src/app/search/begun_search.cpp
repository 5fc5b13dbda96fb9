#include "begun_search.hpp"

#include <fmt/format.h>

#include "search_outputs.hpp"

namespace dcube::app {

BegunSearch::BegunSearch(const SearchRequest& request, const char* command) {
  check_request(request, command);
  outputs_ = plan_outputs(request.outputs, plan_);
  plan_reads(request, plan_);
  interrupt_.emplace();
  subject_ = subject_of(request, *interrupt_);
  if (!subject_) {
    complain(fmt::format("{}: interrupted before the search began", request.scenario.file));
    return;
  }
  plan_.reads(subject_->inputs);
  check_links(outputs_, *subject_->machine);
  watch_.emplace(*interrupt_, request.time_limit, request.display.progress());
}

ExitStatus BegunSearch::end(ExitStatus written, const SearchProblem& problem,
                            const SearchOutcome& outcome) {
  const ExitStatus drawn = draw_search_pictures(outputs_, *subject_, problem, outcome, *interrupt_);
  if (watch_->is_interrupted() || drawn == ExitStatus::interrupted) {
    complain("interrupted; the best map so far is kept");
    return ExitStatus::interrupted;
  }
  return written == ExitStatus::done ? drawn : written;
}

}  // namespace dcube::app
