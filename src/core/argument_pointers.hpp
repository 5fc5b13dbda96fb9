#pragma once

#include <string>
#include <vector>

namespace dcube {

/// The words as main() and execv() take them: pointers into them, and a null.
template <class Words>
std::vector<char*> argument_pointers(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace dcube
