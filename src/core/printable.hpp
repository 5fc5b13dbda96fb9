#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcube {

enum class LineBreaks { escaped, kept };

/// `text` as a terminal shows it rather than obeys it. Control characters and those that turn the
/// direction of writing are written out ("\u001b", "\u202e"; "\n" and "\t" for the common two), and
/// so is every byte that is not UTF-8 ("\x9b"). LineBreaks::kept leaves newlines and tabs alone.
///
/// The form is that of JSON, so JSON whose texts hold such characters stays JSON and keeps its
/// meaning.
std::string printable(std::string_view text, LineBreaks line_breaks = LineBreaks::escaped);

/// The number of characters in `text`: the columns that it takes in a table.
std::size_t character_count(std::string_view text);

/// At most about `most_bytes` of `text`, cut between characters, with "..." where it was cut.
std::string shortened(std::string_view text, std::size_t most_bytes = 40);

}  // namespace dcube
