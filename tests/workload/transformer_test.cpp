#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/program/program.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

// A training step against the formulas that src/workload/transformer.cpp cites.

namespace dcube::testing {
namespace {

constexpr std::int64_t latency = 1000;
constexpr std::int64_t per_byte = 3;

// A small model. An operation takes 1 ps.
constexpr std::int64_t b = 2, s = 32, h = 64, layers = 8, bytes = 2;
constexpr std::int64_t forward = 24 * b * s * h * h + 4 * b * s * s * h;  ///< operations of a layer
constexpr std::int64_t activation = b * s * h * bytes;
constexpr std::int64_t layer_values = 12 * h * h + 13 * h;

/// With rings along tensor and data, unless `more` says otherwise.
std::string text_of(const std::string& axes, std::string more) {
  if (more.find("algorithms") == std::string::npos) {
    std::vector<std::string> rings;
    for (const std::string axis : {R"("tensor")", R"("data")"}) {
      if (axes.find(axis) != std::string::npos) {
        rings.push_back(axis + R"(: "ring")");
      }
    }
    more +=
        fmt::format(R"({}"algorithms": {{{}}})", more.empty() ? "" : ", ", fmt::join(rings, ", "));
  }
  return fmt::format(R"p({{"kind": "transformer", "layers": {}, "hidden": {}, "heads": 8,
                           "sequence": {}, "micro_batch": {}, "flops": "1T", "axes": {{{}}},
                           {}}})p",
                     layers, h, s, b, axes, more);
}

/// A step on a torus with a dimension for each axis, so that rings have links of their own.
struct Step {
  Step(const std::string& topology, const std::string& text,
       ExactTime fixed = ExactTime{Ticks{latency}}, ExactTime each = ExactTime{per_byte, 1})
      : machine{unit_machine("kind=torus,shape=" + topology)} {
    machine.links.per_dimension.assign(machine.topology->dimension_count(), {fixed, each});
    program = make_program(*read_json(text, "p.json").group(), {machine, 1, {}});
    report = run(*program);
    EXPECT_EQ(report.outcome, Outcome::completed);
    EXPECT_NE(program->verify(), std::optional{false});
  }
  RunReport run(Program& of) const {
    return run_without_simgrid({.machine = machine,
                                .map = map(),
                                .body = [&of](Process& process) { return of.run(process); },
                                .stage_count = of.stage_count()});
  }
  std::vector<NodeId> map() const {
    std::vector<NodeId> map;
    for (std::uint32_t rank = 0; rank < program->guest().process_count(); ++rank) {
      map.emplace_back(rank);
    }
    return map;
  }
  std::int64_t makespan() const { return report.makespan.count(); }

  Machine machine;
  std::unique_ptr<Program> program;
  RunReport report;
};

/// A collective by a ring whose messages cross one link each, at once.
std::int64_t ring_time(std::int64_t side, std::int64_t rounds, std::int64_t of_bytes) {
  return rounds * (side - 1) * (latency + per_byte * of_bytes / side);
}
std::int64_t allreduce_time(std::int64_t side, std::int64_t of_bytes) {
  return ring_time(side, 2, of_bytes);
}

std::string answer_of(const std::string& text, const std::string& name) {
  const Machine machine = unit_machine("kind=torus,shape=64x8x3");
  const auto program = make_program(*read_json(text, "p.json").group(), {machine, 1, {}});
  return program->answer().find(name)->number()->text;
}

TEST(Transformer, CountsOperationsAndParametersAsPublished) {
  // GPT-3 as in table 1 of Narayanan et al. 2021: 174.6 billion parameters, batch 1536.
  const auto gpt = [](const std::string& more) {
    return fmt::format(R"p({{"kind": "transformer", "layers": 96, "hidden": 12288, "heads": 96,
        "sequence": 2048, "vocabulary": 51200, "micro_batches": 128, "micro_batch": 4,
        "axes": {{"tensor": 8, "data": 3}}, "flops": "312T"{}}})p",
                       more);
  };
  const std::uint64_t batch = 1536, l = 96, hidden = 12288, length = 2048, words = 51200;
  EXPECT_EQ(
      answer_of(gpt(""), "parameters"),
      fmt::format("{}", 12 * l * hidden * hidden + 13 * l * hidden + (words + length) * hidden));
  const auto flops = [&](std::uint64_t layer_passes, std::uint64_t core_passes) {
    return fmt::format("{}", layer_passes * 24 * batch * length * l * hidden * hidden +
                                 core_passes * 4 * batch * length * length * l * hidden +
                                 6 * batch * length * hidden * words);
  };
  EXPECT_EQ(answer_of(gpt(R"(, "recompute": "full")"), "flops"), flops(4, 4));
  EXPECT_EQ(answer_of(gpt(R"(, "recompute": "selective")"), "flops"), flops(3, 4));
  EXPECT_EQ(answer_of(gpt(""), "flops"), flops(3, 3));
}

TEST(Transformer, WithoutOverlapTimeIsTheSumOfItsParts) {
  for (const std::int64_t t : {1, 2, 4}) {
    for (const std::int64_t d : {1, 2, 4}) {
      for (const std::int64_t m : {1, 3}) {
        const Step step{fmt::format("{}x{}", t, d),
                        text_of(fmt::format(R"("tensor": {}, "data": {})", t, d),
                                fmt::format(R"("micro_batches": {})", m))};
        EXPECT_EQ(step.makespan(),
                  m * layers * (3 * forward / t + 4 * allreduce_time(t, activation)) +
                      allreduce_time(d, layers * layer_values / t * bytes))
            << t << " x " << d << ", " << m;
      }
    }
  }
}

TEST(Transformer, SplitSequencesTakeAsManyBytes) {
  const std::int64_t t = 4;
  const std::string axes = R"("tensor": 4)";
  const Step step{"4", text_of(axes, R"("sequence_parallel": true)")};
  EXPECT_EQ(step.makespan(), layers * (3 * forward / t + 8 * ring_time(t, 1, activation)));
  EXPECT_EQ(step.report.bytes, Step("4", text_of(axes, "")).report.bytes);
}

TEST(Transformer, EfficiencyStretchesComputing) {
  const Step step{"1", text_of(R"("data": 1)", R"("efficiency": 0.375)")};
  EXPECT_EQ(step.makespan(), layers * 3 * forward * 8 / 3);
  // As other programs write 1/3 and 0.1 + 0.2.
  const auto stretched = [](const std::string& share) {
    return static_cast<double>(
        Step{"1", text_of(R"("data": 1)", R"("efficiency": )" + share)}.makespan());
  };
  EXPECT_NEAR(stretched("0.3333333333333333") / (layers * 3 * forward), 3, 1e-9);
  EXPECT_NEAR(stretched("0.30000000000000004") / (layers * 3 * forward), 10 / 3.0, 1e-9);
}

TEST(Transformer, PipelinesHaveTheirPublishedBubble) {
  const std::int64_t p = 4, m = 8;
  const std::int64_t pass = layers / p * forward;
  const auto step = [&](const std::string& schedule) {
    return Step{"4",
                text_of(R"("pipeline": 4)",
                        fmt::format(R"("micro_batches": {}, "schedule": {})", m, schedule)),
                ExactTime{Ticks{1}}, ExactTime{}};
  };
  // A message takes 1 ps. GPipe has p - 1 of them each way on its longest path.
  EXPECT_EQ(step(R"("gpipe")").makespan(), (m + p - 1) * 3 * pass + 2 * (p - 1));
  const auto bubble = [&](const std::string& schedule) {
    const auto ideal = static_cast<double>(m * 3 * pass);
    return (static_cast<double>(step(schedule).makespan()) - ideal) / ideal;
  };
  EXPECT_NEAR(bubble(R"("1f1b")"), (p - 1.0) / m, 1e-6);
  EXPECT_NEAR(bubble(R"("interleaved", "chunks": 2)"), (p - 1.0) / m / 2, 1e-6);
  EXPECT_EQ(step(R"("1f1b")").report.messages, static_cast<std::uint64_t>(2 * m * (p - 1)));
  EXPECT_EQ(step(R"("interleaved", "chunks": 2)").report.messages,
            static_cast<std::uint64_t>(2 * m * (2 * p - 1)));
}

TEST(Transformer, EveryScheduleEndsWithAllSizesOfPipelines) {
  for (const std::uint32_t p : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t m : {1U, 2U, 3U, 8U}) {
      for (const char* const schedule : {"gpipe", "1f1b", "interleaved"}) {
        const bool is_interleaved = std::string_view{schedule} == "interleaved";
        if (is_interleaved && (p == 1 || p == 8 || m % p != 0)) {
          continue;
        }
        const Step step{
            std::to_string(p),
            text_of(fmt::format(R"("pipeline": {})", p),
                    fmt::format(R"("micro_batches": {}, "schedule": "{}")", m, schedule))};
        const std::uint32_t stages = is_interleaved ? 2 * p : p;
        EXPECT_EQ(step.report.messages, 2 * m * (stages - 1)) << p << " " << m << schedule;
        EXPECT_EQ(step.report.bytes, 2U * m * (stages - 1) * activation);
      }
    }
  }
}

/// Bytes that one process sends along a single axis of 4.
std::int64_t bytes_along(const std::string& axis, const std::string& more) {
  const Step step{"4", text_of(fmt::format(R"("{}": 4)", axis), more)};
  return static_cast<std::int64_t>(step.report.bytes) / 4;
}

TEST(Transformer, EveryAxisCarriesThePublishedBytes) {
  // 8 b s h (t-1)/t values a layer [Narayanan et al. 2021, 3.2]; full recomputation repeats two
  // of the four all-reduces.
  EXPECT_EQ(bytes_along("tensor", ""), layers * 8 * activation * 3 / 4);
  EXPECT_EQ(bytes_along("tensor", R"("recompute": "full")"), layers * 12 * activation * 3 / 4);
  EXPECT_EQ(bytes_along("tensor", R"("recompute": "selective")"), layers * 8 * activation * 3 / 4);
  // Embedding and logits: an all-reduce of b s h values in each direction.
  EXPECT_EQ(bytes_along("tensor", R"("vocabulary": 128)"), (layers * 8 + 4) * activation * 3 / 4);
  // GShard: k b s h values to the experts and back, forward and backward.
  const Step experts{"4x1", text_of(R"("expert": 4, "data": 1)", R"("experts": 8, "top_k": 2)")};
  const std::int64_t dense = 4 * h * h + 8 * h;
  EXPECT_EQ(static_cast<std::int64_t>(experts.report.bytes) / 4,
            layers * 4 * 2 * activation * 3 / 4 + 2 * layers * dense * bytes * 3 / 4);
}

TEST(Transformer, ShardingHasTheVolumeOfZero) {
  // Psi parameters: 2 Psi up to stage 2, 3 Psi in stage 3 [Rajbhandari et al. 2020, 7].
  const std::int64_t psi = layers * layer_values * bytes;
  for (const char* const overlap : {"false", "true"}) {
    const auto volume = [&](int zero, int micro_batches) {
      return bytes_along("data", fmt::format(R"("zero": {}, "micro_batches": {}, "overlap": {})",
                                             zero, micro_batches, overlap));
    };
    for (const int zero : {0, 1, 2}) {
      EXPECT_EQ(volume(zero, 1), 2 * psi * 3 / 4) << zero << overlap;
    }
    EXPECT_EQ(volume(3, 1), 3 * psi * 3 / 4) << overlap;
    // Sharded gradients are reduced in every micro-batch, sharded parameters gathered twice.
    EXPECT_EQ(volume(0, 4), 2 * psi * 3 / 4);
    EXPECT_EQ(volume(1, 4), 2 * psi * 3 / 4);
    EXPECT_EQ(volume(2, 4), 5 * psi * 3 / 4);
    EXPECT_EQ(volume(3, 4), 12 * psi * 3 / 4);
  }
}

TEST(Transformer, GradientsOfEmbeddingsAreCountedOnce) {
  const std::int64_t words = 128;
  EXPECT_EQ(bytes_along("data", R"("vocabulary": 128)"),
            2 * (layers * layer_values + (words + s) * h) * bytes * 3 / 4);
  // First and last stage add up their copies of the embedding.
  const Step step{"4", text_of(R"("pipeline": 4)", R"("vocabulary": 128)")};
  EXPECT_EQ(static_cast<std::int64_t>(step.report.bytes),
            2 * 3 * activation + 2 * words * h * bytes);
}

TEST(Transformer, OverlapHidesAllButTheLastGradients) {
  const std::string axes = R"("data": 2)";
  const std::int64_t computing = layers * 3 * forward;
  EXPECT_EQ(Step("2", text_of(axes, "")).makespan(),
            computing + allreduce_time(2, layers * layer_values * bytes));
  EXPECT_EQ(Step("2", text_of(axes, R"("overlap": true)")).makespan(),
            computing + allreduce_time(2, layer_values * bytes));
  // Parameters of the next layer come while a layer computes; those of the first are awaited.
  const std::int64_t gather = ring_time(2, 1, layer_values * bytes);
  EXPECT_EQ(Step("2", text_of(axes, R"("overlap": true, "zero": 3)")).makespan(),
            computing + 3 * gather);
  EXPECT_EQ(Step("2", text_of(axes, R"("zero": 3)")).makespan(),
            computing + 2 * layers * gather + ring_time(2, 1, layers * layer_values * bytes));
}

const std::vector<std::string>& varied_steps() {
  static const std::vector<std::string> more{
      "", R"("schedule": "gpipe", "zero": 1, "vocabulary": 128)",
      R"("schedule": "interleaved", "overlap": true, "zero": 3, "vocabulary": 128)",
      R"("sequence_parallel": true, "overlap": true, "zero": 2, "recompute": "full")",
      R"("schedule": "interleaved", "overlap": true, "recompute": "selective", "ports": {"data": 1})"};
  return more;
}

TEST(Transformer, ItsPatternDoesTheSame) {
  for (const std::string& more : varied_steps()) {
    const Step step{"2x2x2", text_of(R"("tensor": 2, "pipeline": 2, "data": 2)",
                                     "\"micro_batches\": 4, \"order\": [\"data\", \"tensor\", "
                                     "\"pipeline\"]" +
                                         (more.empty() ? "" : ", " + more))};
    const auto pattern = make_program(step.program->pattern().value(), {step.machine, 1, {}});
    EXPECT_EQ(pattern->kind(), "pattern");
    EXPECT_EQ(step.run(*pattern).fingerprint, step.report.fingerprint) << more;
    EXPECT_EQ(pattern->stage_names(), step.program->stage_names());
  }
}

/// Collectives among phases, each once.
void collect(const Setting& phases, std::vector<Params>& collectives) {
  for (const Setting& entry : *phases.list()) {
    if (entry.list() != nullptr) {
      collect(entry, collectives);
    } else if (entry.group()->has("phases")) {
      collect(*entry.group()->find("phases"), collectives);
    } else if (entry.group()->has("collective")) {
      Params settings;
      settings.set("kind", "collective");
      settings.set("operation", *entry.group()->find("collective"));
      settings.set("value_bytes", Setting::Number{"2"});
      for (const char* const key : {"over", "bytes", "algorithm"}) {
        if (const Setting* const value = entry.group()->find(key)) {
          settings.set(key, *value);
        }
      }
      if (std::ranges::find(collectives, settings) == collectives.end()) {
        collectives.push_back(settings);
      }
    }
  }
}

TEST(Transformer, ItsCollectivesHaveTheRightValues) {
  std::size_t checked = 0;
  for (const std::string& more : varied_steps()) {
    const Step step{"2x2x2", text_of(R"("tensor": 2, "pipeline": 2, "data": 2)",
                                     "\"micro_batches\": 4" + (more.empty() ? "" : ", " + more))};
    const Params pattern = step.program->pattern().value();
    std::vector<Params> collectives;
    collect(*pattern.find("phases"), collectives);
    for (Params& settings : collectives) {
      settings.set("guest", *pattern.find("guest"));
      const auto program = make_program(settings, {step.machine, 1, {}});
      EXPECT_EQ(step.run(*program).outcome, Outcome::completed);
      EXPECT_EQ(program->verify(), std::optional{true});
      ++checked;
    }
  }
  EXPECT_GE(checked, 15U);
}

TEST(Transformer, ExpertsShareGradientsWithTheirCopiesOnly) {
  const Step step{"2x2", R"p({"kind": "transformer", "layers": 1, "hidden": 8, "heads": 2,
      "sequence": 4, "experts": 4, "axes": {"expert": 2, "data": 2}, "flops": "1T",
      "algorithms": {"data": "ring"}})p"};
  const Params pattern = step.program->pattern().value();
  std::vector<Params> collectives;
  collect(*pattern.find("phases"), collectives);
  ASSERT_EQ(collectives.size(), 3U);
  EXPECT_EQ(collectives[0].text("operation"), "all_to_all");
  EXPECT_EQ(collectives[1].list("over", "axes").size(), 2U);
  EXPECT_EQ(collectives[1].size_bytes("bytes"), 2U * (4 * 8 * 8 + 8 * 8));
  EXPECT_EQ(collectives[2].text("over"), "data");
  EXPECT_EQ(collectives[2].size_bytes("bytes"), 2U * 2 * (8 * 8 * 8 + 5 * 8));
}

TEST(Transformer, OptionsOfTheDataAxisAreThoseOfGradientsWithoutIt) {
  for (const char* const axes : {R"("expert": 4)", R"("expert": 4, "data": 1)"}) {
    const Step step{"4x1", fmt::format(R"p({{"kind": "transformer", "layers": 1, "hidden": 8,
        "heads": 2, "sequence": 4, "experts": 4, "axes": {{{}}}, "flops": "1T",
        "algorithms": {{"expert": "pairwise", "data": "ring"}}}})p",
                                       axes)};
    const Params pattern = step.program->pattern().value();
    std::vector<Params> collectives;
    collect(*pattern.find("phases"), collectives);
    ASSERT_EQ(collectives.size(), 2U);
    EXPECT_EQ(collectives[0].text("algorithm"), "pairwise");
    EXPECT_EQ(collectives[1].text("algorithm"), "ring");
  }
}

TEST(Transformer, ValuesAreCheckedWhereTheyFit) {
  for (const std::string& more : varied_steps()) {
    const std::string separator = more.empty() ? "" : ", ";
    const auto step = [&](int sequence) {
      return Step{"2x2x2", fmt::format(R"p({{"kind": "transformer", "layers": 4, "hidden": 16,
          "heads": 4, "sequence": {}, "flops": "1T", "micro_batches": 2, "algorithms": "ring",
          "axes": {{"tensor": 2, "pipeline": 2, "data": 2}}{}{}}})p",
                                       sequence, separator, more)};
    };
    EXPECT_EQ(step(8).program->verify(), std::optional{true}) << more;
    EXPECT_EQ(step(65536).program->verify(), std::nullopt);
  }
  const Step experts{"2x2", R"p({"kind": "transformer", "layers": 2, "hidden": 8, "heads": 2,
      "sequence": 4, "experts": 4, "top_k": 2, "axes": {"expert": 2, "data": 2}, "flops": "1T",
      "overlap": true})p"};
  EXPECT_EQ(experts.program->verify(), std::optional{true});
}

TEST(Transformer, PhasesHaveNames) {
  const Step step{"2x2x2", text_of(R"("tensor": 2, "pipeline": 2, "data": 2)",
                                   R"("vocabulary": 64, "zero": 1, "recompute": "full")")};
  const std::vector<std::string> names = step.program->stage_names();
  for (const char* const name : {"forward", "backward", "recompute", "tensor", "pipeline",
                                 "gradients", "parameters", "embedding"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(names.size(), 8U);
}

TEST(Transformer, SaysWhatIsWrong) {
  const auto complaint_of = [](const std::string& text) {
    return dcube::complaint<InputError>([&] {
      const Machine machine = unit_machine("kind=torus,shape=8x8");
      make_program(*read_json(text, "p.json").group(), {machine, 1, {}});
    });
  };
  const auto complaint = [&](const std::string& axes, const std::string& more) {
    return complaint_of(text_of(axes, more));
  };
  const std::string four = R"("tensor": 4)";
  EXPECT_EQ(complaint(R"("tensor": 3)", ""),
            "p.json: /heads: 8 is not a multiple of 3 (the side of the tensor axis)");
  EXPECT_EQ(complaint(R"("pipeline": 3)", ""),
            "p.json: /layers: 8 is not a multiple of 3 (the side of the pipeline axis)");
  EXPECT_EQ(
      complaint(R"("pipeline": 2)", R"("schedule": "interleaved", "chunks": 3,
                                               "micro_batches": 2)"),
      "p.json: /layers: 8 is not a multiple of 6 (the side of the pipeline axis times chunks)");
  EXPECT_EQ(complaint(R"("pipeline": 2)", R"("schedule": "interleaved", "micro_batches": 3)"),
            "p.json: /micro_batches: 3 is not a multiple of 2 (the side of the pipeline axis, for "
            "an interleaved schedule)");
  EXPECT_EQ(complaint(four, R"("schedule": "interleaved")"),
            "p.json: /schedule: interleaved needs a pipeline axis of at least 2");
  EXPECT_EQ(complaint(four, R"("chunks": 2)"),
            "p.json: /chunks: is for the schedule interleaved, not 1f1b");
  EXPECT_EQ(complaint(four, R"("precision": "bf8")"),
            "p.json: /precision: \"bf8\" is not fp8, bf16, fp16, fp32, fp64, or the bytes of a "
            "value (1 to 1024)");
  EXPECT_EQ(complaint(four, R"("precision": 0)"),
            "p.json: /precision: 0 is not fp8, bf16, fp16, fp32, fp64, or the bytes of a value (1 "
            "to 1024)");
  EXPECT_EQ(complaint(four, R"("efficiency": 0)"),
            "p.json: /efficiency: 0 is not a share of the peak (above 0, at most 1)");
  const auto complaint_of_rate = [&](const std::string& flops) {
    std::string text = text_of(four, "");
    return complaint_of(text.replace(text.find("1T"), 2, flops));
  };
  for (const char* const flops :
       {"1.5e3 Gflops", "1.5e12", "1.5T ", "1500 Gflop/s", "15e11FLOPS", "0.0015PFLOP/s"}) {
    EXPECT_EQ(complaint_of_rate(flops), "") << flops;
  }
  for (const char* const flops :
       {"", "T", "-1T", "0T", "1e99T", "1 2T", "1TB/s", "1 Gbps", "1eT"}) {
    EXPECT_EQ(complaint_of_rate(flops),
              fmt::format("p.json: /flops: \"{}\" is not a rate of operations above 0, such as "
                          "\"275T\" or 2.75e14",
                          flops));
  }
  EXPECT_EQ(complaint(four, R"("efficiency": 0.333333333333333333333)"),
            "p.json: /efficiency: has too many digits beside those of flops; give it fewer");
  EXPECT_EQ(complaint(R"("tensr": 4)", ""),
            "p.json: /axes/tensr: unknown key; did you mean `tensor`?");
  EXPECT_EQ(complaint(R"("expert": 4)", ""),
            "p.json: /axes: has an axis expert, but the model has no experts; give `experts`");
  EXPECT_EQ(complaint(R"("expert": 4)", R"("experts": 6)"),
            "p.json: /experts: 6 is not a multiple of 4 (the side of the expert axis)");
  EXPECT_EQ(complaint(four, R"("experts": 2, "top_k": 3)"),
            "p.json: /top_k: 3 is more than the 2 experts");
  EXPECT_EQ(complaint(four, R"("top_k": 2)"), "p.json: /top_k: is for a model with `experts`");
  EXPECT_EQ(complaint(four, R"("ports": {"dta": 2})"),
            "p.json: /ports/dta: unknown key; did you mean `data`?");
  EXPECT_EQ(complaint(four, R"("ports": {"tensor": 99})").substr(0, 22), "p.json: /ports/tensor:");
  for (const auto& [axes, name] :
       {std::pair{R"("data": 4)", "tensor"}, std::pair{R"("tensor": 4)", "data"},
        std::pair{R"("tensor": 4)", "expert"}}) {
    EXPECT_EQ(complaint(axes, fmt::format(R"("algorithms": {{"{}": "ring"}})", name)),
              fmt::format("p.json: /algorithms/{}: is not among the `axes`", name));
  }
  EXPECT_EQ(complaint(R"("pipeline": 4)", R"("algorithms": {"pipeline": "ring"})"),
            "p.json: /algorithms/pipeline: is an axis of messages, which has no collectives");
  EXPECT_EQ(complaint(four, R"("ports": 9)").substr(0, 15), "p.json: /ports:");
  EXPECT_EQ(complaint(four, R"("zero": 4)"), "p.json: /zero: 4 is not a stage of ZeRO (0 to 3)");
  EXPECT_EQ(complaint(four, R"("vocabulary": 16777216, "micro_batches": 65537)").substr(0, 23),
            "p.json: /micro_batches:");
}

TEST(Transformer, RefusesModelsBeyondItsNumbers) {
  const auto complaint = [](const std::string& more) {
    return dcube::complaint<InputError>([&] {
      const Machine machine = unit_machine("kind=torus,shape=8x8");
      make_program(*read_json(fmt::format(R"p({{"kind": "transformer", "layers": 1, "heads": 1,
          "hidden": 1048576, "sequence": 16777216, "axes": {{"data": 2}}{}}})p",
                                          more),
                              "p.json")
                        .group(),
                   {machine, 1, {}});
    });
  };
  EXPECT_EQ(complaint(R"(, "flops": "1E", "micro_batch": 1048576)"),
            "p.json: has a number of operations above 2^62; make the model smaller");
  EXPECT_EQ(complaint("").substr(0, 60),
            "p.json: /flops: is missing, and the `compute` table of machi");
  for (const char* const flops : {"\"fast\"", "0", "-1", "\"\"", "\"T\"", "\"1e400T\"", "true"}) {
    EXPECT_EQ(complaint(fmt::format(R"(, "flops": {})", flops)).substr(0, 15), "p.json: /flops:")
        << flops;
  }
}

}  // namespace
}  // namespace dcube::testing
