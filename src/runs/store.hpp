#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/runs/cases.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/runs/run_cases.hpp"
#include "record_text.hpp"

namespace dcube {

/// A file descriptor that is closed with its owner.
class OpenFile {
 public:
  OpenFile() = default;
  /// Throws InputError at the file.
  OpenFile(const std::filesystem::path& file, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// Records of cases, in a folder or, for as long as the store lives, in memory. A folder has
///   study.json         what the cases are
///   runs/NAME.jsonl    the records of one command, which alone appends to it and holds a lock on
///   it claims             which command makes which runs; locked while it is read and appended to
///
/// Any number of commands, on any number of hosts that share a folder, may work on it. A claim
/// holds while its command lives. What is recorded is done, whoever did it.
class RunStore {
 public:
  /// Description of the cases in a folder, which is only read. Throws InputError when it holds
  /// none.
  static std::string read_description(const std::filesystem::path& folder);

  /// Opens the folder, makes it if need be, and reads what is done; empty: there is none. Throws
  /// InputError at `place` when it holds other cases, and at a file that cannot be read or has an
  /// unreadable record. The cases must outlive the store.
  RunStore(const Cases& cases, std::filesystem::path folder, std::string_view place);
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  ~RunStore();

  const std::filesystem::path& folder() const { return folder_; }
  /// All files of the folder.
  std::vector<std::filesystem::path> files() const;
  /// Record of a run; null: not done.
  const RunRecord* record(std::size_t run);
  std::size_t run_count() const { return records_.size(); }
  std::size_t done_count() const { return done_count_; }
  bool is_done(std::size_t run) const { return is_done_[run]; }
  bool is_complete() const { return done_count_ == records_.size(); }
  /// Whether records outlive the store.
  bool is_kept() const { return is_kept_; }
  /// Where the folder can no longer be written, `tell` is told why, and records stay in memory from
  /// then on. Without it, claim() and sync() throw.
  void outlive_folder(std::function<void(const InputError&)> tell) { tell_ = std::move(tell); }

  /// Runs of the shard that timed out in less time than a run has now, crashed or lacked memory
  /// count as not done. Until they are made again, they have their records. To be called before the
  /// first claim. What a command that still works has recorded stays, but for its timed-out runs.
  void forget_unlucky(const SimulationLimits& limits);

  /// Claims up to `most` runs of the shard that are neither done nor claimed by a living command.
  /// Ascending; empty: there are none, now. Throws InputError.
  std::vector<std::size_t> claim(std::size_t most, const Shard& shard);

  /// Keeps a record of this command for the next sync().
  void append(std::size_t run, std::string line);
  /// Writes what has been appended to the disk; after that it counts as done. Throws InputError.
  void sync();
  bool has_unsynced() const { return !unsynced_.empty(); }

  /// Reads what others have recorded meanwhile. Throws InputError.
  void refresh();

  /// Sessions of all commands, in order of their names.
  std::vector<StoreSession> sessions();

 private:
  struct Session {
    std::string name;
    std::filesystem::path file;
    std::uintmax_t read = 0;  ///< bytes
    std::unique_ptr<RecordReader> reader;
    std::size_t done = 0;
    std::uint32_t number = 0;  ///< from 1
  };

  class Lock;
  void open(std::string_view place);
  /// The step, or what outlive_folder() says; false then.
  bool in_folder(const std::function<void()>& step);
  std::size_t first_free(std::size_t from, const Shard& shard) const;
  /// Claims for this command, in memory.
  std::vector<std::size_t> take_free(std::size_t most, const Shard& shard);
  void begin_session();
  Session& session_named(const std::string& name);
  void read_sessions();
  void read_session(Session& session);
  bool is_alive(const Session& session) const;
  void read_claims();
  bool is_free(std::size_t run) const { return !is_done(run) && owners_[run] == 0; }
  /// Drops the claims of commands that have ended; reads their records first.
  void drop_dead_claims();
  void keep(RunRecord record);
  bool is_current(const RunRecord& record) const;

  const Cases& cases_;
  std::filesystem::path folder_;
  bool is_kept_;
  std::function<void(const InputError&)> tell_;
  std::vector<std::unique_ptr<RunRecord>> records_;
  std::vector<bool> is_done_;
  std::string unread_;  ///< own records that are done, but not among records_ yet
  std::size_t done_count_ = 0;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  std::vector<Session*> by_number_;
  std::vector<std::uint32_t> owners_;  ///< session number that claims a run; 0: none
  OpenFile claims_;
  bool can_claim_ = true;        ///< the folder can be written
  std::size_t claims_read_ = 0;  ///< bytes
  OpenFile own_file_;
  std::string own_name_;
  std::string unwritten_;
  std::vector<std::pair<std::size_t, std::string>> unsynced_;
  Shard cursor_shard_;
  std::size_t cursor_ = 0;  ///< no run of that shard before it was free at the last claim
};

}  // namespace dcube
