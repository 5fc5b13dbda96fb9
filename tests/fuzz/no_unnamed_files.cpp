// Loaded before the C library (LD_PRELOAD), this makes every disk one that knows no files without a
// name, as most file systems of networks are.

#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>

namespace {

bool is_unnamed(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open_named(const char* function, int folder, const char* path, int flags, mode_t mode) {
  if (is_unnamed(flags)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  using Open = int (*)(int, const char*, int, ...);
  return reinterpret_cast<Open>(dlsym(RTLD_NEXT, function))(folder, path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_named("openat", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_named("openat64", AT_FDCWD, path, flags, mode);
}
}
