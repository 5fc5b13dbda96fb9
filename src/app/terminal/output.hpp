#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcube::app {

// Everything that reaches a terminal goes through this file or Progress, which write out the
// characters that a terminal would obey (see printable()). A text of a user that belongs into one
// line must be made printable() before it is put there, or it may bring line breaks.

/// Gives the descriptors of standard input, output and error to /dev/null where they are closed, so
/// that no file that is opened later gets one of them. The first call of main().
void keep_standard_descriptors();

/// Writes to standard output. A failure is kept for output_failure(), so that files that are
/// written afterwards are not lost; what is printed after it is dropped.
void print(std::string_view text);

/// Why print() could not write everything; nothing when it could, or when the reader of a pipe has
/// gone because it has seen enough (`| head`).
std::optional<std::string> output_failure();

/// Complaints name a field of a request by its option or argument in the first of these lists that
/// has one: see core/fields.hpp.
void name_fields_by(std::vector<std::vector<std::string>> options);

/// Writes "dcube: ", the message and a newline to standard error, as far as that is possible. The
/// message is one line.
void complain(std::string_view message) noexcept;
/// Complains unless the message is empty or has been said before.
void complain_once(const std::string& message);
/// Complains like complain() with a message of several lines.
void complain_in_lines(std::string_view message) noexcept;

/// Writes to standard error as it is, as far as that is possible.
void print_error(std::string_view text) noexcept;

}  // namespace dcube::app
