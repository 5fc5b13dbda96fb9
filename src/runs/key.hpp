#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "dcube/core/random.hpp"

namespace dcube {

/// Makes the key of texts, one after the other: 128 bits that tell runs apart, the same on every
/// machine. Texts are kept apart, so "ab" and "c" have another key than "a" and "bc".
class KeyMaker {
 public:
  void add(std::string_view text) {
    add_word(text.size());
    add_part(text);
  }
  /// A file as add() takes its text. A part of it is held at a time. Throws InputError when it
  /// cannot be read.
  void add_file(const std::filesystem::path& file);
  /// 32 hexadecimal digits.
  std::string key() const {
    return fmt::format("{:016x}{:016x}", mix64(high_ ^ low_), mix64(low_ + split_mix_step));
  }

 private:
  /// Adds a part of a text. All parts but the last have a multiple of 8 bytes.
  void add_part(std::string_view text) {
    while (text.size() >= 8) {
      add_word(word_of(text.substr(0, 8)));
      text.remove_prefix(8);
    }
    if (!text.empty()) {
      add_word(word_of(text));
    }
  }
  /// The first byte is the lowest, whatever the machine's order.
  static std::uint64_t word_of(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      word = word << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return word;
  }
  void add_word(std::uint64_t word) {
    high_ = mix64((high_ ^ word) + split_mix_step);
    low_ = mix64((low_ + word) * 0xd1342543de82ef95U + high_);
  }

  std::uint64_t high_ = 0x6463756265206b65U;
  std::uint64_t low_ = 0x7920666f722072ebU;
};

/// The key of what is in a file. Throws InputError when it cannot be read.
inline std::string content_key(const std::filesystem::path& file) {
  KeyMaker contents;
  contents.add_file(file);
  return contents.key();
}

}  // namespace dcube
