#include "ti_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "balance.hpp"
#include "core/counted.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"
#include "line_words.hpp"
#include "request_places.hpp"
#include "ti_collectives.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

// Values of smpi.h. Older traces have -1. SimGrid 3.32 writes a rank that is in no group, which
// MPI_ANY_SOURCE and MPI_PROC_NULL are, as MPI_UNDEFINED.
constexpr std::int64_t any_source = -555;
constexpr std::int64_t undefined = -333;
constexpr std::int64_t any_source_tag = -444;

class TiReader {
 public:
  explicit TiReader(TiContext context) : context_{std::move(context)} {}

  void read(const std::filesystem::path& file) {
    constexpr double counting = 0.25;  // share of the reading time
    LineWords lines{context_.text_of(file, {0, counting}), file.string()};
    refuse_if(!lines.next(), file.string(), "holds no action");
    if (parsed<std::uint64_t>(lines.words().front())) {
      set_process_count(rank_count_of(lines));
      read_actions(file, {counting, 1}, std::nullopt);
      return;
    }
    std::vector<std::filesystem::path> files;
    do {
      expect_file(lines, file);
      files.push_back(file.parent_path() / lines.words().front());
    } while (lines.next());
    set_process_count(files.size());
    for (std::uint32_t rank = 0; rank < files.size(); ++rank) {
      read_actions(files[rank], part_of_file(rank, files.size()), rank);
    }
  }

  Schedule finish() {
    expect_all_ranks();
    const std::size_t calls = schedule_.collectives.size();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].collectives < calls) {
        const Call& first = first_calls_[ranks_[rank].collectives];
        throw InputError(
            at(first),
            fmt::format("rank {} calls a {}, which rank {} does not call", first.rank,
                        name_of(schedule_.collectives[ranks_[rank].collectives].kind), rank));
      }
    }
    expect_as_many_receives(schedule_, files_.front());
    schedule_.ignored = context_.ignored.counts();
    return std::move(schedule_);
  }

 private:
  /// State of a rank besides its operations.
  struct Rank {
    std::uint64_t usual_bytes = 1;  ///< default size of an element
    std::uint32_t collectives = 0;  ///< number of calls so far
    bool is_seen = false, is_begun = false, is_over = false;
    /// Requests posted and not waited for, oldest first.
    struct Pending {
      std::int64_t source, destination, tag;
      std::uint32_t request;
      bool is_collective = false;
      std::optional<Operation> computing{};  ///< of a reduction, when it is done
    };
    std::vector<Pending> pending;
    RequestPlaces places;
  };
  /// A call of a collective.
  struct Call {
    std::uint32_t rank = 0, file = 0, line = 0;
  };

  /// One more than the greatest rank of the lines from this one on.
  static std::size_t rank_count_of(LineWords& lines) {
    std::size_t count = 0;
    do {
      // Errors are found when the line is read.
      if (const std::optional<std::int64_t> rank = lines.whole(0);
          rank && *rank >= 0 && *rank <= most_ranks) {
        count = std::max(count, static_cast<std::size_t>(*rank) + 1);
      }
    } while (lines.next());
    return count;
  }
  void expect_all_ranks() const {
    const auto missing = std::ranges::find(ranks_, false, &Rank::is_seen);
    if (missing != ranks_.end()) {
      const auto number = static_cast<std::size_t>(missing - ranks_.begin());
      throw InputError(
          files_[std::min(number, files_.size() - 1)],
          fmt::format("rank {0} of {1} has no action; an idle rank has `{0} init` at least", number,
                      ranks_.size()));
    }
  }
  void set_process_count(std::size_t count) {
    ranks_.resize(count);
    schedule_.processes.resize(count);
  }
  std::size_t process_count() const { return ranks_.size(); }

  /// A file whose first line is no action must be a list of files.
  void expect_file(const LineWords& lines, const std::filesystem::path& file) const {
    const std::string name{lines.words().front()};
    std::error_code error;
    lines.reject_if(
        lines.words().size() != 1 || !std::filesystem::exists(file.parent_path() / name, error),
        "{} is neither a rank nor a file of actions beside this one (a line "
        "is `<rank> <action> <arguments>`)",
        printable(name));
  }

  // --- A line

  void read_actions(const std::filesystem::path& file, ReadingPart part,
                    std::optional<std::uint32_t> only) {
    files_.push_back(file.string());
    LineWords lines{context_.text_of(file, part), files_.back()};
    lines_ = &lines;
    while (lines.next()) {
      lines.reject_if(lines.words().size() < 2,
                      "an action is missing (a line is `<rank> <action> <arguments>`)");
      rank_ = only ? peer(0) : lines_->number(0, 0, most_ranks, "a rank");
      if (only && rank_ != *only) {
        lines.reject(fmt::format("is an action of rank {} in the file of rank {}", rank_, *only));
      }
      rank().is_seen = true;
      read_action(lines.words()[1]);
    }
    lines_ = nullptr;
  }

  void read_action(std::string_view name) {
    struct Action {
      void (TiReader::*read)();
      std::size_t most_words = std::string::npos;
    };
    static const std::map<std::string_view, Action> actions{
        {"init", {&TiReader::init}},
        {"finalize", {&TiReader::finalize}},
        {"comm_size", {&TiReader::nothing}},
        {"comm_split", {&TiReader::nothing}},
        {"comm_dup", {&TiReader::nothing}},
        {"location", {&TiReader::nothing}},
        {"compute", {&TiReader::compute, 3}},
        {"sleep", {&TiReader::sleep, 3}},
        {"send", {&TiReader::send, 6}},
        {"isend", {&TiReader::send, 6}},
        {"recv", {&TiReader::receive, 6}},
        {"irecv", {&TiReader::receive, 6}},
        {"sendRecv", {&TiReader::send_receive, 8}},
        {"wait", {&TiReader::wait, 5}},
        {"test", {&TiReader::nothing, 5}},  // the request stays posted
        {"waitall", {&TiReader::wait_all}},
        {"waitAll", {&TiReader::wait_all}},
        {"barrier", {&TiReader::barrier, 2}},
        {"bcast", {&TiReader::broadcast, 5}},
        {"reduce", {&TiReader::reduce, 6}},
        {"allreduce", {&TiReader::all_reduce, 5}},
        {"scan", {&TiReader::all_reduce, 5}},
        {"exscan", {&TiReader::all_reduce, 5}},
        {"reducescatter", {&TiReader::reduce_scatter}},
        {"alltoall", {&TiReader::share, 6}},
        {"allgather", {&TiReader::share, 6}},
        {"gather", {&TiReader::rooted_share, 7}},
        {"scatter", {&TiReader::rooted_share, 7}},
        {"alltoallv", {&TiReader::all_to_allv}},
        {"allgatherv", {&TiReader::all_gatherv}},
        {"gatherv", {&TiReader::rooted_shares}},
        {"scatterv", {&TiReader::rooted_shares}},
    };
    const auto action = actions.find(action_name());
    if (context_.ignored.leaves_out(name)) {
      return;
    }
    if (action == actions.end()) {
      lines_->reject(
          fmt::format("{} is not an action of a time-independent trace (\"ignore\": [{}] leaves "
                      "it out)",
                      printable(name), printable(name)));
    }
    lines_->expect_words(action->second.most_words);
    lines_->reject_if(rank().is_over,
                      "rank {} has finalized; a trace holds one run, so cut it before this line",
                      rank_);
    (this->*action->second.read)();
  }

  // --- Words

  const std::vector<std::string_view>& words() const { return lines_->words(); }
  std::uint32_t rank_in(std::size_t word, const char* what) const {
    return lines_->number(word, 0, static_cast<std::int64_t>(process_count()) - 1, what);
  }
  std::uint32_t peer(std::size_t word) const { return rank_in(word, "a rank"); }
  ProcessId source(std::size_t word) const {
    const std::int64_t from = lines_->number(word, "a rank");
    return from == any_source || from == undefined || from == -1 ? anyone : ProcessId{peer(word)};
  }
  std::uint32_t destination(std::size_t word) const {
    lines_->reject_if(lines_->number(word, "a rank") == undefined,
                      "{} is no rank, but MPI_PROC_NULL, which gets no message; leave {} out",
                      undefined, words()[1] == "sendRecv" ? "the sending" : "the line");
    return peer(word);
  }

  /// Bytes of an element: of the datatype in this word, or the default.
  std::uint64_t element_bytes(std::size_t word) const {
    if (word >= words().size()) {
      return rank().usual_bytes;
    }
    const std::int64_t type = lines_->number(word, "a datatype");
    const std::uint64_t bytes = ti_datatype_bytes(type);
    lines_->reject_if(bytes == 0,
                      "{} is not a datatype of a known size (SimGrid's numbers, 0 to {})", type,
                      ti_datatypes - 1);
    return bytes;
  }
  std::uint64_t bytes(std::size_t count_word, std::size_t type_word) const {
    std::uint64_t product = 0;
    lines_->reject_if(
        __builtin_mul_overflow(lines_->count(count_word), element_bytes(type_word), &product) ||
            product > most_bytes,
        "the message has more than 2^62 bytes");
    return product;
  }

  // --- What processes do

  Rank& rank() { return ranks_[rank_]; }
  const Rank& rank() const { return ranks_[rank_]; }
  void add(const Operation& operation) { schedule_.processes[rank_].push_back(operation); }

  void nothing() {}
  void init() {
    lines_->reject_if(std::exchange(rank().is_begun, true),
                      "is the second init of rank {}; a trace holds one run, so cut it before this "
                      "line",
                      rank_);
    rank().usual_bytes = words().size() > 2 ? 8 : 1;
  }
  void finalize() { rank().is_over = true; }
  void compute() { compute_at(2); }
  /// Computes the operations in this word; traces have fractions, too.
  void compute_at(std::size_t word) {
    lines_->reject_if(word >= words().size(), "a number of operations is missing");
    const std::optional<double> operations = lines_->real(word);
    if (!operations || *operations < 0) {
      lines_->reject(fmt::format("{} is not a number of operations (a number >= 0)",
                                 printable(words()[word])));
    }
    constexpr std::uint32_t parts = 1'000'000;
    constexpr double most_in_parts = 9e12;
    if (*operations < most_in_parts) {
      compute(*operations * parts, parts);
    } else if (*operations < parts * most_in_parts) {
      compute(*operations, 1);
    } else {
      lines_->reject("there are more than 2^62 operations");
    }
  }
  /// `count`: of parts of an operation, of which it has so many.
  void compute(double count, std::uint32_t parts) {
    const auto whole = static_cast<std::uint64_t>(std::llround(count));
    if (whole > 0) {
      lines_->reject_if(!context_.flop,
                        "counts operations, and nothing says what one takes; add \"flop\": "
                        "\"1ns\" to the program or to the machine's `compute` table");
      add_time(round_part_cost(*context_.flop, whole, parts));
    }
  }
  void add_time(Ticks time) {
    add({.kind = Kind::compute, .amount = static_cast<std::uint64_t>(time.count())});
  }
  void sleep() {
    lines_->reject_if(words().size() < 3, "a time in seconds is missing");
    const ExactTime slept = at_place(lines_->place(), [&] { return parse_duration(words()[2]); });
    const Ticks whole_picoseconds = round_cost(slept, ExactTime{}, 0);
    add_time(round_cost(ExactTime{}, context_.picosecond,
                        static_cast<std::uint64_t>(whole_picoseconds.count())));
  }

  /// Whether the action starts a collective: "ibcast".
  bool is_started() const {
    const std::string_view name = words()[1];
    return name.front() == 'i' && ti_collectives().contains(name.substr(1));
  }
  /// The action, without the i of a collective that is started.
  std::string_view action_name() const { return words()[1].substr(is_started() ? 1 : 0); }
  bool is_posted() const { return words()[1].front() == 'i'; }

  /// Arguments: destination, tag, count, perhaps a datatype. Traces of old versions have no tag.
  void send() {
    const std::uint32_t to = destination(2);
    const bool has_tag = words().size() > 4;
    const std::int64_t tag = has_tag ? lines_->number(3, "a tag") : 0;
    const std::uint64_t size = bytes(has_tag ? 4 : 3, 5);
    Operation operation{.kind = is_posted() ? Kind::post_send : Kind::send,
                        .tag = tag_of(tag),
                        .peer = ProcessId{to},
                        .amount = size};
    if (is_posted()) {
      operation.request = post(rank_, to, tag);
    }
    add(operation);
  }
  void receive() {
    const ProcessId from = source(2);
    const bool has_tag = words().size() > 4;
    const std::int64_t tag = has_tag ? lines_->number(3, "a tag") : 0;
    lines_->number(has_tag ? 4 : 3, "a count");  // negative: as long as the message
    element_bytes(5);
    Operation operation{.kind = is_posted() ? Kind::post_receive : Kind::receive,
                        .tag = tag == any_source_tag || tag == -1 ? any_tag : tag_of(tag),
                        .peer = from};
    if (is_posted()) {
      operation.request = post(lines_->number(2, "a rank"), rank_, tag);
    }
    add(operation);
  }
  void send_receive() {
    const std::uint64_t size = bytes(2, 6);
    const std::uint32_t to = destination(3);
    const ProcessId from = source(5);
    lines_->count(4);
    element_bytes(7);
    const std::uint32_t sent = rank().places.take();
    const std::uint32_t received = rank().places.take();
    add({.kind = Kind::post_receive, .peer = from, .request = received});
    add({.kind = Kind::post_send, .peer = ProcessId{to}, .request = sent, .amount = size});
    add({.kind = Kind::wait, .request = received});
    add({.kind = Kind::wait, .request = sent});
    rank().places.free(sent);
    rank().places.free(received);
  }

  /// Checks that the tag is below those of collectives.
  Tag tag_of(std::int64_t tag) const {
    lines_->reject_if(tag < 0 || tag >= std::int64_t{first_collective_tag},
                      "{} is not a tag (0 to {})", tag, first_collective_tag - 1);
    return static_cast<Tag>(tag);
  }

  std::uint32_t post(std::int64_t source, std::int64_t destination, std::int64_t tag) {
    const std::uint32_t place = rank().places.take();
    rank().pending.push_back({source, destination, tag, place});
    return place;
  }

  /// Waits for the oldest request with that key; without one, MPI returns at once. Of collectives
  /// the tag is the key; a negative one of no kind stands for the oldest collective.
  void wait() {
    const std::int64_t source = lines_->number(2, "a rank");
    const std::int64_t destination = lines_->number(3, "a rank");
    const std::int64_t tag = words().size() > 4 ? lines_->number(4, "a tag") : 0;
    std::vector<Rank::Pending>& pending = rank().pending;
    auto oldest = std::ranges::find_if(pending, [&](const Rank::Pending& request) {
      return request.tag == tag && (request.is_collective || (request.source == source &&
                                                              request.destination == destination));
    });
    if (oldest == pending.end() && tag < 0 && !is_tag_of_ti_collective(tag)) {
      oldest = std::ranges::find(pending, true, &Rank::Pending::is_collective);
    }
    if (oldest == pending.end()) {
      return;
    }
    add({.kind = Kind::wait, .request = oldest->request});
    complete(*oldest);
    pending.erase(oldest);
  }
  void wait_all() {
    std::vector<Rank::Pending>& pending = rank().pending;
    if (!pending.empty()) {
      add({.kind = Kind::wait_all});
    }
    for (const Rank::Pending& request : pending) {
      complete(request);
    }
    pending.clear();  // keeps its memory
  }
  void complete(const Rank::Pending& request) {
    if (request.computing) {
      add(*request.computing);
    }
    rank().places.free(request.request);
  }

  // --- Collectives, all of the whole world

  void barrier() { call({}); }
  void broadcast() {
    call({.root = root(3), .count = lines_->count(2), .element_bytes = element_bytes(4)});
  }
  void reduce() {
    call({.root = root(4), .count = lines_->count(2), .element_bytes = element_bytes(5)});
    compute_after(3);
  }
  void all_reduce() {
    call({.count = lines_->count(2), .element_bytes = element_bytes(4)});
    compute_after(3);
  }
  void reduce_scatter() {
    const std::size_t processes = process_count();
    const std::size_t arguments = words().size() - 2;
    lines_->reject_if(arguments != processes + 1 && arguments != processes + 2,
                      "has {}, not {} or {}: a count for each rank, a number of operations and "
                      "perhaps a datatype{}",
                      counted(arguments, "argument"), processes + 1, processes + 2, without_counts);
    std::vector<std::uint64_t> counts = lines_->counts(2, processes);
    if (!has_warned_ &&
        std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; })) {
      has_warned_ = true;
      warn(lines_->place(), fmt::format("all counts are 0, and no byte is sent{}", without_counts));
    }
    call({.element_bytes = element_bytes(3 + processes), .counts = std::move(counts)});
    compute_after(2 + processes);
  }
  /// Computes the operations in this word when the reduction is done.
  void compute_after(std::size_t word) {
    compute_at(word);
    std::vector<Operation>& operations = schedule_.processes[rank_];
    if (is_started() && operations.back().kind == Kind::compute) {
      rank().pending.back().computing = operations.back();
      operations.pop_back();
    }
  }
  void share() {
    lines_->count(3);
    call({.count = lines_->count(2), .element_bytes = element_bytes(4)});
  }
  /// One of the two counts is valid at the root only.
  void rooted_share() {
    const bool gathers = action_name() == "gather";
    const std::uint64_t share = lines_->count(gathers ? 2 : 3);
    call({.root = root(4),
          .count = share > 0 ? share : lines_->count(gathers ? 3 : 2),
          .element_bytes = element_bytes(5)});
  }
  void all_to_allv() {
    // Arguments: send buffer, counts, receive buffer, counts, perhaps two datatypes.
    const std::size_t processes = process_count();
    std::vector<std::uint64_t> both = lines_->counts(3, processes);
    const std::vector<std::uint64_t> received = lines_->counts(4 + processes, processes);
    both.insert(both.end(), received.begin(), received.end());
    const std::size_t types = 4 + 2 * processes;
    lines_->reject_if(element_bytes(types) != element_bytes(types + 1),
                      "an alltoallv of two datatypes of different sizes is not supported");
    call({.element_bytes = element_bytes(types)});
    ScheduledCollective& collective = schedule_.collectives[rank().collectives - 1];
    if (collective.of_ranks.size() <= rank_) {
      collective.of_ranks.resize(rank_ + 1);
    }
    collective.of_ranks[rank_] = std::move(both);
    const std::string unequal = unequal_counts(collective, rank_, process_count());
    lines_->reject_if(!unequal.empty(), "{}", unequal);
  }
  void all_gatherv() {
    const std::size_t processes = process_count();
    lines_->count(2);
    call({.element_bytes = element_bytes(3 + processes), .counts = lines_->counts(3, processes)});
  }
  void rooted_shares() {
    const std::size_t processes = process_count();
    const bool gathers = action_name() == "gatherv";
    lines_->count(gathers ? 2 : 2 + processes);
    call({.root = root(3 + processes),
          .element_bytes = element_bytes(4 + processes),
          .counts = lines_->counts(gathers ? 3 : 2, processes)});
  }

  std::uint32_t root(std::size_t word) const {
    return word < words().size() ? rank_in(word, "a root") : 0;
  }

  /// Adds the next collective of this rank, which must match that of the others.
  void call(ScheduledCollective collective) {
    const TiCollective& called = ti_collectives().find(action_name())->second;
    collective.kind = called.kind;
    const std::uint32_t number = rank().collectives++;
    if (is_started()) {
      const std::uint32_t place = rank().places.take();
      rank().pending.push_back({0, 0, called.tag, place, true});
      add({.kind = Kind::start, .request = place, .amount = number});
    } else {
      add({.kind = Kind::collective, .amount = number});
    }
    if (number == schedule_.collectives.size()) {
      schedule_.collectives.push_back(std::move(collective));
      first_calls_.push_back({rank_, static_cast<std::uint32_t>(files_.size() - 1),
                              static_cast<std::uint32_t>(lines_->line())});
      return;
    }
    ScheduledCollective& known = schedule_.collectives[number];
    if (!agree(known, collective)) {
      const Call& first = first_calls_[number];
      lines_->reject(
          fmt::format("rank {} calls {} as its collective number {}, where rank {} calls {} ({})",
                      rank_, describe(collective), number, first.rank, describe(known), at(first)));
    }
  }
  std::string at(const Call& call) const {
    return fmt::format("{}: line {}", files_[call.file], call.line);
  }

  /// SimGrid's reducescatter may be an MPI_Reduce_scatter_block.
  static constexpr const char* without_counts =
      "; SimGrid does not write the counts of MPI_Reduce_scatter_block: write them into the line";
  static constexpr std::int64_t most_ranks = (1 << 24) - 1;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

  TiContext context_;
  Schedule schedule_;
  std::vector<Rank> ranks_;
  std::vector<std::string> files_;
  std::vector<Call> first_calls_;  ///< [collective]
  const LineWords* lines_ = nullptr;
  std::uint32_t rank_ = 0;
  bool has_warned_ = false;  ///< of counts that SimGrid does not write
};

}  // namespace

Schedule read_ti(const std::filesystem::path& file, TiContext context) {
  TiReader reader{std::move(context)};
  reader.read(file);
  return reader.finish();
}

}  // namespace dcube
