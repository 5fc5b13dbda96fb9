#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// "/program/message=64": a JSON pointer and a JSON value (text that is no JSON is a string).
/// Missing keys are created, "-" appends to a list, and pointers below "/machine/" reach into
/// the machine even where the scenario only names it.
struct Override {
  std::string pointer;
  std::string value;
  std::optional<Setting> setting{};  ///< a value that has been read, in place of the text
  std::filesystem::path file{};      ///< where it has been read, if in a file
};
/// Throws InputError (place ".set") unless `text` is "/pointer=value".
Override parse_override(std::string_view text);

/// A complete experiment, read and checked.
struct Scenario {
  std::string name;    ///< file name without ".json"
  std::string source;  ///< file as given
  std::shared_ptr<const Machine> machine;
  /// The simulated machine: `machine`, with its host computer as one more node where the program
  /// uses it.
  std::shared_ptr<const Machine> run_machine;
  Params embedding_settings;
  std::unique_ptr<Embedding> embedding;
  std::shared_ptr<Program> program;
  Params program_settings;
  std::uint64_t seed = 0;
  Execution execution = Execution::automatic;
  Jitter jitter;
  /// The experiment as one document, its machine written out; files that it names are relative to
  /// where `source` stands.
  Params document;
  /// Values that overrides put in place of the file's own, by JSON pointer.
  Params overridden;
  /// Every file that was read: the scenario itself, and those of machine, map, hosts and program.
  std::vector<std::filesystem::path> inputs;
  /// Those `inputs` that settings of the program name, by JSON pointer in the document.
  std::map<std::string, std::filesystem::path> program_inputs;
};

/// The machine and the program of a scenario, for the next of the same document: a program may be a
/// large file.
struct ScenarioParts {
  Params document;  ///< of the scenario that these are from
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<Program> program;
  std::map<std::string, std::filesystem::path> program_inputs;
};

/// The file of a scenario: a file, or the name of a scenario that dcube brings along. Throws
/// InputError when there is neither.
std::filesystem::path find_scenario(const std::string& name_or_file);

/// Names of the scenarios that dcube brings along, sorted, with their descriptions.
std::vector<std::pair<std::string, std::string>> list_scenarios();

/// Reads a scenario file once, so that many scenarios can be built from it. Throws InputError.
Params read_scenario_document(const std::filesystem::path& file);

/// Applies the overrides to a document that has been read and builds it; `file` is where it stands,
/// and what the files that it names are relative to. `on_reading` hears how far the files of the
/// program have been read. `parts`, where given, are taken over if these settings make the same,
/// and become those of this scenario. Scenarios of the same parts share a program, so each must run
/// in a process of its own. Throws InputError, also for two overrides of one pointer.
Scenario build_scenario(const Params& document, const std::filesystem::path& file,
                        const std::vector<Override>& overrides = {},
                        const ReadingListener& on_reading = {}, ScenarioParts* parts = nullptr);

/// read_scenario_document() and build_scenario() in one.
Scenario load_scenario(const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {});

}  // namespace dcube
