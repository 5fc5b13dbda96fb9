#pragma once

#include "app/options/command_line.hpp"

namespace dcube::app {

// Functions that each add their command.
void run_command(CommandLine& line);
void compare_command(CommandLine& line);
void collective_command(CommandLine& line);
void embed_command(CommandLine& line);
void sweep_command(CommandLine& line);
void search_command(CommandLine& line);
void place_command(CommandLine& line);
void fit_command(CommandLine& line);
void reproduce_command(CommandLine& line);
void subcubes_command(CommandLine& line);
void report_command(CommandLine& line);
void validate_command(CommandLine& line);
void trace_command(CommandLine& line);
void list_command(CommandLine& line);
void docs_command(CommandLine& line);
void explain_command(CommandLine& line);

}  // namespace dcube::app
