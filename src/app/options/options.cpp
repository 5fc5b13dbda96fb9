#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "app/terminal/readable.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/engine/memory.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/trace/filter.hpp"
#include "scenario/file_names.hpp"
#include "scenario/overrides.hpp"
#include "scenario/platform_search.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

/// Where "-" is read.
constexpr const char* standard_input = "/dev/stdin";

constexpr const char* no_map_file = "no map file is read (such as --embedding rankfile:FILE)";

/// `text` as a shell takes it for one word.
std::string quoted(const std::string& text) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char character : text) {
    word += character == '\'' ? "'\\''" : std::string{character};
  }
  return word + "'";
}

Params single(const std::string& text) {
  Params params;
  params.set("value", Setting::Number{text});
  return params;
}

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

void add_setting_option(Parser& parser, ScenarioOptions& options) {
  parser.option("--set", options.settings, "/POINTER=VALUE",
                "replace a value of the scenario, named by JSON pointer");
  // After --set, whose values would replace this one.
  const auto ignore = [&options](const std::string& names) {
    nlohmann::json list;
    for (const std::string_view name : split_at(names, ',')) {
      list.push_back(name);
    }
    options.settings.push_back("/program/ignore=" + list.dump());
  };
  parser.option("--ignore", ignore, "NAME[,NAME..]",
                "leave out actions of a trace by name (as --set /program/ignore=[..])");
}

}  // namespace

Option add_scenario_argument(Parser& parser, ScenarioOptions& options) {
  return parser.argument("SCENARIO", options.file, "the scenario: a file or a name").reads_file();
}

void add_scenario_changes(Parser& parser, ScenarioOptions& options) {
  add_setting_option(parser, options);
  parser
      .option("--embedding", options.embedding, "NAME|FILE",
              "use this embedding (a name, a JSON or a map file)")
      .reads_file();
  add_hosts_option(parser, options.hosts);
}

void add_scenario_changes(Parser& parser, ScenarioOptions& options,
                          std::vector<std::string>& embeddings, const std::string& purpose) {
  add_setting_option(parser, options);
  parser
      .list("--embedding", embeddings, "NAME[,NAME..]", purpose)
      .reads_file();
  add_hosts_option(parser, options.hosts);
}

void add_hosts_option(Parser& parser, std::string& hosts) {
  parser
      .option("--hosts", hosts, "PATTERN|FILE",
              "what nodes are called in map files: a pattern or a file with a name for each "
              "(default: node-{})")
      .reads_file();
}

bool reads_map_file(const std::string& embedding) {
  return !embedding.empty() && embedding_option(embedding).has("file");
}

void check_hosts_option(const std::string& hosts, const std::vector<std::string>& embeddings) {
  refuse_if(!hosts.empty() && std::none_of(embeddings.begin(), embeddings.end(), reads_map_file),
            "--hosts", "{}", no_map_file);
}

ScenarioSource::ScenarioSource(const std::string& name_or_file) {
  if (name_or_file == standard_input) {
    file_ = "standard input";  // files that it names are relative to the current folder
    document_ = read_scenario_document(name_or_file);
  } else {
    file_ = find_scenario(name_or_file);
    document_ = read_scenario_document(file_);
  }
}

ScenarioSource::ScenarioSource(fs::path file, Params document)
    : file_{std::move(file)}, document_{std::move(document)} {}

Scenario ScenarioSource::build(const ScenarioOptions& options) const {
  std::vector<Override> overrides;
  for (const std::string& setting : options.settings) {
    overrides.push_back(parse_override(setting));
    refuse_if(!options.embedding.empty() && overrides.back().pointer.starts_with("/embedding"),
              "--set", "{} is a part of what --embedding replaces (leave one of them out)",
              overrides.back().pointer);
  }
  if (!options.embedding.empty()) {
    // The scenario's own embedding need not fit the machine.
    overrides.push_back(at_least_at("--embedding", [&] {
      return embedding_override(options.embedding, options.hosts, file_);
    }));
  }
  if (!options.hosts.empty()) {
    refuse_if(!holds_map_file(document_, overrides), "--hosts", "{}", no_map_file);
    if (options.embedding.empty()) {
      const bool is_pattern = HostNames::is_pattern(options.hosts);
      overrides.push_back(
          {"/embedding/hosts", "",
           is_pattern ? options.hosts : name_in(file_.parent_path(), options.hosts)});
    }
  }
  return build_scenario(document_, file_, overrides);
}

Scenario load(const ScenarioOptions& options) {
  return ScenarioSource{options.file}.build(options);
}

std::string quoted_arguments(const ScenarioOptions& options) {
  std::string words = quoted((options.file.starts_with('-') ? "./" : "") + options.file);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      words += fmt::format(" {} {}", option, quoted(value));
    }
  };
  for (const std::string& setting : options.settings) {
    add("--set", setting);
  }
  add("--embedding", options.embedding);
  add("--hosts", options.hosts);
  return words;
}

Option add_json_option(Parser& parser, DisplayOptions& options) {
  return parser.flag("--json", options.json, "print JSON");
}

void add_quiet_option(Parser& parser, DisplayOptions& options) {
  parser.flag("--quiet", options.quiet, "print neither a summary nor progress");
}

Option add_display_options(Parser& parser, DisplayOptions& options) {
  parser.flag("--full", options.full, "show maps, lists and tables whatever their size");
  add_quiet_option(parser, options);
  return add_json_option(parser, options);
}

std::uint32_t positive_int(const std::string& text) { return single(text).positive_int("value"); }

Ticks duration(const std::string& text) { return round_cost(parse_duration(text), ExactTime{}, 0); }

std::uint64_t seed_number(const std::string& text) { return single(text).seed("value", 0); }

void add_jobs_option(Parser& parser, JobsOption& jobs) {
  parser.option("--jobs", jobs, positive_int, "N",
                "simulations at a time (default: one a processor, as far as they fit in memory)");
}

std::size_t jobs_at_once(const JobsOption& jobs, std::uint64_t bytes_of_a_job) {
  if (jobs) {
    return *jobs;
  }
  const std::uint64_t fitting = available_memory_bytes() / bytes_of_a_job;
  const std::uint64_t processors = std::thread::hardware_concurrency();
  return std::max<std::uint64_t>(1, std::min(fitting, processors));
}

void add_time_limit_option(Parser& parser, TimeLimitOption& limit, const std::string& help) {
  const auto read = [](const std::string& text) {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(duration(text));
    refuse_if(time.count() == 0, "", "0 is not a time limit (a positive duration)");
    return time;
  };
  parser.option("--time-limit,--timeout", limit, read, "TIME", help);
}

Option add_window_option(Parser& parser, const std::function<void(Ticks, Ticks)>& use,
                         const std::string& help) {
  const auto read = [use](const std::string& text) { std::apply(use, parse_window(text)); };
  return parser.option("--window,--trace-window,--timeline-window", read, "BEGIN:END", help);
}

void add_seed_option(Parser& parser, std::uint64_t& seed, const std::string& help) {
  parser.option("--seed", seed, seed_number, "N", help + " (default: 0)");
}

void add_cc_cost_options(Parser& parser, CcCostOptions& options) {
  parser.option("--compute", options.compute, duration, "TIME",
                "computing time of a CC stage (default: 1s)");
  parser.option("--hop", options.hop, duration, "TIME",
                "time of a message over one link (default: 1s)");
}

void check_table_size(const DisplayOptions& options, std::uint64_t processes) {
  refuse_if(!options.full && processes > most_listed, "--processes",
            "{} make a long table (more than {}); add --full to print it",
            counted(processes, "process"), grouped(most_listed));
}

std::shared_ptr<const Machine> machine_option(std::string_view place, const std::string& machine,
                                              Ticks hop) {
  return at_least_at(place, [&] { return load_machine(machine, hop); });
}

std::vector<fs::path> machine_files(const std::vector<std::string>& machines) {
  std::vector<fs::path> files;
  for (const std::string& machine : machines) {
    try {
      files.push_back(find_machine_file(machine, std::nullopt, ""));
    } catch (const InputError&) {  // a network, or nothing that can be loaded
    }
  }
  return files;
}

Params embedding_option(const std::string& name_or_file, const std::string& hosts) {
  return at_least_at("--embedding", [&] { return load_embedding_settings(name_or_file, hosts); });
}

}  // namespace dcube::app
