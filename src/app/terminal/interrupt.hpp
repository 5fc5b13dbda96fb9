#pragma once

namespace dcube::app {

/// From now on SIGINT ends this program with exit status 130, whatever a library does to its
/// handler.
void exit_on_interrupt();

/// Turns SIGINT into something to poll for, as long as it lives; child processes never see it.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Readable once SIGINT has come.
  int descriptor() const { return descriptor_; }
  bool has_come() const;

 private:
  int descriptor_;
};

}  // namespace dcube::app
