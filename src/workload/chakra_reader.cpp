#include "chakra_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include "balance.hpp"
#include "chakra_nodes.hpp"
#include "chakra_types.hpp"
#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/workload/module.hpp"
#include "modules/chakra_records.hpp"
#include "resource_run.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

constexpr Module chakra_module{"read Chakra traces", "dcube-chakra.so", DCUBE_CHAKRA_FUNCTION_NAME,
                               "libprotobuf-dev protobuf-compiler"};

constexpr std::size_t most_nodes = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_groups = std::numeric_limits<std::uint16_t>::max() - 1;

class ChakraReader : public RejectsIf<ChakraReader> {
 public:
  ChakraReader(ChakraRead module, ChakraContext context)
      : read_{module}, context_{std::move(context)} {}

  Schedule read(const std::vector<std::filesystem::path>& files) {
    schedule_.rules = GraphRules::resources;
    schedule_.processes.resize(files.size());
    schedule_.graphs.resize(files.size());
    for (rank_ = 0; rank_ < files.size(); ++rank_) {
      files_.push_back(files[rank_].string());
      read_rank(context_.text_of(files[rank_], part_of_file(rank_, files.size())));
    }
    make_collectives();
    warn_of_unused_groups();
    expect_as_many_receives(open_messages_, [this](std::uint32_t rank) { return files_[rank]; });
    schedule_.ignored = context_.ignored.counts();
    return std::move(schedule_);
  }

  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(place_of(rank_, node_->id),
                     node_->name.empty()
                         ? std::string{problem}
                         : fmt::format("{}: {}", printable(shortened(node_->name)), problem));
  }

 private:
  /// A collective call of a rank.
  struct Call {
    std::uint32_t rank = 0;
    std::uint32_t operation = 0;
    std::uint64_t node = 0;
    CollectiveKind kind{};
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> root{};  ///< a process
    CollectiveManner manner{};
  };

  // --- A file

  void read_rank(const std::string& bytes) {
    std::vector<ReadChakraNode> nodes = nodes_of(bytes);
    std::ranges::sort(nodes, {}, &ReadChakraNode::id);
    if (const auto twin = std::ranges::adjacent_find(nodes, {}, &ReadChakraNode::id);
        twin != nodes.end()) {
      node_ = &twin[1];
      reject("there are two nodes of this id");
    }
    std::vector<Operation>& operations = schedule_.processes[rank_];
    operations.reserve(nodes.size());
    std::vector<OperationGraph::Edge> edges;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      node_ = &nodes[i];
      add_dependencies(nodes, i, edges);
      operations.push_back(operation_of(nodes[i], i));
    }
    const std::vector<std::uint32_t> order = sorted_by_dependencies(nodes, edges);
    sort_calls(order, edges);
    schedule_.graphs[rank_] = {nodes.size(), edges};
    node_ = nullptr;
  }

  std::vector<ReadChakraNode> nodes_of(const std::string& bytes) {
    struct Gathered {
      std::vector<ReadChakraNode> nodes;
      std::string problem;
      std::exception_ptr error;
    } gathered;
    const ChakraSink sink{&gathered,
                          [](void* to, const ChakraNode* told) {
                            auto& into = *static_cast<Gathered*>(to);
                            try {
                              if (!into.error) {
                                into.nodes.push_back(chakra_node_of(*told));
                              }
                            } catch (...) {
                              into.error = std::current_exception();
                            }
                          },
                          [](void* to, std::uint64_t message, const char* what) {
                            auto& into = *static_cast<Gathered*>(to);
                            try {
                              into.problem = fmt::format("{} (message {})", what, message);
                            } catch (...) {
                              into.error = std::current_exception();
                            }
                          }};
    read_(bytes.data(), bytes.size(), &sink);
    if (gathered.error) {
      std::rethrow_exception(gathered.error);
    }
    if (!gathered.problem.empty()) {
      throw InputError(files_[rank_], gathered.problem);
    }
    if (gathered.nodes.size() >= most_nodes) {
      throw InputError(files_[rank_], "has more than 2^32 nodes");
    }
    return std::move(gathered.nodes);
  }

  std::string place_of(std::uint32_t rank, std::uint64_t node) const {
    return fmt::format("{}: node {}", files_[rank], node);
  }

  void add_dependencies(const std::vector<ReadChakraNode>& nodes, std::uint32_t node,
                        std::vector<OperationGraph::Edge>& edges) const {
    for (const std::uint64_t id : nodes[node].dependencies) {
      const auto before = std::ranges::lower_bound(nodes, id, {}, &ReadChakraNode::id);
      reject_if(before == nodes.end() || before->id != id, "depends on node {}, which is not there",
                id);
      edges.push_back({static_cast<std::uint32_t>(before - nodes.begin()), node});
    }
  }

  // --- A node

  std::optional<std::int64_t> number(std::string_view attribute) const {
    return node_->numbers[place_of_number(attribute)];
  }
  std::int64_t required(std::string_view attribute) const {
    const std::optional<std::int64_t> value = number(attribute);
    reject_if(!value, "has no attribute {} (a whole number)", attribute);
    return *value;
  }
  /// `value`, which is 0 .. `most`. `what`: "a rank".
  std::uint64_t checked(std::string_view attribute, std::int64_t value, std::uint64_t most,
                        const char* what, const char* most_text = nullptr) const {
    if (value < 0 || static_cast<std::uint64_t>(value) > most) {
      reject(fmt::format("{} {} is not {} (0 to {})", attribute, value, what,
                         most_text != nullptr ? most_text : std::to_string(most)));
    }
    return static_cast<std::uint64_t>(value);
  }
  std::uint32_t rank(std::string_view attribute) const {
    return static_cast<std::uint32_t>(
        checked(attribute, required(attribute), schedule_.processes.size() - 1, "a rank"));
  }
  std::uint64_t bytes() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    return checked("comm_size", required("comm_size"), most, "a number of bytes", "2^62");
  }
  /// Tag of a message, 0 by default.
  Tag tag() const {
    return static_cast<Tag>(
        checked("comm_tag", number("comm_tag").value_or(0), first_collective_tag - 1, "a tag"));
  }
  /// Checks an attribute that must be the rank itself.
  void expect_own(std::string_view attribute) const {
    if (number(attribute) && rank(attribute) != rank_) {
      reject(fmt::format("{} {} is not the rank of this file ({})", attribute, rank(attribute),
                         rank_));
    }
  }

  Operation operation_of(const ReadChakraNode& node, std::uint32_t number) {
    const Operation nothing{.kind = Kind::compute, .cpu = no_processor};
    const std::string type = node.type < chakra_type_names.size()
                                 ? std::string{chakra_type_names[node.type]}
                                 : fmt::format("type {}", node.type);
    if (context_.ignored.leaves_out(type)) {
      return nothing;
    }
    switch (static_cast<ChakraType>(node.type)) {
      case ChakraType::metadata:
        return nothing;
      case ChakraType::comp:
        return compute(this->number("is_cpu_op").value_or(1) != 0 ? host_processor : accelerator);
      case ChakraType::mem_load:
      case ChakraType::mem_store:
        return compute(host_processor);
      case ChakraType::comm_send: {
        expect_own("comm_src");
        const std::uint32_t to = rank("comm_dst");
        ++open_messages_[{rank_, to}];
        return {.kind = Kind::send, .tag = tag(), .peer = ProcessId{to}, .amount = bytes()};
      }
      case ChakraType::comm_recv: {
        expect_own("comm_dst");
        const std::uint32_t from = rank("comm_src");
        --open_messages_[{from, rank_}];
        return {.kind = Kind::receive, .tag = tag(), .peer = ProcessId{from}};
      }
      case ChakraType::comm_coll:
        add_call(number);
        return {.kind = Kind::collective};
      default:
        reject(
            fmt::format("a node of {} is not simulated (\"ignore\": [\"{}\"] takes it for nothing)",
                        type, type));
    }
  }

  Operation compute(std::uint8_t processor) const {
    const Ticks time = at_place(place_of(rank_, node_->id), [&] {
      return round_cost(ExactTime{}, context_.microsecond, node_->duration);
    });
    return {.kind = Kind::compute,
            .cpu = processor,
            .amount = static_cast<std::uint64_t>(time.count())};
  }

  void add_call(std::uint32_t operation) {
    const std::uint64_t type =
        checked("comm_type", required("comm_type"), chakra_collectives.size() - 1, "a collective");
    Call call{
        .rank = rank_, .operation = operation, .node = node_->id, .kind = chakra_collectives[type]};
    if (call.kind != CollectiveKind::barrier) {
      call.bytes = bytes();
    }
    if (has_root(call.kind) && number("comm_src")) {
      call.root = rank("comm_src");
    }
    call.manner = manner();
    reject_if(!node_->group && node_->leaves_out_dimensions,
              "involved_dim leaves out dimensions of a network that the trace does not describe "
              "(give the collective a pg_name)");
    new_calls_.emplace_back(node_->group.value_or(""), call);
  }

  /// What dcube's own traces say.
  CollectiveManner manner() const {
    CollectiveManner manner;
    if (!node_->algorithm.empty()) {
      manner.algorithm = node_->algorithm;
    }
    manner.ports = static_cast<std::uint32_t>(
        checked(chakra_ports, number(chakra_ports).value_or(1), 32, "a number of ports"));
    if (!node_->sides.empty()) {
      const Guest torus = at_place(place_of(rank_, node_->id),
                                   [&] { return Guest::parse("torus:" + node_->sides); });
      reject_if(torus.shape().size() > 16, "{} has more than 16 sides", chakra_sides);
      manner.sides.assign(torus.shape().begin(), torus.shape().end());
    }
    return manner;
  }

  // --- The order of a rank

  /// The operations in topological order; independent ones by ids.
  std::vector<std::uint32_t> sorted_by_dependencies(
      const std::vector<ReadChakraNode>& nodes, const std::vector<OperationGraph::Edge>& edges) {
    const OperationGraph graph{nodes.size(), edges};
    std::vector<std::uint32_t> missing = graph.missing();
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (missing[i] == 0) {
        ready.push(i);
      }
    }
    std::vector<std::uint32_t> order;
    order.reserve(nodes.size());
    while (!ready.empty()) {
      const std::uint32_t next = ready.top();
      ready.pop();
      order.push_back(next);
      for (const OperationGraph::Follower& follower : graph.followers(next)) {
        if (--missing[follower.operation()] == 0) {
          ready.push(follower.operation());
        }
      }
    }
    if (order.size() < nodes.size()) {
      const auto waiting = std::ranges::find_if(missing, [](std::uint32_t of) { return of > 0; });
      node_ = &nodes[static_cast<std::size_t>(waiting - missing.begin())];
      reject("depends on itself, over other nodes");
    }
    return order;
  }

  /// Chains the collective calls of each group in this order, and gives the group its network.
  void sort_calls(const std::vector<std::uint32_t>& order,
                  std::vector<OperationGraph::Edge>& edges) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
    }
    std::ranges::sort(new_calls_, {},
                      [&](const auto& named) { return place[named.second.operation]; });
    std::map<std::string, std::uint16_t> networks;
    for (const auto& [group, call] : std::exchange(new_calls_, {})) {
      if (context_.has_stream_per_group) {
        const auto next = static_cast<std::uint16_t>(networks.size() + 1);
        schedule_.processes[rank_][call.operation].interface =
            networks.emplace(group, next).first->second;
        refuse_if(networks.size() > most_groups, files_[rank_], "has more than {} groups",
                  most_groups);
      }
      std::vector<std::vector<Call>>& calls = calls_[group];
      if (calls.empty() || calls.back().front().rank != rank_) {
        calls.emplace_back();
      } else {
        edges.push_back({calls.back().back().operation, call.operation});
      }
      calls.back().push_back(call);
    }
  }

  // --- Collectives

  void make_collectives() {
    for (const auto& [name, calls] : calls_) {
      const std::vector<std::uint32_t> members = members_of(name, calls);
      for (const std::vector<Call>& of_rank : calls) {
        expect_member(name, members, of_rank.front());
      }
      expect_callers(members, calls);
      const std::vector<Call>& least =
          *std::ranges::min_element(calls, {}, [](const auto& of_rank) { return of_rank.size(); });
      const std::size_t fewest = least.size();
      for (std::size_t i = 0; i < fewest; ++i) {
        make_collective(i, members, calls);
      }
      for (const std::vector<Call>& of_rank : calls) {
        if (of_rank.size() > fewest) {
          const Call& extra = of_rank[fewest];
          throw InputError(place_of(extra.rank, extra.node),
                           fmt::format("rank {} calls {} as collective number {} of group \"{}\", "
                                       "where rank {} calls {} only",
                                       extra.rank, name_of(extra.kind), fewest, printable(name),
                                       least.front().rank, fewest));
        }
      }
    }
  }

  void warn_of_unused_groups() const {
    for (const auto& [name, members] : context_.groups) {
      if (!calls_.contains(name)) {
        warn(context_.place_of_groups,
             fmt::format("no collective of the traces names the group {}", shown(name)));
      }
    }
  }

  std::vector<std::uint32_t> members_of(const std::string& name,
                                        const std::vector<std::vector<Call>>& calls) const {
    if (const auto known = context_.groups.find(name); known != context_.groups.end()) {
      return known->second;
    }
    if (!name.empty()) {
      return mapped(calls, [](const std::vector<Call>& of_rank) { return of_rank.front().rank; });
    }
    return numbered(schedule_.processes.size());
  }
  void expect_member(const std::string& name, const std::vector<std::uint32_t>& members,
                     const Call& call) const {
    if (std::ranges::find(members, call.rank) == members.end()) {
      throw InputError(place_of(call.rank, call.node),
                       fmt::format("rank {} calls {} in group \"{}\", but is not a member",
                                   call.rank, name_of(call.kind), printable(name)));
    }
  }
  void expect_callers(const std::vector<std::uint32_t>& members,
                      const std::vector<std::vector<Call>>& calls) const {
    for (const std::uint32_t rank : members) {
      const bool calls_it = std::ranges::any_of(
          calls, [&](const std::vector<Call>& of_rank) { return of_rank.front().rank == rank; });
      if (!calls_it) {
        const Call& first = calls.front().front();
        throw InputError(place_of(first.rank, first.node),
                         fmt::format("rank {} calls {}, which rank {} does not call", first.rank,
                                     name_of(first.kind), rank));
      }
    }
  }

  void make_collective(std::size_t number, const std::vector<std::uint32_t>& members,
                       const std::vector<std::vector<Call>>& calls) {
    const Call& first = calls.front()[number];
    for (const std::vector<Call>& of_rank : calls) {
      const Call& call = of_rank[number];
      if (call.kind != first.kind || call.bytes != first.bytes || call.root != first.root ||
          call.manner != first.manner) {
        throw InputError(
            place_of(call.rank, call.node),
            fmt::format("rank {} calls {} as collective number {} of its group, where rank {} "
                        "calls {} ({})",
                        call.rank, describe(call), number, first.rank, describe(first),
                        place_of(first.rank, first.node)));
      }
      schedule_.processes[call.rank][call.operation].amount = schedule_.collectives.size();
    }
    schedule_.collectives.push_back(scheduled(first, members));
  }
  static std::string describe(const Call& call) {
    const CollectiveManner& manner = call.manner;
    const std::string how =
        fmt::format(", by {} with {}{}", manner.algorithm, counted(manner.ports, "port"),
                    manner.sides.empty() ? "" : " on " + joined(manner.sides, "x"));
    return fmt::format("{} of {} bytes{}{}", name_of(call.kind), call.bytes,
                       call.root ? fmt::format(", root {}", *call.root) : "",
                       manner == CollectiveManner{} ? "" : how);
  }

  /// Sizes of collectives count the data that each process gives; of a scatter, those of the root.
  ScheduledCollective scheduled(const Call& call, const std::vector<std::uint32_t>& members) const {
    ScheduledCollective made{.kind = call.kind, .count = call.bytes};
    const std::uint64_t size = members.size();
    if (call.root) {
      const auto root = std::ranges::find(members, *call.root);
      if (root == members.end()) {
        throw InputError(place_of(call.rank, call.node),
                         fmt::format("the root {} is not in the group", *call.root));
      }
      made.root = static_cast<std::uint32_t>(root - members.begin());
    }
    if (call.kind == CollectiveKind::reduce_scatter || call.kind == CollectiveKind::scatter) {
      made.count = call.bytes / size;
      if (call.bytes % size != 0) {
        for (std::uint64_t i = 0; i < size; ++i) {
          made.counts.push_back(made.count + (i < call.bytes % size ? 1 : 0));
        }
        made.count = 0;
      }
    } else if (call.kind == CollectiveKind::all_to_all) {
      made.count = call.bytes / size + (call.bytes % size != 0 ? 1 : 0);
    }
    const bool is_world = size == schedule_.processes.size() && std::ranges::is_sorted(members);
    if (!is_world) {
      made.members = members;
    }
    made.manner = call.manner;
    if (made.manner != CollectiveManner{}) {
      at_place(place_of(call.rank, call.node),
               [&] { return &algorithm_for(call_of(made, {}), static_cast<std::uint32_t>(size)); });
    }
    return made;
  }

  ChakraRead read_;
  ChakraContext context_;
  Schedule schedule_;
  std::vector<std::string> files_;
  /// [group]: calls of each rank in order, by ascending rank.
  std::map<std::string, std::vector<std::vector<Call>>> calls_;
  OpenMessages open_messages_;
  std::uint32_t rank_ = 0;
  const ReadChakraNode* node_ = nullptr;                 ///< the node being read
  std::vector<std::pair<std::string, Call>> new_calls_;  ///< of this rank, with their groups
};

}  // namespace

Schedule read_chakra(const std::vector<std::filesystem::path>& files, ChakraContext context) {
  const auto read = reinterpret_cast<ChakraRead>(load_module(chakra_module));
  return ChakraReader{read, std::move(context)}.read(files);
}

}  // namespace dcube
