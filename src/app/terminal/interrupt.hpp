#pragma once

namespace dcube::app {

/// Makes every signal that ends this program remove its temporary files first, and an interrupt end
/// it with exit status 130. A full disk and a reader that has gone are noticed where something is
/// written, not by signals. Before any thread is started.
void handle_signals();

/// From now on an interrupt ends this program with exit status 130, whatever a library does to its
/// handlers.
void exit_on_interrupt();

}  // namespace dcube::app
