#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcube {

enum class LineBreaks { escaped, kept };

/// `text` without what a terminal would obey. Control characters and marks of writing direction are
/// written out ("\u001b", "\u202e", "\n", "\t"), and so is every byte that is not UTF-8 ("\x9b").
/// LineBreaks::kept leaves newlines and tabs alone.
///
/// The escapes are those of JSON, so JSON stays JSON and keeps its meaning.
std::string printable(std::string_view text, LineBreaks line_breaks = LineBreaks::escaped);

/// Number of characters in `text`: the columns that it takes in a table.
std::size_t character_count(std::string_view text);

/// At most about `most_bytes` of `text`, cut between characters, with "..." at the cut.
std::string shortened(std::string_view text, std::size_t most_bytes = 40);

}  // namespace dcube
