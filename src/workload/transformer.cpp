#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/core/int128.hpp"
#include "pattern.hpp"
#include "program/catalog.hpp"
#include "program/settings.hpp"

// A training step of a transformer, written as a pattern. Formulas are from
// [S] Shoeybi et al., Megatron-LM, arXiv:1909.08053, 2019;
// [N] Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using
//     Megatron-LM, SC 2021;
// [K] Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models,
//     arXiv:2205.05198, 2022;
// [R] Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models,
//     SC 2020;
// [H] Huang et al., GPipe, NeurIPS 2019;
// [L] Lepikhin et al., GShard, ICLR 2021, and Fedus et al., Switch Transformers, JMLR 2022.
// b, s, h, t, p, d, e, V, E, k are the sequences of a micro-batch, their length, the hidden size,
// the sides of the axes tensor, pipeline, data and expert, the vocabulary, the experts of a layer
// and the experts that see a token. Left out: the optimizer's computing, routing of tokens, biases'
// and norms' computing, and the loss.

namespace dcube {
namespace {

using List = Setting::List;

// With these limits no product below passes 127 bits.
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

enum class Order : std::uint8_t { gpipe, one_forward_one_backward, interleaved };
const std::vector<std::string> order_names{"gpipe", "1f1b", "interleaved"};
enum class Recompute : std::uint8_t { none, selective, full };
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
  std::string text = given.number() ? given.number()->text : given.text() ? *given.text() : "";
  const auto unit = std::ranges::find_if(
      units, [&](std::string_view each) { return std::string_view{text}.ends_with(each); });
  if (unit != units.end()) {
    text.resize(text.size() - unit->size());
  }
  const std::size_t prefix = text.empty() ? std::string::npos : prefixes.find(text.back());
  if (prefix != std::string::npos) {
    text.back() = 'e';
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    text += fmt::format("{}", 3 * (prefix + 1));
  }
  try {
    return parse_time_per_byte(text);
  } catch (const InputError&) {
    settings.reject_value("flops", R"(a rate of operations above 0, such as "275T" or 2.75e14)");
  }
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
  // Picoseconds of something that happens `efficiency` times a second.
  const ExactTime second = at_place(settings.place_of("efficiency"), [&] {
    return parse_time_per_byte(settings.required("efficiency").number()->text);
  });
  constexpr Int128 a_second = 1'000'000'000'000;
  const Int128 above = Int128{peak.numerator()} * second.numerator();
  const Int128 below = Int128{peak.denominator()} * second.denominator();
  // Both are below 2^126; the reduced fraction has the second in its denominator.
  const Int128 seconds =
      std::gcd(static_cast<std::int64_t>(above % a_second), std::int64_t{a_second});
  Int128 numerator = above / seconds;
  Int128 denominator = below;
  const Int128 scale = a_second / seconds;
  constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
  refuse_if(denominator > most / scale || numerator > most, settings.place_of("efficiency"),
            "has too many digits beside those of flops");
  return {static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator * scale)};
}

/// Reads the settings and writes the pattern.
class TrainingStep {
 public:
  TrainingStep(const Params& settings, const ProgramContext& context)
      : settings_{settings},
        flop_{read_flop_time(settings, context.machine)},
        layers_{required(layers_setting)},
        hidden_{required(hidden_setting)},
        heads_{required(heads_setting)},
        sequence_{required(sequence_setting)},
        vocabulary_{vocabulary_setting.read(settings)},
        micro_batches_{micro_batches_setting.read(settings)},
        micro_batch_{micro_batch_setting.read(settings)},
        experts_{experts_setting.read(settings)},
        top_k_{top_k_setting.read(settings)},
        zero_{zero_setting.read(settings)},
        precision_{read_precision(settings)},
        order_{read_choice(settings, "schedule", order_names, Order::one_forward_one_backward)},
        recompute_{read_choice<Recompute>(settings, "recompute", recompute_names)},
        overlaps_{settings.boolean("overlap", false)},
        splits_sequence_{settings.boolean("sequence_parallel", false)} {
    read_axes();
    check();
  }

  Params pattern() const {
    Params pattern{settings_.place()};
    pattern.set("kind", "pattern");
    pattern.set("guest", guest_);
    List phases = for_stages([this](std::uint32_t stage) { return stage_phases(stage); });
    add_tied(phases);
    if (zero_ == 1 || zero_ == 2) {
      append(phases, for_stages([this](std::uint32_t stage) {
               List gathers;
               add_data(gathers, "allgather", stage_parameters(stage), {});
               return gathers;
             }));
    }
    pattern.set("phases", std::move(phases));
    return pattern;
  }

  /// Parameters of the model [N, Eq. 2]: 12 l h^2 (1 + 13/12h + (V+s)/12lh).
  Int128 parameters() const {
    const Int128 layer = experts_ == 0 ? dense_values() : dense_values() + experts_ * mlp_values();
    return layers_ * layer + (vocabulary_ == 0 ? Int128{0} : embedding_values());
  }

  /// Operations of the step, on all processes. With full recomputation 96 B s l h^2 (1 + s/6h +
  /// V/16lh) [N, Eq. 3], without 72 B s l h^2 (1 + s/6h + V/12lh) [K, Eq. 7].
  Int128 flops() const {
    const Int128 forward = attention_flops() + core_flops() + mlp_flops();
    const Int128 again = recompute_ == Recompute::full        ? forward
                         : recompute_ == Recompute::selective ? core_flops()
                                                              : Int128{0};
    // Each process has 1/t of a layer.
    const Int128 step = layers_ * (3 * forward + again) + 3 * logit_flops();
    return step * tensor() * micro_batches_ * data() * expert();
  }

 private:
  struct Axis {
    std::uint32_t side = 1;
    std::uint32_t stride = 1;
    bool is_there = false;
    std::string algorithm{"automatic"};
    std::uint32_t ports = 1;
  };

  /// A pass of a micro-batch through the layers of a chunk.
  struct Pass {
    bool is_forward = true;
    std::uint32_t chunk = 0;
    bool is_last = false;  ///< the chunk's last backward pass
    friend bool operator==(const Pass&, const Pass&) = default;
  };
  using Passes = std::vector<Pass>;

  /// Values that one process has.
  struct Values {
    Int128 dense = 0;
    Int128 of_experts = 0;
  };

  // --- Settings

  std::uint32_t required(const WholeNumber& number) const {
    settings_.required(number.key);
    return number.read(settings_);
  }

  void read_axes() {
    const Params& axes = settings_.group("axes", R"({"tensor": 8, "pipeline": 4, "data": 16})");
    axes.allow_only(axis_names);
    guest_ = Params{settings_.place()};
    guest_.set("axes", axes);
    if (const Setting* const order = settings_.find("order")) {
      guest_.set("order", *order);
    }
    Params of_pattern{settings_.place()};
    of_pattern.set("guest", guest_);
    const Guest named = read_guest(of_pattern);
    std::uint32_t stride = 1;
    for (std::size_t i = 0; i < named.axes().size(); ++i) {
      Axis& axis = axis_of(named.axes()[i]);
      axis = {.side = named.shape()[i], .stride = stride, .is_there = true};
      stride *= axis.side;
    }
    processes_ = stride;
    for (const char* const key : {"algorithms", "ports"}) {
      if (const Setting* const given = settings_.find(key); given && given->group()) {
        given->group()->allow_only(axis_names);
      }
    }
    for (const std::string& name : named.axes()) {
      read_options(axis_of(name), name);
    }
  }

  void read_options(Axis& axis, const std::string& name) const {
    const auto read = [&](const char* key, auto take) {
      const Setting* const given = settings_.find(key);
      if (given != nullptr && given->group() == nullptr) {
        take(settings_, key);
      } else if (given != nullptr && given->group()->has(name)) {
        take(*given->group(), name);
      }
    };
    read("algorithms",
         [&](const Params& from, const std::string& key) { axis.algorithm = from.text(key); });
    read("ports",
         [&](const Params& from, const std::string& key) { axis.ports = from.positive_int(key); });
  }

  Axis& axis_of(std::string_view name) {
    return axes_[static_cast<std::size_t>(std::ranges::find(axis_names, name) -
                                          axis_names.begin())];
  }
  const Axis& axis_of(std::string_view name) const {
    return axes_[static_cast<std::size_t>(std::ranges::find(axis_names, name) -
                                          axis_names.begin())];
  }
  std::uint32_t tensor() const { return axes_[0].side; }
  std::uint32_t expert() const { return axes_[1].side; }
  std::uint32_t pipeline() const { return axes_[2].side; }
  std::uint32_t data() const { return axes_[3].side; }

  void expect_multiple(const char* key, std::uint32_t value, std::uint64_t of,
                       std::string_view reason) const {
    refuse_if(value % of != 0, settings_.place_of(key), "{} is not a multiple of {} ({})", value,
              of, reason);
  }

  void check() {
    if (order_ == Order::interleaved) {
      refuse_if(pipeline() < 2, settings_.place_of("schedule"),
                "interleaved needs a pipeline axis of at least 2");
      chunks_ = chunks_setting.read(settings_);
      expect_multiple("micro_batches", micro_batches_, pipeline(),
                      "the side of the pipeline axis, for an interleaved schedule");
    } else {
      refuse_if(settings_.has("chunks"), settings_.place_of("chunks"),
                "is for the schedule interleaved, not {}",
                order_names[static_cast<std::size_t>(order_)]);
    }
    expect_multiple("layers", layers_, std::uint64_t{pipeline()} * chunks_,
                    chunks_ > 1 ? "the side of the pipeline axis times chunks"
                                : "the side of the pipeline axis");
    expect_multiple("hidden", hidden_, heads_, "heads");
    expect_multiple("heads", heads_, tensor(), "the side of the tensor axis");
    if (splits_sequence_) {
      expect_multiple("sequence", sequence_, tensor(),
                      "the side of the tensor axis, for sequence_parallel");
    }
    if (experts_ == 0) {
      refuse_if(axes_[1].is_there, settings_.place_of("axes"),
                "has an axis expert, but the model has no experts; give `experts`");
      refuse_if(settings_.has("top_k"), settings_.place_of("top_k"),
                "is for a model with `experts`");
    } else {
      expect_multiple("experts", experts_, expert(), "the side of the expert axis");
      refuse_if(top_k_ > experts_, settings_.place_of("top_k"), "{} is more than the {} experts",
                top_k_, experts_);
    }
  }

  // --- Operations of one process, for a micro-batch. A product of a matrix of m rows and n columns
  // with a vector takes 2 m n of them [N, appendix].

  Int128 tokens() const { return Int128{micro_batch_} * sequence_; }
  /// Queries, keys, values and the projection: 8 b s h^2.
  Int128 attention_flops() const { return 8 * tokens() * hidden_ * hidden_ / tensor(); }
  /// Products of queries with keys, and with values: 4 b s^2 h.
  Int128 core_flops() const { return 4 * tokens() * sequence_ * hidden_ / tensor(); }
  /// 16 b s h^2, by each expert that sees a token.
  Int128 mlp_flops() const { return 16 * tokens() * hidden_ * hidden_ / tensor() * top_k_; }
  /// 2 b s h V.
  Int128 logit_flops() const { return 2 * tokens() * hidden_ * vocabulary_ / tensor(); }

  // --- Values

  /// MLP of one expert: 8 h^2 and 5 h of biases.
  Int128 mlp_values() const { return Int128{8} * hidden_ * hidden_ + 5 * hidden_; }
  /// Those of a layer that every process of the expert axis has: 12 h^2 + 13 h without experts.
  Int128 dense_values() const {
    const Int128 attention = Int128{4} * hidden_ * hidden_ + 8 * hidden_;
    return experts_ == 0 ? attention + mlp_values() : attention;
  }
  /// Embeddings of tokens and positions: (V + s) h.
  Int128 embedding_values() const { return (Int128{vocabulary_} + sequence_) * hidden_; }
  Int128 share(Int128 values) const { return (values + tensor() - 1) / tensor(); }
  Values layer_parameters() const {
    return {share(dense_values()),
            experts_ == 0 ? Int128{0} : experts_ / expert() * share(mlp_values())};
  }
  /// The last stage has a copy of the tokens' embedding for the logits [N, 2.2].
  Int128 vocabulary_parameters(std::uint32_t stage, std::uint32_t chunk) const {
    if (vocabulary_ == 0 || !(is_first(stage, chunk) || is_last(stage, chunk))) {
      return 0;
    }
    return share(is_first(stage, chunk) ? embedding_values() : Int128{vocabulary_} * hidden_);
  }
  Values chunk_parameters(std::uint32_t stage, std::uint32_t chunk) const {
    const Values layer = layer_parameters();
    return {chunk_layers() * layer.dense + vocabulary_parameters(stage, chunk),
            chunk_layers() * layer.of_experts};
  }
  Values stage_parameters(std::uint32_t stage) const {
    Values all;
    for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
      const Values of_chunk = chunk_parameters(stage, chunk);
      all.dense += of_chunk.dense;
      all.of_experts += of_chunk.of_experts;
    }
    return all;
  }

  std::uint32_t chunk_layers() const { return layers_ / (pipeline() * chunks_); }
  static bool is_first(std::uint32_t stage, std::uint32_t chunk) {
    return stage == 0 && chunk == 0;
  }
  bool is_last(std::uint32_t stage, std::uint32_t chunk) const {
    return stage + 1 == pipeline() && chunk + 1 == chunks_;
  }

  // --- Phases

  std::uint64_t checked(Int128 amount, std::string_view what) const {
    constexpr Int128 most = Int128{1} << 62;
    refuse_if(amount > most, settings_.place(), "has {} above 2^62; make the model smaller", what);
    return static_cast<std::uint64_t>(amount);
  }
  std::uint64_t bytes_of(Int128 values) const {
    return checked(values * precision_, "messages of bytes");
  }

  void add_compute(List& phases, Int128 flops, const char* name) const {
    const Ticks time = at_place(settings_.place(), [&] {
      return round_cost(ExactTime{}, flop_, checked(flops, "a number of operations"));
    });
    Params phase;
    phase.set("compute", fmt::format("{}ps", time.count()));
    phase.set("name", name);
    phases.emplace_back(std::move(phase));
  }

  /// A collective over axes, in groups of more than one process.
  void add_collective(List& phases, std::string_view kind, const std::vector<std::string>& over,
                      std::uint64_t bytes, const char* name,
                      const std::string& started = {}) const {
    std::vector<std::uint32_t> sides;
    List names;
    for (const std::string& axis : over) {
      if (axis_of(axis).side > 1) {
        names.emplace_back(axis);
        sides.push_back(axis_of(axis).side);
      }
    }
    if (names.empty() || bytes == 0) {
      return;
    }
    const Axis& first = axis_of(*names.front().text());
    check_algorithm(kind, first, *names.front().text(), sides, bytes);
    Params phase;
    phase.set("collective", std::string{kind});
    phase.set("over", names.size() == 1 ? names.front() : Setting{names});
    phase.set("bytes", number(bytes));
    if (first.algorithm != "automatic") {
      phase.set("algorithm", first.algorithm);
    }
    if (first.ports != 1) {
      phase.set("ports", number(first.ports));
    }
    if (!started.empty()) {
      phase.set("start", started);
    }
    phase.set("name", name);
    phases.emplace_back(std::move(phase));
  }

  void check_algorithm(std::string_view kind, const Axis& axis, const std::string& name,
                       const std::vector<std::uint32_t>& sides, std::uint64_t bytes) const {
    CollectiveCall call{.kind = find_collective(kind).value()};
    call.options.algorithm = axis.algorithm;
    call.options.ports = axis.ports;
    if (sides.size() > 1) {
      call.options.sides = TorusSides{std::span{sides}};
    }
    std::uint32_t size = 1;
    for (const std::uint32_t side : sides) {
      size *= side;
    }
    const std::vector<std::uint64_t> counts = share_out(call, bytes, size);
    call.counts = counts;
    const CollectiveAlgorithm* const algorithm =
        at_place(place_of_option("algorithms", name), [&] { return &algorithm_for(call, size); });
    at_place(place_of_option("ports", name), [&] { return ports_for(*algorithm, call); });
  }
  std::string place_of_option(const char* key, const std::string& axis) const {
    const Setting* const given = settings_.find(key);
    return given != nullptr && given->group() != nullptr ? given->group()->place_of(axis)
                                                         : settings_.place_of(key);
  }

  void add_tensor(List& phases, std::string_view kind) const {
    add_collective(phases, kind, {"tensor"}, bytes_of(tokens() * hidden_), "tensor");
  }

  /// Half a layer: one all-reduce of b s h values [S, 3]; or an all-gather before and a
  /// reduce-scatter after it [K, 4.2.2], whose backward pass is the same.
  template <class Add>
  void add_half(List& phases, Add add) const {
    if (splits_sequence_) {
      add_tensor(phases, "allgather");
    }
    add();
    add_tensor(phases, splits_sequence_ ? "reduce_scatter" : "allreduce");
  }

  /// Tokens to their experts and back: k b s h values each way [L]; with sequence_parallel each
  /// process of the tensor axis sends its tokens only.
  void add_to_experts(List& phases) const {
    if (experts_ == 0) {
      return;
    }
    const Int128 values = tokens() * hidden_ * top_k_ / (splits_sequence_ ? tensor() : 1);
    const Int128 bytes = values * precision_;
    const Int128 rounded = (bytes + expert() - 1) / expert() * expert();
    add_collective(phases, "all_to_all", {"expert"}, checked(rounded, "messages of bytes"),
                   "expert");
  }

  void add_attention(List& phases, Int128 flops, const char* name) const {
    add_half(phases, [&] { add_compute(phases, flops, name); });
  }
  void add_mlp(List& phases, Int128 flops, const char* name) const {
    add_half(phases, [&] {
      add_to_experts(phases);
      add_compute(phases, flops, name);
      add_to_experts(phases);
    });
  }

  void add_forward_layer(List& phases, const char* name) const {
    add_attention(phases, attention_flops() + core_flops(), name);
    add_mlp(phases, mlp_flops(), name);
  }
  /// Twice the operations of the forward pass, for the gradients of values and of weights.
  void add_backward_layer(List& phases) const {
    if (recompute_ == Recompute::full) {
      add_forward_layer(phases, "recompute");
    }
    add_mlp(phases, 2 * mlp_flops(), "backward");
    if (recompute_ == Recompute::selective) {
      add_compute(phases, core_flops(), "recompute");
    }
    add_attention(phases, 2 * (attention_flops() + core_flops()), "backward");
  }

  // --- The data axis

  /// A collective of parameters or gradients. Those of experts have no copies along their axis.
  void add_data(List& phases, std::string_view kind, const Values& values,
                const std::string& started) const {
    const char* const name = kind == "allgather" ? "parameters" : "gradients";
    add_collective(phases, kind, {"data", "expert"}, bytes_of(values.dense), name, started);
    add_collective(phases, kind, {"data"}, bytes_of(values.of_experts), name,
                   started.empty() ? started : started + " of experts");
  }
  /// All-reduce, of a volume of 2 values, or reduce-scatter, of 1; the all-gather follows [R, 7].
  void add_gradients(List& phases, const Values& values, const std::string& started = {}) const {
    add_data(phases, zero_ == 0 ? "allreduce" : "reduce_scatter", values, started);
  }
  /// Waits for what `phases` have started and not waited for.
  static void add_waits(List& phases, const char* name) {
    List open;
    for (const Setting& phase : phases) {
      if (const Setting* const start = phase.group()->find("start")) {
        open.push_back(*start);
      } else if (const Setting* const wait = phase.group()->find("wait")) {
        std::erase(open, *wait);
      }
    }
    for (Setting& start : open) {
      Params wait;
      wait.set("wait", std::move(start));
      wait.set("name", name);
      phases.emplace_back(std::move(wait));
    }
  }
  static void append(List& phases, List more) {
    phases.insert(phases.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }

  static void add_repeat(List& phases, std::uint64_t times, List body) {
    if (times == 1) {
      append(phases, std::move(body));
    } else if (times > 1 && !body.empty()) {
      Params repeat;
      repeat.set("repeat", number(times));
      repeat.set("phases", std::move(body));
      phases.emplace_back(std::move(repeat));
    }
  }

  /// A layer beside which the parameters of the next are gathered.
  template <class AddLayer>
  List with_next_parameters(AddLayer add_layer) const {
    List phases;
    add_data(phases, "allgather", layer_parameters(), "next parameters");
    add_layer(phases);
    add_waits(phases, "parameters");
    return phases;
  }

  /// Layers, whose parameters are gathered first if they are sharded [R, 7.2.2].
  template <class AddLayer>
  void add_layers(List& phases, AddLayer add_layer) const {
    if (zero_ == 3 && overlaps_) {
      add_data(phases, "allgather", layer_parameters(), {});
      add_repeat(phases, chunk_layers() - 1, with_next_parameters(add_layer));
      add_layer(phases);
      return;
    }
    List layer;
    if (zero_ == 3) {
      add_data(layer, "allgather", layer_parameters(), {});
    }
    add_layer(layer);
    add_repeat(phases, chunk_layers(), std::move(layer));
  }

  void add_vocabulary_gather(List& phases, std::uint32_t stage, std::uint32_t chunk) const {
    if (zero_ == 3) {
      add_data(phases, "allgather", {vocabulary_parameters(stage, chunk), 0}, {});
    }
  }

  /// Messages of b s h values, or of 1/t of them with sequence_parallel [K, 4.2.2].
  void add_send(List& phases, std::int32_t by) const {
    Params send;
    send.set("send", "pipeline");
    send.set("by", number(by));
    send.set("bytes", number(bytes_of(tokens() * hidden_ / (splits_sequence_ ? tensor() : 1))));
    add_tag(send, by > 0);
    phases.emplace_back(std::move(send));
  }
  static void add_receive(List& phases, std::int32_t by) {
    Params receive;
    receive.set("receive", "pipeline");
    receive.set("by", number(by));
    add_tag(receive, by < 0);
    phases.emplace_back(std::move(receive));
  }
  static void add_tag(Params& message, bool is_forward) {
    if (!is_forward) {
      message.set("tag", number(1));
    }
    message.set("name", "pipeline");
  }

  void add_forward(List& phases, std::uint32_t stage, std::uint32_t chunk) const {
    if (!is_first(stage, chunk)) {
      add_receive(phases, -1);
    }
    add_vocabulary_gather(phases, stage, chunk);
    if (is_first(stage, chunk) && vocabulary_ > 0) {
      add_tensor(phases, splits_sequence_ ? "reduce_scatter" : "allreduce");
    }
    add_layers(phases, [this](List& to) { add_forward_layer(to, "forward"); });
    if (is_last(stage, chunk) && vocabulary_ > 0) {
      if (splits_sequence_) {
        add_tensor(phases, "allgather");
      }
      add_compute(phases, logit_flops(), "forward");
    }
    if (!is_last(stage, chunk)) {
      add_send(phases, 1);
    }
  }

  /// `reduces`: whether gradients leave during the pass; the phases do not wait for them.
  void add_backward(List& phases, std::uint32_t stage, const Pass& pass) const {
    const std::uint32_t chunk = pass.chunk;
    const bool reduces = zero_ >= 2 || pass.is_last;
    if (!is_last(stage, chunk)) {
      add_receive(phases, 1);
    }
    add_vocabulary_gather(phases, stage, chunk);
    if (is_last(stage, chunk) && vocabulary_ > 0) {
      add_compute(phases, 2 * logit_flops(), "backward");
      add_tensor(phases, splits_sequence_ ? "reduce_scatter" : "allreduce");
    }
    const auto add_layer = [this](List& to) { add_backward_layer(to); };
    if (overlaps_ && reduces) {
      add_overlapped_layers(phases, chunk, add_layer);
    } else {
      add_layers(phases, add_layer);
    }
    if (is_first(stage, chunk) && vocabulary_ > 0 && splits_sequence_) {
      add_tensor(phases, "allgather");
    }
    if (!is_first(stage, chunk)) {
      add_send(phases, -1);
    }
    if (overlaps_ && reduces) {
      add_gradients(phases, {vocabulary_parameters(stage, chunk), 0},
                    fmt::format("vocabulary {}", chunk));
    }
    if (zero_ >= 2) {
      if (overlaps_) {
        add_waits(phases, "gradients");
      } else {
        add_gradients(phases, chunk_parameters(stage, chunk));
      }
    }
  }

  /// Layers, each of which starts the sum of its gradients.
  template <class AddLayer>
  void add_overlapped_layers(List& phases, std::uint32_t chunk, AddLayer add_layer) const {
    const std::uint32_t count = chunk_layers();
    if (zero_ == 3) {
      add_data(phases, "allgather", layer_parameters(), {});
    }
    for (std::uint32_t layer = 0; layer < count; ++layer) {
      if (zero_ == 3 && layer + 1 < count) {
        append(phases, with_next_parameters(add_layer));
      } else {
        add_layer(phases);
      }
      add_gradients(phases, layer_parameters(), fmt::format("layer {}.{}", chunk, layer));
    }
  }

  // --- The pipeline

  /// Passes of a stage; those of an inner list follow each other again and again.
  std::vector<Passes> passes(std::uint32_t stage) const {
    const std::uint32_t total = micro_batches_ * chunks_;
    // [N, 2.2]; its code for interleaved schedules warms up by that many.
    std::uint32_t warm_up = std::min(pipeline() - stage - 1, total);
    if (order_ == Order::gpipe) {
      warm_up = total;  // [H]
    } else if (order_ == Order::interleaved) {
      warm_up = std::min((pipeline() - stage - 1) * 2 + (chunks_ - 1) * pipeline(), total);
    }
    std::vector<Passes> all;
    for (std::uint32_t i = 0; i < total + warm_up; ++i) {
      Passes& next = all.emplace_back();
      if (i < total) {
        next.push_back({true, chunk_of(i), false});
      }
      if (i >= warm_up) {
        const std::uint32_t backward = i - warm_up;
        const std::uint32_t chunk = chunks_ - 1 - chunk_of(backward);
        next.push_back({false, chunk, is_last_of_chunk(backward)});
      }
    }
    return all;
  }
  /// Groups of p micro-batches go through one chunk after the other.
  std::uint32_t chunk_of(std::uint32_t pass) const { return pass / pipeline() % chunks_; }
  /// Whether no later pass goes through the same chunk.
  bool is_last_of_chunk(std::uint32_t pass) const {
    if (chunks_ == 1) {
      return pass + 1 == micro_batches_;
    }
    return pass % pipeline() + 1 == pipeline() &&
           pass / (pipeline() * chunks_) + 1 == micro_batches_ / pipeline();
  }

  List pass_phases(std::uint32_t stage, const Passes& passes) const {
    List phases;
    for (const Pass& pass : passes) {
      if (pass.is_forward) {
        add_forward(phases, stage, pass.chunk);
      } else {
        add_backward(phases, stage, pass);
      }
    }
    return phases;
  }

  List stage_phases(std::uint32_t stage) const {
    List phases;
    const std::vector<Passes> all = passes(stage);
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && all[end] == all[i]) {
        ++end;
      }
      add_repeat(phases, end - i, pass_phases(stage, all[i]));
      i = end;
    }
    if (zero_ < 2) {
      if (overlaps_) {
        add_waits(phases, "gradients");
      } else {
        add_gradients(phases, stage_parameters(stage));
      }
    }
    return phases;
  }

  /// One list of phases, or one for each stage of a pipeline.
  template <class Phases>
  List for_stages(Phases phases_of) const {
    if (pipeline() == 1) {
      return phases_of(0);
    }
    List lists;
    for (std::uint32_t stage = 0; stage < pipeline(); ++stage) {
      lists.emplace_back(phases_of(stage));
    }
    Params along;
    along.set("along", "pipeline");
    along.set("phases", std::move(lists));
    return {std::move(along)};
  }

  /// First and last stage add up the gradients of their copies of the embedding [N, 2.2].
  void add_tied(List& phases) const {
    if (pipeline() == 1 || vocabulary_ == 0) {
      return;
    }
    const Axis& along = axes_[2];
    List pairs;
    for (std::uint32_t rank = 0; rank < processes_; ++rank) {
      if (rank / along.stride % along.side == 0) {
        pairs.emplace_back(List{number(rank), number(rank + (along.side - 1) * along.stride)});
      }
    }
    Params sum;
    sum.set("collective", "allreduce");
    sum.set("over", std::move(pairs));
    sum.set("bytes", number(bytes_of(share(Int128{vocabulary_} * hidden_))));
    sum.set("name", "embedding");
    phases.emplace_back(std::move(sum));
  }

  const Params& settings_;
  ExactTime flop_;
  std::uint32_t layers_, hidden_, heads_, sequence_, vocabulary_;
  std::uint32_t micro_batches_, micro_batch_, experts_, top_k_, zero_, precision_;
  Order order_;
  Recompute recompute_;
  bool overlaps_;
  bool splits_sequence_;
  std::uint32_t chunks_ = 1;
  std::array<Axis, 4> axes_{};  ///< in the order of axis_names
  std::uint32_t processes_ = 1;
  Params guest_;
};

std::unique_ptr<Program> make_transformer(const Params& settings, const ProgramContext& context) {
  const TrainingStep step{settings, context};
  Params answer;
  answer.set("parameters", number(step.parameters()));
  answer.set("flops", number(step.flops()));
  return make_pattern_program(transformer_kind.name, step.pattern(), context, std::move(answer));
}

}  // namespace

const ProgramKind transformer_kind{
    "transformer",
    "a training step of a transformer: tensor, pipeline, data and expert parallelism",
    "",
    {{"axes", "sides of the axes tensor, pipeline, data and expert; the first counts fastest", ""},
     {"order", "the axes in another order", "as in axes"},
     layers_setting,
     hidden_setting,
     heads_setting,
     sequence_setting,
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
     {"ports", "of collectives: one number for all axes, or {tensor: 2}", "1"}},
    make_transformer};

}  // namespace dcube
