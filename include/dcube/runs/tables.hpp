#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/runs/measures.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// A study and the records of its runs. The study must outlive it.
struct StudyResults {
  const Study& study;
  std::vector<const RunRecord*> records;  ///< by run; null: not done

  std::size_t done() const;
  bool is_complete() const { return done() == records.size(); }
  /// Number of runs with each outcome that any had.
  std::vector<std::pair<Outcome, std::size_t>> outcomes() const;
};

/// Runs that differ in their seed alone.
struct SeedGroup {
  std::vector<const StudyValue*> values;  ///< of study.settings(); that of "/seed" is the first
  std::vector<std::size_t> runs;
};

/// Groups in order of their first runs.
std::vector<SeedGroup> seed_groups(const Study& study);

/// A measure over the runs that completed.
Spread spread_in(const StudyResults& results, const SeedGroup& group, const Measure& measure);

/// Ratio of a measure between runs that differ in one setting alone: "standard/xor", or
/// "/program/compute:1s/2s" where several settings have such values.
struct RatioQuestion {
  std::size_t setting = 0;      ///< index in study.settings()
  std::size_t numerator = 0;    ///< index in the setting's values
  std::size_t denominator = 0;  ///< index in the setting's values
  std::string text;  ///< "standard/xor"; with its setting where others have such values, too
};
/// Throws InputError without a place for values that no setting has, or several.
RatioQuestion read_ratio(const Study& study, std::string_view text);

/// The ratios of pairs of runs that completed and are equal in all but the setting asked about and,
/// where a group has several, in the seed of their group.
struct RatioGroup {
  std::vector<const StudyValue*> values;  ///< of study.settings(); of no use at the one asked about
  Spread ratio;
};
std::vector<RatioGroup> ratios_of(const StudyResults& results, const RatioQuestion& question,
                                  const Measure& measure);

/// Columns run, settings, outcome, problem, every measure, makespan_ps, fingerprint and key. They
/// hold the study by reference.
Columns<RunRecord> study_columns(const Study& study);
/// A row for each run that is done: run, settings, outcome, problem, every measure, fingerprint and
/// key. Settings with units are in the unit that their column names.
std::string study_csv(const StudyResults& results);
/// A row for each group of seeds: settings, runs, and of every measure mean, deviation and half of
/// the 95 % interval.
std::string study_summary_csv(const StudyResults& results);
/// Data for gnuplot: a block for each value of `line` (a setting, or none), in it a row for each
/// group in order of `x`: x, mean, half interval, deviation, least, greatest, runs.
std::string study_dat(const StudyResults& results, const Measure& measure, std::size_t x,
                      std::optional<std::size_t> line);

/// The first setting whose values are numbers and which has at least two, else the first with two,
/// but never the seed; nothing where there is none.
std::optional<std::size_t> usual_x(const Study& study);
/// "/embedding" where it is varied, or the next setting that does not change with `x` and is not
/// the seed.
std::optional<std::size_t> usual_line(const Study& study, std::size_t x);

/// The value in the unit of its column: a whole number where all values of the setting are, a
/// number where all are, else a text.
CellValue value_of(const StudySetting& setting, const StudyValue& value);
/// The value as text, in the unit of its column.
std::string cell_of(const StudySetting& setting, const StudyValue& value);

}  // namespace dcube
