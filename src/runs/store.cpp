#include "store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/write_file.hpp"
#include "key.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, int error, const char* what) {
  throw InputError(file.string(), fmt::format("{} ({})", what, std::strerror(error)));
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

void append_all(int descriptor, std::string_view text, const fs::path& file) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      fail(file, errno, "cannot be written");
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

std::string text_from(int descriptor, std::uintmax_t begin, const fs::path& file) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count =
        pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(begin + text.size()));
    if (count < 0 && errno != EINTR) {
      fail(file, errno, "cannot be read");
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::string host = name.data();
  std::erase_if(host, [](char c) {
    return !(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.');
  });
  return host.empty() ? "host" : host;
}

bool has_timed_out(const RunRecord& record) { return record.outcome == Outcome::timed_out; }

/// Whether the same run may end otherwise another day.
bool is_bad_luck(const RunRecord& record) {
  return record.outcome == Outcome::crashed || record.lacked_memory;
}

/// Whether it says more of the run than another record does. Sessions are read in any order.
bool is_better(const RunRecord& record, const RunRecord& other) {
  const auto rank = [](const RunRecord& one) {
    return std::pair{!is_bad_luck(one), !has_timed_out(one)};
  };
  return rank(record) != rank(other) ? rank(record) > rank(other) : record.tried_s > other.tried_s;
}

}  // namespace

OpenFile::OpenFile(const fs::path& file, int flags)
    : descriptor_{::open(file.c_str(), flags | O_CLOEXEC, 0666)} {
  if (descriptor_ < 0) {
    fail(file, errno, "cannot be opened");
  }
}
OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
OpenFile::~OpenFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

/// Keeps other commands from reading and changing claims as long as it lives.
class RunStore::Lock {
 public:
  explicit Lock(const RunStore& store) : descriptor_{store.claims_.descriptor()} {
    struct flock lock = whole_file(store.can_claim_ ? F_WRLCK : F_RDLCK);
    while (fcntl(descriptor_, F_SETLKW, &lock) != 0) {
      if (errno != EINTR) {
        fail(store.folder_ / "claims", errno, "cannot be locked");
      }
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    struct flock lock = whole_file(F_UNLCK);
    fcntl(descriptor_, F_SETLK, &lock);
  }

 private:
  int descriptor_;
};

std::string RunStore::read_description(const fs::path& folder) {
  std::error_code ignored;
  refuse_if(!fs::is_regular_file(folder / "study.json", ignored), folder.string(),
            "holds no study (study.json is missing; dcube sweep --output makes such folders)");
  return file_text(folder / "study.json");
}

RunStore::RunStore(const Cases& cases, fs::path folder, std::string_view place)
    : cases_{cases},
      folder_{std::move(folder)},
      is_kept_{!folder_.empty()},
      records_(cases.run_count()),
      is_done_(cases.run_count(), false),
      owners_(cases.run_count(), 0) {
  if (is_kept()) {
    open(place);
    read_sessions();
  }
}

RunStore::~RunStore() = default;

void RunStore::open(std::string_view place) {
  std::error_code error;
  fs::create_directories(folder_ / "runs", error);
  refuse_if(error.value() != 0, place, "{}: {}", folder_.string(), error.message());
  const fs::path file = folder_ / "study.json";
  // A folder that cannot be written can be looked at.
  can_claim_ = access(folder_.c_str(), W_OK) == 0 || !fs::exists(file, error);
  claims_ = OpenFile{folder_ / "claims", can_claim_ ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY};
  const Lock lock{*this};
  if (!fs::exists(file, error)) {
    write_file(file, cases_.description());
    return;
  }
  const std::string known = file_text(file);
  const std::string difference = cases_difference(known, cases_.description());
  refuse_if(!difference.empty(), place,
            "{} holds another study, as {} says: {} is different there; name another folder",
            folder_.string(), file.string(), difference);
  if (can_claim_ && known != cases_.description()) {
    write_file(file, cases_.description());  // what is shown is another selection
  }
}

std::vector<fs::path> RunStore::files() const {
  std::vector<fs::path> files{folder_ / "study.json", folder_ / "claims"};
  for (const auto& [name, session] : sessions_) {
    files.push_back(session->file);
  }
  return files;
}

void RunStore::begin_session() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string name =
      fmt::format("{}-{}-{:x}", host_name(), getpid(),
                  std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  fs::path file;
  std::error_code ignored;
  // A process may have had another session in this very millisecond.
  for (unsigned session = 1; file.empty() || fs::exists(file, ignored); ++session) {
    own_name_ = session == 1 ? name : fmt::format("{}-{}", name, session);
    file = folder_ / "runs" / (own_name_ + ".jsonl");
  }
  own_file_ = OpenFile{file, O_RDWR | O_CREAT | O_EXCL | O_APPEND};
  struct flock lock = whole_file(F_WRLCK);
  if (fcntl(own_file_.descriptor(), F_SETLK, &lock) != 0) {
    fail(file, errno, "cannot be locked");
  }
  append_all(own_file_.descriptor(), store_head(cases_.id(), host_name(), getpid()) + "\n", file);
  // The name must be on the disk, too.
  const OpenFile runs{folder_ / "runs", O_RDONLY | O_DIRECTORY};
  fsync(runs.descriptor());
  session_named(own_name_);
}

RunStore::Session& RunStore::session_named(const std::string& name) {
  std::unique_ptr<Session>& session = sessions_[name];
  if (session == nullptr) {
    session = std::make_unique<Session>();
    session->name = name;
    session->file = folder_ / "runs" / (name + ".jsonl");
    session->reader = std::make_unique<RecordReader>(session->file.string(), cases_.id());
    by_number_.push_back(session.get());
    session->number = static_cast<std::uint32_t>(by_number_.size());
  }
  return *session;
}

/// Whether the record is of the run as it is now, every file that it read included.
bool RunStore::is_current(const RunRecord& record) const {
  return std::ranges::all_of(record.more_files, [](const auto& file) {
    std::error_code ignored;
    return fs::is_regular_file(file.first, ignored) && content_key(file.first) == file.second;
  });
}

void RunStore::keep(RunRecord record) {
  const std::size_t run = record.run;
  const bool replaces = records_[run] != nullptr && is_better(record, *records_[run]);
  if ((!is_done(run) || replaces) && is_current(record)) {
    records_[run] = std::make_unique<RunRecord>(std::move(record));
    done_count_ += is_done(run) ? 0 : 1;
    is_done_[run] = true;
  }
}

void RunStore::forget_unlucky(const SimulationLimits& limits) {
  std::vector<bool> works(by_number_.size() + 1, false);
  if (is_kept()) {
    in_folder([&] {
      const Lock lock{*this};
      read_claims();
    });
    works.resize(by_number_.size() + 1, false);
    for (const Session* const session : by_number_) {
      works[session->number] = is_alive(*session);
    }
  }
  const std::chrono::duration<double> limit =
      limits.timeout.value_or(std::chrono::nanoseconds::max());
  for (std::size_t run = limits.shard.index; run < records_.size(); run += limits.shard.count) {
    const RunRecord* const record = records_[run].get();
    if (record == nullptr || !is_done(run)) {
      continue;
    }
    if ((has_timed_out(*record) && record->tried_s < limit.count()) ||
        (is_bad_luck(*record) && !works[owners_[run]])) {
      is_done_[run] = false;
      --done_count_;
    }
  }
}

void RunStore::read_session(Session& session) {
  std::error_code ignored;
  if (session.name == own_name_ || !fs::exists(session.file, ignored)) {
    return;
  }
  // Opened anew each time, so that a network's file system looks for what others have added.
  const OpenFile file{session.file, O_RDONLY};
  const std::string text = text_from(file.descriptor(), session.read, session.file);
  session.read += session.reader->read(text, [&](RunRecord record) {
    const bool is_known = record.run < records_.size() && record.key == cases_.key(record.run);
    if (!is_known && !cases_.has_keys_by_id()) {
      return;
    }
    refuse_if(!is_known, session.file.string(),
              "has a record of run {} that is of another scenario (remove its line, and the run is "
              "made again)",
              record.run);
    ++session.done;
    keep(std::move(record));
  });
}

void RunStore::read_sessions() {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder_ / "runs", error}) {
    if (entry.path().extension() == ".jsonl") {
      names.push_back(entry.path().stem().string());
    }
  }
  refuse_if(error.value() != 0, (folder_ / "runs").string(), "{}", error.message());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    read_session(session_named(name));
  }
}

void RunStore::refresh() {
  if (is_kept()) {
    read_sessions();
  }
}

bool RunStore::is_alive(const Session& session) const {
  if (session.name == own_name_) {
    return true;
  }
  const int descriptor = ::open(session.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  // A read lock: processes that only ask do not block each other.
  struct flock lock = whole_file(F_RDLCK);
  const bool can_be_had = fcntl(descriptor, F_SETLK, &lock) == 0;
  close(descriptor);
  return !can_be_had;
}

/// Later claims replace earlier ones. A line that is no claim is from a command that was killed
/// while it wrote.
void RunStore::read_claims() {
  const std::string text = text_from(claims_.descriptor(), claims_read_, folder_ / "claims");
  std::string_view rest{text};
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const auto words = split_at(rest.substr(0, end), ' ');
    rest.remove_prefix(end + 1);
    if (words.size() != 4) {
      continue;
    }
    const auto begin = parsed<std::size_t>(words[1]);
    const auto behind = parsed<std::size_t>(words[2]);
    const auto step = parsed<std::size_t>(words[3]);
    if (!begin || !behind || !step || *step == 0) {
      continue;
    }
    const std::uint32_t number = session_named(std::string{words[0]}).number;
    for (std::size_t run = *begin; run < std::min(*behind, owners_.size()); run += *step) {
      owners_[run] = number;
    }
  }
  claims_read_ += text.size() - rest.size();
  if (!rest.empty() && can_claim_) {  // torn: nobody writes now
    append_all(claims_.descriptor(), "\n", folder_ / "claims");
  }
}

void RunStore::drop_dead_claims() {
  std::vector<std::optional<bool>> is_dead(by_number_.size() + 1);  // where that has been asked
  for (std::size_t run = 0; run < owners_.size(); ++run) {
    const std::uint32_t owner = owners_[run];
    if (owner == 0 || is_done(run)) {
      continue;
    }
    if (!is_dead[owner]) {
      Session& session = *by_number_[owner - 1];
      is_dead[owner] = !is_alive(session);
      read_session(session);  // after its end nothing is added
    }
    if (*is_dead[owner]) {
      owners_[run] = 0;
    }
  }
}

bool RunStore::in_folder(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const InputError& error) {
    if (!tell_) {
      throw;
    }
    is_kept_ = false;
    tell_(error);
    return false;
  }
}

std::size_t RunStore::first_free(std::size_t from, const Shard& shard) const {
  std::size_t run = from;
  while (run < records_.size() && !is_free(run)) {
    run += shard.count;
  }
  return run;
}

std::vector<std::size_t> RunStore::take_free(std::size_t most, const Shard& shard) {
  if (shard.index != cursor_shard_.index || shard.count != cursor_shard_.count) {
    cursor_shard_ = shard;
    cursor_ = shard.index;
  }
  std::size_t run = first_free(std::max(cursor_, shard.index), shard);
  if (run >= records_.size() && is_kept()) {
    read_sessions();
    drop_dead_claims();
    run = first_free(shard.index, shard);
  }
  cursor_ = run;
  std::vector<std::size_t> claimed;
  const std::uint32_t own = is_kept() ? session_named(own_name_).number : 1;
  for (; run < records_.size() && claimed.size() < most && (is_done(run) || is_free(run));
       run += shard.count) {
    if (!is_done(run)) {
      owners_[run] = own;
      claimed.push_back(run);
    }
  }
  return claimed;
}

std::vector<std::size_t> RunStore::claim(std::size_t most, const Shard& shard) {
  if (is_complete()) {
    return {};
  }
  std::vector<std::size_t> claimed;
  const auto claim_in_folder = [&] {
    const bool is_first = !own_file_;
    if (is_first) {
      begin_session();
    }
    const Lock lock{*this};
    read_claims();
    if (is_first) {
      drop_dead_claims();
    }
    claimed = take_free(most, shard);
    if (!claimed.empty()) {
      append_all(
          claims_.descriptor(),
          fmt::format("{} {} {} {}\n", own_name_, claimed.front(), claimed.back() + 1, shard.count),
          folder_ / "claims");
    }
  };
  if (is_kept() && in_folder(claim_in_folder)) {
    return claimed;
  }
  return claimed.empty() ? take_free(most, shard) : claimed;
}

void RunStore::append(std::size_t run, std::string line) {
  unwritten_ += line;
  unwritten_ += '\n';
  unsynced_.emplace_back(run, std::move(line));
}

void RunStore::sync() {
  if (unsynced_.empty()) {
    return;
  }
  if (is_kept()) {
    in_folder([&] {
      expects(static_cast<bool>(own_file_), "who records a run has claimed it");
      Session& own = session_named(own_name_);
      append_all(own_file_.descriptor(), unwritten_, own.file);
      if (fdatasync(own_file_.descriptor()) != 0 && errno != EINVAL) {
        fail(own.file, errno, "cannot be written");
      }
      own.done += unsynced_.size();
    });
  }
  unwritten_.clear();
  for (auto& [run, line] : unsynced_) {
    if (!is_done(run)) {
      is_done_[run] = true;
      ++done_count_;
      unread_ += line;
      unread_ += '\n';
    }
  }
  unsynced_.clear();
}

// Own records are read as any other command would, so that all have the same figures. That is done
// late, because it would slow many quick runs.
const RunRecord* RunStore::record(std::size_t run) {
  if (!unread_.empty()) {
    RecordReader reader{own_name_, cases_.id()};
    reader.read(store_head(cases_.id(), "", 0) + "\n" + std::exchange(unread_, {}),
                [&](RunRecord record) {
                  const std::size_t number = record.run;
                  records_[number] = std::make_unique<RunRecord>(std::move(record));
                });
  }
  return records_[run].get();
}

std::vector<StoreSession> RunStore::sessions() {
  {
    const Lock lock{*this};
    read_claims();
  }
  read_sessions();
  std::vector<std::size_t> claimed(by_number_.size() + 1, 0);
  for (std::size_t run = 0; run < owners_.size(); ++run) {
    claimed[owners_[run]] += is_done(run) ? 0 : 1;
  }
  return mapped(sessions_, [&](const auto& named) {
    const Session& session = *named.second;
    return StoreSession{session.name, is_alive(session), session.done, claimed[session.number]};
  });
}

}  // namespace dcube
