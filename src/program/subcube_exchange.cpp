#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/embedding/subcube.hpp"
#include "dcube/program/task_messages.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

using Word = std::uint64_t;

/// Which nodes of the cube have a process.
enum class Processes {
  cube,  ///< all; process numbers are node numbers
  tasks  ///< those of tasks, ascending
};

/// Tasks on subcubes of a hypercube of processes exchange messages all at once [TS 2]: every
/// process of a task sends its messages in the order of the list, each to its partner in the other
/// subcube, then receives those for it in the order of the list.
class SubcubeExchange final : public Program {
 public:
  struct Settings {
    std::vector<Subcube> mapping;  ///< by task; disjoint, of one size
    std::vector<TaskMessage> messages;
    Pairing pairing = Pairing::even;
    Processes processes = Processes::cube;
  };

  SubcubeExchange(Settings settings, const ProgramContext& context)
      : settings_{std::move(settings)}, seed_{context.seed} {
    for (std::size_t task = 0; task < settings_.mapping.size(); ++task) {
      const Subcube& subcube = settings_.mapping[task];
      for (std::uint32_t i = 0; i < subcube.node_count(); ++i) {
        tasks_.emplace_back(subcube.node(i).index(), static_cast<std::uint32_t>(task));
      }
    }
    std::ranges::sort(tasks_);
    sent_.resize(settings_.mapping.size());
    received_.resize(settings_.mapping.size());
    for (std::uint32_t i = 0; i < settings_.messages.size(); ++i) {
      sent_[settings_.messages[i].from].push_back(i);
      received_[settings_.messages[i].to].push_back(i);
    }
  }

  std::string_view kind() const override { return subcube_exchange_kind.name; }
  Guest guest() const override {
    return settings_.processes == Processes::cube
               ? Guest::cube(settings_.mapping.front().cube_dimensions())
               : Guest::of_processes(static_cast<std::uint32_t>(tasks_.size()));
  }

  std::uint64_t data_bytes() const override {
    return sum_of(settings_.messages, word_count) * sizeof(Word) * nodes_of_a_task();
  }

  Task<> run(Process& process) override {
    const NodeId node = node_of(process.rank());
    const auto task = task_of(node);
    if (!task) {
      co_return;
    }
    for (const std::uint32_t message : sent_[*task]) {
      process.send(process_on(target(message, node)),
                   Payload::of(words_of(message, node), settings_.messages[message].bytes));
    }
    for (const std::uint32_t message : received_[*task]) {
      Payload payload = co_await process.receive(process_on(source(message, node)));
      deliveries_[{message, node.index()}] = payload.take<Word>();
    }
  }

  /// Compares with a sequential exchange: every process must have one copy of each message for its
  /// task, from different processes of the sending task, over the distance of the cheapest pairing.
  std::optional<bool> verify() override {
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < settings_.messages.size(); ++i) {
      const Subcube& from = settings_.mapping[settings_.messages[i].from];
      const Subcube& to = settings_.mapping[settings_.messages[i].to];
      std::set<std::uint32_t> senders;
      std::uint64_t distance = 0;
      for (std::uint32_t place = 0; place < to.node_count(); ++place) {
        const std::uint32_t receiver = to.node(place).index();
        const auto found = deliveries_.find({i, receiver});
        const auto sender = found == deliveries_.end() ? std::nullopt : sender_of(i, found->second);
        if (!sender || !from.contains(NodeId{*sender})) {
          return false;
        }
        senders.insert(*sender);
        distance += static_cast<std::uint64_t>(std::popcount(*sender ^ receiver));
      }
      if (senders.size() != to.node_count() || distance != pairing_distance(from, to)) {
        return false;
      }
      expected += to.node_count();
    }
    return deliveries_.size() == expected;
  }

  Params answer() const override {
    const std::uint64_t bandwidth = sum_of(settings_.messages, [&](const TaskMessage& message) {
      return message.bytes *
             pairing_distance(settings_.mapping[message.from], settings_.mapping[message.to]);
    });
    Params answer;
    answer.set("bandwidth", number(bandwidth));
    answer.set("received", number(deliveries_.size()));
    return answer;
  }

 private:
  std::uint64_t nodes_of_a_task() const { return settings_.mapping.front().node_count(); }

  /// The first entry of tasks_ that is not below the node.
  std::vector<std::pair<std::uint32_t, std::uint32_t>>::const_iterator place_of(NodeId node) const {
    return std::ranges::lower_bound(tasks_, node.index(), {},
                                    &std::pair<std::uint32_t, std::uint32_t>::first);
  }
  /// Task of a node; nothing outside all tasks.
  std::optional<std::uint32_t> task_of(NodeId node) const {
    const auto found = place_of(node);
    return found != tasks_.end() && found->first == node.index() ? std::optional{found->second}
                                                                 : std::nullopt;
  }
  NodeId node_of(ProcessId process) const {
    return NodeId{settings_.processes == Processes::cube ? process.index()
                                                         : tasks_[process.index()].first};
  }
  /// Needs a node of a task.
  ProcessId process_on(NodeId node) const {
    return ProcessId{settings_.processes == Processes::cube
                         ? node.index()
                         : static_cast<std::uint32_t>(place_of(node) - tasks_.begin())};
  }
  NodeId target(std::uint32_t message, NodeId sender) const {
    const TaskMessage& sent = settings_.messages[message];
    return partner(settings_.mapping[sent.from], settings_.mapping[sent.to], sender,
                   settings_.pairing);
  }
  /// Pairings are symmetric.
  NodeId source(std::uint32_t message, NodeId receiver) const {
    const TaskMessage& sent = settings_.messages[message];
    return partner(settings_.mapping[sent.to], settings_.mapping[sent.from], receiver,
                   settings_.pairing);
  }

  static std::uint64_t word_count(const TaskMessage& message) {
    return std::max<std::uint64_t>(1, message.bytes / sizeof(Word));
  }
  /// The first word is the sender; the others depend on seed, message and sender.
  Word word(std::uint32_t message, std::uint32_t sender, std::uint64_t index) const {
    return index == 0 ? sender : hash_of(seed_, message, sender, index);
  }
  std::vector<Word> words_of(std::uint32_t message, NodeId sender) const {
    return numbered<std::uint64_t>(word_count(settings_.messages[message]), [&](std::uint64_t i) {
      return word(message, sender.index(), i);
    });
  }
  /// The sender of a message, if every word of it is right.
  std::optional<std::uint32_t> sender_of(std::uint32_t message,
                                         const std::vector<Word>& words) const {
    const auto sender = static_cast<std::uint32_t>(words.front());
    return words == words_of(message, NodeId{sender}) ? std::optional{sender} : std::nullopt;
  }

  Settings settings_;
  std::uint64_t seed_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tasks_;  ///< (node, task), ascending
  std::vector<std::vector<std::uint32_t>> sent_;                ///< [task]: messages
  std::vector<std::vector<std::uint32_t>> received_;
  /// By (message, receiver): the words received.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Word>> deliveries_;
};

/// On the command line an address without * looks like a number.
const std::string* address_text(const Setting& setting) {
  return setting.number() != nullptr ? &setting.number()->text : setting.text();
}

std::vector<Subcube> read_mapping(const Params& params) {
  std::vector<Subcube> mapping;
  for (const Setting& entry : params.list("mapping", "addresses over 0, 1 and *")) {
    const std::string place = params.place_of("mapping", mapping.size());
    const std::string* text = address_text(entry);
    if (text == nullptr) {
      throw InputError(place, entry.describe() + " is not the address of a subcube");
    }
    mapping.push_back(at_place(place, [&] { return Subcube::parse(*text); }));
    const Subcube& first = mapping.front();
    const Subcube& subcube = mapping.back();
    refuse_if(subcube.cube_dimensions() != first.cube_dimensions() ||
                  subcube.dimensions() != first.dimensions(),
              place, "{} is not like {} (all have as many symbols, and as many *)", subcube.text(),
              first.text());
    for (std::size_t i = 0; i + 1 < mapping.size(); ++i) {
      if (hamming_distance(mapping[i], subcube) == 0) {
        throw InputError(place, fmt::format("{} shares a node with {} of task {}", subcube.text(),
                                            mapping[i].text(), i));
      }
    }
  }
  return mapping;
}

void check_machine(const Params& params, const Machine& machine,
                   const SubcubeExchange::Settings& settings) {
  const Topology& topology = *machine.topology;
  const Subcube& subcube = settings.mapping.front();
  const std::uint64_t slots = std::uint64_t{topology.usable_count()} * machine.node.slots;
  if (settings.processes == Processes::tasks) {
    const std::uint64_t processes = std::uint64_t{subcube.node_count()} * settings.mapping.size();
    refuse_if(processes > slots, params.place_of("mapping"),
              "{} nodes of tasks need as many processes, but the {} has {} {}", processes,
              describe(topology), slots, machine.node.slots == 1 ? "nodes" : "slots");
    return;
  }
  const std::uint64_t processes = std::uint64_t{1} << subcube.cube_dimensions();
  refuse_if(processes > slots, params.place_of("mapping"),
            "{} symbols need {} processes, but the {} has {} {}", subcube.cube_dimensions(),
            processes, describe(topology), slots, machine.node.slots == 1 ? "nodes" : "slots");
}

void check_bytes(const Params& params, const SubcubeExchange::Settings& settings) {
  const Subcube& subcube = settings.mapping.front();
  std::uint64_t left = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) /
                           subcube.cube_dimensions() >>
                       subcube.dimensions();
  for (const TaskMessage& message : settings.messages) {
    refuse_if(message.bytes > left, params.place_of("messages"),
              "add up past 63 bits (bytes times hops of all nodes)");
    left -= message.bytes;
  }
}

std::unique_ptr<Program> make_subcube_exchange(const Params& params,
                                               const ProgramContext& context) {
  SubcubeExchange::Settings settings;
  settings.mapping = read_mapping(params);
  settings.processes = read_choice<Processes>(params, "processes", {"cube", "tasks"});
  check_machine(params, context.machine, settings);
  settings.messages =
      read_task_messages(params, settings.mapping.size(), 1,
                         [](const Params& message) { return message.size_bytes("2"); });
  check_bytes(params, settings);
  settings.pairing = read_choice<Pairing>(params, "pairing", {"even", "nearest"});
  return std::make_unique<SubcubeExchange>(std::move(settings), context);
}

}  // namespace

const ProgramKind subcube_exchange_kind{
    "subcube_exchange",
    "tasks on subcubes exchange messages, every node with its partner [TS]",
    "mapping=[00**,*10*,1*1*],messages=[[0,1,20],[1,2,5],[2,0,20],[0,2,8]]",
    {{"mapping", "address of each task's subcube over 0, 1 and *; all of one size, disjoint", ""},
     {"messages", "a list of [from task, to task, bytes that each node sends]", ""},
     {"pairing",
      "even (all partners of two subcubes equally far apart) or nearest (their frontiers paired)",
      "even"},
     {"processes", "on every node of the cube, or on the nodes of tasks alone: cube or tasks",
      "cube"}},
    make_subcube_exchange};

}  // namespace dcube
