#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {

/// Figure of a point, as computed from its simulations.
enum class Quantity {
  makespan_s,              ///< the makespan
  rate_kb_per_s,           ///< bytes of all messages / makespan; a kB is 1000 bytes
  saving_percent,          ///< 100 (1 - makespan / makespan of the baseline)
  best_value,              ///< value of the trial that takes least time, the first of equals
  crossover,               ///< value of the first trial that takes longer than its baseline
  link_load_max,           ///< messages over the link that most messages crossed
  link_busy_max_s,         ///< how long the link that was busy longest was busy
  hops_per_pair,           ///< hops of all messages / (processes * processes)
  mapping_mean,            ///< mean that a study of subcube mappings measures
  mapping_saving_percent,  ///< 100 (1 - mean / mean of the baseline)
  run_result,              ///< a number in the result of the run, see ExperimentPoint::pointer
  run_ratio,               ///< that number / the same of the baseline
  embed_result,            ///< a number in the measures of the embedding, without simulation
  embed_ratio              ///< that number / the same of the baseline
};

/// Reference value of a figure: a number, or a range that must contain it.
struct Reference {
  double low = 0;
  double high = 0;   ///< equal to `low` for a number
  std::string text;  ///< as the file writes it: "17.2", "25 .. 30"
  int decimals = 0;  ///< digits behind the point in the file
  bool is_range = false;
  bool is_printed = true;  ///< in the source; else the file's author expects it
};

/// Whether the figures come from mappings of tasks to subcubes, without simulation.
constexpr bool is_of_mappings(Quantity quantity) {
  return quantity == Quantity::mapping_mean || quantity == Quantity::mapping_saving_percent;
}

/// Whether the figures are measures of embeddings, without simulation.
constexpr bool is_of_embeddings(Quantity quantity) {
  return quantity == Quantity::embed_result || quantity == Quantity::embed_ratio;
}

/// Whether a figure is the number at a JSON pointer of a result.
constexpr bool has_pointer(Quantity quantity) {
  return quantity == Quantity::run_result || quantity == Quantity::run_ratio ||
         is_of_embeddings(quantity);
}

/// A scenario (or a study of mappings) with the settings of a trial, or of its baseline.
struct Trial {
  double value = 0;  ///< the answer when best_value or crossover finds this trial
  Params document;
  std::optional<Params> baseline;  ///< for savings, ratios and crossover
};

struct ExperimentPoint {
  std::string label;
  Reference reference;
  std::vector<Trial> trials;  ///< one, or the choices of best_value and crossover
  std::string pointer{};      ///< "/messages/queued", where has_pointer(); otherwise empty
};

/// A figure or table of the source.
struct Experiment {
  std::string name;
  std::string text;  ///< may be empty
  Quantity quantity = Quantity::makespan_s;
  std::filesystem::path scenario;            ///< the file that its scenario or study is in
  std::optional<double> limit_percent;       ///< upper limit of the largest error
  std::optional<double> mean_limit_percent;  ///< upper limit of the mean error
  std::vector<ExperimentPoint> points;
};

/// A file of experiments that somebody has published, to be repeated in simulation.
struct ExperimentFile {
  std::string title;
  std::string source;  ///< who published them, and where
  std::string text;    ///< may be empty
  std::vector<Experiment> experiments;
  std::uint64_t largest_run_bytes = 0;     ///< memory that the largest simulation takes, about
  std::set<std::filesystem::path> inputs;  ///< every file that was read
};

/// Reads and checks a file of experiments, every simulation included. Throws InputError.
ExperimentFile load_experiments(const std::filesystem::path& file);

/// The settings of a study of subcube mappings: the group "mapping" of an experiment. Throws
/// InputError.
SubcubeStudy read_subcube_study(const Params& settings);

/// "rate_kB_per_s", as files name it.
const char* to_string(Quantity quantity);

}  // namespace dcube
