#include "ti_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "balance.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "line_words.hpp"
#include "request_places.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

// Values of smpi.h. Older traces have -1.
constexpr std::int64_t any_source = -555;
constexpr std::int64_t any_source_tag = -444;

/// Sizes of SimGrid's datatypes, by their numbers in its smpi_datatype.cpp: double, int, char,
/// short, long, float, byte, .. 0: a mark, or a type defined by a program.
constexpr std::array<std::uint8_t, 56> bytes_of_type{
    8, 4, 1, 2,  8,  4, 1, 8, 1,  1,  2, 4, 8, 8,  16, 4,  1,  1, 2, 4, 8, 1,  2,  4, 8, 8, 16, 32,
    8, 8, 8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8,  16, 16, 4, 2, 4, 8, 16, 32, 0, 0, 1, 8,  8};

/// Position of an action in a trace.
struct Line {
  std::uint32_t file = 0;
  std::uint32_t number = 0;
};

class TiReader {
 public:
  explicit TiReader(TiContext context) : context_{std::move(context)} {}

  void read(const std::filesystem::path& file) {
    constexpr double counting = 0.25;  // share of the reading time
    LineWords lines{context_.text_of(file, {0, counting}), file.string()};
    if (!lines.next()) {
      throw InputError(file.string(), "holds no action");
    }
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
    expect_equal_numbers_of_collectives();
    expect_as_many_receives(schedule_, files_.front());
    schedule_.ignored = context_.ignored.counts();
    return std::move(schedule_);
  }

 private:
  /// State of a rank besides its operations.
  struct Rank {
    std::uint64_t usual_bytes = 1;  ///< default size of an element
    std::uint32_t collectives = 0;  ///< number of calls so far
    /// Requests posted and not waited for, oldest first.
    struct Pending {
      std::int64_t source, destination, tag;
      std::uint32_t request;
      bool is_collective = false;
      std::optional<Operation> computing{};  ///< of a reduction, when it is done
    };
    std::vector<Pending> pending;
    RequestPlaces places;
    Line last;  ///< of its last collective
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
  void set_process_count(std::size_t count) {
    ranks_.resize(count);
    schedule_.processes.resize(count);
  }
  std::size_t process_count() const { return ranks_.size(); }

  /// A file whose first line is no action must be a list of files.
  void expect_file(const LineWords& lines, const std::filesystem::path& file) const {
    const std::string name{lines.words().front()};
    std::error_code error;
    if (lines.words().size() != 1 || !std::filesystem::exists(file.parent_path() / name, error)) {
      lines.reject(
          fmt::format("{} is neither a rank nor a file of actions beside this one (a line "
                      "is `<rank> <action> <arguments>`)",
                      printable(name)));
    }
  }

  // --- A line

  void read_actions(const std::filesystem::path& file, ReadingPart part,
                    std::optional<std::uint32_t> only) {
    TextWindow text = context_.text_of(file, part);
    files_.push_back(file.string());
    LineWords lines{std::move(text), files_.back()};
    lines_ = &lines;
    while (lines.next()) {
      if (lines.words().size() < 2) {
        lines.reject("an action is missing (a line is `<rank> <action> <arguments>`)");
      }
      rank_ = only ? peer(0) : whole(0, 0, most_ranks, "a rank");
      if (only && rank_ != *only) {
        lines.reject(fmt::format("is an action of rank {} in the file of rank {}", rank_, *only));
      }
      read_action(lines.words()[1]);
    }
    lines_ = nullptr;
  }

  void read_action(std::string_view name) {
    using Member = void (TiReader::*)();
    static const std::map<std::string_view, Member> actions{
        {"init", &TiReader::init},
        {"finalize", &TiReader::nothing},
        {"comm_size", &TiReader::nothing},
        {"comm_split", &TiReader::nothing},
        {"comm_dup", &TiReader::nothing},
        {"location", &TiReader::nothing},
        {"compute", &TiReader::compute},
        {"sleep", &TiReader::sleep},
        {"send", &TiReader::send},
        {"isend", &TiReader::send},
        {"recv", &TiReader::receive},
        {"irecv", &TiReader::receive},
        {"sendRecv", &TiReader::send_receive},
        {"wait", &TiReader::wait},
        {"test", &TiReader::test},
        {"waitall", &TiReader::wait_all},
        {"waitAll", &TiReader::wait_all},
        {"barrier", &TiReader::barrier},
        {"bcast", &TiReader::broadcast},
        {"reduce", &TiReader::reduce},
        {"allreduce", &TiReader::all_reduce},
        {"scan", &TiReader::all_reduce},
        {"exscan", &TiReader::all_reduce},
        {"reducescatter", &TiReader::reduce_scatter},
        {"alltoall", &TiReader::share},
        {"allgather", &TiReader::share},
        {"gather", &TiReader::rooted_share},
        {"scatter", &TiReader::rooted_share},
        {"alltoallv", &TiReader::all_to_allv},
        {"allgatherv", &TiReader::all_gatherv},
        {"gatherv", &TiReader::gatherv},
        {"scatterv", &TiReader::scatterv},
    };
    const auto action = actions.find(is_started() ? name.substr(1) : name);
    if (context_.ignored.leaves_out(name)) {
      return;
    }
    if (action == actions.end()) {
      reject(
          fmt::format("{} is not an action of a time-independent trace (\"ignore\": [{}] leaves "
                      "it out)",
                      printable(name), printable(name)));
    }
    (this->*action->second)();
  }

  // --- Words

  [[noreturn]] void reject(std::string_view problem) const { lines_->reject(problem); }
  std::size_t word_count() const { return lines_->words().size(); }

  /// A whole number; word 0 of a line is the rank.
  std::int64_t number(std::size_t word, std::string_view what) const {
    if (word >= word_count()) {
      reject(fmt::format("{} is missing", what));
    }
    const std::optional<std::int64_t> value = lines_->whole(word);
    if (!value) {
      reject(fmt::format("{} is not {}", printable(lines_->words()[word]), what));
    }
    return *value;
  }
  std::uint32_t whole(std::size_t word, std::int64_t least, std::int64_t most,
                      std::string_view what) const {
    const std::int64_t value = number(word, what);
    if (value < least || value > most) {
      reject(fmt::format("{} is not {} ({} to {})", value, what, least, most));
    }
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t count(std::size_t word) const {
    const std::int64_t value = number(word, "a count");
    if (value < 0) {
      reject(fmt::format("{} is not a count (a whole number >= 0)", value));
    }
    return static_cast<std::uint64_t>(value);
  }
  std::uint32_t peer(std::size_t word) const {
    return whole(word, 0, static_cast<std::int64_t>(process_count()) - 1, "a rank");
  }

  /// Bytes of an element: of the datatype in this word, or the default.
  std::uint64_t element_bytes(std::size_t word) const {
    if (word >= word_count()) {
      return rank().usual_bytes;
    }
    const std::int64_t type = number(word, "a datatype");
    if (type < 0 || type >= static_cast<std::int64_t>(bytes_of_type.size()) ||
        bytes_of_type[static_cast<std::size_t>(type)] == 0) {
      reject(fmt::format("{} is not a datatype of a known size (SimGrid's numbers, 0 to {})", type,
                         bytes_of_type.size() - 1));
    }
    return bytes_of_type[static_cast<std::size_t>(type)];
  }
  std::uint64_t bytes(std::size_t count_word, std::size_t type_word) const {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(count(count_word), element_bytes(type_word), &product) ||
        product > most_bytes) {
      reject("the message has more than 2^62 bytes");
    }
    return product;
  }
  void expect_words(std::size_t most) const {
    if (word_count() > most) {
      reject(fmt::format("{} is more than the action {} has", printable(lines_->words()[most]),
                         lines_->words()[1]));
    }
  }

  // --- What processes do

  Rank& rank() { return ranks_[rank_]; }
  const Rank& rank() const { return ranks_[rank_]; }
  void add(const Operation& operation) { schedule_.processes[rank_].push_back(operation); }

  void nothing() {}
  void init() { rank().usual_bytes = word_count() > 2 ? 8 : 1; }
  void compute() {
    expect_words(3);
    compute_at(2);
  }
  /// Computes the operations in this word; traces have fractions, too.
  void compute_at(std::size_t word) {
    const std::optional<double> operations =
        word < word_count() ? lines_->real(word) : std::nullopt;
    if (!operations || *operations < 0) {
      reject(fmt::format("{} is not a number of operations (a number >= 0)",
                         word < word_count() ? printable(lines_->words()[word]) : "nothing"));
    }
    constexpr double parts = 1e6;
    constexpr double most_in_parts = 9e12;
    if (*operations < most_in_parts) {
      compute(static_cast<std::uint64_t>(std::llround(*operations * parts)),
              ExactTime{context_.flop.numerator(), context_.flop.denominator() * 1'000'000});
    } else if (*operations < parts * most_in_parts) {
      compute(static_cast<std::uint64_t>(std::llround(*operations)), context_.flop);
    } else {
      reject("there are more than 2^62 operations");
    }
  }
  void compute(std::uint64_t operations, const ExactTime& each) {
    if (operations > 0) {
      add_time(each, operations);
    }
  }
  void add_time(const ExactTime& each, std::uint64_t times) {
    const Ticks time = round_cost(ExactTime{}, each, times);
    add({.kind = Kind::compute, .amount = static_cast<std::uint64_t>(time.count())});
  }
  void sleep() {
    expect_words(3);
    if (word_count() < 3) {
      reject("a time in seconds is missing");
    }
    const ExactTime slept = at_place(fmt::format("{}: line {}", lines_->file(), lines_->line()),
                                     [&] { return parse_duration(lines_->words()[2]); });
    const Ticks whole_picoseconds = round_cost(slept, ExactTime{}, 0);
    add_time(context_.picosecond, static_cast<std::uint64_t>(whole_picoseconds.count()));
  }

  /// Whether the action starts a collective: "ibcast".
  bool is_started() const {
    const std::string_view name = lines_->words()[1];
    return name.front() == 'i' && collectives_.contains(name.substr(1));
  }
  bool is_posted() const { return lines_->words()[1].front() == 'i'; }

  /// Arguments: destination, tag, count, perhaps a datatype. Traces of old versions have no tag.
  void send() {
    expect_words(6);
    const std::uint32_t to = peer(2);
    const bool has_tag = word_count() > 4;
    const std::int64_t tag = has_tag ? number(3, "a tag") : 0;
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
    expect_words(6);
    const std::int64_t from = number(2, "a rank");
    const bool has_tag = word_count() > 4;
    const std::int64_t tag = has_tag ? number(3, "a tag") : 0;
    number(has_tag ? 4 : 3, "a count");  // negative: as long as the message
    element_bytes(5);
    Operation operation{.kind = is_posted() ? Kind::post_receive : Kind::receive,
                        .tag = tag == any_source_tag || tag == -1 ? any_tag : tag_of(tag),
                        .peer = from == any_source || from == -1 ? anyone : ProcessId{peer(2)}};
    if (is_posted()) {
      operation.request = post(from, rank_, tag);
    }
    add(operation);
  }
  void send_receive() {
    expect_words(8);
    const std::uint64_t size = bytes(2, 6);
    const std::uint32_t to = peer(3);
    const std::uint32_t from = peer(5);
    count(4);
    element_bytes(7);
    const std::uint32_t sent = rank().places.take();
    const std::uint32_t received = rank().places.take();
    add({.kind = Kind::post_receive, .peer = ProcessId{from}, .request = received});
    add({.kind = Kind::post_send, .peer = ProcessId{to}, .request = sent, .amount = size});
    add({.kind = Kind::wait, .request = received});
    add({.kind = Kind::wait, .request = sent});
    rank().places.free(sent);
    rank().places.free(received);
  }

  /// Checks that the tag is below those of collectives.
  Tag tag_of(std::int64_t tag) const {
    if (tag < 0 || tag >= std::int64_t{first_collective_tag}) {
      reject(fmt::format("{} is not a tag (0 to {})", tag, first_collective_tag - 1));
    }
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
    expect_words(5);
    const std::int64_t source = number(2, "a rank");
    const std::int64_t destination = number(3, "a rank");
    const std::int64_t tag = word_count() > 4 ? number(4, "a tag") : 0;
    std::vector<Rank::Pending>& pending = rank().pending;
    auto oldest = std::ranges::find_if(pending, [&](const Rank::Pending& request) {
      return request.tag == tag && (request.is_collective || (request.source == source &&
                                                              request.destination == destination));
    });
    if (oldest == pending.end() && tag < 0 && !is_tag_of_collective(tag)) {
      oldest = std::ranges::find(pending, true, &Rank::Pending::is_collective);
    }
    if (oldest == pending.end()) {
      return;
    }
    add({.kind = Kind::wait, .request = oldest->request});
    if (oldest->computing) {
      add(*oldest->computing);
    }
    rank().places.free(oldest->request);
    pending.erase(oldest);
  }
  static bool is_tag_of_collective(std::int64_t tag) {
    return std::ranges::any_of(collectives_,
                               [&](const auto& known) { return known.second.tag == tag; });
  }
  /// Ignored: the request stays posted.
  void test() { expect_words(5); }
  void wait_all() {
    Rank& own = rank();
    if (own.pending.empty()) {
      return;
    }
    add({.kind = Kind::wait_all});
    for (const Rank::Pending& request : own.pending) {
      if (request.computing) {
        add(*request.computing);
      }
      own.places.free(request.request);
    }
    own.pending.clear();
  }

  // --- Collectives, all of the whole world

  /// The name of the collective, without the i of one that is started.
  std::string_view collective_name() const {
    return lines_->words()[1].substr(is_started() ? 1 : 0);
  }

  void barrier() {
    expect_words(2);
    call({});
  }
  void broadcast() {
    expect_words(5);
    call({.root = root(3), .count = count(2), .element_bytes = element_bytes(4)});
  }
  void reduce() {
    expect_words(6);
    call({.root = root(4), .count = count(2), .element_bytes = element_bytes(5)});
    compute_after(3);
  }
  void all_reduce() {
    expect_words(5);
    call({.count = count(2), .element_bytes = element_bytes(4)});
    compute_after(3);
  }
  void reduce_scatter() {
    const std::size_t processes = process_count();
    call({.element_bytes = element_bytes(3 + processes), .counts = counts(2, processes)});
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
    expect_words(6);
    count(3);
    call({.count = count(2), .element_bytes = element_bytes(4)});
  }
  /// One of the two counts is valid at the root only.
  void rooted_share() {
    expect_words(7);
    const bool gathers = collective_name() == "gather";
    const std::uint64_t share = gathers ? count(2) : count(3);
    call({.root = root(4),
          .count = share > 0 ? share
                   : gathers ? count(3)
                             : count(2),
          .element_bytes = element_bytes(5)});
  }
  void all_to_allv() {
    // Arguments: send buffer, counts, receive buffer, counts, perhaps two datatypes.
    const std::size_t processes = process_count();
    std::vector<std::uint64_t> both = counts(3, processes);
    const std::vector<std::uint64_t> received = counts(4 + processes, processes);
    both.insert(both.end(), received.begin(), received.end());
    const std::size_t types = 4 + 2 * processes;
    if (element_bytes(types) != element_bytes(types + 1)) {
      reject("an alltoallv of two datatypes of different sizes is not supported");
    }
    call({.element_bytes = element_bytes(types)});
    ScheduledCollective& collective = schedule_.collectives[rank().collectives - 1];
    if (collective.of_ranks.size() <= rank_) {
      collective.of_ranks.resize(rank_ + 1);
    }
    collective.of_ranks[rank_] = std::move(both);
  }
  void all_gatherv() {
    const std::size_t processes = process_count();
    count(2);
    call({.element_bytes = element_bytes(3 + processes), .counts = counts(3, processes)});
  }
  void gatherv() {
    const std::size_t processes = process_count();
    count(2);
    call({.root = root(3 + processes),
          .element_bytes = element_bytes(4 + processes),
          .counts = counts(3, processes)});
  }
  void scatterv() {
    const std::size_t processes = process_count();
    count(2 + processes);
    call({.root = root(3 + processes),
          .element_bytes = element_bytes(4 + processes),
          .counts = counts(2, processes)});
  }

  std::uint32_t root(std::size_t word) const {
    return word < word_count()
               ? whole(word, 0, static_cast<std::int64_t>(process_count()) - 1, "a root")
               : 0;
  }
  std::vector<std::uint64_t> counts(std::size_t first, std::size_t number) const {
    std::vector<std::uint64_t> read(number);
    for (std::size_t i = 0; i < number; ++i) {
      read[i] = count(first + i);
    }
    return read;
  }

  /// Adds the next collective of this rank, which must match that of the others.
  void call(ScheduledCollective collective) {
    const Collective& called = collectives_.find(collective_name())->second;
    collective.kind = called.kind;
    const std::uint32_t number = rank().collectives++;
    const Line here{static_cast<std::uint32_t>(files_.size() - 1),
                    static_cast<std::uint32_t>(lines_->line())};
    if (is_started()) {
      const std::uint32_t place = rank().places.take();
      rank().pending.push_back({0, 0, called.tag, place, true});
      add({.kind = Kind::start, .request = place, .amount = number});
    } else {
      add({.kind = Kind::collective, .amount = number});
    }
    if (number == schedule_.collectives.size()) {
      schedule_.collectives.push_back(std::move(collective));
      first_calls_.emplace_back(rank_, here);
      return;
    }
    ScheduledCollective& known = schedule_.collectives[number];
    // A process that gives its data in place has a count of 0.
    const bool has_root =
        known.kind == CollectiveKind::gather || known.kind == CollectiveKind::scatter;
    if (has_root && (known.count == 0 || collective.count == 0)) {
      known.count = collective.count = std::max(known.count, collective.count);
    }
    // SimGrid writes unequal shares as 0 everywhere but at the root.
    const auto are_zero = [](const std::vector<std::uint64_t>& shares) {
      return std::ranges::all_of(shares, [](std::uint64_t share) { return share == 0; });
    };
    if (has_root && known.counts.size() == collective.counts.size() &&
        (are_zero(known.counts) || are_zero(collective.counts))) {
      known.counts = collective.counts = std::max(known.counts, collective.counts);
    }
    if (known.kind != collective.kind || known.root != collective.root ||
        known.count != collective.count || known.element_bytes != collective.element_bytes ||
        known.counts != collective.counts) {
      const auto& [other, line] = first_calls_[number];
      reject(
          fmt::format("rank {} calls {} as its collective number {}, where rank {} calls {} "
                      "({})",
                      rank_, describe(collective), number, other, describe(known), at(line)));
    }
  }
  static std::string describe(const ScheduledCollective& collective) {
    return fmt::format("{} of {} elements of {} bytes, root {},", name_of(collective.kind),
                       collective.counts.empty()
                           ? fmt::format("{}", collective.count)
                           : fmt::format("{}", fmt::join(collective.counts, ", ")),
                       collective.element_bytes, collective.root);
  }
  std::string at(const Line& line) const {
    return fmt::format("{}: line {}", files_[line.file], line.number);
  }

  void expect_equal_numbers_of_collectives() const {
    const std::size_t calls = schedule_.collectives.size();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].collectives < calls) {
        const auto& [other, line] = first_calls_[ranks_[rank].collectives];
        throw InputError(
            at(line),
            fmt::format("rank {} calls a {}, which rank {} does not call", other,
                        name_of(schedule_.collectives[ranks_[rank].collectives].kind), rank));
      }
    }
  }

  /// A collective, with the tag by which SimGrid 3.32 waits for it if it was started.
  struct Collective {
    CollectiveKind kind{};
    std::int64_t tag = 0;
  };
  using Collectives = std::map<std::string_view, Collective>;
  static const Collectives collectives_;

  static constexpr std::int64_t most_ranks = (1 << 24) - 1;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

  TiContext context_;
  Schedule schedule_;
  std::vector<Rank> ranks_;
  std::vector<std::string> files_;
  std::vector<std::pair<std::uint32_t, Line>> first_calls_;  ///< [collective]: rank, line
  const LineWords* lines_ = nullptr;
  std::uint32_t rank_ = 0;
};

const TiReader::Collectives TiReader::collectives_{
    {"barrier", {CollectiveKind::barrier, -779}},
    {"bcast", {CollectiveKind::broadcast, -3335}},
    {"reduce", {CollectiveKind::reduce, -113}},
    {"allreduce", {CollectiveKind::allreduce, -4446}},
    {"scan", {CollectiveKind::scan, -889}},
    {"exscan", {CollectiveKind::exscan, -889}},
    {"reducescatter", {CollectiveKind::reduce_scatter, -890}},
    {"alltoall", {CollectiveKind::all_to_all, -1113}},
    {"allgather", {CollectiveKind::allgather, -557}},
    {"gather", {CollectiveKind::gather, -446}},
    {"scatter", {CollectiveKind::scatter, -224}},
    {"alltoallv", {CollectiveKind::all_to_allv, -1001}},
    {"allgatherv", {CollectiveKind::allgather, -668}},
    {"gatherv", {CollectiveKind::gather, -2224}},
    {"scatterv", {CollectiveKind::scatter, -335}}};

}  // namespace

Schedule read_ti(const std::filesystem::path& file, TiContext context) {
  TiReader reader{std::move(context)};
  reader.read(file);
  return reader.finish();
}

}  // namespace dcube
