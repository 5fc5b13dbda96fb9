#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"

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

enum class PipelineOrder : std::uint8_t { gpipe, one_forward_one_backward, interleaved };
enum class Recompute : std::uint8_t { none, selective, full };

/// A transformer, the chip that trains it, and how processes share the work; with the operations
/// and values of one process.
struct TransformerModel {
  /// Throws InputError.
  TransformerModel(const Params& settings, const Machine& machine);

  struct Axis {
    std::uint32_t side = 1;
    std::uint32_t stride = 1;
    bool is_there = false;
    std::string algorithm{"automatic"};
    std::uint32_t ports = 1;
  };

  /// Values that one process has.
  struct Values {
    Int128 dense = 0;
    Int128 of_experts = 0;
  };

  // --- Settings

  ExactTime flop;  ///< time of an operation
  std::uint32_t layers, hidden, heads, sequence, vocabulary;
  std::uint32_t micro_batches, micro_batch, experts, top_k, zero;
  std::uint32_t precision;  ///< bytes of a value
  std::uint32_t chunks = 1;
  PipelineOrder schedule;
  Recompute recompute;
  bool overlaps;
  bool splits_sequence;
  std::array<Axis, 4> axes{};  ///< tensor, expert, pipeline, data
  Params guest{};              ///< of the pattern
  std::uint32_t processes = 1;

  const Axis& axis_of(std::string_view name) const;
  std::uint32_t tensor() const { return axes[0].side; }
  std::uint32_t expert() const { return axes[1].side; }
  std::uint32_t pipeline() const { return axes[2].side; }
  std::uint32_t data() const { return axes[3].side; }

  // --- Operations of one process, for a micro-batch. A product of a matrix of m rows and n columns
  // with a vector takes 2 m n of them [N, appendix].

  Int128 tokens() const { return Int128{micro_batch} * sequence; }
  /// Queries, keys, values and the projection: 8 b s h^2.
  Int128 attention_flops() const { return 8 * tokens() * hidden * hidden / tensor(); }
  /// Products of queries with keys, and with values: 4 b s^2 h.
  Int128 core_flops() const { return 4 * tokens() * sequence * hidden / tensor(); }
  /// 16 b s h^2, by each expert that sees a token.
  Int128 mlp_flops() const { return 16 * tokens() * hidden * hidden / tensor() * top_k; }
  /// 2 b s h V.
  Int128 logit_flops() const { return 2 * tokens() * hidden * vocabulary / tensor(); }

  // --- Values

  /// MLP of one expert: 8 h^2 and 5 h of biases.
  Int128 mlp_values() const { return Int128{8} * hidden * hidden + 5 * hidden; }
  /// Those of a layer that every process of the expert axis has: 12 h^2 + 13 h without experts.
  Int128 dense_values() const {
    const Int128 attention = Int128{4} * hidden * hidden + 8 * hidden;
    return experts == 0 ? attention + mlp_values() : attention;
  }
  /// Embeddings of tokens and positions: (V + s) h.
  Int128 embedding_values() const { return (Int128{vocabulary} + sequence) * hidden; }
  Int128 share(Int128 values) const { return (values + tensor() - 1) / tensor(); }
  Values layer_parameters() const {
    return {share(dense_values()),
            experts == 0 ? Int128{0} : experts / expert() * share(mlp_values())};
  }
  /// The last stage has a copy of the tokens' embedding for the logits, as in Megatron-LM's code.
  Int128 vocabulary_parameters(std::uint32_t stage, std::uint32_t chunk) const {
    if (vocabulary == 0 || !(is_first(stage, chunk) || is_last(stage, chunk))) {
      return 0;
    }
    return share(is_first(stage, chunk) ? embedding_values() : Int128{vocabulary} * hidden);
  }
  Values chunk_parameters(std::uint32_t stage, std::uint32_t chunk) const {
    const Values layer = layer_parameters();
    return {chunk_layers() * layer.dense + vocabulary_parameters(stage, chunk),
            chunk_layers() * layer.of_experts};
  }
  Values stage_parameters(std::uint32_t stage) const {
    Values all;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const Values of_chunk = chunk_parameters(stage, chunk);
      all.dense += of_chunk.dense;
      all.of_experts += of_chunk.of_experts;
    }
    return all;
  }

  std::uint32_t chunk_layers() const { return layers / (pipeline() * chunks); }
  static bool is_first(std::uint32_t stage, std::uint32_t chunk) {
    return stage == 0 && chunk == 0;
  }
  bool is_last(std::uint32_t stage, std::uint32_t chunk) const {
    return stage + 1 == pipeline() && chunk + 1 == chunks;
  }

  // --- The pipeline

  /// A pass of a micro-batch through the layers of a chunk.
  struct Pass {
    bool is_forward = true;
    std::uint32_t chunk = 0;
    bool is_last = false;  ///< of its chunk, so that its gradients leave during the pass
    friend bool operator==(const Pass&, const Pass&) = default;
  };
  using Passes = std::vector<Pass>;
  /// Passes of a stage; those of an inner list follow each other again and again.
  std::vector<Passes> passes(std::uint32_t stage) const;

  // --- The whole

  /// Parameters of the model [N, Eq. 2]: 12 l h^2 (1 + 13/12h + (V+s)/12lh).
  Int128 parameters() const {
    const Int128 layer = experts == 0 ? dense_values() : dense_values() + experts * mlp_values();
    return layers * layer + (vocabulary == 0 ? Int128{0} : embedding_values());
  }

  /// Operations of the step, on all processes. With full recomputation 96 B s l h^2 (1 + s/6h +
  /// V/16lh) [N, Eq. 3], without 72 B s l h^2 (1 + s/6h + V/12lh) [K, appendix].
  /// Throws InputError (no place) beyond 2^126.
  Int128 flops() const;
};

/// Settings of a transformer.
std::vector<ParameterHelp> transformer_parameters();

}  // namespace dcube
