#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "core/address_sanitizer.hpp"
#include "dcube/engine/task.hpp"

namespace dcube::detail {

namespace {

constexpr std::size_t line_bytes = 64;
#ifdef DCUBE_ADDRESS_SANITIZER  // finds uses of freed frames only where each has its own memory
constexpr std::size_t most_pooled_bytes = 0;
#else
constexpr std::size_t most_pooled_bytes = 1024;
#endif
constexpr std::size_t first_piece_bytes = std::size_t{1} << 16;
constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
/// Largest memory that the pool keeps when no frame lives.
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;

/// A piece of fresh memory that begins at a multiple of its size, which is a power of two.
class Piece {
 public:
  explicit Piece(std::size_t bytes) : bytes_{bytes} {
    void* const mapped = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      throw std::bad_alloc{};
    }
    auto* const mapping = static_cast<std::byte*>(mapped);
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(mapping)) & (bytes - 1);
    begin_ = mapping + before;
    if (before != 0) {
      ::munmap(mapping, before);
    }
    ::munmap(begin_ + bytes, bytes - before);
    ::madvise(begin_, bytes, MADV_HUGEPAGE);
  }
  Piece(Piece&& other) noexcept
      : begin_{std::exchange(other.begin_, nullptr)}, bytes_{other.bytes_} {}
  Piece& operator=(Piece&&) = delete;
  ~Piece() {
    if (begin_ != nullptr) {
      ::munmap(begin_, bytes_);
    }
  }
  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_;
};

/// Pool of frames of up to most_pooled_bytes, in whole cache lines. Frames of one size follow each
/// other in memory, as their processes do; large machines get them in huge pages.
class FramePool {
 public:
  void* take(std::size_t bytes) {
    Free*& free = free_[lines(bytes)];
    void* const frame =
        free == nullptr ? cut(lines(bytes) * line_bytes) : std::exchange(free, free->next);
    ++live_;
    return frame;
  }
  void give_back(void* frame, std::size_t bytes) noexcept {
    Free*& free = free_[lines(bytes)];
    free = new (frame) Free{free};
    if (--live_ == 0 && total_bytes_ > most_kept_bytes) [[unlikely]] {
      forget();
    }
  }

 private:
  struct Free {
    Free* next;
  };

  static std::size_t lines(std::size_t bytes) { return (bytes + line_bytes - 1) / line_bytes; }

  void* cut(std::size_t bytes) {
    if (left_ < bytes) {
      const std::size_t piece = std::clamp(total_bytes_, first_piece_bytes, huge_page_bytes);
      next_ = pieces_.emplace_back(piece).begin();
      left_ = piece;
      total_bytes_ += piece;
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
  }

  /// Frees all memory after a large run.
  void forget() noexcept {
    free_.fill(nullptr);
    pieces_.clear();
    total_bytes_ = left_ = 0;
  }

  std::array<Free*, most_pooled_bytes / line_bytes + 1> free_{};
  std::vector<Piece> pieces_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t total_bytes_ = 0;
  std::size_t live_ = 0;
};

thread_local FramePool pool;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  return bytes <= most_pooled_bytes ? pool.take(bytes) : ::operator new(bytes);
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  if (bytes <= most_pooled_bytes) {
    pool.give_back(frame, bytes);
  } else {
    ::operator delete(frame);
  }
}

}  // namespace dcube::detail
