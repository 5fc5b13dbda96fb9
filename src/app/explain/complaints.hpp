#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace dcube::app {

/// A frequent error or warning: why it comes and what helps.
struct Complaint {
  std::string_view code;
  /// Fixed words of its messages: ".." stands for what varies, " | " separates different messages.
  std::string_view messages;
  std::string_view cause;
  std::string_view remedy;
};

/// The one list of them, by topic. `dcube explain` and the page of errors show it.
std::span<const Complaint> complaints();

/// The complaint whose fixed words `message` contains, the longest if there are several; null if
/// none does.
const Complaint* complaint_of(std::string_view message);

/// Up to `most` complaints that share words with the message, the most alike first.
std::vector<const Complaint*> nearest_complaints(std::string_view message, std::size_t most);

}  // namespace dcube::app
