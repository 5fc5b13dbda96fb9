#include "child_side.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/child_message.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {
namespace {

/// A child that has grown by more does not go on: what it keeps may be missing elsewhere, and
/// another takes its place in a fraction of the time that filling so much memory takes.
constexpr long most_growth_kib = 32L * 1024;

long peak_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// Sends all of the text. False when the parent is gone.
bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

/// Fills all of `place`; false when the parent is gone.
bool receive_all(int socket, std::span<char> place) {
  while (!place.empty()) {
    const ssize_t count = recv(socket, place.data(), place.size(), MSG_WAITALL);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return false;
    }
    place = place.subspan(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

std::pair<ChildEnd, std::string> done(const ChildPool::Work& work, std::string_view request) {
  try {
    return {ChildEnd::finished, work(request)};
  } catch (const std::bad_alloc&) {
    return {ChildEnd::out_of_memory, "memory ran out"};
  } catch (const MemoryError& error) {
    return {ChildEnd::out_of_memory, error.what()};
  } catch (const InputError& error) {
    return {ChildEnd::failed, error.what()};
  } catch (const std::exception& error) {
    return {ChildEnd::defect, error.what()};
  }
}

}  // namespace

void live_as_child(const ChildPool::Work& work, ChildLife life, int socket) {
  listen_to_warnings({});  // the parent has read the same
  const long most_memory_kib = peak_memory_kib() + most_growth_kib;
  std::string request;
  for (bool goes_on = true; goes_on;) {
    std::size_t size = 0;
    if (!receive_all(socket, {reinterpret_cast<char*>(&size), sizeof size})) {
      break;
    }
    request.resize(size);
    if (!receive_all(socket, request)) {
      break;
    }
    const auto [end, text] = done(work, request);
    goes_on = life == ChildLife::many_jobs &&
              (end == ChildEnd::finished || end == ChildEnd::failed) &&
              peak_memory_kib() <= most_memory_kib;
    const AnswerHead head{text.size(), end, goes_on ? ChildLife::many_jobs : ChildLife::one_job};
    goes_on = send_all(socket, sent(head) + text) && goes_on;
  }
  _exit(0);
}

}  // namespace dcube
