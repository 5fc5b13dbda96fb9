#pragma once

#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {

/// Message of the Error that `action` throws; "" when it throws none.
template <class Error = InputError, class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace dcube
