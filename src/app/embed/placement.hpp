#pragma once

#include <cstddef>
#include <string>

#include "dcube/questions/embed.hpp"

namespace dcube::app {

/// Summary for people: of the only placement dilation, loads and the CC d-cube algorithm, or
/// hop-bytes and link bytes where there is traffic; with all lists the whole spectrum and the whole
/// map; and reasons.
std::string placement_summary(const EmbedAnswer& answer);

/// Table for people: a row for every machine, a group of columns for every embedding. The answer
/// holds `embedding_count` placements of each machine.
std::string placement_table(const EmbedAnswer& answer, std::size_t embedding_count);

}  // namespace dcube::app
