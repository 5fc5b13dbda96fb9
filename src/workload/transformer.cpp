#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "pattern.hpp"
#include "program/catalog.hpp"
#include "program/settings.hpp"
#include "transformer_model.hpp"

namespace dcube {
namespace {

using List = Setting::List;

/// Writes the step of a model as a pattern.
class TrainingStep {
 public:
  TrainingStep(const Params& settings, const TransformerModel& model)
      : settings_{settings}, model_{model} {}

  Params pattern() const {
    Params pattern{settings_.place()};
    pattern.set("kind", "pattern");
    pattern.set("guest", model_.guest);
    List phases = for_stages([this](std::uint32_t stage) { return stage_phases(stage); });
    add_tied(phases);
    if (model_.zero == 1 || model_.zero == 2) {
      append(phases, for_stages([this](std::uint32_t stage) {
               List gathers;
               add_data(gathers, "allgather", model_.stage_parameters(stage), {});
               return gathers;
             }));
    }
    pattern.set("phases", std::move(phases));
    return pattern;
  }

 private:
  using Pass = TransformerModel::Pass;
  using Passes = TransformerModel::Passes;

  // --- Phases

  std::uint64_t checked(Int128 amount, std::string_view what) const {
    constexpr Int128 most = Int128{1} << 62;
    refuse_if(amount > most, settings_.place(), "has {} above 2^62; make the model smaller", what);
    return static_cast<std::uint64_t>(amount);
  }
  std::uint64_t bytes_of(Int128 values) const {
    return checked(values * model_.precision, "messages of bytes");
  }

  void add_compute(List& phases, Int128 flops, const char* name) const {
    const Ticks time = at_place(settings_.place(), [&] {
      return round_cost(ExactTime{}, model_.flop, checked(flops, "a number of operations"));
    });
    phases.emplace_back(group_of({{"compute", fmt::format("{}ps", time.count())}, {"name", name}}));
  }

  /// A collective over axes, in groups of more than one process, with the options of the first
  /// axis, also where that has one process.
  void add_collective(List& phases, std::string_view kind, const std::vector<std::string>& over,
                      std::uint64_t bytes, const char* name,
                      const std::string& started = {}) const {
    std::vector<std::uint32_t> sides;
    List names;
    for (const std::string& axis : over) {
      if (model_.axis_of(axis).side > 1) {
        names.emplace_back(axis);
        sides.push_back(model_.axis_of(axis).side);
      }
    }
    if (names.empty() || bytes == 0) {
      return;
    }
    const TransformerModel::Axis& first = model_.axis_of(over.front());
    check_algorithm(kind, first, over.front(), sides, bytes);
    Params phase = group_of({{"collective", std::string{kind}},
                             {"over", names.size() == 1 ? names.front() : Setting{names}},
                             {"bytes", number(bytes)}});
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

  void check_algorithm(std::string_view kind, const TransformerModel::Axis& axis,
                       const std::string& name, const std::vector<std::uint32_t>& sides,
                       std::uint64_t bytes) const {
    CollectiveCall call{.kind = find_collective(kind).value()};
    call.options.algorithm = axis.algorithm;
    call.options.ports = axis.ports;
    if (sides.size() > 1) {
      call.options.sides = TorusSides{std::span{sides}};
    }
    const std::uint32_t size = std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>{});
    const std::vector<std::uint64_t> counts = set_counts(call, bytes, size);
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
    add_collective(phases, kind, {"tensor"}, bytes_of(model_.tokens() * model_.hidden), "tensor");
  }

  void add_sum(List& phases) const {
    add_tensor(phases, model_.splits_sequence ? "reduce_scatter" : "allreduce");
  }

  /// Half a layer: one all-reduce of b s h values [S, 3]; or an all-gather before and a
  /// reduce-scatter after it [K, 4.2.2], whose backward pass is the same.
  template <class Add>
  void add_half(List& phases, Add add) const {
    if (model_.splits_sequence) {
      add_tensor(phases, "allgather");
    }
    add();
    add_sum(phases);
  }

  /// Tokens to their experts and back: k b s h values each way [L]; with sequence_parallel each
  /// process of the tensor axis sends its tokens only.
  void add_to_experts(List& phases) const {
    if (model_.experts == 0) {
      return;
    }
    const Int128 values = model_.tokens() * model_.hidden * model_.top_k /
                          (model_.splits_sequence ? model_.tensor() : 1);
    const Int128 bytes = values * model_.precision;
    const Int128 rounded = (bytes + model_.expert() - 1) / model_.expert() * model_.expert();
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
    add_attention(phases, model_.attention_flops() + model_.core_flops(), name);
    add_mlp(phases, model_.mlp_flops(), name);
  }
  /// Twice the operations of the forward pass, for the gradients of values and of weights.
  void add_backward_layer(List& phases) const {
    if (model_.recompute == Recompute::full) {
      add_forward_layer(phases, "recompute");
    }
    add_mlp(phases, 2 * model_.mlp_flops(), "backward");
    if (model_.recompute == Recompute::selective) {
      add_compute(phases, model_.core_flops(), "recompute");
    }
    add_attention(phases, 2 * (model_.attention_flops() + model_.core_flops()), "backward");
  }

  // --- The data axis

  /// A collective of parameters or gradients. Those of experts have no copies along their axis.
  void add_data(List& phases, std::string_view kind, const TransformerModel::Values& values,
                const std::string& started) const {
    const char* const name = kind == "allgather" ? "parameters" : "gradients";
    add_collective(phases, kind, {"data", "expert"}, bytes_of(values.dense), name, started);
    add_collective(phases, kind, {"data"}, bytes_of(values.of_experts), name,
                   started.empty() ? started : started + " of experts");
  }
  /// All-reduce, of a volume of 2 values, or reduce-scatter, of 1; the all-gather follows [R, 7].
  void add_gradients(List& phases, const TransformerModel::Values& values,
                     const std::string& started = {}) const {
    add_data(phases, model_.zero == 0 ? "allreduce" : "reduce_scatter", values, started);
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
    for (const Setting& start : open) {
      phases.emplace_back(group_of({{"wait", start}, {"name", name}}));
    }
  }
  /// Waits for the sums of gradients that have been started, or makes them.
  void end_gradients(List& phases, const TransformerModel::Values& values) const {
    if (model_.overlaps) {
      add_waits(phases, "gradients");
    } else {
      add_gradients(phases, values);
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
      phases.emplace_back(group_of({{"repeat", number(times)}, {"phases", std::move(body)}}));
    }
  }

  /// A layer beside which the parameters of the next are gathered.
  template <class AddLayer>
  List with_next_parameters(AddLayer add_layer) const {
    List phases;
    add_data(phases, "allgather", model_.layer_parameters(), "next parameters");
    add_layer(phases);
    add_waits(phases, "parameters");
    return phases;
  }

  /// Layers, whose parameters are gathered first if they are sharded [R, 7.2.2].
  template <class AddLayer>
  void add_layers(List& phases, AddLayer add_layer) const {
    if (model_.zero == 3 && model_.overlaps) {
      add_data(phases, "allgather", model_.layer_parameters(), {});
      add_repeat(phases, model_.chunk_layers() - 1, with_next_parameters(add_layer));
      add_layer(phases);
      return;
    }
    List layer;
    if (model_.zero == 3) {
      add_data(layer, "allgather", model_.layer_parameters(), {});
    }
    add_layer(layer);
    add_repeat(phases, model_.chunk_layers(), std::move(layer));
  }

  void add_vocabulary_gather(List& phases, std::uint32_t stage, std::uint32_t chunk) const {
    if (model_.zero == 3) {
      add_data(phases, "allgather", {model_.vocabulary_parameters(stage, chunk), 0}, {});
    }
  }

  /// Messages of b s h values, or of 1/t of them with sequence_parallel [K, 4.2.2].
  void add_send(List& phases, std::int32_t by) const {
    const Int128 values =
        model_.tokens() * model_.hidden / (model_.splits_sequence ? model_.tensor() : 1);
    add_message(
        phases,
        group_of({{"send", "pipeline"}, {"by", number(by)}, {"bytes", number(bytes_of(values))}}),
        by > 0);
  }
  static void add_receive(List& phases, std::int32_t by) {
    add_message(phases, group_of({{"receive", "pipeline"}, {"by", number(by)}}), by < 0);
  }
  static void add_message(List& phases, Params message, bool is_forward) {
    if (!is_forward) {
      message.set("tag", number(1));
    }
    message.set("name", "pipeline");
    phases.emplace_back(std::move(message));
  }

  void add_forward(List& phases, std::uint32_t stage, std::uint32_t chunk) const {
    if (!model_.is_first(stage, chunk)) {
      add_receive(phases, -1);
    }
    add_vocabulary_gather(phases, stage, chunk);
    if (model_.is_first(stage, chunk) && model_.vocabulary > 0) {
      add_sum(phases);
    }
    add_layers(phases, [this](List& to) { add_forward_layer(to, "forward"); });
    if (model_.is_last(stage, chunk) && model_.vocabulary > 0) {
      if (model_.splits_sequence) {
        add_tensor(phases, "allgather");
      }
      add_compute(phases, model_.logit_flops(), "forward");
    }
    if (!model_.is_last(stage, chunk)) {
      add_send(phases, 1);
    }
  }

  /// `reduces`: whether gradients leave during the pass; the phases do not wait for them.
  void add_backward(List& phases, std::uint32_t stage, const Pass& pass) const {
    const std::uint32_t chunk = pass.chunk;
    const bool reduces = model_.zero >= 2 || pass.is_last;
    if (!model_.is_last(stage, chunk)) {
      add_receive(phases, 1);
    }
    add_vocabulary_gather(phases, stage, chunk);
    if (model_.is_last(stage, chunk) && model_.vocabulary > 0) {
      add_compute(phases, 2 * model_.logit_flops(), "backward");
      add_sum(phases);
    }
    const auto add_layer = [this](List& to) { add_backward_layer(to); };
    if (model_.overlaps && reduces) {
      add_overlapped_layers(phases, chunk, add_layer);
    } else {
      add_layers(phases, add_layer);
    }
    if (model_.is_first(stage, chunk) && model_.vocabulary > 0 && model_.splits_sequence) {
      add_tensor(phases, "allgather");
    }
    if (!model_.is_first(stage, chunk)) {
      add_send(phases, -1);
    }
    if (model_.overlaps && reduces) {
      add_gradients(phases, {model_.vocabulary_parameters(stage, chunk), 0},
                    fmt::format("vocabulary {}", chunk));
    }
    if (model_.zero >= 2) {
      end_gradients(phases, model_.chunk_parameters(stage, chunk));
    }
  }

  /// Layers, each of which starts the sum of its gradients.
  template <class AddLayer>
  void add_overlapped_layers(List& phases, std::uint32_t chunk, AddLayer add_layer) const {
    const std::uint32_t count = model_.chunk_layers();
    if (model_.zero == 3) {
      add_data(phases, "allgather", model_.layer_parameters(), {});
    }
    for (std::uint32_t layer = 0; layer < count; ++layer) {
      if (model_.zero == 3 && layer + 1 < count) {
        append(phases, with_next_parameters(add_layer));
      } else {
        add_layer(phases);
      }
      add_gradients(phases, model_.layer_parameters(), fmt::format("layer {}.{}", chunk, layer));
    }
  }

  // --- The pipeline

  List pass_phases(std::uint32_t stage, const Passes& passes) const {
    List phases;
    for (const Pass& pass : passes) {
      pass.is_forward ? add_forward(phases, stage, pass.chunk) : add_backward(phases, stage, pass);
    }
    return phases;
  }

  /// How often the first `period` of them follow each other; 0 where there are fewer.
  static std::size_t repetitions(std::span<const Passes> all, std::size_t period) {
    std::size_t times = all.size() < period ? 0 : 1;
    while (times > 0 && (times + 1) * period <= all.size() &&
           std::ranges::equal(all.first(period), all.subspan(times * period, period))) {
      ++times;
    }
    return times;
  }

  /// Passes of a stage, those that come again after `period` of them in loops.
  void add_passes(List& phases, std::uint32_t stage, std::span<const Passes> all,
                  std::size_t period) const {
    while (!all.empty()) {
      const std::size_t times = repetitions(all, period);
      if (period > 1 && times > 1) {
        List body;
        add_passes(body, stage, all.first(period), 1);
        add_repeat(phases, times, std::move(body));
        all = all.subspan(times * period);
      } else {
        const std::size_t alike = repetitions(all, 1);
        add_repeat(phases, alike, pass_phases(stage, all.front()));
        all = all.subspan(alike);
      }
    }
  }

  List stage_phases(std::uint32_t stage) const {
    List phases;
    add_passes(phases, stage, model_.passes(stage), std::size_t{model_.pipeline()} * model_.chunks);
    if (model_.zero < 2) {
      end_gradients(phases, model_.stage_parameters(stage));
    }
    return phases;
  }

  /// One list of phases, or one for each stage of a pipeline.
  template <class Phases>
  List for_stages(Phases phases_of) const {
    if (model_.pipeline() == 1) {
      return phases_of(0);
    }
    List lists =
        numbered(model_.pipeline(), [&](std::uint32_t stage) { return Setting{phases_of(stage)}; });
    return {group_of({{"along", "pipeline"}, {"phases", std::move(lists)}})};
  }

  /// First and last stage add up the gradients of their copies of the embedding, as Megatron-LM's
  /// code does.
  void add_tied(List& phases) const {
    if (model_.pipeline() == 1 || model_.vocabulary == 0) {
      return;
    }
    const TransformerModel::Axis& along = model_.axes[2];
    List pairs;
    for (std::uint32_t rank = 0; rank < model_.processes; ++rank) {
      if (rank / along.stride % along.side == 0) {
        pairs.emplace_back(List{number(rank), number(rank + (along.side - 1) * along.stride)});
      }
    }
    const Int128 values = model_.share(Int128{model_.vocabulary} * model_.hidden);
    phases.emplace_back(group_of({{"collective", "allreduce"},
                                  {"over", std::move(pairs)},
                                  {"bytes", number(bytes_of(values))},
                                  {"name", "embedding"}}));
  }

  const Params& settings_;
  const TransformerModel& model_;
};

std::unique_ptr<Program> make_transformer(const Params& settings, const ProgramContext& context) {
  const TransformerModel model{settings, context.machine};
  Params pattern = TrainingStep{settings, model}.pattern();
  Params answer =
      group_of({{"parameters", number(model.parameters())},
                {"flops", number(at_place(settings.place(), [&] { return model.flops(); }))}});
  return make_pattern_program(transformer_kind.name, std::move(pattern), context, std::move(answer),
                              context.seed);
}

}  // namespace

const ProgramKind transformer_kind{
    "transformer",
    "a training step of a transformer: tensor, pipeline, data and expert parallelism", "",
    transformer_parameters(), make_transformer};

}  // namespace dcube
