// Damages traces that libraries have written, and feeds their readers with them in this process:
//
//     trace_fuzz TRACES FOLDER ROUNDS SEED
//
// TRACES is `chakra` (fields and bytes of two ranks' traces), `otf2-records` (what libotf2 tells of
// an archive) or `otf2-bytes` (the archive's files, which are in FOLDER; best in memory: /dev/shm).
// Whatever the damage, the reader must take it, and then the program must run, or complain with an
// InputError of one line. Anything else, and a crash, is a defect; its input is in FOLDER.
//
// With `otf2-bytes` libotf2 reads what is damaged, and may crash, take all memory or never end. A
// child process does this part, as in dcube itself. How often it ends while libotf2 reads is
// printed, and is no defect of dcube. Each round depends on SEED and its own number alone.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/module.hpp"
#include "misbehaviour.hpp"
#include "support/kernel_runner.hpp"
#include "support/mutator.hpp"
#include "support/simulated_program.hpp"
#include "workload/trace_settings.hpp"
#ifndef DCUBE_WITHOUT_CHAKRA
#include "workload/chakra_file.hpp"
#include "workload/chakra_reader.hpp"
#endif
#ifndef DCUBE_WITHOUT_OTF2
#include "workload/modules/otf2_records.hpp"
#include "workload/otf2_archive.hpp"
#include "workload/otf2_reader.hpp"
#endif

#if defined(__SANITIZE_ADDRESS__)
/// Damaged files ask for any amount of memory.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=1024:hard_rss_limit_mb=3000";
}
#endif

namespace dcube::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> pieces{std::string(1, '\0'),
                                      "\xff\xff\xff\xff",
                                      std::string(8, '\x7f'),
                                      "\x80\x01",
                                      "\x0a",
                                      "comm_size",
                                      "comm_dst",
                                      "pg_name"};

/// Values at the ends of ranges, and small ones.
std::uint64_t value(Mutator& mutator) {
  static constexpr std::uint64_t ends[] = {0,
                                           1,
                                           0x7f,
                                           0xff,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x100000000,
                                           std::uint64_t{1} << 53,
                                           std::uint64_t{1} << 62,
                                           0x7fffffffffffffff,
                                           ~std::uint64_t{0}};
  switch (mutator.below(3)) {
    case 0:
      return ends[mutator.below(std::size(ends))];
    case 1:
      return mutator.below(8);
    default:
      return std::uint64_t{mutator.below(1U << 20)} << mutator.below(44);
  }
}

/// Runs the program of a schedule, process i on node i, where it has few processes.
void run(Schedule schedule) {
  static const Machine machine = uneven_machine("kind=torus,shape=4x2");
  if (schedule.processes.size() > machine.topology->node_count()) {
    return;
  }
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < schedule.processes.size(); ++rank) {
    map.emplace_back(rank);
  }
  const std::unique_ptr<Program> program =
      make_scheduled_program("trace", std::move(schedule), Params{"s.json: /program"}, {machine});
  run_without_simgrid({.machine = machine,
                       .map = map,
                       .body = [&](Process& process) { return program->run(process); },
                       .program_pays_endpoints = program->pays_endpoints()});
}

/// What is wrong with how `read` behaves; nothing when it gives a schedule that runs, or complains.
std::string misbehaviour(const std::function<Schedule()>& read) {
  return misbehaviour_of([&] { run(read()); });
}

void write(const fs::path& file, std::string_view bytes) {
  // A new file: emptying one makes some file systems write to the disk at once.
  fs::remove(file);
  std::ofstream{file, std::ios::binary} << bytes;
}

/// What a child says to its parent while it reads.
struct Progress {
  std::uint64_t next = 0;  ///< round
  bool is_in_library = false;
};
Progress* progress = nullptr;  ///< of this child

/// A kind of traces.
class Traces {
 public:
  explicit Traces(fs::path folder) : folder_{std::move(folder)} {}
  virtual ~Traces() = default;
  /// What the sound traces say.
  virtual Schedule read_sound() = 0;
  /// The complaint of one damaged trace, or nothing.
  virtual std::string read_damaged(Mutator& mutator) = 0;
  /// Puts what was read last into the folder, if it is not there.
  virtual void keep() const {}
  /// Puts sound traces into the folder, after a child that may have left damaged ones.
  virtual void mend() {}
  /// Whether a child should read, because a library may crash.
  virtual bool may_crash() const { return false; }

 protected:
  fs::path folder_;
};

// --- Chakra

#ifndef DCUBE_WITHOUT_CHAKRA
class ChakraTraces final : public Traces {
 public:
  using Traces::Traces;

  Schedule read_sound() override {
    bytes_ = {bytes_of(nodes(0)), bytes_of(nodes(1))};
    return read();
  }
  std::string read_damaged(Mutator& mutator) override {
    bytes_ = {bytes_of(nodes(0)), bytes_of(nodes(1))};
    const std::size_t rank = mutator.below(2);
    std::vector<chakra::Node> damaged = nodes(static_cast<std::int32_t>(rank));
    for (std::size_t changes = mutator.below(4); changes-- > 0 && !damaged.empty();) {
      change(mutator, damaged);
    }
    bytes_[rank] = bytes_of(damaged);
    if (mutator.below(2) == 0) {
      bytes_[rank] = mutator.mutated(bytes_[rank]);
    }
    return misbehaviour([this] { return read(); });
  }
  void keep() const override {
    write(folder_ / "t.0.et", bytes_[0]);
    write(folder_ / "t.1.et", bytes_[1]);
  }

 private:
  Schedule read() const {
    ChakraContext context{.microsecond = ExactTime{1'000'000, 1}};
    context.text_of = [this](const fs::path& file, ReadingPart) {
      return bytes_[file.string() == "t.0.et" ? 0 : 1];
    };
    return read_chakra({"t.0.et", "t.1.et"}, std::move(context));
  }
  static std::vector<chakra::Node> nodes(std::int32_t rank) {
    return ChakraFile{}
        .of_type(0, chakra::METADATA)
        .compute(1, 300, {0}, true)
        .compute(2, 4000, {1})
        .of_type(3, chakra::MEM_LOAD, 7, {1})
        .send(4, 1 - rank, 1000, 5, {2})
        .receive(5, 1 - rank, 1000, 5, {1})
        .collective(6, ChakraFile::all_reduce, 4096, {4, 5}, "dp")
        .collective(7, ChakraFile::broadcast, 64, {6}, "", 1)
        .collective(8, ChakraFile::reduce_scatter, 77, {6, 7})
        .collective(9, ChakraFile::all_to_all, 77, {8})
        .nodes();
  }
  static std::string bytes_of(const std::vector<chakra::Node>& nodes) {
    ChakraFile file;
    for (const chakra::Node& node : nodes) {
      file.add(node);
    }
    return file.bytes();
  }

  static void change(Mutator& mutator, std::vector<chakra::Node>& nodes) {
    chakra::Node& node = nodes[mutator.below(nodes.size())];
    switch (mutator.below(9)) {
      case 0:
        node.set_id(value(mutator));
        break;
      case 1:
        node.set_type(static_cast<chakra::NodeType>(mutator.below(13)));
        break;
      case 2:
        node.set_duration_micros(value(mutator));
        break;
      case 3:
        node.add_data_dependencies(mutator.below(2) == 0 ? mutator.below(10) : value(mutator));
        break;
      case 4:
        node.clear_control_dependencies();
        break;
      case 5:
        nodes.push_back(node);
        break;
      case 6:
        std::swap(nodes[mutator.below(nodes.size())], node);
        break;
      case 7:
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(mutator.below(nodes.size())));
        break;
      default:
        change_attribute(mutator, node);
    }
  }
  static void change_attribute(Mutator& mutator, chakra::Node& node) {
    static const std::vector<std::string> names{"comm_type", "comm_size",   "comm_src",
                                                "comm_dst",  "comm_tag",    "is_cpu_op",
                                                "pg_name",   "involved_dim"};
    chakra::Attribute& attribute = node.attributes_size() == 0 || mutator.below(4) == 0
                                       ? *node.add_attributes()
                                       : *node.mutable_attributes(static_cast<int>(mutator.below(
                                             static_cast<std::size_t>(node.attributes_size()))));
    if (attribute.name().empty() || mutator.below(4) == 0) {
      attribute.set_name(names[mutator.below(names.size())]);
    }
    const std::uint64_t number = value(mutator);
    switch (mutator.below(9)) {
      case 0:
        attribute.set_int32(static_cast<std::int32_t>(number));
        break;
      case 1:
        attribute.set_int64(static_cast<std::int64_t>(number));
        break;
      case 2:
        attribute.set_uint64(number);
        break;
      case 3:
        attribute.set_sint64(-static_cast<std::int64_t>(number >> 1U));
        break;
      case 4:
        attribute.set_fixed64(number);
        break;
      case 5:
        attribute.set_truth(number % 2 == 0);
        break;
      case 6:
        attribute.set_text(mutator.piece());
        break;
      case 7:
        attribute.set_real(static_cast<double>(number));
        break;
      default:
        attribute.clear_value();
    }
  }

  std::vector<std::string> bytes_;
};
#endif

// --- OTF2

#ifndef DCUBE_WITHOUT_OTF2
/// A bit of everything that is read, for each of three ranks.
void write_archive(const fs::path& folder) {
  fs::remove_all(folder);  // libotf2 writes into no archive that is there
  fs::create_directories(folder);
  Archive archive{folder, 3, {.threads = 1, .swaps_regions = true, .chunk_bytes = 1U << 18U}};
  const std::uint32_t pair = archive.communicator({2, 0});
  for (std::uint32_t r = 0; r < 3; ++r) {
    const std::uint32_t next = (r + 1) % 3;
    const std::uint32_t previous = (r + 2) % 3;
    constexpr std::uint32_t mpi = Archive::user_region;  // as they are swapped
    Archive::Rank& rank = archive.rank(r);
    rank.enter(10, Archive::mpi_region).enter(20, mpi).isend(21, next, 100, 7, 1).leave(22, mpi);
    rank.enter(30, mpi).irecv_request(31, 8).leave(32, mpi).test(33, 8);
    rank.enter(40, mpi).irecv(41, previous, 100, 8, 1).isend_complete(42, 7).leave(43, mpi);
    rank.enter(50, mpi).send(51, next, 5).receive(52, previous, 5).leave(53, mpi);
    rank.irecv_request(54, 9).cancel(55, 9);
    rank.collective(60, 70, OTF2_COLLECTIVE_OP_ALLREDUCE, 24, 24);
    rank.collective(71, 72, OTF2_COLLECTIVE_OP_ALLTOALLV, 30, 30);
    rank.collective(73, 74, OTF2_COLLECTIVE_OP_BCAST, r == 1 ? 24 : 0, 8, 1);
    if (r != 1) {
      rank.collective(80, 81, OTF2_COLLECTIVE_OP_REDUCE, 8, r == 2 ? 16 : 0, 0, pair);
    }
    rank.other(&OTF2_EvtWriter_MeasurementOnOff, 82, OTF2_MEASUREMENT_OFF);
    rank.other(&OTF2_EvtWriter_MeasurementOnOff, 83, OTF2_MEASUREMENT_ON);
    rank.other(&OTF2_EvtWriter_BufferFlush, 84, 85U).other(&OTF2_EvtWriter_RmaWinCreate, 86, 0U);
    rank.leave(90, Archive::mpi_region);
  }
}

Otf2Read otf2_function() {
  static const auto function = reinterpret_cast<Otf2Read>(
      load_module({"read OTF2 traces", "dcube-otf2.so", DCUBE_OTF2_FUNCTION_NAME, "libotf2"}));
  return function;
}

Schedule schedule_of(const std::string& records) {
  return read_otf2_records(records, "a.otf2", {.second = ExactTime{1'000'000'000'000, 1}});
}

/// What libotf2 tells of an archive; the first part where that is endless.
std::string records_of(const fs::path& anchor) {
  std::string records;
  const Otf2Sink sink{&records, [](void* to, const Otf2Record* record, const void* payload) {
                        constexpr std::size_t most = std::size_t{1} << 24;
                        std::string& all = *static_cast<std::string*>(to);
                        if (all.size() < most) {
                          all.append(reinterpret_cast<const char*>(record), sizeof *record);
                          all.append(static_cast<const char*>(payload), record->payload_bytes);
                        }
                      }};
  if (progress != nullptr) {
    progress->is_in_library = true;
  }
  otf2_function()(anchor.c_str(), &sink);
  if (progress != nullptr) {
    progress->is_in_library = false;
  }
  return records;
}

class Otf2Records final : public Traces {
 public:
  explicit Otf2Records(fs::path folder) : Traces{std::move(folder)} {
    write_archive(folder_);
    const std::string bytes = records_of(folder_ / "a.otf2");
    for (std::size_t at = 0; at < bytes.size();) {
      Told told;
      std::memcpy(&told.record, bytes.data() + at, sizeof told.record);
      told.payload = bytes.substr(at + sizeof told.record, told.record.payload_bytes);
      at += sizeof told.record + told.record.payload_bytes;
      all_.push_back(std::move(told));
    }
  }

  Schedule read_sound() override { return schedule_of(bytes_of(all_)); }
  std::string read_damaged(Mutator& mutator) override {
    std::vector<Told> damaged = all_;
    for (std::size_t changes = 1 + mutator.below(4); changes-- > 0 && !damaged.empty();) {
      change(mutator, damaged);
    }
    bytes_ = bytes_of(std::move(damaged));
    return misbehaviour([this] { return schedule_of(bytes_); });
  }
  void keep() const override { write(folder_ / "records", bytes_); }

 private:
  struct Told {
    Otf2Record record;
    std::string payload;
  };
  static std::string bytes_of(std::vector<Told> all) {
    std::string bytes;
    for (Told& told : all) {
      told.record.payload_bytes = static_cast<std::uint32_t>(told.payload.size());
      bytes.append(reinterpret_cast<const char*>(&told.record), sizeof told.record);
      bytes += told.payload;
    }
    return bytes;
  }

  enum class Part { definition, rank, event, end };

  static Part part_of(const Told& told) {
    return told.record.kind >= otf2_done   ? Part::end
           : told.record.kind == otf2_rank ? Part::rank
           : told.record.kind < otf2_rank  ? Part::definition
                                           : Part::event;
  }

  /// As libotf2 might tell it: definitions, then the ranks of the archive, each once.
  static void change(Mutator& mutator, std::vector<Told>& all) {
    const std::size_t at = mutator.below(all.size());
    Told& told = all[at];
    const Part part = part_of(told);
    if (part == Part::rank || part == Part::end) {
      return;
    }
    switch (mutator.below(8)) {
      case 0:
        if (told.record.kind != otf2_group) {
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
        }
        break;
      case 1: {
        const Told twice = told;
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), twice);
        break;
      }
      case 2:
        if (Told& other = all[mutator.below(all.size())]; part_of(other) == part) {
          std::swap(other, told);
        }
        break;
      case 3:
        if (part == Part::event) {
          told.record.kind =
              static_cast<std::uint32_t>(otf2_enter + mutator.below(otf2_other - otf2_enter + 1));
        }
        break;
      case 4:
        if (part == Part::definition && !is_list_of_ranks(told)) {
          told.payload = changed_members(mutator, told.payload);
        }
        break;
      default: {
        const std::size_t place = mutator.below(std::size(told.record.values));
        // The list of ranks is what the module goes through.
        if (!is_list_of_ranks(told) || place == 0) {
          told.record.values[place] = value(mutator);
        }
      }
    }
  }
  static bool is_list_of_ranks(const Told& told) {
    return told.record.kind == otf2_group && told.record.values[1] == 4;
  }
  static std::string changed_members(Mutator& mutator, std::string payload) {
    const std::uint64_t member = value(mutator);
    if (payload.size() < sizeof member || mutator.below(3) == 0) {
      payload.append(reinterpret_cast<const char*>(&member), sizeof member);
    } else {
      const std::size_t at = mutator.below(payload.size() / sizeof member) * sizeof member;
      std::memcpy(payload.data() + at, &member, sizeof member);
    }
    return payload;
  }

  std::vector<Told> all_;
  std::string bytes_;
};

std::string content_of(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

class Otf2Bytes final : public Traces {
 public:
  explicit Otf2Bytes(fs::path folder) : Traces{std::move(folder)} {
    write_archive(folder_);
    for (const auto& entry : fs::recursive_directory_iterator{folder_}) {
      if (entry.is_regular_file()) {
        files_[entry.path()] = content_of(entry.path());
      }
    }
  }

  Schedule read_sound() override { return schedule_of(records_of(folder_ / "a.otf2")); }
  std::string read_damaged(Mutator& mutator) override {
    const auto& [file, whole] =
        *std::next(files_.begin(), static_cast<std::ptrdiff_t>(mutator.below(files_.size())));
    if (file != last_ && !last_.empty()) {
      write(last_, files_.at(last_));
    }
    last_ = file;
    write(file, mutator.mutated(whole));
    return misbehaviour([this] { return schedule_of(records_of(folder_ / "a.otf2")); });
  }
  void mend() override {
    for (const auto& [file, whole] : files_) {
      write(file, whole);
    }
    last_.clear();
  }
  bool may_crash() const override { return true; }

 private:
  std::map<fs::path, std::string> files_;
  fs::path last_;  ///< that is damaged
};
#endif

std::unique_ptr<Traces> traces_of(std::string_view name, const fs::path& folder) {
#ifndef DCUBE_WITHOUT_CHAKRA
  if (name == "chakra") {
    return std::make_unique<ChakraTraces>(folder);
  }
#endif
#ifndef DCUBE_WITHOUT_OTF2
  if (name == "otf2-records") {
    return std::make_unique<Otf2Records>(folder);
  }
  if (name == "otf2-bytes") {
    return std::make_unique<Otf2Bytes>(folder);
  }
#endif
  return nullptr;
}

// --- Rounds

struct Rounds {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t seed = 0;
};

/// Goes through rounds until one misbehaves. `at` is the next.
int go_through(Traces& traces, std::string_view name, const Rounds& rounds,
               volatile std::uint64_t& at) {
  // Of computing, after which the system ends the process.
  itimerval limit{};
  if (traces.may_crash()) {
    limit.it_value.tv_usec = 500'000;  // sound traces take a few milliseconds
  } else {
    limit.it_value.tv_sec = 60;
  }
  traces.mend();
  while (at < rounds.end) {
    setitimer(ITIMER_PROF, &limit, nullptr);
    const std::uint64_t round = at;
    at = round + 1;
    Mutator mutator{rounds.seed << 40U ^ round, pieces};
    if (const std::string wrong = traces.read_damaged(mutator); !wrong.empty()) {
      traces.keep();
      fmt::print(stderr, "{} {} in round {}\n", name, wrong, round);
      return 1;
    }
  }
  return 0;
}

/// The same in children, which may crash. A child is replaced now and then, because libotf2 keeps
/// memory of archives that it cannot read.
int go_through_in_children(Traces& traces, std::string_view name, const Rounds& rounds) {
  constexpr std::uint64_t rounds_of_child = 2000;
  progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::uint64_t& at = progress->next;
  at = rounds.next;
  std::map<int, std::uint64_t> ended_by;
  while (at < rounds.end) {
    const Rounds share{at, std::min(rounds.end, at + rounds_of_child), rounds.seed};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int status = go_through(traces, name, share, at);
      std::fflush(nullptr);
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) {
      continue;
    }
    if (!std::exchange(progress->is_in_library, false)) {
      fmt::print(stderr, "{} fails in round {}, not in the library\n", name, at - 1);
      return 1;
    }
    ++ended_by[WIFSIGNALED(status) ? WTERMSIG(status) : 0];
  }
  for (const auto& [signal, times] : ended_by) {
    fmt::print("{} ended {} of {} rounds: {}\n", name, times, rounds.end,
               signal == 0 ? "a sanitizer" : strsignal(signal));
  }
  return 0;
}

std::uint64_t number_of(const char* text) {
  std::uint64_t number = 0;
  std::from_chars(text, text + std::string_view{text}.size(), number);
  return number;
}

int fuzz(int argc, char** argv) {
  constexpr int arguments = 5;
  if (argc != arguments) {
    fmt::print(stderr, "trace_fuzz TRACES FOLDER ROUNDS SEED\n");
    return 2;
  }
  const std::unique_ptr<Traces> traces = traces_of(argv[1], argv[2]);
  if (traces == nullptr) {
    fmt::print(stderr, "{} are no traces that this dcube reads\n", argv[1]);
    return 2;
  }
#if !defined(__SANITIZE_ADDRESS__)
  constexpr rlim_t most_bytes = rlim_t{4} << 30;
  const rlimit limit{most_bytes, most_bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
  const Rounds rounds{0, number_of(argv[3]), number_of(argv[4])};
  run(traces->read_sound());  // or nothing would be tried
  std::uint64_t at = 0;
  return traces->may_crash() ? go_through_in_children(*traces, argv[1], rounds)
                             : go_through(*traces, argv[1], rounds, at);
}

}  // namespace
}  // namespace dcube::testing

int main(int argc, char** argv) { return dcube::testing::fuzz(argc, argv); }
