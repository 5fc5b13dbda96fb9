#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "dcube/runs/cases.hpp"

namespace dcube {

/// Cases that a question lists one by one.
class CaseList final : public Cases {
 public:
  struct Case {
    /// Text that tells the run from others: its document, above all.
    std::string identity;
    /// Conditions that its record depends on as well. One folder may hold records of several.
    std::string manner;
    /// Makes the run; its number and key are filled in. May throw InputError.
    std::function<RunRecord()> make;
  };

  /// `question`: "comparison". `files`: all runs depend on their contents. A pipe is left out,
  /// because it can be read only once. Throws InputError for a file that cannot be read.
  CaseList(std::string_view question, std::vector<Case> cases, std::uint64_t largest_run_bytes,
           const std::set<std::filesystem::path>& files = {});

  std::size_t run_count() const override { return cases_.size(); }
  std::string key(std::size_t run) const override;
  RunRecord make(std::size_t run) const override;
  const std::string& id() const override { return id_; }
  const std::string& description() const override { return description_; }
  std::uint64_t largest_run_bytes() const override { return largest_run_bytes_; }
  bool has_keys_by_id() const override { return false; }

 private:
  std::vector<Case> cases_;
  std::string id_;
  std::string description_;
  std::uint64_t largest_run_bytes_;
};

}  // namespace dcube
