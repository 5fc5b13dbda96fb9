#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"

namespace dcube {

/// Measured times, and the values of a machine that are to explain them. Complaints name the
/// fields: ".vary".
struct FitRequest {
  std::string machine;                       ///< a name, a file, a network such as "torus:8x8"
  std::optional<Params> machine_document{};  ///< the machine itself
  /// Tables with a row for each time, or what nccl-tests, the OSU micro-benchmarks or mpiBench
  /// print.
  std::vector<std::string> measured{};
  /// Times and bandwidths to find, "/link/latency" or with bounds "/link/latency=10ns:2us". JSON
  /// pointers into the machine, or into the scenario where they begin with "/program". None: the
  /// machine is held against the times as it is.
  std::vector<std::string> vary{};
  std::vector<std::string> columns{};   ///< of all rows that have none: "algorithm=ring"
  std::string time{};                   ///< the column of times; empty: the one that looks like it
  std::vector<std::string> settings{};  ///< of every scenario: "/machine/link/latency=1us"
};

/// A value that was varied. Numbers are seconds, of a bandwidth bytes a second.
struct FittedValue {
  std::string pointer;  ///< as asked for
  bool is_bandwidth = false;
  std::string before{};           ///< as the machine has it; empty: it has none
  std::string text{};             ///< as it stands in the machine now: "1.2345us"
  double value = 0;               ///< what `text` says
  std::optional<double> least{};  ///< bound that was asked for
  std::optional<double> most{};   ///< bound that was asked for
  bool is_at_bound = false;       ///< also of times: 0
  /// Standard error / value, from fits that leave rows out (delete-a-group jackknife); nothing for
  /// fewer than two rows a value, at a bound, and where values are not told apart.
  std::optional<double> relative_error{};
  /// Change of times, root of the mean square, when the value alone doubles.
  double effect = 0;
};

/// Values that the times cannot tell apart: changed together, against each other or not, they
/// change the times hardly.
struct IndistinctValues {
  std::vector<std::string> pointers;
  double effect = 0;  ///< relative change of times when these values change by their size
};

/// A measured time beside the simulated one.
struct FitRow {
  std::string place;                     ///< "osu.txt: line 12"
  std::string group;                     ///< "allreduce ring torus:4x4"
  std::string question;                  ///< the group without its algorithm
  std::optional<std::uint64_t> bytes{};  ///< as the program takes them
  double measured_s = 0;                 ///< 0: it could not be read
  double simulated_s = 0;                ///< 0 where there is a problem
  std::string problem{};                 ///< why the row counts nowhere

  bool is_used() const { return problem.empty(); }
  /// simulated / measured - 1.
  double error() const { return simulated_s / measured_s - 1; }
};

/// Errors of some rows.
struct FitErrors {
  std::string group;  ///< empty: all rows
  std::size_t rows = 0;
  double median = 0;        ///< of |error|
  double bias = 0;          ///< median of the error
  double ninth_tenth = 0;   ///< 9 of 10 rows have at most this |error|
  double within_tenth = 0;  ///< share of rows with |error| <= 0.1
  double within_third = 0;  ///< share of rows with |error| <= 0.3
};

/// Whether the simulation ranks algorithms as the measurement does. A case is a collective at one
/// size on one network, measured with several algorithms.
struct FitRanking {
  std::size_t cases = 0;
  /// Cases in which the fastest simulated is measured within 10 % of the fastest.
  std::size_t right = 0;
  std::size_t pairs = 0;  ///< of algorithms that were measured more than 10 % apart
  std::size_t pairs_right = 0;
};

/// Rows left out for one reason.
struct LeftOutRows {
  std::string problem;
  std::string first;  ///< place of the first
  std::size_t rows = 0;
};

struct FitAnswer {
  FitRequest request;
  std::string machine;                ///< its name
  Params document{};                  ///< the machine with the values
  std::vector<FittedValue> values{};  ///< in the order of the request
  std::vector<FitRow> rows{};         ///< all, in the order of the files
  std::vector<FitErrors> groups{};    ///< in the order of their first rows
  FitErrors all{};
  FitErrors before{};  ///< of all rows with the values that the machine had
  FitRanking ranking{};
  std::vector<IndistinctValues> indistinct{};
  std::vector<std::string> unused{};    ///< columns of files that say nothing to dcube
  std::vector<LeftOutRows> left_out{};  ///< most rows first
  std::vector<std::filesystem::path> inputs{};
  std::size_t runs = 0;  ///< simulations that were made
  RunsEnd end = RunsEnd::complete;

  bool is_complete() const { return end == RunsEnd::complete; }
};

/// Finds the values for which the simulated times are nearest to the measured ones. The sum over
/// rows of 2 c^2 (sqrt(1 + (r/c)^2) - 1) is least, with r = ln(simulated / measured) and c = 0.1:
/// squares of small errors, and the size of large ones (pseudo-Huber). Levenberg-Marquardt steps
/// with differences as derivatives; simulated times are mostly linear in each cost.
///
/// The same request has the same answer, whatever `limits.at_once`. A row that cannot be simulated
/// is left out and counted. Throws InputError.
FitAnswer fit(const FitRequest& request, const SimulationLimits& limits = {},
              const std::function<void(const FitAnswer& begun)>& on_begin = {});

/// The machine with its values as a JSON text; its description says what they are from.
std::string fitted_machine_json(const FitAnswer& answer, const std::string& name);
/// The answer as a JSON text.
std::string fit_json(const FitAnswer& answer);
/// CSV with a line for each row.
std::string fit_csv(const FitAnswer& answer);

}  // namespace dcube
