#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "image_file.hpp"
#include "matching_problem.hpp"
#include "settings.hpp"

// Each process computes all terms with values of its block of the image [N 3]. Terms of other
// blocks' results go to its cyclic neighbours in the north, west and north-west:
//
//            m-1      b
//          +-----+---------+
//      m-1 | nw  |  north  |      rows of the template reach up to m-1 results further up, columns
//          +-----+---------+      as many further left
//          |     |         |
//        b | west|  self   |
//          |     |         |
//          +-----+---------+

namespace dcube {
namespace {

enum Stage : std::uint32_t { distribution, convolution, end_signal, stage_number };

class TemplateMatching final : public Program {
 public:
  TemplateMatching(MatchingProblem problem, const ProgramContext& context)
      : problem_{std::move(problem)}, costs_{context.machine} {}

  std::string_view kind() const override { return template_matching_kind.name; }
  Guest guest() const override {
    return Guest::parse(fmt::format("mesh:{0}x{0}", problem_.mesh_side));
  }
  bool uses_host() const override { return problem_.uses_host; }

  /// The image, the results, and the blocks, sums and templates of all processes in the exchange.
  std::uint64_t data_bytes() const override {
    const std::uint64_t side = problem_.block_side() + problem_.border();
    const std::uint64_t pattern = problem_.pattern.values.size();
    return problem_.image.values.size() * (1 + sizeof(Sum)) +
           problem_.process_count() * (side * side * (1 + sizeof(Sum)) + pattern);
  }

  Task<> run(Process& process) override {
    return process.rank() == host() ? serve(process) : work(process);
  }

  std::uint32_t stage_count() const override { return stage_number; }
  std::vector<std::string> stage_names() const override {
    return {"distribution", "convolution", "end signal"};
  }

  std::optional<bool> verify() override {
    const bool skips = problem_.skips(Quarter::northwest);
    return result_ ==
           direct_convolution(problem_.image, problem_.pattern, skips ? problem_.block_side() : 0);
  }

  Params answer() const override {
    if (result_.empty()) {
      return {};
    }
    const auto greatest = std::ranges::max_element(result_);
    const auto place = static_cast<std::uint64_t>(greatest - result_.begin());
    Params answer;
    answer.set("greatest", number(*greatest));
    answer.set("row", number(place / problem_.image.side));
    answer.set("column", number(place % problem_.image.side));
    answer.set("sum", number(sum_of(result_)));
    return answer;
  }

  std::vector<OutputFile> output_files() const override {
    if (problem_.output.empty() || result_.empty()) {
      return {};
    }
    const auto [least, greatest] = std::minmax_element(result_.begin(), result_.end());
    const Sum range = std::max<Sum>(*greatest - *least, 1);
    GreyImage image{problem_.image.side, problem_.image.side, {}};
    image.pixels.reserve(result_.size());
    for (const Sum sum : result_) {
      image.pixels.push_back(static_cast<std::uint8_t>((sum - *least) * 255 / range));
    }
    return {{problem_.output, image_file_content(image, problem_.output)}};
  }

  /// Time of the program with one process and no quarter left out.
  std::optional<Ticks> sequential_time() const override {
    Ticks time = costs_.start_of(1);
    if (!problem_.exchanges()) {
      return checked_add(time, costs_.of_direct(std::uint64_t{problem_.image.values.size()} *
                                                problem_.pattern.values.size()));
    }
    MatchingProblem alone;
    alone.image.side = problem_.image.side;
    alone.pattern.side = problem_.pattern.side;
    for (const Quarter quarter :
         {Quarter::self, Quarter::north, Quarter::west, Quarter::northwest}) {
      time = checked_add(time, costs_.of(alone.work(quarter)));
    }
    return time;
  }

 private:
  ProcessId host() const { return ProcessId{problem_.process_count()}; }

  // Code of a process [N Fig 7, 8, 11].

  Task<> work(Process& process) {
    process.enter_stage(distribution);
    co_await process.compute(costs_.start_of(problem_.process_count()));
    const Square pattern = co_await receive_template(process);
    const Square block = co_await obtain_block(process);
    process.enter_stage(convolution);
    std::vector<Sum> sums = co_await convolve(process, block, pattern);
    process.enter_stage(end_signal);
    co_await signal_end(process);
    if (problem_.host_collects) {
      process.send(host(), Payload::of(std::move(sums), problem_.result_message_bytes()));
    } else {
      store(process.rank(), sums);
    }
  }

  Task<Square> receive_template(Process& process) {
    std::vector<std::uint8_t> values;
    if (process.rank() == ProcessId{0}) {
      values = problem_.pattern.values;
      if (problem_.uses_host) {
        Payload received = co_await process.receive(host());
        values = received.take<std::uint8_t>();
      }
    }
    values = co_await broadcast(process, problem_.tree_place(process.rank()), std::move(values),
                                template_value_bytes);
    co_return Square{problem_.pattern.side, std::move(values)};
  }

  Task<Square> obtain_block(Process& process) {
    if (!problem_.uses_host) {
      co_return block_of(process.rank());
    }
    Payload received = co_await process.receive(host());
    Square block{problem_.distributed_side(), received.take<std::uint8_t>()};
    // Removes borders, which this program does not use [N Fig 12, left].
    co_return problem_.exchanges() ? cut(block, 0, 0, problem_.block_side()) : std::move(block);
  }

  Task<std::vector<Sum>> convolve(Process& process, const Square& block, const Square& pattern) {
    if (!problem_.exchanges()) {
      co_return co_await compute_direct(process, block, pattern);
    }
    std::vector<Sum> own;
    if (problem_.variant == MatchingVariant::overlap) {
      for (const Quarter quarter : sent_quarters) {
        send(process, quarter, co_await compute(process, block, pattern, quarter));
      }
      own = co_await compute(process, block, pattern, Quarter::self);
    } else {
      own = co_await compute(process, block, pattern, Quarter::self);
      std::vector<Sum> north = co_await compute(process, block, pattern, Quarter::north);
      std::vector<Sum> west = co_await compute(process, block, pattern, Quarter::west);
      std::vector<Sum> northwest = co_await compute(process, block, pattern, Quarter::northwest);
      send(process, Quarter::northwest, std::move(northwest));
      send(process, Quarter::west, std::move(west));
      send(process, Quarter::north, std::move(north));
    }
    for (const Quarter quarter : sent_quarters) {
      co_await update(process, quarter, own);
    }
    co_return own;
  }

  Task<std::vector<Sum>> compute_direct(Process& process, const Square& block,
                                        const Square& pattern) {
    const std::uint64_t pairs = std::uint64_t{problem_.block_side()} * pattern.side;
    co_await process.compute(costs_.of_direct(pairs * pairs));
    co_return partial_convolution(block, pattern, problem_.result_rows(Quarter::self),
                                  problem_.result_columns(Quarter::self));
  }

  Task<std::vector<Sum>> compute(Process& process, const Square& block, const Square& pattern,
                                 Quarter quarter) {
    co_await process.compute(costs_.of(problem_.work(quarter)));
    if (problem_.skips(quarter)) {
      co_return std::vector<Sum>(problem_.values_sent(quarter), 0);
    }
    co_return partial_convolution(block, pattern, problem_.result_rows(quarter),
                                  problem_.result_columns(quarter));
  }

  void send(Process& process, Quarter quarter, std::vector<Sum> sums) {
    const std::uint64_t bytes = sums.size() * problem_.result_bytes;
    process.send(problem_.owner(process.rank(), quarter), Payload::of(std::move(sums), bytes));
  }

  /// Adds a neighbour's partial results to the bottom rows and right columns of the own results.
  Task<> update(Process& process, Quarter quarter, std::vector<Sum>& own) {
    Payload payload = co_await process.receive(problem_.contributor(process.rank(), quarter));
    const std::vector<Sum> sums = payload.take<Sum>();
    if (problem_.process_count() > 1) {
      co_await process.compute(costs_.of_values(sums.size()));
    }
    const std::uint32_t b = problem_.block_side();
    const std::size_t height = problem_.result_rows(quarter).size();
    const std::size_t width = problem_.result_columns(quarter).size();
    for (std::size_t i = 0; i < height; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        own[(b - height + i) * b + (b - width + j)] += sums[i * width + j];
      }
    }
  }

  Task<> signal_end(Process& process) {
    const auto keep = [](std::vector<std::uint16_t> own,
                         const std::vector<std::uint16_t>&) -> Task<std::vector<std::uint16_t>> {
      co_return own;
    };
    std::vector<std::uint16_t> signal(1, 1);
    signal = co_await collapse(process, problem_.tree_place(process.rank()), std::move(signal),
                               keep, end_signal_bytes);
    if (problem_.uses_host && process.rank() == ProcessId{0}) {
      process.send(host(), Payload::of(std::move(signal), end_signal_bytes));
    }
  }

  // Code of the host [N Fig 9].

  Task<> serve(Process& process) {
    process.enter_stage(distribution);
    co_await process.compute(costs_.host_start, 1);
    std::vector<std::uint8_t> pattern = problem_.pattern.values;
    process.send(ProcessId{0}, Payload::of(std::move(pattern), problem_.template_message_bytes()));
    for (std::uint32_t rank = 0; rank < problem_.process_count(); ++rank) {
      Square block = block_of(ProcessId{rank});
      process.send(ProcessId{rank},
                   Payload::of(std::move(block.values), problem_.block_message_bytes()));
    }
    process.enter_stage(convolution);
    process.enter_stage(end_signal);
    co_await process.receive(ProcessId{0});
    if (problem_.host_collects) {
      for (std::uint32_t rank = 0; rank < problem_.process_count(); ++rank) {
        Payload sums = co_await process.receive(ProcessId{rank});
        store(ProcessId{rank}, sums.take<Sum>());
      }
    }
  }

  Square block_of(ProcessId process) const {
    const std::uint64_t b = problem_.block_side();
    return cut(problem_.image, problem_.row(process) * b, problem_.column(process) * b,
               problem_.distributed_side());
  }

  void store(ProcessId process, const std::vector<Sum>& sums) {
    result_.resize(problem_.image.values.size());
    const std::size_t b = problem_.block_side();
    const std::size_t first =
        (problem_.row(process) * problem_.image.side + problem_.column(process)) * b;
    for (std::size_t i = 0; i < b; ++i) {
      std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(i * b), b,
                  result_.begin() + static_cast<std::ptrdiff_t>(first + i * problem_.image.side));
    }
  }

  MatchingProblem problem_;
  MatchingCosts costs_;
  std::vector<Sum> result_;  ///< empty until the first results are stored
};

std::unique_ptr<Program> make_template_matching(const Params& params,
                                                const ProgramContext& context) {
  return std::make_unique<TemplateMatching>(read_matching_problem(params, context), context);
}

}  // namespace

const ProgramKind template_matching_kind{
    "template_matching",
    "two-dimensional convolution of an image with a template, a block of the image a process [N 3]",
    "processes=4,size=8,template_size=3", matching_settings_help(), make_template_matching};

}  // namespace dcube
