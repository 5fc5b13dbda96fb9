#include "transformer_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/program/process_groups.hpp"
#include "program/settings.hpp"

namespace dcube {
namespace {

// With these limits no product of one process passes 127 bits.
constexpr WholeNumber layers_setting{
    "layers", "transformer layers", "a number of layers (1 to 2^20)", {1, 1U << 20, 0}};
constexpr WholeNumber hidden_setting{
    "hidden", "hidden size h, a multiple of heads", "a hidden size (1 to 2^20)", {1, 1U << 20, 0}};
constexpr WholeNumber heads_setting{"heads",
                                    "attention heads, a multiple of the tensor axis",
                                    "a number of heads (1 to 2^20)",
                                    {1, 1U << 20, 0}};
constexpr WholeNumber sequence_setting{
    "sequence", "tokens of a sequence, s", "a length of sequences (1 to 2^24)", {1, 1U << 24, 0}};
constexpr WholeNumber vocabulary_setting{
    "vocabulary",
    "tokens that the embedding and the logits know, V; 0: both are left out",
    "a size of a vocabulary (0 to 2^24)",
    {0, 1U << 24, 0}};
constexpr WholeNumber micro_batches_setting{"micro_batches",
                                            "micro-batches of a pipeline in the step, m",
                                            "a number of micro-batches (1 to 65536)",
                                            {1, 1U << 16, 1}};
constexpr WholeNumber micro_batch_setting{"micro_batch",
                                          "sequences of a micro-batch, b",
                                          "a number of sequences (1 to 2^20)",
                                          {1, 1U << 20, 1}};
constexpr WholeNumber chunks_setting{
    "chunks",
    "parts of the model on each stage of an interleaved pipeline (2 to 4096), v",
    "a number of chunks (2 to 4096)",
    {2, 4096, 2}};
constexpr WholeNumber zero_setting{
    "zero",
    "ZeRO's stage: what the data axis shards. 1: the optimizer's state; 2: gradients, too, which "
    "every micro-batch reduces; 3: parameters, too, which every pass gathers",
    "a stage of ZeRO (0 to 3)",
    {0, 3, 0}};
constexpr WholeNumber experts_setting{
    "experts",
    "experts of every layer, E, a multiple of the expert axis; 0: none",
    "a number of experts (0 to 2^20)",
    {0, 1U << 20, 0}};
constexpr WholeNumber top_k_setting{
    "top_k", "experts that see a token, k", "a number of experts (1 to 2^20)", {1, 1U << 20, 1}};

const std::vector<std::string> order_names{"gpipe", "1f1b", "interleaved"};
const std::vector<std::string> recompute_names{"none", "selective", "full"};
const std::vector<std::string> axis_names{"tensor", "expert", "pipeline", "data"};

struct Precision {
  std::string_view name;
  std::uint32_t bytes;
};
constexpr std::array<Precision, 5> precisions{
    {{"fp8", 1}, {"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"fp64", 8}}};

std::uint32_t read_precision(const Params& settings) {
  const Setting* const given = settings.find("precision");
  const std::string name = given == nullptr ? "bf16" : given->text() ? *given->text() : "";
  const auto known = std::ranges::find(precisions, name, &Precision::name);
  if (known != precisions.end()) {
    return known->bytes;
  }
  constexpr const char* what = "fp8, bf16, fp16, fp32, fp64, or the bytes of a value (1 to 1024)";
  if (given->number() == nullptr) {
    settings.reject_value("precision", what);
  }
  return static_cast<std::uint32_t>(settings.integer("precision", 1, 1024, what));
}

/// A rate of the setting, with a prefix of thousands: "275T", "989 Tflop/s", 2.75e14. Returns the
/// time of one operation.
ExactTime read_flops(const Params& settings) {
  constexpr std::string_view prefixes = "kMGTPE";
  constexpr std::array<std::string_view, 4> units{"flop/s", "flops", "FLOPS", "FLOP/s"};
  const Setting& given = settings.required("flops");
  const std::string* const written = given.number() ? &given.number()->text : given.text();
  std::string_view text = written == nullptr ? std::string_view{} : *written;
  const auto unit =
      std::ranges::find_if(units, [&](std::string_view each) { return text.ends_with(each); });
  text = trimmed(text.substr(0, text.size() - (unit == units.end() ? 0 : unit->size())));
  const std::size_t prefix = text.empty() ? std::string::npos : prefixes.find(text.back());
  const bool has_prefix = prefix != std::string::npos;
  text.remove_suffix(has_prefix ? 1 : 0);
  const std::optional<Decimal> rate = read_decimal(trimmed(text));
  if (rate && !rate->is_zero() && !rate->is_negative) {
    const std::int64_t exponent =
        rate->exponent + (has_prefix ? 3 * (static_cast<std::int64_t>(prefix) + 1) : 0);
    try {
      return parse_time_per_byte(fmt::format("{}e{}", rate->digits, exponent));
    } catch (const InputError&) {  // far too fast or slow
    }
  }
  settings.reject_value("flops", R"(a rate of operations above 0, such as "275T" or 2.75e14)");
}

/// Of two numbers above 0.
Int128 greatest_divisor(Int128 a, Int128 b) {
  while (b != 0) {
    a = std::exchange(b, a % b);
  }
  return a;
}

/// Time of an operation at the share of the peak that the chip reaches.
ExactTime read_flop_time(const Params& settings, const Machine& machine) {
  const auto of_machine = machine.compute.find("flop");
  if (!settings.has("flops")) {
    refuse_if(of_machine == machine.compute.end(), settings.place_of("flops"),
              "is missing, and the `compute` table of machine {} has no flop; give the chip's "
              R"(operations a second, such as "275T")",
              machine.name);
  }
  const ExactTime peak = settings.has("flops") ? read_flops(settings) : of_machine->second;
  if (!settings.has("efficiency")) {
    return peak;
  }
  constexpr const char* what = "a share of the peak (above 0, at most 1)";
  if (settings.real("efficiency", 0, 1, what) == 0) {
    settings.reject_value("efficiency", what);
  }
  const std::string place = settings.place_of("efficiency");
  constexpr std::string_view too_long = "has too many digits beside those of flops; give it fewer";
  ExactTime share;  // a picosecond's
  try {
    share = parse_duration(settings.required("efficiency").number()->text + "ps");
  } catch (const InputError&) {
    throw InputError(place, too_long);
  }
  const Int128 above = Int128{peak.numerator()} * share.denominator();
  const Int128 below = Int128{peak.denominator()} * share.numerator();
  const Int128 common = greatest_divisor(above, below);
  constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
  refuse_if(above / common > most || below / common > most, place, "{}", too_long);
  return {static_cast<std::int64_t>(above / common), static_cast<std::int64_t>(below / common)};
}

std::uint32_t read_required(const Params& settings, const WholeNumber& number) {
  settings.required(number.key);
  return number.read(settings);
}
ParameterHelp required(const WholeNumber& number) { return {number.key, number.help, ""}; }

std::size_t index_of_axis(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(axis_names, name) - axis_names.begin());
}

void read_options(const Params& settings, TransformerModel::Axis& axis, const std::string& name) {
  const auto read = [&](const char* key, auto take) {
    const Setting* const given = settings.find(key);
    if (given != nullptr && given->group() == nullptr) {
      take(settings, key);
    } else if (given != nullptr && given->group()->has(name)) {
      take(*given->group(), name);
    }
  };
  read("algorithms",
       [&](const Params& from, const std::string& key) { axis.algorithm = from.text(key); });
  read("ports",
       [&](const Params& from, const std::string& key) { axis.ports = from.positive_int(key); });
}

/// Refuses options for axes without collectives. Gradients have those of the data axis, also where
/// they are summed over the expert axis alone.
void check_option_axes(const Params& options, const TransformerModel& model) {
  options.allow_only(axis_names);
  for (const std::string& name : options.keys()) {
    refuse_if(name == "pipeline", options.place_of(name),
              "is an axis of messages, which has no collectives");
    const bool has_gradients = name == "data" && model.axis_of("expert").is_there;
    refuse_if(!model.axis_of(name).is_there && !has_gradients, options.place_of(name),
              "is not among the `axes`");
  }
}

void read_axes(const Params& settings, TransformerModel& model) {
  const Params& axes = settings.group("axes", R"({"tensor": 8, "pipeline": 4, "data": 16})");
  axes.allow_only(axis_names);
  model.guest = Params{settings.place()};
  model.guest.set("axes", axes);
  if (const Setting* const order = settings.find("order")) {
    model.guest.set("order", *order);
  }
  Params of_pattern{settings.place()};
  of_pattern.set("guest", model.guest);
  const Guest named = read_guest(of_pattern);
  std::uint32_t stride = 1;
  for (std::size_t i = 0; i < named.axes().size(); ++i) {
    TransformerModel::Axis& axis = model.axes[index_of_axis(named.axes()[i])];
    axis = {.side = named.shape()[i], .stride = stride, .is_there = true};
    stride *= axis.side;
  }
  model.processes = stride;
  for (const char* const key : {"algorithms", "ports"}) {
    if (const Setting* const given = settings.find(key); given && given->group()) {
      check_option_axes(*given->group(), model);
    }
  }
  for (const std::string& name : axis_names) {
    read_options(settings, model.axes[index_of_axis(name)], name);
  }
}

void expect_multiple(const Params& settings, const char* key, std::uint32_t value, std::uint64_t of,
                     std::string_view reason) {
  refuse_if(value % of != 0, settings.place_of(key), "{} is not a multiple of {} ({})", value, of,
            reason);
}

void check(const Params& settings, TransformerModel& model) {
  if (model.schedule == PipelineOrder::interleaved) {
    refuse_if(model.pipeline() < 2, settings.place_of("schedule"),
              "interleaved needs a pipeline axis of at least 2");
    model.chunks = chunks_setting.read(settings);
    expect_multiple(settings, "micro_batches", model.micro_batches, model.pipeline(),
                    "the side of the pipeline axis, for an interleaved schedule");
  } else {
    refuse_if(settings.has("chunks"), settings.place_of("chunks"),
              "is for the schedule interleaved, not {}",
              order_names[static_cast<std::size_t>(model.schedule)]);
  }
  expect_multiple(settings, "layers", model.layers, std::uint64_t{model.pipeline()} * model.chunks,
                  model.chunks > 1 ? "the side of the pipeline axis times chunks"
                                   : "the side of the pipeline axis");
  expect_multiple(settings, "hidden", model.hidden, model.heads, "heads");
  expect_multiple(settings, "heads", model.heads, model.tensor(), "the side of the tensor axis");
  if (model.splits_sequence) {
    expect_multiple(settings, "sequence", model.sequence, model.tensor(),
                    "the side of the tensor axis, for sequence_parallel");
  }
  if (model.experts == 0) {
    refuse_if(model.axes[1].is_there, settings.place_of("axes"),
              "has an axis expert, but the model has no experts; give `experts`");
    refuse_if(settings.has("top_k"), settings.place_of("top_k"), "is for a model with `experts`");
  } else {
    expect_multiple(settings, "experts", model.experts, model.expert(),
                    "the side of the expert axis");
    refuse_if(model.top_k > model.experts, settings.place_of("top_k"),
              "{} is more than the {} experts", model.top_k, model.experts);
  }
}

}  // namespace

TransformerModel::TransformerModel(const Params& settings, const Machine& machine)
    : flop{read_flop_time(settings, machine)},
      layers{read_required(settings, layers_setting)},
      hidden{read_required(settings, hidden_setting)},
      heads{read_required(settings, heads_setting)},
      sequence{read_required(settings, sequence_setting)},
      vocabulary{vocabulary_setting.read(settings)},
      micro_batches{micro_batches_setting.read(settings)},
      micro_batch{micro_batch_setting.read(settings)},
      experts{experts_setting.read(settings)},
      top_k{top_k_setting.read(settings)},
      zero{zero_setting.read(settings)},
      precision{read_precision(settings)},
      schedule{
          read_choice(settings, "schedule", order_names, PipelineOrder::one_forward_one_backward)},
      recompute{read_choice<Recompute>(settings, "recompute", recompute_names)},
      overlaps{settings.boolean("overlap", false)},
      splits_sequence{settings.boolean("sequence_parallel", false)} {
  read_axes(settings, *this);
  check(settings, *this);
}

const TransformerModel::Axis& TransformerModel::axis_of(std::string_view name) const {
  return axes[index_of_axis(name)];
}

Int128 TransformerModel::flops() const {
  const Int128 forward = attention_flops() + core_flops() + mlp_flops();
  const Int128 again = recompute == Recompute::full        ? forward
                       : recompute == Recompute::selective ? core_flops()
                                                           : Int128{0};
  // Each process has 1/t of a layer.
  const Int128 processes_at_once = Int128{tensor()} * micro_batches * data() * expert();
  Int128 step = 0;
  Int128 total = 0;
  const bool is_beyond = __builtin_mul_overflow(3 * forward + again, Int128{layers}, &step) ||
                         __builtin_add_overflow(step, 3 * logit_flops(), &step) ||
                         __builtin_mul_overflow(step, processes_at_once, &total);
  refuse_if(is_beyond, "", "has more than 2^126 operations; make the model smaller");
  return total;
}

std::vector<TransformerModel::Passes> TransformerModel::passes(std::uint32_t stage) const {
  const std::uint32_t total = micro_batches * chunks;
  // [N, 2.2]; Megatron-LM's code has these numbers for the warm-up.
  std::uint32_t warm_up = std::min(pipeline() - stage - 1, total);
  if (schedule == PipelineOrder::gpipe) {
    warm_up = total;  // [H]
  } else if (schedule == PipelineOrder::interleaved) {
    warm_up = std::min((pipeline() - stage - 1) * 2 + (chunks - 1) * pipeline(), total);
  }
  // Groups of p micro-batches go through one chunk after the other.
  const auto chunk_of = [&](std::uint32_t pass) { return pass / pipeline() % chunks; };
  // Whether no later pass goes through the same chunk.
  const auto is_last_of_chunk = [&](std::uint32_t pass) {
    if (!overlaps || zero >= 2) {
      return false;
    }
    return chunks == 1 ? pass + 1 == micro_batches
                       : pass % pipeline() + 1 == pipeline() &&
                             pass / (pipeline() * chunks) + 1 == micro_batches / pipeline();
  };
  std::vector<Passes> all;
  for (std::uint32_t i = 0; i < total + warm_up; ++i) {
    Passes& next = all.emplace_back();
    if (i < total) {
      next.push_back({true, chunk_of(i), false});
    }
    if (i >= warm_up) {
      const std::uint32_t backward = i - warm_up;
      const std::uint32_t chunk = chunks - 1 - chunk_of(backward);
      next.push_back({false, chunk, is_last_of_chunk(backward)});
    }
  }
  return all;
}

std::vector<ParameterHelp> transformer_parameters() {
  return {
      {"axes", "sides of the axes tensor, pipeline, data and expert; the first counts fastest", ""},
      {"order", "the axes in another order", "as in axes"},
      required(layers_setting),
      required(hidden_setting),
      required(heads_setting),
      required(sequence_setting),
      vocabulary_setting,
      micro_batches_setting,
      micro_batch_setting,
      {"precision", "bytes of a value, or fp8, bf16, fp16, fp32, fp64", "bf16"},
      {"flops", "operations a second of a chip at its peak: 275T", "the machine's compute.flop"},
      {"efficiency", "share of the peak that computing reaches, above 0 to 1", "1"},
      {"recompute", "activations that the backward pass computes again: none, selective or full",
       "none"},
      {"schedule", "of the pipeline: gpipe, 1f1b or interleaved", "1f1b"},
      chunks_setting,
      zero_setting,
      experts_setting,
      top_k_setting,
      {"overlap", "whether gradients are reduced beside the backward pass", "false"},
      {"sequence_parallel", "whether the tensor axis also splits sequences", "false"},
      {"algorithms", "of collectives: one for all axes, or {tensor: ring, data: bucket}",
       "automatic"},
      {"ports", "of collectives: one number for all axes, or {tensor: 2}", "1"}};
}

}  // namespace dcube
