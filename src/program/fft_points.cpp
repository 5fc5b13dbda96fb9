#include "fft_points.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/random.hpp"
#include "number_file.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t most_points_log2 = 40;  // 16 TiB of values: beyond any run
constexpr std::uint64_t most_points = std::uint64_t{1} << most_points_log2;
constexpr std::uint64_t default_points_per_process = 64;

/// Evenly from -1 up to 1, on a grid of 2^-52.
double part_of(std::uint64_t hash) { return std::ldexp(static_cast<double>(hash >> 11), -52) - 1; }

std::string nearest_powers(std::uint64_t count) {
  return fmt::format("the nearest are {} and {}", std::bit_floor(count), std::bit_floor(count) * 2);
}

std::uint64_t read_power_of_two(const Params& params, std::string_view key) {
  const auto count = static_cast<std::uint64_t>(params.integer(
      key, 1, static_cast<std::int64_t>(most_points), "a number of points (a power of two)"));
  refuse_if(!std::has_single_bit(count), params.place_of(key), "{} is not a power of two; {}",
            count, nearest_powers(count));
  return count;
}

/// The number of points by "points" or "points_per_process".
std::optional<std::uint64_t> wanted_count(const Params& params, std::uint32_t dimensions) {
  refuse_if(params.has("points") && params.has("points_per_process"),
            params.place_of("points_per_process"),
            "is given beside `points` (one follows from the other)");
  const std::uint64_t processes = std::uint64_t{1} << dimensions;
  if (params.has("points")) {
    const std::uint64_t count = read_power_of_two(params, "points");
    refuse_if(count < processes, params.place_of("points"),
              "{} are fewer than the {} processes (each needs one)", count, processes);
    return count;
  }
  if (params.has("points_per_process")) {
    const std::uint64_t share = read_power_of_two(params, "points_per_process");
    refuse_if(share > most_points >> dimensions, params.place_of("points_per_process"),
              "{} on each of {} processes are more than 2^{} points", share, processes,
              most_points_log2);
    return share << dimensions;
  }
  return std::nullopt;
}

std::vector<Complex> read_file(const std::filesystem::path& file, std::string_view place) {
  std::vector<Complex> points;
  if (is_sound_file(file)) {
    for (const double sample : read_sound_file(file, place)) {
      points.emplace_back(sample);
    }
    return points;
  }
  const NumberTable table = read_number_file(file, place, {"re", "im"});
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const double* const numbers = table.values.data() + row * table.columns;
    points.emplace_back(numbers[0], table.columns == 2 ? numbers[1] : 0.0);
  }
  return points;
}

/// Reason why the points of a file cannot be transformed, if any.
std::optional<std::string> obstacle(const std::vector<Complex>& points,
                                    std::optional<std::uint64_t> wanted, std::uint32_t dimensions) {
  const std::uint64_t count = points.size();
  const std::uint64_t processes = std::uint64_t{1} << dimensions;
  if (wanted && count != *wanted) {
    return fmt::format("holds {} points, not the {} of the settings", count, *wanted);
  }
  if (!std::has_single_bit(count)) {
    return fmt::format("holds {} points (not a power of two); {}", count, nearest_powers(count));
  }
  if (count < processes) {
    return fmt::format("holds {} points, fewer than the {} processes (each needs one)", count,
                       processes);
  }
  // Bounds every sum on the way to the spectrum, in either computation.
  if (!std::isfinite(8 * euclidean_norm(points) * static_cast<double>(count))) {
    return "holds numbers whose spectrum exceeds double precision; scale them down";
  }
  return std::nullopt;
}

}  // namespace

FftPoints FftPoints::random(std::uint64_t seed, std::uint64_t count) {
  FftPoints points;
  points.seed_ = seed;
  points.count_ = count;
  return points;
}

FftPoints FftPoints::given(std::vector<Complex> given) {
  FftPoints points;
  points.count_ = given.size();
  points.given_ = std::move(given);
  return points;
}

Complex FftPoints::at(std::uint64_t index) const {
  return given_.empty()
             ? Complex{part_of(hash_of(seed_, index, 0)), part_of(hash_of(seed_, index, 1))}
             : given_[index];
}

std::vector<Complex> FftPoints::all() const {
  if (!given_.empty()) {
    return given_;
  }
  return numbered<std::uint64_t>(count_, [this](std::uint64_t index) { return at(index); });
}

FftPoints read_fft_points(const Params& params, const ProgramContext& context,
                          std::uint32_t dimensions) {
  const std::optional<std::uint64_t> wanted = wanted_count(params, dimensions);
  if (!params.has("input")) {
    return FftPoints::random(context.seed,
                             wanted.value_or(default_points_per_process << dimensions));
  }
  const std::filesystem::path file = context.input_file(params, "input");
  std::vector<Complex> points = read_file(file, params.place_of("input"));
  if (const auto problem = obstacle(points, wanted, dimensions)) {
    params.reject("input", fmt::format("{} {}", file.string(), *problem));
  }
  return FftPoints::given(std::move(points));
}

std::vector<ParameterHelp> fft_points_help() {
  return {{"points_per_process", "points of each process (a power of two)",
           "64, or as many as the input has"},
          {"points", "points of the whole (a power of two), instead of points_per_process",
           "processes x points_per_process"},
          {"input", "CSV file with one or two columns (re, im), or WAV file (first channel)",
           "random points from the seed"}};
}

}  // namespace dcube
