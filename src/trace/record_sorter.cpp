#include "record_sorter.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <queue>
#include <string>

#include "core/named_temporary.hpp"
#include "core/refuse.hpp"

namespace dcube::detail {

RecordSorter::RecordSorter(std::filesystem::path folder, std::size_t capacity)
    : folder_{folder.empty() ? std::filesystem::path{"."} : std::move(folder)},
      capacity_{capacity} {
  buffer_.reserve(capacity);  // now, because growing would take half as much again
}

void RecordSorter::fail() const {
  throw InputError(folder_.string(), fmt::format("a temporary file for the trace cannot be written "
                                                 "here ({}); trace a part of the run with "
                                                 "`.trace_process`, `.trace_link` or `.window`",
                                                 std::strerror(errno)));
}

void RecordSorter::sort_buffer() { std::ranges::sort(buffer_, std::less{}); }

void RecordSorter::open() {
  int descriptor = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {  // network file systems have no files without a name
    std::string name = (folder_ / ".dcube-trace.XXXXXX").string();
    const SignalPause pause;
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) {
      fail();
    }
    ::unlink(name.c_str());
  }
  file_.reset(::fdopen(descriptor, "w+"));
  if (!file_) {
    fail();
  }
  std::setbuf(file_.get(), nullptr);  // whole blocks are read and written
}

void RecordSorter::spill() {
  if (!file_) {
    open();
  }
  sort_buffer();
  if (std::fwrite(buffer_.data(), sizeof(TraceRecord), buffer_.size(), file_.get()) <
      buffer_.size()) {
    fail();
  }
  runs_.push_back({spilled_, spilled_ + buffer_.size()});
  spilled_ += buffer_.size();
  buffer_.clear();
}

void RecordSorter::read(std::uint64_t first, TraceRecord* records, std::size_t count) const {
  ::fseeko(file_.get(), static_cast<off_t>(first * sizeof(TraceRecord)), SEEK_SET);
  const std::size_t done = std::fread(records, sizeof(TraceRecord), count, file_.get());
  refuse_if(done < count, folder_.string(), "the temporary file of the trace cannot be read ({})",
            std::feof(file_.get()) != 0 ? "it is too short" : std::strerror(errno));
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
