#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/program/operations.hpp"
#include "fft_points.hpp"
#include "fourier.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Half the time of a butterfly: a process that makes one of its two values does half the work.
ExactTime half_of(const ExactTime& time) {
  if (time.numerator() % 2 == 0) {
    return ExactTime{time.numerator() / 2, time.denominator()};
  }
  refuse_if(time.denominator() > std::numeric_limits<std::int64_t>::max() / 2, "",
            "the time of a `butterfly` has too many decimal places to be halved");
  return ExactTime{time.numerator(), time.denominator() * 2};
}

/// The binary exchange fast Fourier transform ([X I] and the textbooks): N = B 2^d points in blocks
/// of B. A stage joins values whose indices differ in one bit. The d highest bits are the process's
/// label: stages of these exchange whole blocks. In the other stages both values are local.
class Fft final : public Program {
 public:
  struct Settings {
    std::uint32_t dimensions = 0;
    Decimation decimation = Decimation::frequency;
    ExchangeMode exchange = ExchangeMode::rendezvous;
    FftPoints points;
    std::string output{};  ///< file for the spectrum; empty: none
  };

  Fft(Settings settings, const ProgramContext& context)
      : settings_{std::move(settings)},
        per_value_{
            half_of(operation_time(context.machine, "butterfly", {{"multiply", 4}, {"add", 6}}))} {}

  std::string_view kind() const override { return fft_kind.name; }
  Guest guest() const override { return Guest::cube(settings_.dimensions); }

  std::uint64_t data_bytes() const override {
    // Points, result, natural order, reference and its factors; an output line has 64 characters.
    const std::uint64_t per_point = 5 * sizeof(Complex) + (settings_.output.empty() ? 0 : 64);
    return per_point * point_count();
  }

  Task<> run(Process& process) override {
    result_.resize(point_count());
    const std::uint64_t begin = process.rank().index() * block_size();
    std::vector<Complex> values = first_values(begin);
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      const std::uint64_t half_span = std::uint64_t{1} << bit_of(stage);
      process.enter_stage(stage);
      if (is_local(stage)) {
        butterflies(values, half_span, settings_.decimation);
      } else {
        Payload own = Payload::of(std::vector<Complex>(values));
        Payload received = co_await process.exchange(partner(process.rank(), stage), std::move(own),
                                                     settings_.exchange);
        own_outputs(values, received.take<Complex>(), begin, half_span, settings_.decimation);
      }
      co_await process.compute(per_value_, values.size());
    }
    std::ranges::copy(values, result_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  std::uint32_t stage_count() const override {
    return static_cast<std::uint32_t>(std::countr_zero(point_count()));
  }
  std::vector<std::string> stage_names() const override {
    return numbered(stage_count(), [&](std::uint32_t stage) {
      return fmt::format("bit {}, {}", bit_of(stage), is_local(stage) ? "at home" : "exchange");
    });
  }

  std::optional<bool> verify() override {
    if (result_.empty()) {
      return false;
    }
    check_ = check_spectrum(settings_.points.all(), spectrum());
    return check_->is_right();
  }

  Params answer() const override {
    Params answer;
    answer.set("points", number(point_count()));
    if (check_) {
      answer.set("max_error", number(check_->max_error));
      answer.set("error_bound", number(check_->error_bound));
      answer.set("peak_bin", number(check_->peak_bin));
    }
    return answer;
  }

  std::vector<OutputFile> output_files() const override {
    if (settings_.output.empty() || result_.empty()) {
      return {};
    }
    std::string lines = "index,re,im\n";
    std::uint64_t index = 0;
    for (const Complex& value : spectrum()) {
      lines += fmt::format("{},{},{}\n", index++, value.real(), value.imag());
    }
    std::vector<OutputFile> files;
    files.push_back({settings_.output, std::move(lines)});
    return files;
  }

  std::optional<Ticks> sequential_time() const override {
    if (per_value_.is_zero()) {
      return std::nullopt;
    }
    Ticks time{0};
    for (std::uint32_t stage = 0; stage < stage_count(); ++stage) {
      time = checked_add(time, round_cost(ExactTime{}, per_value_, point_count()));
    }
    return time;
  }

 private:
  std::uint64_t point_count() const { return settings_.points.count(); }
  std::uint64_t block_size() const { return point_count() >> settings_.dimensions; }
  std::uint32_t local_stage_count() const {
    return static_cast<std::uint32_t>(std::countr_zero(block_size()));
  }

  /// The bit in which the indices of a stage's pairs differ.
  std::uint32_t bit_of(std::uint32_t stage) const {
    return settings_.decimation == Decimation::frequency ? stage_count() - 1 - stage : stage;
  }
  bool is_local(std::uint32_t stage) const { return bit_of(stage) < local_stage_count(); }
  ProcessId partner(ProcessId process, std::uint32_t stage) const {
    const std::uint32_t dimension = bit_of(stage) - local_stage_count();
    return ProcessId{process.index() ^ (std::uint32_t{1} << dimension)};
  }
  /// Position of the value with a natural index on the bit-reversed side of the transform.
  std::uint64_t reversed(std::uint64_t index) const { return bit_reversed(index, stage_count()); }

  std::vector<Complex> first_values(std::uint64_t begin) const {
    return numbered<std::uint64_t>(block_size(), [&](std::uint64_t i) {
      const std::uint64_t index = begin + i;
      return settings_.points.at(settings_.decimation == Decimation::time ? reversed(index)
                                                                          : index);
    });
  }

  /// The spectrum in natural order.
  std::vector<Complex> spectrum() const {
    if (settings_.decimation == Decimation::time) {
      return result_;
    }
    return numbered<std::uint64_t>(
        result_.size(), [this](std::uint64_t index) { return result_[reversed(index)]; });
  }

  Settings settings_;
  ExactTime per_value_;
  std::vector<Complex> result_;  ///< of all processes, block by block; empty before a run
  std::optional<SpectrumCheck> check_;
};

std::unique_ptr<Program> make_fft(const Params& params, const ProgramContext& context) {
  Fft::Settings settings;
  settings.dimensions = read_cube_dimensions(params, context.machine);
  settings.decimation = read_choice<Decimation>(params, "decimation", {"frequency", "time"});
  settings.exchange = read_exchange_mode(params);
  settings.points = read_fft_points(params, context, settings.dimensions);
  settings.output = params.text("output", "");
  return std::make_unique<Fft>(std::move(settings), context);
}

std::vector<ParameterHelp> fft_parameters() {
  std::vector<ParameterHelp> parameters = fft_points_help();
  parameters.push_back(
      {"decimation", "frequency (exchanges first) or time (exchanges last)", "frequency"});
  parameters.push_back(cube_process_count_help());
  parameters.push_back(exchange_mode_help());
  parameters.push_back({"output", "CSV file for the spectrum: index, re, im", "none"});
  return parameters;
}

}  // namespace

const ProgramKind fft_kind{
    "fft",
    "fast Fourier transform by binary exchange: log2 N stages, one exchange per cube dimension",
    "points_per_process=8", fft_parameters(), make_fft};

}  // namespace dcube
