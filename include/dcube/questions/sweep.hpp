#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/interrupt.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/runs/tables.hpp"

namespace dcube {

class RunStore;

/// Sweep that is asked for. Texts are as on the command line of `dcube sweep`.
struct SweepRequest {
  ScenarioRequest scenario{};             ///< its file may be a study
  std::vector<std::string> embeddings{};  ///< names, JSON or map files; empty: the scenario's
  std::vector<std::string> vary{};        ///< "/pointer=values"
  std::vector<std::string> zip{};         ///< the same; these go through their values together
  std::vector<std::string> where{};       ///< conditions
  std::optional<std::uint32_t> seeds{};   ///< each run is made with the seeds 1 to this one
  std::string jitter{};                   ///< how much times vary; empty: as the scenario says
  std::vector<std::string> measures{};    ///< shown; empty: the study's, or usual_measures()
  std::vector<std::string> ratios{};      ///< "A/B", or "/pointer:A/B"
  std::string x{};                        ///< setting of the horizontal axis; empty: usual_x()
  std::string lines{};             ///< setting with a curve for each value; empty: usual_line()
  std::filesystem::path output{};  ///< folder that keeps the results; empty: NAME-sweep-ID
};

/// Selection of a study's results to show.
struct SweepView {
  std::vector<const Measure*> measures{};  ///< the first is the one of pictures; at least one
  std::vector<RatioQuestion> ratios{};
  std::optional<std::size_t> x{};     ///< setting of the horizontal axis of pictures
  std::optional<std::size_t> line{};  ///< setting with a curve for each value
};

/// Runs that did not complete, all for one reason.
struct SweepFailure {
  Outcome outcome;
  std::string problem;
  std::size_t first;  ///< run
  std::size_t runs;   ///< number of runs
};

/// State of a folder on which commands may work.
struct SweepStatus {
  std::vector<StoreSession> sessions;  ///< commands
  std::size_t running = 0;             ///< runs that living commands work on
  std::size_t open = 0;                ///< runs that nobody has begun
};

/// A study, what of it is shown, and what came of its runs.
class Sweep {
 public:
  /// Checks everything that is asked for; writes nothing. Throws InputError.
  explicit Sweep(const SweepRequest& request);
  /// Of a study that has been read; `request` says what is shown.
  Sweep(Study study, const SweepRequest& request);
  /// The sweep that the folder `request.output` holds: its runs cannot be made. Throws InputError,
  /// at `place` for the folder.
  static Sweep kept(const SweepRequest& request, std::string_view place);
  Sweep(Sweep&& other) noexcept;
  Sweep& operator=(Sweep&& other) noexcept;
  ~Sweep();

  const Study& study() const { return *study_; }
  const SweepView& view() const { return view_; }
  const std::filesystem::path& folder() const { return folder_; }

  /// Opens the folder, and makes it if need be. Throws InputError.
  void open();
  /// Makes the runs that the folder lacks, in child processes; ranks of MPI but 0 work for rank 0
  /// and open no folder. Throws InputError.
  RunsEnd make_runs(const SimulationLimits& limits, const InterruptWatch& interrupt);
  /// Files of an open folder that runs alone write.
  std::vector<std::filesystem::path> record_files() const;
  /// Number of runs that an open folder holds.
  std::size_t done_count() const;
  /// Records so far. The sweep must outlive them.
  StudyResults results();
  SweepStatus status();

 private:
  Sweep(Study study, const SweepRequest& request, std::string_view place);

  std::unique_ptr<const Study> study_;  // stays where it is, for the store and for results
  SweepView view_;
  std::filesystem::path folder_;
  std::string place_;  ///< of complaints about the folder
  std::unique_ptr<RunStore> store_;
};

/// Names of the measures that are shown by default.
std::vector<std::string> usual_measures();

/// Why runs did not complete, a reason each, in order of outcomes and texts.
std::vector<SweepFailure> sweep_failures(const StudyResults& results);

/// JSON for programs, pictures and the page: every group of seeds with every measure.
std::string sweep_json(const StudyResults& results, const SweepView& view);
/// The state of a folder and of the commands that work on it.
std::string sweep_status_json(Sweep& sweep);

}  // namespace dcube
