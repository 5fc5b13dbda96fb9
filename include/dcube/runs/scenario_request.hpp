#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// A scenario with changes, all of them texts as users write them. Complaints name the
/// fields that take such texts: ".set" of `settings`.
struct ScenarioRequest {
  std::string file{};                   ///< a file, a name or standard input (/dev/stdin)
  std::vector<std::string> settings{};  ///< "/pointer=value"
  std::string embedding{};              ///< a catalogue name or a file
  std::string hosts{};                  ///< what nodes are called in map files
  ReadingListener on_reading{};         ///< hears how far the program's files have been read

  bool change_something() const {
    return !settings.empty() || !embedding.empty() || !hosts.empty();
  }
};

/// Whether the embedding is, or names, a map in a file that calls nodes by their names.
bool reads_map_file(const std::string& embedding);
/// Throws InputError when hosts are given, but none of the embeddings reads a map file.
void check_hosts_option(const std::string& hosts, const std::vector<std::string>& embeddings);
/// The change that gives `hosts` to the map file of a scenario's own embedding, as `changes` leave
/// it. Throws InputError where that reads no map file.
Override hosts_override(const Params& document, const std::filesystem::path& file,
                        const std::vector<Override>& changes, const std::string& hosts);
/// A catalogue name, a JSON file or a map file, whose nodes are called as `hosts` says. Throws
/// InputError.
Params embedding_option(const std::string& name_or_file, const std::string& hosts = {});

/// A scenario's file that is read once, so that it may be a pipe and that an edit meanwhile changes
/// nothing; scenarios with other embeddings and settings are built from what was read.
class ScenarioSource {
 public:
  /// A file, a name or standard input. Throws InputError.
  explicit ScenarioSource(const std::string& name_or_file);
  /// A document that has been read from `file`.
  ScenarioSource(std::filesystem::path file, Params document);

  const Params& document() const { return document_; }

  /// Kind of the program with the changes of the request, which need not fit the machine. Throws
  /// InputError.
  std::string program_kind(const ScenarioRequest& request) const;

  /// Builds the scenario with the changes of the request, whose file is not read. `parts` as for
  /// build_scenario(). Throws InputError.
  Scenario build(const ScenarioRequest& request, ScenarioParts* parts = nullptr) const;

 private:
  std::filesystem::path file_;
  Params document_;
};

/// Reads and builds the scenario. Throws InputError.
Scenario load(const ScenarioRequest& request);

}  // namespace dcube
