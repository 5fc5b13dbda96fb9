#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace dcube::app {

/// What the program tells the shell.
enum class ExitStatus {
  done = 0,
  experiment_failed = 1,
  unusable_input = 2,
  defect = 70,
  interrupted = 130
};

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
