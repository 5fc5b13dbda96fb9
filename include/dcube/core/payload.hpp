#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {

/// Contents of a message: a size that the network charges for and, when a program computes on real
/// data, a typed buffer. The buffer moves from sender to receiver without being copied. Copies of a
/// payload share it, so one buffer can go to several receivers.
class Payload {
 public:
  Payload() = default;
  /// A size with no data behind it: a million processes stay small.
  static Payload of_size(std::uint64_t bytes) {
    Payload payload;
    if (bytes < most_inline) [[likely]] {
      payload.word_ = bytes << 1;
    } else {
      payload.own(new Buffer{bytes});
    }
    return payload;
  }
  template <class T>
  static Payload of(std::vector<T> values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    return of(std::move(values), bytes);
  }
  /// `values` that take `bytes` on the simulated machine.
  template <class T>
  static Payload of(std::vector<T> values, std::uint64_t bytes) {
    Payload payload;
    payload.own(new TypedBuffer<T>{std::move(values), bytes});
    return payload;
  }

  Payload(const Payload& other) : word_{other.word_} {
    if (Buffer* const shared = buffer()) {
      ++shared->owners;
    }
  }
  Payload(Payload&& other) noexcept : word_{std::exchange(other.word_, 0)} {}
  Payload& operator=(const Payload& other) {
    *this = Payload{other};
    return *this;
  }
  Payload& operator=(Payload&& other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~Payload() {
    if (is_buffer()) [[unlikely]] {
      let_go();
    }
  }

  std::uint64_t size_bytes() const {
    const Buffer* const held = buffer();
    return held == nullptr ? word_ >> 1 : held->size_bytes;
  }
  bool has_data() const { return dynamic_cast<const Values*>(buffer()) != nullptr; }
  /// The values given to of<T>(), to read; null: there are none of that type.
  template <class T>
  const std::vector<T>* find() const {
    const auto* const held = dynamic_cast<const TypedBuffer<T>*>(buffer());
    return held == nullptr ? nullptr : &held->values;
  }
  /// The values given to of<T>(), to read. Needs data of type T.
  template <class T>
  const std::vector<T>& view() const {
    return typed<T>().values;
  }
  /// The values given to of<T>(), copied only if another payload shares them. Needs data of type T.
  template <class T>
  std::vector<T> take() {
    TypedBuffer<T>& held = typed<T>();
    std::vector<T> values = held.owners == 1 ? std::move(held.values) : std::as_const(held.values);
    const std::uint64_t bytes = held.size_bytes;
    *this = of_size(bytes);
    return values;
  }

 private:
  struct Buffer {
    explicit Buffer(std::uint64_t bytes) : size_bytes{bytes} {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    virtual ~Buffer() = default;
    std::uint64_t size_bytes;
    std::uint32_t owners = 1;  ///< not atomic: a run has one thread
  };
  struct Values : Buffer {
    using Buffer::Buffer;
  };
  template <class T>
  struct TypedBuffer final : Values {
    TypedBuffer(std::vector<T> v, std::uint64_t bytes) : Values{bytes}, values{std::move(v)} {}
    std::vector<T> values;
  };
  static constexpr std::uint64_t most_inline = std::uint64_t{1} << 63;

  void own(Buffer* buffer) { word_ = reinterpret_cast<std::uintptr_t>(buffer) | 1U; }
  bool is_buffer() const { return (word_ & 1U) != 0; }
  Buffer* buffer() const {
    if (!is_buffer()) [[likely]] {
      return nullptr;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the word is a pointer or a size
    return reinterpret_cast<Buffer*>(static_cast<std::uintptr_t>(word_ & ~std::uint64_t{1}));
  }
  template <class T>
  TypedBuffer<T>& typed() const {
    auto* const held = dynamic_cast<TypedBuffer<T>*>(buffer());
    expects(held != nullptr, "a payload is taken as the type it was sent as");
    return *held;
  }
  void let_go() {
    if (Buffer* const held = buffer(); held != nullptr && --held->owners == 0) {
      delete held;
    }
  }

  /// Twice the size, or the address of a buffer plus one: eight bytes a message, not sixteen.
  std::uint64_t word_ = 0;
};

}  // namespace dcube
