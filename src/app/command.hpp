#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "app/terminal/exit_status.hpp"

namespace dcube::app {

/// A subcommand: what parses its options, and what it does once they are parsed.
struct Command {
  CLI::App* parser;
  /// Throws InputError; everything else that goes wrong is in the status it returns.
  std::function<ExitStatus()> execute;
};

// Each adds its subcommand, which `app` owns.
Command run_command(CLI::App& app);
Command compare_command(CLI::App& app);
Command embed_command(CLI::App& app);
Command search_command(CLI::App& app);
Command reproduce_command(CLI::App& app);
Command subcubes_command(CLI::App& app);
Command report_command(CLI::App& app);
Command validate_command(CLI::App& app);
Command trace_command(CLI::App& app);
Command list_command(CLI::App& app);

}  // namespace dcube::app
