#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// A collective operation of all processes of a machine, and what is compared for it.
struct CollectiveQuestion {
  CollectiveKind kind = CollectiveKind::allreduce;
  std::string machine;
  std::vector<std::string> algorithms;  ///< or "all"
  std::vector<std::string> embeddings;  ///< or "all"
  std::vector<std::string> networks;    ///< none: the machine's own
  std::string hosts;
  /// Parts of the data that travel at once, at most; 0: as many as an algorithm can use. None: 1, 2
  /// and as many as it can use are compared.
  std::optional<std::uint32_t> ports = 0;
  std::optional<std::uint32_t> root;
  std::string compute;  ///< of a byte; empty: none
  std::uint64_t value_bytes = 4;
  std::uint64_t seed = 0;
  std::vector<std::string> settings;  ///< --set
};

/// What the question is asked of: read once.
struct CollectiveSubject {
  std::shared_ptr<const Machine> machine;
  std::uint32_t processes = 1;
  /// The sides of the processes as a torus: those of the machine; empty: none.
  std::vector<std::uint32_t> shape;
  std::uint32_t node_size = 1;     ///< consecutive processes on a node
  std::uint64_t memory_bytes = 0;  ///< about what a run takes
  std::vector<std::filesystem::path> inputs;

  /// Every size is a multiple of it.
  std::uint64_t grain(const CollectiveQuestion& question) const {
    return question.value_bytes * (question.kind == CollectiveKind::all_to_all ? processes : 1);
  }
};

/// One way to do the operation.
struct CollectiveWay {
  std::string network;  ///< empty: the machine's own
  std::string algorithm;
  std::string embedding;  ///< as tables call it
  Params embedding_settings{};
  std::uint32_t ports = 1;
  bool has_shape = false;  ///< the processes are a torus
  bool was_named = false;  ///< the user wants this algorithm and embedding
  std::string refusal{};   ///< why it cannot be, whatever the size
};

/// The collective of this name, with or without underscores: "alltoall". Throws InputError.
CollectiveKind collective_called(const std::string& name);

/// Reads the machine, with the settings. Throws InputError.
CollectiveSubject read_subject(const CollectiveQuestion& question);

/// All ways that are asked for, network by network. Of "all" embeddings, those that give the same
/// map as one before are left out. Throws InputError.
std::vector<CollectiveWay> collective_ways(const CollectiveQuestion& question,
                                           CollectiveSubject& subject);

/// The scenario of one run: the program `collective`, by sizes alone. Throws InputError.
Scenario collective_scenario(const CollectiveQuestion& question, const CollectiveSubject& subject,
                             const CollectiveWay& way, std::uint64_t bytes);

}  // namespace dcube::app
