#include "options.hpp"

#include <fstream>
#include <iterator>

#include "dcube/core/catalog.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube::app {
namespace {

std::string file_content(const std::string& file) {
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// Replaced before the scenario is built, so that its own embedding need not fit the machine.
Override embedding_override(const std::string& name_or_file) {
  if (find_kind(embedding_catalog(), name_or_file) != nullptr) {
    return {"/embedding", name_or_file};
  }
  embedding_option(name_or_file);  // complains about the file, not about the scenario
  return {"/embedding", file_content(name_or_file)};
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
    overrides.push_back(embedding_override(embedding));
  }
  return load_scenario(options.file, overrides);
}

Params embedding_option(const std::string& name_or_file) {
  return at_least_at("--embedding", [&] { return load_embedding_settings(name_or_file); });
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
