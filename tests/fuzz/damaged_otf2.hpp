#pragma once

// Damaged OTF2 archives: what libotf2 tells of one, or its files.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "damaged_traces.hpp"
#include "dcube/workload/module.hpp"
#include "workload/modules/otf2_records.hpp"
#include "workload/otf2_archive.hpp"
#include "workload/otf2_reader.hpp"

namespace dcube::testing {

/// A bit of everything that is read, for each of three ranks.
inline void write_archive(const fs::path& folder) {
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

inline Otf2Read otf2_function() {
  static const auto function = reinterpret_cast<Otf2Read>(
      load_module({"read OTF2 traces", "dcube-otf2.so", DCUBE_OTF2_FUNCTION_NAME, "libotf2"}));
  return function;
}

inline Schedule schedule_of(const std::string& records) {
  return read_otf2_records(records, "a.otf2", {.second = ExactTime{1'000'000'000'000, 1}});
}

/// What libotf2 tells of an archive; the first part where that is endless.
inline std::string records_of(const fs::path& anchor) {
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

inline std::string content_of(const fs::path& file) {
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

}  // namespace dcube::testing
