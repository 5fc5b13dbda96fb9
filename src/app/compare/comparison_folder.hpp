#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/output_plan.hpp"

namespace dcube::app {

/// The folder that a comparison is written to: comparison.json and other tables, and below runs/
/// the result and the trace of each run. It never holds the runs of two comparisons.
class ComparisonFolder {
 public:
  enum class Replacement { refused, forced };

  /// Makes the folder. Throws InputError when that is impossible, and when the folder holds another
  /// comparison unless its replacement is forced. `id`: see Comparison.
  ComparisonFolder(std::filesystem::path folder, std::string_view id, Replacement replacement);

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  /// Tells the plan the names of files in the folder.
  void plan(OutputPlan& plan, const std::vector<std::string>& names) const;

  bool is_replaced() const { return is_replaced_; }
  /// Removes the files of a comparison that is to be replaced, as far as its comparison.json names
  /// them. Throws InputError when it cannot.
  void remove_replaced();

 private:
  std::filesystem::path folder_;
  bool is_replaced_ = false;
  std::vector<std::filesystem::path> replaced_;  ///< files to remove
};

}  // namespace dcube::app
