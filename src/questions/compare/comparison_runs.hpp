#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compared_run.hpp"
#include "dcube/questions/compare.hpp"

namespace dcube {

/// The runs of a comparison, and what is known of them so far.
class ComparisonRuns {
 public:
  /// Builds all scenarios but those on draws of failures after the first. Throws InputError.
  explicit ComparisonRuns(CompareRequest request);
  ComparisonRuns(const ComparisonRuns&) = delete;
  ComparisonRuns& operator=(const ComparisonRuns&) = delete;

  /// Gives each result a file of its own below `folder`/runs. For runs that are watched, the
  /// RunWatcher of `watch` writes another. Must be called before cases().
  using Watch = std::function<std::unique_ptr<RunWatcher>(const std::filesystem::path& file,
                                                          const Scenario& scenario)>;
  void keep_files(const std::filesystem::path& folder,
                  const std::function<bool(const ComparisonRow&)>& is_watched, const Watch& watch);
  /// "runs/xor.json"
  static std::string result_of(const std::string& label) { return "runs/" + label + ".json"; }
  static std::string trace_of(const std::string& label) { return "runs/" + label + "-trace.csv"; }

  const CompareRequest& request() const { return request_; }
  std::span<const ComparedRun> runs() const { return runs_; }
  std::string label(const ComparedRun& run) const { return run.label(request_.thing()); }

  /// The runs that can be made.
  const Cases& cases();
  /// Keeps the record of one of these runs.
  const ComparedRun& take(const RunRecord& record);
  /// The comparison, with the rows of the runs that have ended.
  const Comparison& comparison() const { return comparison_; }

 private:
  void describe();
  void take_rows();

  CompareRequest request_;
  std::vector<ComparedRun> runs_;
  std::vector<std::size_t> made_;  ///< index among `runs_` of each case
  std::optional<CaseList> cases_;
  std::optional<MakespanBound> closed_bound_;
  Comparison comparison_;
};

}  // namespace dcube
