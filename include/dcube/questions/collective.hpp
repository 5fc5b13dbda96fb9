#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/questions/fair_links.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/setting_words.hpp"

namespace dcube {

/// A collective operation of the processes of a machine, and what is compared for it. Complaints
/// name the fields: ".algorithms".
struct CollectiveRequest {
  std::string operation;                     ///< with or without underscores: "alltoall"
  std::string machine;                       ///< a name, a file, a network such as "torus:8x8"
  std::optional<Params> machine_document{};  ///< the machine itself
  /// Sizes as nccl-tests counts them, such as "1MiB", and ranges such as "1KiB:1GiB" (each twice
  /// the one before) or "1KiB:1GiB:x4".
  std::vector<std::string> bytes{"1KiB:1GiB:x4"};
  std::vector<std::string> algorithms{"all"};
  std::vector<std::string> embeddings{"all"};  ///< names, JSON or map files
  /// Sides of the processes by the names of their dimensions, the first counting fastest:
  /// "tensor=8,data=16". Empty: no names.
  std::string axes{};
  /// Axes along which a group of processes runs the operation, all groups at once. None: all
  /// processes are one group.
  std::vector<std::string> over{};
  std::vector<std::string> networks{};  ///< none: the machine's own
  std::string hosts{};                  ///< what nodes are called in map files
  bool writes_hosts = false;            ///< somebody needs these names for other files
  /// Parts of the data that travel at once, at most; 0: as many as an algorithm can use. None: 1, 2
  /// and as many as it can use are compared.
  std::optional<std::uint32_t> ports = 0;
  std::optional<std::uint32_t> root{};
  std::string compute{};  ///< computing time of a byte; empty: the machine's
  std::uint64_t value_bytes = 4;
  std::uint64_t seed = 0;
  std::vector<std::string> settings{};  ///< of every scenario: "/machine/link/latency=1us"
  bool crossovers = true;               ///< look for the sizes at which the fastest changes
  /// The three fastest algorithms are also run under fair links, whatever that takes.
  bool check_links = false;
};

/// Names of the operations that move data, in alphabetical order.
std::vector<std::string> compared_collectives();

/// One way to do the operation.
struct CollectiveWay {
  std::string network;  ///< empty: the machine's own
  std::string algorithm;
  std::string embedding;  ///< as tables call it
  Params embedding_settings{};
  std::uint32_t ports = 1;
  bool has_shape = false;             ///< the processes are a torus
  std::string refusal{};              ///< why it cannot be, whatever the size
  bool is_embedding_refused = false;  ///< the refusal is about the embedding, not the algorithm
  /// The request names the algorithm, or the embedding that is the reason of the refusal.
  bool was_named = false;
};

/// Result of one way at one size.
struct CollectiveRow {
  std::size_t way = 0;
  std::uint64_t bytes = 0;
  Outcome outcome = Outcome::refused;
  std::string problem{};    ///< why it did not complete
  std::string algorithm{};  ///< algorithm that ran
  std::uint32_t ports = 0;  ///< ports that it used
  Ticks makespan{0};
  std::uint64_t fingerprint = 0;
  std::optional<FairLinks> fair_links{};  ///< where they would make a difference

  bool is_complete() const { return outcome == Outcome::completed; }
};

/// Size at which the fastest way changes.
struct Crossover {
  std::uint64_t bytes = 0;  ///< the least size that is known at which `to` is faster
  std::size_t from = 0;
  std::size_t to = 0;

  friend bool operator==(const Crossover&, const Crossover&) = default;
};

/// The fastest way under fair links at a size at which it is not that of the machine as it is.
struct FairChange {
  std::uint64_t bytes = 0;
  std::size_t way = 0;   ///< the fastest under fair links, by more than 1 %
  Ticks makespan{0};     ///< its time there
  std::size_t best = 0;  ///< the fastest of the machine as it is
  Ticks of_best{0};      ///< its time under fair links
  std::uint64_t packet_bytes = 0;

  /// Part of the time that `way` takes less than `best` under fair links.
  double saving() const { return 1 - to_seconds(makespan) / to_seconds(of_best); }
};

/// The ranking held against fair links.
struct FairRanking {
  bool was_tried = false;
  double queued_share = 0;            ///< most of the hops that queued in one of these runs
  std::vector<FairChange> changes{};  ///< by size
};

/// Everything that was simulated, and the crossovers.
struct CollectiveAnswer {
  CollectiveRequest request;
  CollectiveKind kind = CollectiveKind::allreduce;
  std::shared_ptr<const Machine> machine{};
  std::uint32_t processes = 1;   ///< of all groups
  std::uint32_t group_size = 1;  ///< processes that run the operation together
  /// The sides of a group as a torus: those of its axes, or of the machine; empty: none.
  std::vector<std::uint32_t> shape{};
  std::vector<std::uint32_t> twist{};           ///< of a twisted torus, as CollectiveOptions has it
  std::uint32_t node_size = 1;                  ///< consecutive processes on a node
  HostNames hosts{};                            ///< of the machine
  std::uint64_t memory_bytes = 0;               ///< memory of a run, about
  std::vector<std::filesystem::path> inputs{};  ///< files
  std::vector<std::uint64_t> sizes{};           ///< ascending
  std::vector<CollectiveWay> ways{};
  std::string id{};                     ///< equal for equal ways and sizes of one subject
  std::vector<CollectiveRow> rows{};    ///< by way and size, without the search for crossovers
  std::vector<Crossover> crossovers{};  ///< network by network
  bool has_crossovers = false;          ///< they were looked for
  /// Nothing where messages of the fastest ways never queue or networks are compared.
  std::optional<FairRanking> fair{};
  RunsEnd end = RunsEnd::complete;

  bool is_complete() const { return end == RunsEnd::complete; }
  /// The networks of the request; where it has none, one without a name.
  std::vector<std::string> networks() const;
  /// What network_words() of the machine are true for all rows.
  NetworkWords network_words() const {
    return request.networks.empty() ? NetworkWords::all : NetworkWords::common;
  }
  /// The fastest row at a size under a network, the first of equals; null when nothing completed.
  const CollectiveRow* best(const std::string& network, std::uint64_t bytes) const;
  /// The fastest row under the first network at the largest size that completed; null when none
  /// did.
  const CollectiveRow* best() const;
  /// The fastest row with another algorithm or, where all have one algorithm, another way; null
  /// when there is none.
  const CollectiveRow* next(const CollectiveRow& best) const;
  /// Other embeddings whose rows are nearly as fast as the row, all else being the same.
  std::vector<const CollectiveRow*> equals(const CollectiveRow& row) const;
  /// Whether two ways differ in their embeddings alone, and are nearly as fast at every size at
  /// which one of them is the fastest.
  bool are_equal(std::size_t one, std::size_t other) const;
  /// The rows of one size under one network, the fastest first, those that did not complete last.
  std::vector<const CollectiveRow*> ranked(const std::string& network, std::uint64_t bytes) const;
  /// All rows: network by network, size by size, ranked.
  std::vector<const CollectiveRow*> ranked_rows() const;
  const CollectiveWay& way_of(const CollectiveRow& row) const { return ways[row.way]; }
  /// Whether ways differ in this member of theirs.
  template <class Member>
  bool has_several(Member CollectiveWay::*member) const {
    return std::ranges::any_of(
        ways, [&](const CollectiveWay& way) { return way.*member != ways.front().*member; });
  }
  /// Unit of sizes, in bytes: every size is a multiple of it.
  std::uint64_t grain() const {
    return request.value_bytes * (kind == CollectiveKind::all_to_all ? group_size : 1);
  }
};

/// Bandwidths as nccl-tests defines them, in bytes a second.
struct CollectiveBandwidth {
  double algorithm = 0;         ///< the size / the time
  std::optional<double> bus{};  ///< independent of the number of processes, where links are full
};

/// The bus bandwidth of nccl-tests / the algorithm bandwidth: 2 (n-1)/n for allreduce, (n-1)/n for
/// allgather, reduce_scatter, all_to_all, gather and scatter, 1 for broadcast and reduce. Nothing
/// for collectives that it does not have.
std::optional<double> bus_factor(CollectiveKind kind, std::uint32_t processes);

/// `bytes` is the size as nccl-tests counts it: of what each process has (allreduce, reduce,
/// broadcast, reduce_scatter, all_to_all), or of what one has at the end or the beginning
/// (allgather, gather; scatter). Nothing for a run that took no time.
std::optional<CollectiveBandwidth> bandwidth_of(CollectiveKind kind, std::uint32_t processes,
                                                std::uint64_t bytes, Ticks time);
/// The bandwidth of a row that completed.
std::optional<CollectiveBandwidth> bandwidth_of(const CollectiveAnswer& answer,
                                                const CollectiveRow& row);

/// The bandwidth of a node, in bytes a second, if the bus bandwidth of a row exceeds it: that of
/// node.local and of all links of the node. A row can, as messages inside a node wait for nobody.
std::optional<double> exceeded_node_bandwidth(const CollectiveAnswer& answer);

/// Time of a row that completed / time of the fastest; nothing where the fastest took no time.
std::optional<double> ratio_to_best(const CollectiveRow& row, const CollectiveRow& best);

/// Simulates all ways that are asked for at all sizes, and looks for crossovers. Ranks and shards
/// take part in the sizes alone. `on_begin` is told once all is known but the rows; what it throws
/// ends the question. Throws InputError.
CollectiveAnswer collective(
    const CollectiveRequest& request, const SimulationLimits& limits = {},
    const std::function<void(const CollectiveAnswer& begun)>& on_begin = {});

/// The scenario of one run: the program `collective`, by sizes alone. Throws InputError.
Scenario collective_scenario(const CollectiveAnswer& answer, const CollectiveWay& way,
                             std::uint64_t bytes);

/// The answer as a JSON text.
std::string collective_json(const CollectiveAnswer& answer);
/// CSV with a line for each row.
std::string collective_csv(const CollectiveAnswer& answer);

}  // namespace dcube
