#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dcube {

/// The sizes of CollectiveRequest::bytes, ascending, each once. `grain`: every size is a multiple
/// of it; those of a range are rounded up, any other is refused. Throws InputError at
/// ".bytes".
std::vector<std::uint64_t> collective_sizes(std::span<const std::string> texts,
                                            std::uint64_t grain);

}  // namespace dcube
