#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace dcube {

template <class T>
class Task;

namespace detail {

/// Resumes the awaiter of a task directly, so chains of helpers cost no stack.
struct ResumeAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
    return finished.promise().awaiter();
  }
  void await_resume() const noexcept {}
};

/// Memory of the frames of tasks, which programs make and end by the million.
void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

struct TaskPromiseBase {
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  TaskPromiseBase() = default;
  TaskPromiseBase(const TaskPromiseBase&) = delete;
  TaskPromiseBase& operator=(const TaskPromiseBase&) = delete;
  ~TaskPromiseBase() { delete failed(); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() {
    word_ = reinterpret_cast<std::uintptr_t>(new Failed{awaiter(), std::current_exception()}) | 1U;
  }

  void set_awaiter(std::coroutine_handle<> awaiter) noexcept {
    word_ = reinterpret_cast<std::uintptr_t>(awaiter.address());
  }
  /// The coroutine to resume when the task has ended; a no-op without one.
  std::coroutine_handle<> awaiter() const noexcept {
    if (word_ == 0) {
      return std::noop_coroutine();
    }
    const Failed* const ended = failed();
    if (ended != nullptr) {
      return ended->awaiter;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the word is one of two pointers
    return std::coroutine_handle<>::from_address(reinterpret_cast<void*>(word_));
  }
  /// The exception that ended the task, or null.
  std::exception_ptr failure() const noexcept {
    const Failed* const ended = failed();
    return ended != nullptr ? ended->failure : nullptr;
  }
  void rethrow_failure() const {
    if (const Failed* const ended = failed(); ended != nullptr) [[unlikely]] {
      std::rethrow_exception(ended->failure);
    }
  }

 private:
  struct Failed {
    std::coroutine_handle<> awaiter;
    std::exception_ptr failure;
  };
  Failed* failed() const noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return (word_ & 1U) != 0 ? reinterpret_cast<Failed*>(word_ - 1) : nullptr;
  }

  /// Address of the awaiter, or that of a Failed plus one: one word, because frames are many.
  std::uintptr_t word_ = 0;
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;

  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace detail

/// A piece of a process's program: a lazily started coroutine that another awaits, or that a
/// simulation runs. Owns its frame. Exceptions reach the awaiter.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_{handle} {}
  Task(Task&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() { destroy(); }

  Handle handle() const { return handle_; }
  bool is_done() const { return !handle_ || handle_.done(); }

  auto operator co_await() const {
    struct Awaiter {
      Handle task;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) const noexcept {
        task.promise().set_awaiter(awaiter);
        return task;
      }
      T await_resume() const {
        task.promise().rethrow_failure();
        return task.promise().take();
      }
    };
    return Awaiter{handle_};
  }

 private:
  void destroy() {
    if (handle_) {
      handle_.destroy();
    }
  }

  Handle handle_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>{Task<T>::Handle::from_promise(*this)};
}

inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>{Task<void>::Handle::from_promise(*this)};
}

}  // namespace detail

}  // namespace dcube
