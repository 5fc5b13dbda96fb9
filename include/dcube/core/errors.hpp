#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dcube {

/// The user wrote something unusable. Thrown where it is read; `main` prints it and exits 2.
class InputError : public std::runtime_error {
 public:
  /// `place`: "file: /json/pointer", an option, or empty; a trailing ": " (a whole file) is
  /// dropped. `problem`: what is wrong, the reason in brackets, the way out when there is one.
  /// what() is one line of at most 2,000 bytes; control characters are written out.
  InputError(std::string_view place, std::string_view problem);

  const std::string& place() const { return place_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string place_;
  std::string problem_;
};

/// Returns make(). An InputError that it throws gets `place` as its place.
template <class Make>
auto at_place(std::string_view place, Make make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(place, error.problem());
  }
}

/// dcube broke its own promise. `main` prints it and exits 70.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws ContractViolation, naming the promise, unless it holds.
inline void expects(bool promise, const char* what) {
  if (!promise) [[unlikely]] {
    throw ContractViolation(what);
  }
}

/// The name nearest to `word` (edit distance with swaps, at most a third of its length or 1); null:
/// none is near.
const std::string* nearest_name(std::string_view word, std::span<const std::string> names);

/// "; did you mean `name`?" for the nearest name, else "; known: a, b, c" (of many: the nearest);
/// empty without names.
std::string nearest_name_hint(std::string_view word, std::span<const std::string> names);

}  // namespace dcube
