#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "dcube/engine/memory.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

Params single(const std::string& text) {
  Params params;
  params.set("value", Setting::Number{text});
  return params;
}

}  // namespace

void add_scenario_options(CLI::App& command, ScenarioOptions& options) {
  command.add_option("SCENARIO", options.file, "the scenario file")->required()->type_name("");
  command
      .add_option("--set", options.settings,
                  "replace a value of the scenario, named by JSON pointer")
      ->type_name("/POINTER=VALUE")
      ->allow_extra_args(false);
}

CLI::Option* add_name_list(CLI::App& command, const std::string& option,
                           std::vector<std::string>& names, const std::string& help) {
  return command.add_option(option, names, help)
      ->type_name("NAME[,NAME..]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_jobs_option(CLI::App& command, std::string& jobs) {
  command
      .add_option("--jobs", jobs,
                  "simulations at a time (default: one a processor, as far as they fit in memory)")
      ->type_name("N");
}

std::size_t jobs_option(const std::string& jobs, std::uint64_t bytes_of_a_job) {
  if (!jobs.empty()) {
    return positive_int_option("--jobs", jobs);
  }
  const std::uint64_t fitting = available_memory_bytes() / bytes_of_a_job;
  const std::uint64_t processors = std::thread::hardware_concurrency();
  return std::max<std::uint64_t>(1, std::min(fitting, processors));
}

CLI::Option* add_number_list(CLI::App& command, const std::string& option,
                             std::vector<std::string>& numbers, const std::string& help) {
  return add_name_list(command, option, numbers, help)->type_name("N[,N..]");
}

Scenario load(const ScenarioOptions& options, const std::string& embedding) {
  std::vector<Override> overrides;
  for (const std::string& setting : options.settings) {
    overrides.push_back(parse_override(setting));
  }
  if (!embedding.empty()) {
    overrides.push_back(at_least_at(
        "--embedding", [&] { return embedding_override(embedding, options.hosts, options.file); }));
  }
  return load_scenario(options.file, overrides);
}

std::shared_ptr<const Machine> machine_option(std::string_view place, const std::string& machine,
                                              Ticks hop) {
  return at_least_at(place, [&] { return load_machine(machine, hop); });
}

Params embedding_option(const std::string& name_or_file, const std::string& hosts) {
  return at_least_at("--embedding", [&] { return load_embedding_settings(name_or_file, hosts); });
}

void add_hosts_option(CLI::App& command, std::string& hosts) {
  command
      .add_option("--hosts", hosts,
                  "what nodes are called in map files: a pattern or a file with a name for each "
                  "(default: node-{})")
      ->type_name("PATTERN|FILE");
}

void check_hosts_option(const std::string& hosts, const std::vector<std::string>& embeddings) {
  const bool has_map_file = std::any_of(
      embeddings.begin(), embeddings.end(),
      [](const std::string& embedding) { return find_map_file(embedding).has_value(); });
  if (!hosts.empty() && !has_map_file) {
    throw InputError("--hosts", "no map file is read (such as --embedding rankfile:FILE)");
  }
}

void check_output_folder(const std::string& file, std::string_view option) {
  const fs::path folder = fs::path{file}.parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    throw InputError(option, fmt::format("{} is not a folder", folder.string()));
  }
}

std::uint32_t positive_int_option(std::string_view option, const std::string& text) {
  return at(option, [&] { return single(text).positive_int("value"); });
}

std::uint64_t seed_option(std::string_view option, const std::string& text) {
  return at(option, [&] { return single(text).seed("value", 0); });
}

Ticks duration_option(std::string_view option, const std::string& text) {
  return at(option, [&] { return round_cost(parse_duration(text), ExactTime{}, 0); });
}

}  // namespace dcube::app
