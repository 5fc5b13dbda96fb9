#include "dcube/collective/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/program/collective_values.hpp"
#include "dcube/program/process_groups.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t bytes_in_memory = sizeof(std::uint64_t);

constexpr WholeNumber collective_repeat{"repeat",
                                        "how often, one after the other (1 to 1000000)",
                                        "a number of repetitions (1 to 1000000)",
                                        {1, 1'000'000, 1}};
constexpr WholeNumber collective_ports{
    "ports",
    "parts of the data that travel at once (0: as many as the algorithm can use)",
    "a number of ports (0 to 32)",
    {0, 32, 1}};

constexpr WholeNumber collective_copies{
    "copies",
    "how often the data are copied in memory, at the machine's copy_per_byte",
    "a number of copies (0 to 1000)",
    {0, 1000, 0}};

constexpr WholeNumber collective_serial_copies{
    "serial_copies",
    "how often one core copies them besides, whatever the ports",
    "a number of copies (0 to 1000)",
    {0, 1000, 0}};

constexpr WholeNumber collective_exchanges{
    "exchanges",
    "how often the processes tell each other something small first, at the machine's exchange",
    "a whole number (0 to 1000)",
    {0, 1000, 0}};

constexpr WholeNumber collective_plans{
    "plans",
    "how often something is worked out for each message, at the machine's plan (true: once)",
    "a whole number (0 to 1000), true or false",
    {0, 1000, 0}};

constexpr WholeNumber collective_radix{
    "radix",
    "of binomial (broadcast, reduce) and kary trees (2 to 65536)",
    "a radix (2 to 65536)",
    {2, 65536, 2}};

bool is_allreduce(CollectiveKind kind) { return kind == CollectiveKind::allreduce; }
bool moves_data(CollectiveKind kind) { return kind != CollectiveKind::barrier; }
bool goes_up(CollectiveKind kind) { return kind == CollectiveKind::reduce || is_allreduce(kind); }
bool has_wide_trees(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
}

/// A setting that means something for some operations alone.
struct OwnSetting {
  std::string_view key;
  bool (*is_of)(CollectiveKind);
};
const std::array<OwnSetting, 9> own_settings{{{"child_by_child", goes_up},
                                              {"compute", reduces},
                                              {"distances", has_root},
                                              {"node_size", is_allreduce},
                                              {"radix", has_wide_trees},
                                              {"segment", moves_data},
                                              {"shape", moves_data},
                                              {"twist", moves_data},
                                              {"value_bytes", moves_data}}};

struct CollectiveSettings {
  std::string kind;  ///< name of the program
  std::string algorithm;
  CollectiveCall call;  ///< without the algorithm and counts below
  std::vector<std::uint64_t> counts;
  std::vector<std::uint32_t> twist;
  Guest guest;
  ProcessGroups groups;        ///< all of one size
  std::uint64_t elements = 0;  ///< in the buffer of a process
  std::uint32_t repeat = 1;
  bool has_values = true;
};

/// One collective, repeated, in groups or among all. Values are drawn from the seed and added.
class Collective final : public Program {
 public:
  Collective(CollectiveSettings settings, std::uint64_t seed)
      : settings_{std::move(settings)},
        size_{settings_.groups.sizes().front()},
        members_{settings_.groups.group_count() * size_},
        values_{settings_.call, settings_.elements, size_, seed},
        hashes_(settings_.has_values ? members_ : 0),
        last_arrivals_(settings_.groups.group_count() * settings_.repeat),
        first_ends_(last_arrivals_.size(), Ticks::max()) {
    const CollectiveCall chosen = call();
    const CollectiveAlgorithm& algorithm = algorithm_for(chosen, size_);
    settings_.algorithm = algorithm.name;
    ports_ = ports_for(algorithm, chosen);
  }

  std::string_view kind() const override { return settings_.kind; }
  Guest guest() const override { return settings_.guest; }

  /// The buffers of a process, about as much under way, and the state of its steps.
  std::uint64_t data_bytes() const override {
    const std::uint64_t steps = std::uint64_t{512} * ports_;
    return members_ *
               (steps + (settings_.has_values ? 3 * bytes_in_memory * settings_.elements : 0)) +
           settings_.groups.memory_bytes();
  }

  Task<> run(Process& process) override {
    const std::optional<ProcessGroups::Place> place = settings_.groups.place_of(process.rank());
    if (!place) {
      co_return;
    }
    const Group group = settings_.groups.of(process).value();
    const std::uint32_t first = place->group * size_;
    for (std::uint32_t round = 0; round < settings_.repeat; ++round) {
      const std::size_t meeting = std::size_t{place->group} * settings_.repeat + round;
      last_arrivals_[meeting] = std::max(last_arrivals_[meeting], process.now_for_the_record());
      if (settings_.has_values) {
        CollectiveValues::Elements values = values_.drawn(first, group.rank(), round);
        co_await run_collective(group, call(), values);
        std::uint64_t& hash = hashes_[first + group.rank()];
        hash = hash_of(hash, values_.hash_of_result(group.rank(), values.take()));
      } else {
        co_await run_collective(group, call());
      }
      first_ends_[meeting] = std::min(first_ends_[meeting], process.now_for_the_record());
    }
  }

  /// A barrier is right when nobody continues before all have come, any other collective when every
  /// process has the values of a sequential computation.
  std::optional<bool> verify() override {
    if (settings_.call.kind == CollectiveKind::barrier) {
      return std::ranges::equal(last_arrivals_, first_ends_, std::ranges::less_equal{});
    }
    if (!settings_.has_values) {
      return std::nullopt;
    }
    return holders() == members_;
  }

  Params answer() const override {
    Params answer;
    answer.set("algorithm", settings_.algorithm);
    answer.set("ports", number(ports_));
    if (settings_.call.kind == CollectiveKind::barrier) {
      return answer;
    }
    answer.set("values", settings_.has_values ? "checked" : "sizes only");
    if (settings_.has_values) {
      answer.set("holders", number(holders()));
      answer.set("values_hash", fmt::format("{:016x}", hash_of_all(hashes_)));
    }
    return answer;
  }

 private:
  CollectiveCall call() const {
    CollectiveCall call = settings_.call;
    call.options.algorithm = settings_.algorithm;
    call.counts = settings_.counts;
    call.options.twist = settings_.twist;
    return call;
  }

  /// Number of processes with the right values.
  std::uint64_t holders() const {
    if (!holders_) {
      std::uint64_t matches = 0;
      for (std::uint32_t first = 0; first < members_; first += size_) {
        std::vector<std::uint64_t> expected(size_);
        for (std::uint32_t round = 0; round < settings_.repeat; ++round) {
          const std::vector<std::uint64_t> results = values_.expected_results(first, round);
          for (std::uint32_t rank = 0; rank < size_; ++rank) {
            expected[rank] = hash_of(expected[rank], results[rank]);
          }
        }
        for (std::uint32_t rank = 0; rank < size_; ++rank) {
          matches += hashes_[first + rank] == expected[rank] ? 1 : 0;
        }
      }
      holders_ = matches;
    }
    return *holders_;
  }

  CollectiveSettings settings_;
  std::uint32_t size_;     ///< of a group
  std::uint32_t members_;  ///< of all groups
  CollectiveValues values_;
  std::uint32_t ports_ = 1;
  std::vector<std::uint64_t> hashes_;  ///< [member]: of its results
  std::vector<Ticks> last_arrivals_;   ///< [group][repetition]: when the last process began
  std::vector<Ticks> first_ends_;      ///< [group][repetition]: when the first continued
  mutable std::optional<std::uint64_t> holders_;
};

/// The processes, in the given shape, or one dimension.
Guest read_shape(const Params& params, const Machine& machine, TorusSides& sides) {
  const std::uint32_t count = read_process_count(params, machine);
  if (!params.has("shape")) {
    return Guest::of_processes(count);
  }
  const std::vector<std::uint32_t> shape =
      params.positive_ints("shape", "a side (a positive integer)");
  refuse_if(shape.size() > 16, params.place_of("shape"), "has {} sides (at most 16)", shape.size());
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  std::uint64_t product = 1;
  for (const std::uint32_t side : shape) {
    product = std::min(product * side, most);
  }
  const std::uint64_t slots = std::uint64_t{machine.topology->usable_count()} * machine.node.slots;
  const bool has_count = params.has("processes");
  refuse_if(has_count ? product != count : product > slots || product == most,
            params.place_of("shape"), "{} has {} processes ({} {})", joined(shape, "x"), product,
            has_count ? "there are" : "at most", has_count ? count : slots);
  sides = TorusSides{std::span{shape}};
  return Guest::parse(fmt::format("torus:{}", joined(shape, "x")));
}

/// What a wrap around each side of `shape` adds to each coordinate; nothing on a plain torus.
std::vector<std::uint32_t> read_twist(const Params& params) {
  std::vector<std::uint32_t> twist;
  if (!params.has("twist")) {
    return twist;
  }
  refuse_if(!params.has("shape"), params.place_of("twist"), "needs shape");
  const Setting::List& rows = params.list("twist", "rows of whole numbers, one for each side");
  const Params entries = Params::of_entries(rows, params.place_of("twist"));
  for (std::size_t d = 0; d < rows.size(); ++d) {
    const std::vector<std::uint32_t> row =
        entries.non_negative_ints(std::to_string(d), "a shift (a whole number of 0 or more)");
    refuse_if(row.size() != rows.size(), entries.place_of(std::to_string(d)),
              "{} shifts for {} coordinates (one for each)", row.size(), rows.size());
    twist.insert(twist.end(), row.begin(), row.end());
  }
  return twist;
}

/// A number, or a part of the data: "1/4".
void read_serial_copies(const Params& params, CollectiveOptions& options) {
  const Setting* const setting = params.find(collective_serial_copies.key);
  const std::string* const text = setting != nullptr ? setting->text() : nullptr;
  if (text == nullptr) {
    options.serial_copies = collective_serial_copies.read(params);
    return;
  }
  const std::optional<std::uint32_t> parts = parts_of_whole(*text);
  refuse_if(!parts, params.place_of(collective_serial_copies.key),
            "`{}` is not a part of the data (1/1 to 1/4294967295)", *text);
  options.serial_copies = 1;
  options.serial_parts = *parts;
}

/// The processes, and those that take part together.
struct Parts {
  Guest guest;
  ProcessGroups groups;
};

Parts read_parts(const Params& params, const Machine& machine, TorusSides& sides) {
  const bool has_guest = params.has("guest");
  for (const char* const other : {"processes", "shape"}) {
    refuse_if(has_guest && params.has(other), params.place_of(other),
              "stands beside guest, which says how many processes there are");
  }
  Guest guest = has_guest ? read_guest(params) : read_shape(params, machine, sides);
  ProcessGroups groups{params, guest};
  refuse_if(groups.sizes().size() > 1, params.place_of("over"),
            "has groups of {} and {} processes; those of a collective have one size (phases of a "
            "pattern may have several)",
            groups.sizes().front(), groups.sizes().back());
  const std::span<const std::uint32_t> shape = groups.is_all() ? guest.shape() : groups.sides();
  if (has_guest && shape.size() > 1 && shape.size() <= 16) {
    sides = TorusSides{shape};
  }
  return {std::move(guest), std::move(groups)};
}

std::unique_ptr<Program> make_collective_of(CollectiveKind operation, std::string name,
                                            const Params& params, const ProgramContext& context) {
  TorusSides sides;
  Parts parts = read_parts(params, context.machine, sides);
  const std::uint32_t size = parts.groups.sizes().front();
  const std::uint32_t members = parts.groups.group_count() * size;
  CollectiveSettings settings{.kind = std::move(name),
                              .algorithm = params.text("algorithm", "automatic"),
                              .call = {.kind = operation},
                              .counts = {},
                              .twist = read_twist(params),
                              .guest = std::move(parts.guest),
                              .groups = std::move(parts.groups)};
  CollectiveCall& call = settings.call;
  CollectiveOptions& options = call.options;
  options.sides = sides;
  options.ports = collective_ports.read(params);
  options.segment_bytes = params.size_bytes("segment", 0);
  if (params.has("compute")) {
    options.compute = params.duration("compute", ExactTime{});
  }
  options.element_bytes = params.size_bytes("value_bytes", 8);
  if (params.has("copies")) {
    options.copies = collective_copies.read(params);
  }
  read_serial_copies(params, options);
  options.exchanges = collective_exchanges.read(params);
  const Setting* const plans = params.find(collective_plans.key);
  options.plans = plans != nullptr && plans->boolean() != nullptr
                      ? static_cast<std::uint32_t>(*plans->boolean())
                      : collective_plans.read(params);
  options.sends_pieces = params.boolean("pieces", false);
  options.child_by_child = params.boolean("child_by_child", false);
  options.sends_block = params.boolean("blocking", false);
  if (params.has("node_size")) {
    options.node_size = params.positive_int("node_size");
  }
  if (params.has("value_bytes") && options.element_bytes == 0) {
    params.reject_value("value_bytes", "a size (at least 1 byte)");
  }
  options.radix = collective_radix.read(params);
  options.distances = read_choice<TreeDistances>(params, "distances", {"halving", "doubling"});
  if (params.has("root")) {
    call.root = static_cast<std::uint32_t>(
        params.integer("root", 0, size - 1, fmt::format("one of the processes 0 to {}", size - 1)));
  }
  settings.repeat = collective_repeat.read(params);

  const std::uint64_t bytes = params.size_bytes("bytes", 1024);
  if (operation != CollectiveKind::barrier) {
    refuse_if(bytes % options.element_bytes != 0, params.place_of("bytes"),
              "{} bytes are no whole number of values of {}", bytes, options.element_bytes);
    settings.elements = bytes / options.element_bytes;
  }
  settings.counts =
      at_place(params.place_of("bytes"), [&] { return set_counts(call, settings.elements, size); });
  const std::uint64_t most =
      CollectiveValues::most_bytes / bytes_in_memory / members / settings.repeat;
  settings.has_values = operation != CollectiveKind::barrier && params.boolean("data", true) &&
                        settings.elements <= most;

  CollectiveCall checked = call;
  checked.counts = settings.counts;
  checked.options.algorithm = settings.algorithm;
  checked.options.twist = settings.twist;
  if (params.has("twist")) {
    at_place(params.place_of("twist"), [&] { check_call(checked, size); });
  }
  const CollectiveAlgorithm* const algorithm =
      at_place(params.place_of("algorithm"), [&] { return &algorithm_for(checked, size); });
  at_place(params.place_of("ports"), [&] { return ports_for(*algorithm, checked); });
  return std::make_unique<Collective>(std::move(settings), context.seed);
}

std::unique_ptr<Program> make_collective(const Params& params, const ProgramContext& context) {
  const CollectiveKind operation = read_collective_kind(params, "operation");
  for (const OwnSetting& own : own_settings) {
    if (params.has(own.key) && !own.is_of(operation)) {
      warn(params.place_of(own.key),
           fmt::format("means nothing for {}; leave it out", name_of(operation)));
    }
  }
  return make_collective_of(operation, "collective", params, context);
}

template <CollectiveKind operation>
std::unique_ptr<Program> make_named(const Params& params, const ProgramContext& context) {
  return make_collective_of(operation, std::string{name_of(operation)}, params, context);
}

const ParameterHelp algorithm_help{
    "algorithm", "its name, or automatic: by size and processes, as MPICH does", "automatic"};

/// Parameters of a collective that moves data, with some of its own.
std::vector<ParameterHelp> data_parameters(std::string bytes, std::vector<ParameterHelp> first,
                                           const std::vector<ParameterHelp>& more) {
  std::vector<ParameterHelp> all{std::move(first)};
  all.push_back(algorithm_help);
  all.push_back({"bytes", std::move(bytes), "1024"});
  all.push_back({"value_bytes", "bytes of a value on the simulated machine", "8"});
  all.insert(all.end(), more.begin(), more.end());
  all.push_back(collective_ports);
  all.push_back(
      {"shape",
       "sides of the processes as a torus, for bine, buckets, disjoint_rings, disjoint_trees, "
       "spread, swing and torus_..",
       "one ring"});
  all.push_back({"twist",
                 "what a wrap around each side adds to each coordinate, for bucket and "
                 "disjoint_rings on a twisted torus",
                 "no twist"});
  all.push_back(process_count_help());
  all.push_back(guest_help("that of processes and shape"));
  all.push_back(groups_help());
  all.push_back({collective_copies.key, collective_copies.help, "as often as the algorithm does"});
  all.push_back(collective_serial_copies);
  all.push_back(collective_exchanges);
  all.push_back(collective_plans);
  all.push_back({"pieces",
                 "whether each piece of a message is sent by itself, at the machine's piece",
                 "false"});
  all.push_back({"blocking",
                 "whether messages above the eager limit pass by rendezvous, and a port goes on "
                 "when what it has sent has arrived",
                 "false"});
  all.push_back(collective_repeat);
  all.push_back(
      {"data", "whether values are computed and checked; never above 64 MiB together", "true"});
  return all;
}

const ParameterHelp combining_help{"compute", "time to combine one byte", "the machine's"};
const ParameterHelp node_size_help{
    "node_size", "consecutive processes on a node, for hierarchical and hierarchical_rails", "1"};
const ParameterHelp segment_help{
    "segment",
    "bytes of a piece (at most 2^20 pieces; 0: 8192 for double_tree, hierarchical_rails, pat and "
    "pipelined, else whole messages)",
    "0"};
const ParameterHelp distances_help{
    "distances",
    "halving or doubling: on ways from the root of binomial (broadcast, reduce) and bine trees",
    "halving"};

}  // namespace

const ProgramKind collective_kind{
    "collective", "one collective operation by one of many algorithms", "operation=scan,bytes=48",
    data_parameters(
        "bytes of what each process has (broadcast, reduce, allreduce, scan, exscan), sends to all "
        "(all_to_all), or all have together (allgather, gather, scatter, reduce_scatter)",
        {{"operation",
          "all_to_all, allgather, allreduce, barrier, broadcast, exscan, gather, reduce, "
          "reduce_scatter, scan or scatter",
          ""}},
        {{"root", "process that broadcast and scatter come from, reduce and gather go to", "0"},
         combining_help,
         node_size_help,
         segment_help,
         distances_help,
         collective_radix,
         {"child_by_child",
          "whether a reduction along a tree takes all segments of a child before the next child's",
          "false"}}),
    make_collective};

const ProgramKind allgather_kind{
    "allgather", "every process gets the values of all", "bytes=400",
    data_parameters("bytes of the values of all together", {}, {segment_help}),
    make_named<CollectiveKind::allgather>};
const ProgramKind allreduce_kind{"allreduce", "every process gets the sums of the values of all",
                                 "bytes=400,ports=2,algorithm=ring",
                                 data_parameters("bytes of the values of each process", {},
                                                 {combining_help, node_size_help, segment_help}),
                                 make_named<CollectiveKind::allreduce>};
const ProgramKind barrier_kind{"barrier",
                               "no process goes on before all have come",
                               "",
                               {algorithm_help, process_count_help(),
                                guest_help("that of processes"), groups_help(), collective_repeat},
                               make_named<CollectiveKind::barrier>};
const ProgramKind reduce_scatter_kind{
    "reduce_scatter", "every process gets its share of the sums of all values", "bytes=400",
    data_parameters("bytes of the values of each process", {}, {combining_help, segment_help}),
    make_named<CollectiveKind::reduce_scatter>};

}  // namespace dcube
