#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/runs/cases.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// A value that a setting takes in a study.
struct StudyValue {
  std::string text;  ///< as written: "10ms", "xor", "[4,4]"
  Override change;
  /// Number in the unit that the setting's column names, or as it stands; nothing for a text.
  std::optional<double> number{};
};

/// A setting that changes from run to run.
struct StudySetting {
  std::string pointer;  ///< "/program/compute"
  std::string column;   ///< in tables, with a unit where the values have one: "compute_s"
  std::vector<StudyValue> values;
  std::string place;  ///< where it is written, for complaints: "--vary /program/compute"

  bool is_seed() const { return pointer == "/seed"; }
  /// Whether all values are numbers, with or without units.
  bool is_numeric() const { return has_numbers; }
  bool has_numbers = false;
  bool has_whole_numbers = false;  ///< 0 .. 2^64-1, without a unit
  std::string long_column{};       ///< where other settings have the same column
};

/// One setting, or several that go through their values together (equally many each).
struct StudyAxis {
  std::vector<StudySetting> settings;
  std::size_t size() const { return settings.front().values.size(); }
};

/// Plan of a study. Pointers are JSON pointers into the scenario.
struct StudyPlan {
  std::string name;            ///< of the study, for titles and folders
  std::filesystem::path file;  ///< where the scenario stands; files it names are relative to it
  Params scenario;             ///< the document
  std::vector<Override> changes{};      ///< of every run
  std::vector<StudyAxis> axes{};        ///< the last changes fastest
  std::vector<std::string> where{};     ///< conditions such as "/program/message <= 64KiB"
  std::vector<std::string> measures{};  ///< shown first; empty: the usual ones
  // As a SweepRequest has them:
  std::vector<std::string> ratios{};
  std::string x{};
  std::string lines{};
};

/// The values of a setting as a command line lists them: "xor,gray", "lin:1:9:5",
/// "1s,log:10ms:100s:21". The values of "/embedding" may be files, whose nodes are called as
/// `hosts` says. Throws InputError at `place`.
StudySetting read_study_setting(const StudyPlan& plan, std::string_view place,
                                const std::string& pointer, const std::string& values,
                                const std::string& hosts = {});

/// The setting "/seed" with the values 1 .. count. Throws InputError at `place` for more than a
/// study may have.
StudySetting study_seeds(std::uint32_t count, std::string place = ".seeds");

/// Reads a study file (schema/study.schema.json), or makes a plan without axes of a scenario file
/// or name. Throws InputError.
StudyPlan load_study_plan(const std::string& name_or_file);
/// A study from its document, which stands in `file`. Throws InputError.
StudyPlan read_study_file(const Params& document, const std::filesystem::path& file);

/// Whether the file is the JSON of a study. Throws InputError when it cannot be read.
bool is_study_file(const std::filesystem::path& file);

/// Many runs of one scenario: every combination of the values of the axes for which all conditions
/// hold, in order. Immutable; a run is known by its number, 0 .. run_count()-1.
class Study final : public Cases {
 public:
  /// Checks the plan: axes and conditions mean something, every value of every axis is readable,
  /// and at least one run can be built. Throws InputError.
  explicit Study(StudyPlan plan);
  /// The study that gave description(), for reading results: its runs cannot be built. Throws
  /// InputError at `place` for any other text.
  static Study described(const std::string& description, std::string_view place);
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
  Study(Study&&) = default;

  const StudyPlan& plan() const { return plan_; }
  std::size_t run_count() const override { return is_whole_ ? combinations_ : kept_.size(); }
  /// Number of combinations, with those that conditions leave out.
  std::size_t combination_count() const { return combinations_; }
  /// The settings of all axes, in order: the columns of tables.
  const std::vector<const StudySetting*>& settings() const { return settings_; }
  /// The axis of a setting; those that go through their values together share one.
  std::size_t axis_of(std::size_t setting) const;
  /// The values of a run, one for each of settings().
  std::vector<const StudyValue*> values(std::size_t run) const;
  std::vector<Override> overrides(std::size_t run) const;
  /// Builds the scenario of a run. Throws InputError where the settings do not fit each other.
  Scenario build(std::size_t run) const;
  /// Depends on the whole scenario of the run, on the contents of all files that the study reads
  /// and on the version of dcube.
  std::string key(std::size_t run) const override;
  RunRecord make(std::size_t run) const override;

  const std::string& id() const override { return id_; }
  const std::string& description() const override { return description_; }
  /// Every file that was read to check the study.
  const std::vector<std::filesystem::path>& inputs() const { return inputs_; }
  /// Maximum over the runs that were checked.
  std::uint64_t largest_run_bytes() const override { return largest_run_bytes_; }

 private:
  Study() = default;
  void list_settings();
  std::vector<std::size_t> choices(std::size_t run) const;
  void check_axes() const;
  void keep_runs();
  void check_values();
  void describe();

  StudyPlan plan_;
  Params base_;  ///< the scenario with the changes of every run, its machine written out
  std::vector<const StudySetting*> settings_;
  std::size_t combinations_ = 1;
  bool is_whole_ = true;             ///< no condition leaves anything out
  std::vector<std::uint64_t> kept_;  ///< combinations, when not whole
  std::vector<std::filesystem::path> inputs_;
  std::uint64_t largest_run_bytes_ = 1;
  std::string base_key_;  ///< key of the settings that all runs share
  std::string id_;
  std::string description_;
};

}  // namespace dcube
