#pragma once

#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {

/// What the action's InputError says; "" when it throws none.
template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dcube
