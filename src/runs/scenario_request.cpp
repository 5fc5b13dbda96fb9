#include "dcube/runs/scenario_request.hpp"

#include <algorithm>
#include <utility>

#include "core/file_names.hpp"
#include "core/refuse.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/overrides.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr const char* no_map_file = "no map file is read (such as `.embedding` rankfile:FILE)";

/// Whether the embedding of a scenario, changed, is a map in a file.
bool holds_map_file(Params document, const std::vector<Override>& overrides) {
  for (const Override& change : overrides) {
    if (change.pointer.starts_with("/embedding")) {
      document = with_value(document, change.pointer, value_of(change, document));
    }
  }
  const Setting* embedding = document.find("embedding");
  return embedding != nullptr && embedding->group() != nullptr && embedding->group()->has("file");
}

}  // namespace

bool reads_map_file(const std::string& embedding) {
  return !embedding.empty() && embedding_option(embedding).has("file");
}

void check_hosts_option(const std::string& hosts, const std::vector<std::string>& embeddings) {
  refuse_if(!hosts.empty() && std::ranges::none_of(embeddings, reads_map_file), ".hosts", "{}",
            no_map_file);
}

Override hosts_override(const Params& document, const fs::path& file,
                        const std::vector<Override>& changes, const std::string& hosts) {
  refuse_if(!holds_map_file(document, changes), ".hosts", "{}", no_map_file);
  return {"/embedding/hosts", "",
          HostNames::is_pattern(hosts) ? hosts : name_in(file.parent_path(), hosts)};
}

ScenarioSource::ScenarioSource(const std::string& name_or_file) {
  if (name_or_file == standard_input) {
    file_ = known_as(name_or_file);
    document_ = read_scenario_document(name_or_file);
  } else {
    file_ = find_scenario(name_or_file);
    document_ = read_scenario_document(file_);
  }
}

ScenarioSource::ScenarioSource(fs::path file, Params document)
    : file_{std::move(file)}, document_{std::move(document)} {}

std::string ScenarioSource::program_kind(const ScenarioRequest& request) const {
  Params document = document_;
  for (const std::string& setting : request.settings) {
    const Override change = parse_override(setting);
    if (change.pointer.starts_with("/program")) {  // a machine may be a name
      document = with_value(document, change.pointer, value_of(change, document));
    }
  }
  return document.group("program").text("kind");
}

Scenario ScenarioSource::build(const ScenarioRequest& options, ScenarioParts* parts) const {
  std::vector<Override> overrides;
  for (const std::string& setting : options.settings) {
    overrides.push_back(parse_override(setting));
    refuse_if(!options.embedding.empty() && overrides.back().pointer.starts_with("/embedding"),
              ".set", "{} is a part of what `.embedding` replaces (leave one of them out)",
              overrides.back().pointer);
  }
  if (!options.embedding.empty()) {
    // The scenario's own embedding need not fit the machine.
    overrides.push_back(at_least_at(
        ".embedding", [&] { return embedding_override(options.embedding, options.hosts, file_); }));
  }
  if (!options.hosts.empty()) {
    Override named = hosts_override(document_, file_, overrides, options.hosts);
    if (options.embedding.empty()) {
      overrides.push_back(std::move(named));
    }
  }
  return build_scenario(document_, file_, overrides, options.on_reading, parts);
}

Scenario load(const ScenarioRequest& options) {
  return ScenarioSource{options.file}.build(options);
}

Params embedding_option(const std::string& name_or_file, const std::string& hosts) {
  return at_least_at(".embedding", [&] { return load_embedding_settings(name_or_file, hosts); });
}

}  // namespace dcube
