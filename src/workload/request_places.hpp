#pragma once

#include <cstdint>
#include <vector>

namespace dcube {

/// Places of a process's requests in its operations. A freed one is taken again.
class RequestPlaces {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      return count_++;
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }
  void free(std::uint32_t place) { free_.push_back(place); }

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

}  // namespace dcube
