#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/engine/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"
#include "dcube/trace/causal_record.hpp"
#include "dcube/trace/critical_path.hpp"
#include "dcube/trace/waiting_causes.hpp"

namespace dcube {

struct TraceSummary;

/// "--set /program/message=64": a JSON pointer and a JSON value (text that is no JSON is a string).
/// Missing keys are created, "-" appends to a list, and pointers below "/machine/" reach into
/// the machine even where the scenario only names it.
struct Override {
  std::string pointer;
  std::string value;
  std::optional<Setting> setting{};  ///< a value that has been read, in place of the text
};
/// Throws InputError (place "--set") unless `text` is "/pointer=value".
Override parse_override(std::string_view text);

/// A complete experiment, read and checked.
struct Scenario {
  std::string name;    ///< file name without ".json"
  std::string source;  ///< file as given
  std::shared_ptr<const Machine> machine;
  /// What is simulated: `machine`, with its host computer as one more node where the program uses
  /// it.
  std::shared_ptr<const Machine> run_machine;
  Params embedding_settings;
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Program> program;
  Params program_settings;
  std::uint64_t seed = 0;
  Execution execution = Execution::automatic;
  /// The same experiment in one piece, its machine written out; files that it names are relative to
  /// where `source` stands.
  Params document;
};

/// Reads, applies the overrides, checks against the schema and builds. Throws InputError.
Scenario load_scenario(const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {});

/// Checks a document that has been read against the schema and builds it; `file` is where it
/// stands, and what the files that it names are relative to. Throws InputError.
Scenario build_scenario(const Params& document, const std::filesystem::path& file,
                        const std::vector<Override>& overrides = {});

/// Reads a scenario file once, so that many scenarios can be built from it. Throws InputError.
Params read_scenario_document(const std::filesystem::path& file);

/// The file of a scenario: a file, or the name of a scenario that dcube brings along. Throws
/// InputError when there is neither.
std::filesystem::path find_scenario(const std::string& name_or_file);

/// A name in platforms/ or a file. Throws InputError.
std::shared_ptr<const Machine> load_machine(const std::string& name_or_file);

/// An embedding from a catalogue name, a JSON file holding an embedding object, or a map file
/// ("FORMAT:FILE", or a suffix that tells), which is not read yet. Throws InputError.
Params load_embedding_settings(const std::string& name_or_file);
/// An explicit embedding in a map file gets the map that is in it; others stay as they are. Throws
/// InputError that names the file, also when it does not place `processes` (if given).
Params read_embedding_file(const Params& settings, const Topology& topology,
                           std::optional<std::uint32_t> processes = std::nullopt);

enum class DocumentKind { machine, scenario, experiments, task_graph };
/// Checks one file of any kind completely (as loading does) and says which it was. Throws
/// InputError.
DocumentKind validate_document(const std::filesystem::path& file);

/// Where dcube keeps platforms/, scripts/ and the like, most specific first: $DCUBE_DATA, where it
/// was installed, its source tree. Not each of them need be there.
std::vector<std::filesystem::path> data_folders();

/// Names of the machines in platforms/, sorted, with their one-line description of the network.
std::vector<std::pair<std::string, std::string>> list_machines();

/// Why a run took as long as it did.
struct RunExplanation {
  CriticalPath path;
  WaitingCauses waiting;
};

/// What is printed in results beyond the engine's own report.
struct RunResult {
  RunReport report;
  std::optional<bool> verified;
  std::optional<Theory> theory;
  std::optional<Ticks> sequential_time;            ///< see sequential_time_of()
  std::vector<std::uint32_t> stage_dilation_max;   ///< longest route of a message, by stage
  std::vector<std::uint64_t> stage_link_load_max;  ///< most messages over one link, by stage
  std::optional<RunExplanation> explanation;       ///< where it was asked for: see explain_run()
};

/// The node of each process of a run, the host computer's last where the program uses it.
std::vector<NodeId> run_map(const Scenario& scenario);

/// What decides how much memory run_scenario() takes.
RunSize run_size(const Scenario& scenario);

/// Runs the scenario in this process (see simulate()) and checks its answer. Throws MemoryError
/// before it starts when the run cannot fit.
RunResult run_scenario(Scenario& scenario, Observer* observer = nullptr, RunProgress progress = {});

/// Explains a run of the scenario that `record` observed.
RunExplanation explain_run(const Scenario& scenario, const CausalRecord& record,
                           const RunReport& report);

/// The part `critical_path` of a result, JSON on one line; lists are cut after `most_listed`
/// entries.
std::string run_explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                 std::size_t most_listed);

/// After a deadlock: processes that await each other in a ring, each the next, the last the first.
/// Empty when there is no such ring (somebody awaits a process that has ended).
std::vector<ProcessId> waiting_cycle(const RunReport& report);

enum class ListOutput { when_small, always };
/// The result object of `dcube run`, indented JSON with a final newline. Unless `always`, the map,
/// and a scenario's document that holds one, are left out above 4096 processes, the loads of single
/// links and nodes above 4096 nodes, and the lists of an explanation are cut after 4096 entries.
std::string run_result_json(const Scenario& scenario, const RunResult& result,
                            ListOutput lists = ListOutput::when_small);

/// The result object of `dcube embed`. `compute` and `message_hop` are the costs of its "cc" part,
/// which is null when the guest is no cube.
std::string embed_result_json(const Topology& topology, const Guest& guest,
                              const Embedding& embedding, Ticks compute, Ticks message_hop,
                              ListOutput lists = ListOutput::when_small);

/// The summary object of `dcube trace`, indented JSON with a final newline; lists of more than 4096
/// processes or links are left out unless `always`.
std::string trace_summary_json(const TraceSummary& summary,
                               ListOutput lists = ListOutput::when_small);

/// The result object of `dcube embed --traffic`.
std::string traffic_result_json(const Machine& machine, const Traffic& traffic,
                                const Embedding& embedding,
                                ListOutput lists = ListOutput::when_small);

/// Writes the whole file or nothing, see WholeFile. Throws InputError when it cannot.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace dcube
