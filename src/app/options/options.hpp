#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/progress.hpp"
#include "command_line.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

// Options that several commands have. Each is described and read here alone, so it has one name and
// one default in all of them. An option that is not given is an empty text.

Option add_scenario_argument(Parser& parser, ScenarioRequest& options);
/// Adds --set, --embedding and --hosts.
void add_scenario_changes(Parser& parser, ScenarioRequest& options);
/// Adds --set, --hosts and --embedding, which takes a list here. `purpose`: what they are for.
void add_scenario_changes(Parser& parser, ScenarioRequest& options,
                          std::vector<std::string>& embeddings,
                          const std::string& purpose =
                              "embeddings to compare: names, JSON or map files, or own, the "
                              "scenario's (default: all that fit but random and weighted_xor, "
                              "block and cyclic where nodes have several slots, and own)");
/// --embedding of several.
Option add_embeddings_option(Parser& parser, std::vector<std::string>& embeddings,
                             const std::string& purpose);
void add_hosts_option(Parser& parser, std::string& hosts);
/// Options for showing results.
struct DisplayOptions {
  bool json = false;   ///< JSON in place of text
  bool full = false;   ///< maps, lists and tables whatever their size
  bool quiet = false;  ///< neither a summary nor progress

  ListOutput lists() const { return full ? ListOutput::always : ListOutput::when_small; }
  ProgressOutput progress() const {
    return quiet ? ProgressOutput::off : ProgressOutput::on_terminal;
  }
  /// The text to print; only the one that is needed is made.
  template <class Json, class Text>
  std::string shown(Json make_json, Text make_text) const {
    return json ? make_json() : quiet ? std::string{} : make_text();
  }
};
Option add_json_option(Parser& parser, DisplayOptions& options);
void add_quiet_option(Parser& parser, DisplayOptions& options);
/// Adds --full, --quiet and --json. Returns --json.
Option add_display_options(Parser& parser, DisplayOptions& options);

// Readers of option texts. Each throws InputError with an empty place.
/// `least` .. `most`. `what`: "a number of seeds" completes "x is not ..".
std::uint32_t whole_number(const std::string& text, std::uint32_t least, std::uint32_t most,
                           const std::string& what);
std::uint32_t positive_int(const std::string& text);
/// Whole picoseconds.
Ticks duration(const std::string& text);
std::uint64_t seed_number(const std::string& text);

/// Adds --jobs.
using JobsOption = std::optional<std::uint32_t>;
void add_jobs_option(Parser& parser, JobsOption& jobs);

/// Adds --time-limit, a positive time.
using TimeLimitOption = std::optional<std::chrono::nanoseconds>;
void add_time_limit_option(Parser& parser, TimeLimitOption& limit, const std::string& help);

/// Adds --prove, a positive time.
void add_prove_option(Parser& parser, TimeLimitOption& time);

/// Adds --window. `use` gets where it begins and ends.
Option add_window_option(Parser& parser, const std::function<void(Ticks, Ticks)>& use,
                         const std::string& help);

void add_seed_option(Parser& parser, std::uint64_t& seed, const std::string& help);

/// Adds --compute and --hop, costs of the CC d-cube algorithm.
void add_cc_cost_options(Parser& parser, std::optional<Ticks>& compute, std::optional<Ticks>& hop);

/// Line that says how far the files of programs have been read. The destructor removes it.
class ReadingProgress {
 public:
  explicit ReadingProgress(ProgressOutput output)
      : progress_{std::make_shared<Progress>(output, "reading")} {}
  /// Listener that may outlive this; it then says nothing.
  ReadingListener listener() const;

 private:
  std::shared_ptr<Progress> progress_;
};
/// load() with such a line.
Scenario load_showing_progress(ScenarioRequest request, ProgressOutput output);

/// A number of processes whose table is too long to print unasked is refused at --processes.
void check_table_size(const DisplayOptions& options, std::uint64_t processes);

/// The files of machines, where they are names or files.
std::vector<std::filesystem::path> machine_files(const std::vector<std::string>& machines);

/// `text` as a shell takes it for one word.
std::string quoted(const std::string& text);

/// The request as it is written on a shell's command line.
std::string quoted_arguments(const ScenarioRequest& request);

}  // namespace dcube::app
