#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.hpp"
#include "dcube/core/random.hpp"
#include "image_file.hpp"
#include "matching_problem.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t most_side = 1 << 14;
constexpr std::uint32_t usual_block = 16;
constexpr std::uint32_t usual_pattern = 4;

/// Distinguishes data drawn from one seed.
enum class Drawn : std::uint64_t { image, pattern };

Square drawn_square(std::uint32_t side, std::uint64_t seed, Drawn what) {
  Square square{side, std::vector<std::uint8_t>(std::size_t{side} * side)};
  for (std::size_t i = 0; i < square.values.size(); ++i) {
    const std::uint64_t hash = hash_of(seed, static_cast<std::uint64_t>(what), i);
    square.values[i] = static_cast<std::uint8_t>(bounded(hash, 256));
  }
  return square;
}

std::uint32_t read_side(const Params& params, const char* key) {
  return static_cast<std::uint32_t>(
      params.integer(key, 1, most_side, fmt::format("a side (1 to {})", most_side)));
}

/// The image of the file in `file_key`, or one drawn with the side in `side_key`.
Square read_square(const Params& params, const ProgramContext& context, const char* file_key,
                   const char* side_key, std::uint32_t usual_side, Drawn what) {
  if (!params.has(file_key)) {
    const std::uint32_t side = params.has(side_key) ? read_side(params, side_key) : usual_side;
    return drawn_square(side, context.seed, what);
  }
  refuse_if(params.has(side_key), params.place_of(side_key),
            "given beside `{}` (a file has a size of its own); leave one of them out", file_key);
  const std::string name = params.text(file_key);
  GreyImage image = read_image(context.input_file(params, file_key), params.place_of(file_key));
  refuse_if(image.width != image.height, params.place_of(file_key),
            "{} has {}x{} pixels (not a square); cut it to {}x{}", name, image.width, image.height,
            std::min(image.width, image.height), std::min(image.width, image.height));
  refuse_if(image.width > most_side, params.place_of(file_key),
            "{} has {} pixels a side (more than {})", name, image.width, most_side);
  return {image.width, std::move(image.pixels)};
}

constexpr WholeNumber image_bytes{"image_bytes",
                                  "bytes of an image value in a message (1 to 64)",
                                  "a value's size (1 to 64 bytes)",
                                  {1, 64, 1}};
constexpr WholeNumber result_bytes{"result_bytes",
                                   "bytes of a result in a message (1 to 64)",
                                   "a value's size (1 to 64 bytes)",
                                   {1, 64, 4}};

void read_host_settings(const Params& params, MatchingProblem& problem) {
  problem.uses_host = params.boolean("host", false);
  problem.host_sends_borders = params.boolean("host_sends_borders", !problem.exchanges());
  problem.host_collects = params.boolean("host_collects", false);
  for (const char* key : {"host_sends_borders", "host_collects"}) {
    refuse_if(params.boolean(key, false) && !problem.uses_host, params.place_of(key),
              "true, but the program uses no host (`host` is false); set it to true");
  }
  refuse_if(!problem.host_sends_borders && !problem.exchanges(),
            params.place_of("host_sends_borders"),
            "false, but the processes of `replicated_borders` cannot do without borders");
}

std::string read_output(const Params& params) {
  if (!params.has("output")) {
    return {};
  }
  std::string output = params.text("output");
  refuse_if(!is_image_name(output), params.place_of("output"),
            "{} is no image name (it ends neither in .pgm nor in .png)",
            Setting{output}.describe());
  return output;
}

void check_sizes(const Params& params, const MatchingProblem& problem) {
  const std::uint32_t n = problem.image.side;
  const std::uint32_t side = problem.mesh_side;
  if (n % side != 0) {
    const std::uint32_t below = n / side * side;
    const std::string nearest = below == 0
                                    ? fmt::format("the nearest is {}", side)
                                    : fmt::format("the nearest are {} and {}", below, below + side);
    params.reject(
        params.has("image") ? "image" : "size",
        fmt::format("{} pixels a side are not divisible among the {} processes along a side; {}", n,
                    side, nearest));
  }
  refuse_if(problem.pattern.side > problem.block_side(),
            params.place_of(params.has("template") ? "template" : "template_size"),
            "{} values a side are more than the block of a process has ({}: {} pixels among {} "
            "processes); use fewer processes or a larger image",
            problem.pattern.side, problem.block_side(), n, side);
}

}  // namespace

MatchingProblem read_matching_problem(const Params& params, const ProgramContext& context) {
  MatchingProblem problem;
  problem.mesh_side = std::uint32_t{1} << read_mesh_dimensions(params, context.machine);
  problem.variant =
      read_choice(params, "variant", {"compute_then_send", "overlap", "replicated_borders"},
                  MatchingVariant::overlap);
  read_host_settings(params, problem);
  const std::uint32_t usual_side = usual_block * problem.mesh_side;
  refuse_if(usual_side > most_side && !params.has("image") && !params.has("size"),
            params.place_of("size"),
            "is missing, and {} pixels for each of the {} processes along a side are more than {}; "
            "give it, or fewer `processes`",
            usual_block, problem.mesh_side, most_side);
  problem.image = read_square(params, context, "image", "size", usual_side, Drawn::image);
  const std::uint32_t fitting_pattern =
      std::clamp<std::uint32_t>(problem.block_side(), 1, usual_pattern);
  problem.pattern =
      read_square(params, context, "template", "template_size", fitting_pattern, Drawn::pattern);
  check_sizes(params, problem);
  problem.skips_northwest_quarter =
      params.boolean("skip_northwest_quarter", false) && problem.exchanges();
  problem.image_bytes = image_bytes.read(params);
  problem.result_bytes = result_bytes.read(params);
  problem.output = read_output(params);
  return problem;
}

std::vector<ParameterHelp> matching_settings_help() {
  return {
      {"processes", "number of processes (a power of four, at most the machine's slots)",
       "the machine's nodes"},
      {"image", "image file, PGM or PNG, square; relative to the scenario", "drawn from the seed"},
      {"size", "pixels along a side of an image drawn from the seed", "16 a process"},
      {"template", "template file, PGM or PNG, square, no larger than a block",
       "drawn from the seed"},
      {"template_size", "values along a side of a template drawn from the seed", "4"},
      {"variant", "compute_then_send, overlap or replicated_borders", "overlap"},
      {"host", "whether the machine's host computer sends out template and image", "false"},
      {"host_sends_borders", "whether the host's blocks come with their borders",
       "true for replicated_borders, else false"},
      {"host_collects", "whether the processes send their results to the host", "false"},
      {"skip_northwest_quarter",
       "leave out the north-west quarter of a template as large as a block", "false"},
      image_bytes,
      result_bytes,
      {"output", "file for the result, scaled to 0 .. 255: .pgm or .png", "none"}};
}

}  // namespace dcube
