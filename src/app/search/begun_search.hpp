#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "app/terminal/output.hpp"
#include "runs/interrupt.hpp"
#include "search_children.hpp"
#include "search_request.hpp"

namespace dcube::app {

/// How `dcube search` and `dcube place` begin, and how they end. The request must outlive it.
class BegunSearch {
 public:
  /// Checks the request of `command`, plans what is read and written, and finds what is searched.
  /// Throws InputError.
  BegunSearch(const SearchRequest& request, const char* command);

  /// False: SIGINT has come before, which is complained of.
  bool has_subject() const { return subject_.has_value(); }
  const Subject& subject() const { return *subject_; }
  OutputPlan& plan() { return plan_; }
  const std::vector<NamedOutput>& outputs() const { return outputs_; }
  SearchWatch& watch() { return *watch_; }

  /// Draws the pictures once `written` says how the files ended. Complains of an interrupt.
  ExitStatus end(ExitStatus written, const SearchProblem& problem, const SearchOutcome& outcome);

 private:
  OutputPlan plan_;
  std::vector<NamedOutput> outputs_;
  std::optional<InterruptWatch> interrupt_;
  std::optional<Subject> subject_;
  std::optional<SearchWatch> watch_;
};

}  // namespace dcube::app
