#pragma once

#include <csignal>

namespace dcube::app {

/// Makes every signal that ends this program remove its temporary files first, and an interrupt end
/// it with exit status 130. A full disk and a reader that has gone are noticed where something is
/// written, not by signals. Before any thread is started.
void handle_signals();

/// Makes an interrupt end this program with exit status 130 from now on, whatever a library does to
/// its handlers.
void exit_on_interrupt();

/// As long as it lives, an interrupt ends this program with exit status 130 although an
/// InterruptWatch keeps it: a file that is read may be a pipe, of which nothing ever comes.
class InterruptibleReading {
 public:
  InterruptibleReading();
  InterruptibleReading(const InterruptibleReading&) = delete;
  InterruptibleReading& operator=(const InterruptibleReading&) = delete;
  ~InterruptibleReading();

 private:
  sigset_t before_;
};

}  // namespace dcube::app
