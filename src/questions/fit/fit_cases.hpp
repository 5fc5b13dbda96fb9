#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/questions/fit.hpp"
#include "measured.hpp"

namespace dcube {

/// A complaint about a scenario that no user has written, in words that do without it.
std::string fit_problem(const InputError& error);

/// What is simulated for a measured row.
struct FitCase {
  Params document{};  ///< the scenario; empty where the row has a problem
  std::uint64_t memory_bytes = 1;
};

/// Makes scenarios of measured rows, all with the costs of one machine.
class FitCases {
 public:
  /// `settings`: of every scenario. Throws InputError.
  FitCases(Params machine, std::vector<std::string> settings);

  /// Fills in the row's group, question, bytes and problem.
  FitCase of(const MeasuredRow& measured, FitRow& row);
  const std::vector<std::filesystem::path>& inputs() const { return inputs_; }
  /// The problem of the first row that could be used without the settings; empty: there is none.
  const std::string& settings_problem() const { return settings_problem_; }

 private:
  /// A machine with the costs and a network of its own.
  struct Host {
    Params document;
    std::shared_ptr<const Machine> machine;
  };

  const Host& host(const std::string& network);
  Params program_of(const MeasuredRow& measured, FitRow& row, const Machine& machine) const;

  Params machine_;
  std::vector<std::string> settings_;
  std::map<std::string, Host> hosts_;  ///< by network; "": the machine's own
  std::vector<std::filesystem::path> inputs_;
  std::string settings_problem_;
};

}  // namespace dcube
