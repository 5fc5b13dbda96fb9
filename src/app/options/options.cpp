#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/scenario/platform_search.hpp"
#include "dcube/trace/filter.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

Params single(const std::string& text) {
  Params params;
  params.set("value", Setting::Number{text});
  return params;
}

void add_setting_option(Parser& parser, ScenarioRequest& options) {
  parser.option("--set", options.settings, "/POINTER=VALUE",
                "replace a value of the scenario, named by JSON pointer");
  // After --set, whose values would replace this one.
  const auto ignore = [&options](const std::string& names) {
    options.settings.push_back("/program/ignore=" + json_line(split_at(names, ',')));
  };
  parser.option("--ignore", ignore, "NAME[,NAME..]",
                "leave out actions of a trace by name (as --set /program/ignore=[..])");
}

/// Whether an item of a list may name an axis: it is neither an embedding, nor nearly one, nor a
/// file.
bool may_be_axis(const std::string& name) {
  std::error_code ignored;
  return name != "all" && name != own_embedding &&
         name.find_first_of(":/. ") == std::string::npos &&
         find_kind(embedding_catalog(), name) == nullptr && !fs::exists(name, ignored) &&
         nearest_name(name, names_of(embedding_catalog())) == nullptr;
}

/// Orders of axes, which have commas of their own, are put together again: what may name axes,
/// until one comes twice. JSON is left as it is.
std::vector<std::string> whole_embeddings(const std::vector<std::string>& items) {
  const auto is_json = [](const std::string& item) {
    return item.starts_with('{') || item.starts_with('"');
  };
  if (std::ranges::any_of(items, is_json)) {
    return items;
  }
  std::vector<std::string> whole;
  std::vector<std::string> order;  // as far as it has come
  for (const std::string& item : items) {
    const bool continues = may_be_axis(item) && std::ranges::find(order, item) == order.end();
    if (!continues && !order.empty()) {
      whole.push_back(joined(std::exchange(order, {}), ","));
    }
    (may_be_axis(item) ? order : whole).push_back(item);
  }
  if (!order.empty()) {
    whole.push_back(joined(order, ","));
  }
  return whole;
}

}  // namespace

Option add_scenario_argument(Parser& parser, ScenarioRequest& options) {
  return parser.argument("SCENARIO", options.file, "the scenario: a file or a name").reads_file();
}

void add_scenario_changes(Parser& parser, ScenarioRequest& options) {
  add_setting_option(parser, options);
  const auto jitter = [&options](const std::string& part) {
    parse_jitter_part(part);
    options.settings.push_back("/jitter=" + part);
  };
  parser.option(
      "--jitter", jitter, "AMPLITUDE",
      "vary every computing time by up to this relative amplitude, such as 1e-6 (as --set "
      "/jitter=AMPLITUDE)");
  parser
      .option("--embedding", options.embedding, "NAME|FILE",
              "use this embedding (a name, a JSON or a map file)")
      .reads_file();
  add_hosts_option(parser, options.hosts);
}

void add_scenario_changes(Parser& parser, ScenarioRequest& options,
                          std::vector<std::string>& embeddings, const std::string& purpose) {
  add_setting_option(parser, options);
  add_embeddings_option(parser, embeddings, purpose);
  add_hosts_option(parser, options.hosts);
}

Option add_embeddings_option(Parser& parser, std::vector<std::string>& embeddings,
                             const std::string& purpose) {
  return parser.list("--embedding", embeddings, whole_embeddings, "NAME[,NAME..]", purpose)
      .reads_file();
}

void add_hosts_option(Parser& parser, std::string& hosts) {
  parser
      .option("--hosts", hosts, "PATTERN|FILE",
              "what nodes are called in map files: a pattern or a file with a name for each "
              "(default: the names of a platform, or node-{})")
      .reads_file();
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

std::uint32_t whole_number(const std::string& text, std::uint32_t least, std::uint32_t most,
                           const std::string& what) {
  return at_place("", [&] {
    return static_cast<std::uint32_t>(single(text).integer(
        "value", least, most, fmt::format("{} ({} to {})", what, least, most)));
  });
}

std::uint32_t positive_int(const std::string& text) { return single(text).positive_int("value"); }

Ticks duration(const std::string& text) { return round_cost(parse_duration(text), ExactTime{}, 0); }

std::uint64_t seed_number(const std::string& text) { return single(text).seed("value", 0); }

void add_jobs_option(Parser& parser, JobsOption& jobs) {
  parser.option("--jobs", jobs, positive_int, "N",
                "simulations at a time (default: one a processor, as far as they fit in memory)");
}

namespace {

/// A time of the clock on the wall: minutes and hours, too. `what` names it.
Ticks clock_time(const std::string& text, const char* what) {
  constexpr std::array<std::string_view, 8> units{"", "ps", "ns", "us", "ms", "s", "m", "h"};
  const std::size_t length = decimal_length(text);
  std::string_view unit = std::string_view{text}.substr(length);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  refuse_if(length == 0 || text.starts_with('-') || std::ranges::count(units, unit) == 0, "",
            "{} is not {} (a positive number of seconds, or with a unit: ms, s, m, h, ..)",
            shown(text), what);
  const int seconds = unit == "m" ? 60 : unit == "h" ? 3600 : 1;
  if (seconds == 1) {
    return duration(text);
  }
  try {
    if (const Ticks time = duration(text.substr(0, length)); time <= Ticks::max() / seconds) {
      return time * seconds;
    }
  } catch (const InputError&) {  // nor are there as many seconds
  }
  throw InputError("", text + " is longer than 106 days, or has too many digits");
}

/// Reader of a positive time of that clock, which `what` names: "a time limit".
auto time_reader(const char* what) {
  return [what](const std::string& text) {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(clock_time(text, what));
    refuse_if(time.count() == 0, "", "{} is not {} (1ns is the least)", text, what);
    return time;
  };
}

}  // namespace

void add_time_limit_option(Parser& parser, TimeLimitOption& limit, const std::string& help) {
  parser.option("--time-limit,--timeout", limit, time_reader("a time limit"), "TIME", help);
}

void add_prove_option(Parser& parser, TimeLimitOption& time) {
  parser.option("--prove", time, time_reader("a time for a proof"), "TIME",
                "after the search, improve the bound of hop-bytes or average-dilation for so long");
}

Option add_window_option(Parser& parser, const std::function<void(Ticks, Ticks)>& use,
                         const std::string& help) {
  const auto read = [use](const std::string& text) { std::apply(use, parse_window(text)); };
  return parser.option("--window,--trace-window,--timeline-window", read, "BEGIN:END", help);
}

void add_seed_option(Parser& parser, std::uint64_t& seed, const std::string& help) {
  parser.option("--seed", seed, seed_number, "N", help + " (default: 0)");
}

void add_cc_cost_options(Parser& parser, std::optional<Ticks>& compute, std::optional<Ticks>& hop) {
  parser.option("--compute", compute, duration, "TIME",
                "computing time of a CC stage (default: 1s)");
  parser.option("--hop", hop, duration, "TIME", "time of a message over one link (default: 1s)");
}

ReadingListener ReadingProgress::listener() const {
  return [known = std::weak_ptr{progress_}](const fs::path& file, double share) {
    if (const std::shared_ptr<Progress> progress = known.lock()) {
      progress->show(fmt::format("{:.0f} % of {}", 100 * share, file.filename().string()));
    }
  };
}

Scenario load_showing_progress(ScenarioRequest request, ProgressOutput output) {
  const ReadingProgress progress{output};
  request.on_reading = progress.listener();
  return load(request);
}

void check_table_size(const DisplayOptions& options, std::uint64_t processes) {
  refuse_if(!options.full && processes > most_listed, "--processes",
            "{} make a long table (more than {}); add --full to print it",
            counted(processes, "process"), grouped(most_listed));
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

std::string quoted_arguments(const ScenarioRequest& request) {
  std::string words = quoted((request.file.starts_with('-') ? "./" : "") + request.file);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      words += fmt::format(" {} {}", option, quoted(value));
    }
  };
  for (const std::string& setting : request.settings) {
    add("--set", setting);
  }
  add("--embedding", request.embedding);
  add("--hosts", request.hosts);
  return words;
}

}  // namespace dcube::app
