#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// The scenario a command works on, as its options describe it.
struct ScenarioOptions {
  std::string file;
  std::vector<std::string> settings;  ///< --set
  std::string hosts{};                ///< --hosts: what nodes are called in map files
};

/// Adds SCENARIO and --set.
void add_scenario_options(CLI::App& command, ScenarioOptions& options);

/// Adds --hosts.
void add_hosts_option(CLI::App& command, std::string& hosts);
/// Throws InputError when --hosts is given, but none of the embeddings is a map file.
void check_hosts_option(const std::string& hosts, const std::vector<std::string>& embeddings);

/// Adds an option that takes names separated by commas and may be repeated.
CLI::Option* add_name_list(CLI::App& command, const std::string& option,
                           std::vector<std::string>& names, const std::string& help);

/// Adds an option that takes numbers separated by commas and may be repeated.
CLI::Option* add_number_list(CLI::App& command, const std::string& option,
                             std::vector<std::string>& numbers, const std::string& help);

/// Adds --jobs.
void add_jobs_option(CLI::App& command, std::string& jobs);
/// Simulations at a time: as many as asked for, or one a processor, but no more than fit in memory.
std::size_t jobs_option(const std::string& jobs, std::uint64_t bytes_of_a_job);

/// Reads the scenario with its settings, and with another embedding unless `embedding` (a catalogue
/// name or a file) is empty. Throws InputError.
Scenario load(const ScenarioOptions& options, const std::string& embedding = {});

/// Runs `read`; what it complains about happened at `place`, an option.
template <class Read>
auto at(std::string_view place, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(place, error.problem());
  }
}

/// Runs `read`; what it complains about happened at `place` unless it names a place itself.
template <class Read>
auto at_least_at(std::string_view place, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(error.place().empty() ? place : error.place(), error.problem());
  }
}

/// Before a long run rather than after it: throws InputError at the option unless the folder of the
/// file is there.
void check_output_folder(const std::string& file, std::string_view option = "--output");

/// A machine's name or file, or a bare network such as "torus:8x8" (its kind and the one parameter
/// that it requires), on which a message takes `hop` over every link. `place`: the option.
std::shared_ptr<const Machine> machine_option(std::string_view place, const std::string& machine,
                                              Ticks hop = std::chrono::seconds{1});

/// A catalogue name, a JSON file or a map file, whose nodes are called as `hosts` (--hosts) says.
Params embedding_option(const std::string& name_or_file, const std::string& hosts = {});
std::uint32_t positive_int_option(std::string_view option, const std::string& text);
std::uint64_t seed_option(std::string_view option, const std::string& text);
/// Whole picoseconds.
Ticks duration_option(std::string_view option, const std::string& text);

}  // namespace dcube::app
