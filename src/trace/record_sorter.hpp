#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "record.hpp"

namespace dcube::detail {

/// Puts any number of records in order in bounded memory (external merge sort). Records that do not
/// fit wait in a temporary file, in sorted runs.
class RecordSorter {
 public:
  static constexpr std::size_t usual_capacity = (std::size_t{64} << 20) / sizeof(TraceRecord);

  /// The temporary file will lie in `folder`; it never has a name.
  explicit RecordSorter(std::filesystem::path folder, std::size_t capacity = usual_capacity);

  /// Throws InputError when the temporary file cannot be written.
  void add(const TraceRecord& record) {
    if (buffer_.size() == capacity_) [[unlikely]] {
      spill();
    }
    buffer_.push_back(record);
    ++counts_[static_cast<std::size_t>(record.kind)];
    last_end_ = std::max(last_end_, record.end);
  }
  Ticks last_end() const { return last_end_; }
  std::uint64_t count(RecordKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  std::uint64_t size() const { return spilled_ + buffer_.size(); }

  /// Calls `use` for each record in order. Needs all records to be there; may be called once.
  void visit(const std::function<void(const TraceRecord&)>& use);

 private:
  /// Records of the file that follow each other in order.
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  class Merge;

  void sort_buffer();
  void open();
  void spill();
  void read(std::uint64_t first, TraceRecord* records, std::size_t count) const;
  [[noreturn]] void fail() const;

  std::filesystem::path folder_;
  std::size_t capacity_;
  std::vector<TraceRecord> buffer_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<Run> runs_;
  std::uint64_t spilled_ = 0;
  std::array<std::uint64_t, 3> counts_{};
  Ticks last_end_{0};
};

}  // namespace dcube::detail
