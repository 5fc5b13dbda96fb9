#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "app/terminal/json_text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

std::string file_content(const std::string& file) {
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// `file` as a scenario in `folder` names it; short, for messages.
std::string as_seen_from(const fs::path& folder, const std::string& file) {
  const bool is_below_here = std::find(folder.begin(), folder.end(), "..") == folder.end();
  return folder.is_relative() && is_below_here && fs::path{file}.is_relative()
             ? fs::path{file}.lexically_proximate(folder).string()
             : fs::absolute(file).string();
}

/// Replaced before the scenario is built, so that its own embedding need not fit the machine.
Override embedding_override(const ScenarioOptions& options, const std::string& name_or_file) {
  if (find_kind(embedding_catalog(), name_or_file) != nullptr) {
    return {"/embedding", name_or_file};
  }
  // Complains about the file, not about the scenario.
  const Params settings = embedding_option(name_or_file, options.hosts);
  const std::optional<MapFile> file = find_map_file(name_or_file);
  if (!file || file->format->holds_embedding) {
    return {"/embedding", file_content(file ? file->file.string() : name_or_file)};
  }
  const fs::path folder = fs::path{options.file}.parent_path();
  std::string json = fmt::format(R"({{"kind": "explicit", "file": {}, "format": {})",
                                 json_string(as_seen_from(folder, settings.text("file"))),
                                 json_string(file->format->name));
  if (!options.hosts.empty()) {
    json += fmt::format(R"(, "hosts": {})", json_string(HostNames::is_pattern(options.hosts)
                                                            ? options.hosts
                                                            : as_seen_from(folder, options.hosts)));
  }
  return {"/embedding", json + "}"};
}

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
    overrides.push_back(embedding_override(options, embedding));
  }
  return load_scenario(options.file, overrides);
}

std::shared_ptr<const Machine> machine_option(std::string_view place, const std::string& machine,
                                              Ticks hop) {
  const std::size_t colon = machine.find(':');
  const TopologyKind* kind = find_kind(topology_catalog(), machine.substr(0, colon));
  if (colon == std::string::npos || kind == nullptr) {
    return at_least_at(place, [&] { return load_machine(machine); });
  }
  const auto required =
      std::find_if(kind->parameters.begin(), kind->parameters.end(),
                   [](const ParameterHelp& parameter) { return parameter.default_value.empty(); });
  expects(required != kind->parameters.end(), "a network requires a size");
  const std::string settings =
      fmt::format("kind={},{}={}", kind->name, required->name, machine.substr(colon + 1));
  Machine bare;
  bare.name = machine;
  bare.topology = make_topology(Params::parse(settings, machine + ": "));
  bare.links.per_dimension.assign(bare.topology->dimension_count(), {ExactTime{hop}, {}});
  return std::make_shared<const Machine>(std::move(bare));
}

Params embedding_option(const std::string& name_or_file, const std::string& hosts) {
  return at_least_at("--embedding", [&] {
    Params settings = load_embedding_settings(name_or_file);
    if (!hosts.empty() && settings.has("file")) {
      settings.set("hosts", hosts);
    }
    return settings;
  });
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
