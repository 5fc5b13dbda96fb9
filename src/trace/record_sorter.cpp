#include "record_sorter.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <string>

#include "core/named_temporary.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::detail {

RecordSorter::RecordSorter(std::filesystem::path folder, std::size_t capacity)
    : folder_{folder.empty() ? std::filesystem::path{"."} : std::move(folder)},
      capacity_{capacity} {
  buffer_.reserve(capacity);  // now, because growing would take half as much again
}

RecordSorter::~RecordSorter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void RecordSorter::fail() const {
  throw InputError(folder_.string(), fmt::format("a temporary file for the trace cannot be written "
                                                 "here ({}); trace a part of the run with "
                                                 "--trace-process, --trace-link or --window",
                                                 std::strerror(errno)));
}

void RecordSorter::sort_buffer() { std::sort(buffer_.begin(), buffer_.end()); }

void RecordSorter::open() {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {  // network file systems have no files without a name
    std::string name = (folder_ / ".dcube-trace.XXXXXX").string();
    const SignalPause pause;
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
      fail();
    }
    ::unlink(name.c_str());
  }
}

void RecordSorter::spill() {
  if (descriptor_ < 0) {
    open();
  }
  sort_buffer();
  const char* next = reinterpret_cast<const char*>(buffer_.data());
  std::size_t left = buffer_.size() * sizeof(TraceRecord);
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, next, left);
    if (written < 0 && errno != EINTR) {
      fail();
    }
    next += std::max<ssize_t>(written, 0);
    left -= static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  runs_.push_back({spilled_, spilled_ + buffer_.size()});
  spilled_ += buffer_.size();
  buffer_.clear();
}

void RecordSorter::read(std::uint64_t first, TraceRecord* records, std::size_t count) const {
  char* next = reinterpret_cast<char*>(records);
  std::size_t left = count * sizeof(TraceRecord);
  auto offset = static_cast<off_t>(first * sizeof(TraceRecord));
  while (left > 0) {
    const ssize_t done = ::pread(descriptor_, next, left, offset);
    if (done == 0 || (done < 0 && errno != EINTR)) {
      throw InputError(folder_.string(),
                       fmt::format("the temporary file of the trace cannot be "
                                   "read ({})",
                                   done == 0 ? "it is too short" : std::strerror(errno)));
    }
    next += std::max<ssize_t>(done, 0);
    offset += std::max<ssize_t>(done, 0);
    left -= static_cast<std::size_t>(std::max<ssize_t>(done, 0));
  }
}

/// The runs of the file side by side, each through its share of the buffer.
class RecordSorter::Merge {
 public:
  explicit Merge(RecordSorter& sorter) : sorter_{sorter} {
    const std::size_t share = std::max<std::size_t>(1, sorter.capacity_ / sorter.runs_.size());
    sorter.buffer_.resize(share * sorter.runs_.size());
    TraceRecord* place = sorter.buffer_.data();
    for (const Run& run : sorter.runs_) {
      sources_.push_back({place, place, place, share, run});
      place += share;
    }
  }

  void visit(const std::function<void(const TraceRecord&)>& use) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      fetch(i);
    }
    while (!heads_.empty()) {
      const std::size_t first = heads_.top().source;
      heads_.pop();
      Source& source = sources_[first];
      // As long as no other run has anything earlier, there is no need to ask the heap.
      do {
        use(*source.next++);
      } while (source.next != source.end &&
               (heads_.empty() || *source.next < *heads_.top().record));
      fetch(first);
    }
  }

 private:
  struct Source {
    TraceRecord* block;
    TraceRecord* next;
    TraceRecord* end;
    std::size_t share;
    Run rest;
  };
  struct Head {
    const TraceRecord* record;
    std::size_t source;
    friend bool operator<(const Head& a, const Head& b) { return *b.record < *a.record; }
  };

  void fetch(std::size_t i) {
    Source& source = sources_[i];
    if (source.next == source.end) {
      const std::size_t count =
          std::min<std::uint64_t>(source.share, source.rest.end - source.rest.first);
      sorter_.read(source.rest.first, source.block, count);
      source.rest.first += count;
      source.next = source.block;
      source.end = source.block + count;
    }
    if (source.next != source.end) {
      heads_.push({source.next, i});
    }
  }

  RecordSorter& sorter_;
  std::vector<Source> sources_;
  std::priority_queue<Head> heads_;
};

void RecordSorter::visit(const std::function<void(const TraceRecord&)>& use) {
  if (runs_.empty()) {
    sort_buffer();
    std::for_each(buffer_.begin(), buffer_.end(), use);
    return;
  }
  spill();
  Merge{*this}.visit(use);
}

}  // namespace dcube::detail
