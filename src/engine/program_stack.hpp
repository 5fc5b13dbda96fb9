#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <memory>

namespace dcube::detail {

/// One large stack for the program code of all actors.
///
/// A million actors cannot have stacks that are large enough for any program. They need none: a
/// waiting coroutine keeps its variables in its frame on the heap. So each actor sleeps on a small
/// stack of its own and borrows this one while it runs.
class ProgramStack {
 public:
  explicit ProgramStack(std::size_t size_bytes);
  ProgramStack(const ProgramStack&) = delete;  // the fiber keeps the object's address
  ProgramStack& operator=(const ProgramStack&) = delete;

  /// Calls `code()` on this stack. It must not throw, and must not change to another stack.
  template <class Code>
  void run(Code&& code) {
    call_ = [](void* it) { (*static_cast<std::remove_reference_t<Code>*>(it))(); };
    code_ = std::addressof(code);
    borrow();
  }

 private:
  void borrow();

  void (*call_)(void*) = nullptr;
  void* code_ = nullptr;
  boost::context::fiber runner_;
};

}  // namespace dcube::detail
