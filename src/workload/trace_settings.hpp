#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text_window.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/schedule.hpp"
#include "program/settings.hpp"

namespace dcube {

// Settings shared by programs that are read from files.

/// Counts the records that a reader leaves out.
class Ignored {
 public:
  Ignored() = default;
  explicit Ignored(std::set<std::string, std::less<>> names) : names_{std::move(names)} {}

  /// Whether `name` is to be left out; if so, counts it.
  bool leaves_out(std::string_view name) {
    const auto known = names_.find(name);
    if (known == names_.end()) {
      return false;
    }
    count(name);
    return true;
  }
  /// Counts `name` as left out, though not on request.
  void count(std::string_view name) { ++counts_[std::string{name}]; }
  const std::set<std::string, std::less<>>& names() const { return names_; }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::set<std::string, std::less<>> names_;
  std::map<std::string, std::uint64_t> counts_;
};

/// The setting "ignore": a list of names, or one.
Ignored read_ignored(const Params& settings);

/// The setting "scale", a factor on the times of the file. `unit` is the unit of the file; the
/// result is the simulated time of one unit.
ExactTime read_time_unit(const Params& settings, std::string_view unit);
ParameterHelp scale_help();

/// Makes the program of a schedule, with the settings "guest", "algorithm", "ports" and "output".
/// The schedule's collectives must be possible with them. Throws InputError.
std::unique_ptr<Program> make_scheduled_program(std::string_view kind, Schedule schedule,
                                                const Params& settings,
                                                const ProgramContext& context);
ParameterHelp guest_help();

/// The traffic in the file that a setting names, in the form of `--traffic`. Throws InputError.
Traffic read_input_traffic(const Params& settings, std::string_view key,
                           const ProgramContext& context);
/// A part of everything that a program reads.
struct ReadingPart {
  double begin = 0;  ///< as shares, 0 to 1
  double end = 1;
};
inline ReadingPart part_of_file(std::size_t number, std::size_t files) {
  const auto all = static_cast<double>(files);
  return {static_cast<double>(number) / all, static_cast<double>(number + 1) / all};
}
/// Listener for the progress within a part; empty if the context has none.
std::function<void(double)> part_listener(const std::filesystem::path& file,
                                          const ProgramContext& context, ReadingPart part);
/// The text of a file that the setting "file" names or leads to. Throws InputError, also when read.
TextWindow program_file_window(const std::filesystem::path& file, const Params& settings,
                               const ProgramContext& context, ReadingPart part);
ParameterHelp file_help(std::string what);

/// Parameters of a program that is a recorded trace, with some of its own. `ignored`: what "ignore"
/// names.
std::vector<ParameterHelp> trace_parameters(std::string file, std::string_view ignored,
                                            const std::vector<ParameterHelp>& own);

}  // namespace dcube
