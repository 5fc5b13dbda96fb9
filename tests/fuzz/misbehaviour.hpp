#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "dcube/core/errors.hpp"

namespace dcube {

/// What is wrong with how `act()` ends. Nothing when it ends well, or complains in one line.
template <class Act>
std::string misbehaviour_of(Act act) {
  try {
    act();
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    return what.empty() || what.find('\n') != std::string_view::npos
               ? fmt::format("complains with \"{}\"", what)
               : "";
  } catch (const std::bad_alloc&) {
    return "";  // dcube says then that memory ran out
  } catch (const std::exception& error) {
    return fmt::format("throws \"{}\"", error.what());
  }
  return "";
}

}  // namespace dcube
