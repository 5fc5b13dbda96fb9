#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "app/terminal/output.hpp"
#include "command.hpp"
#include "dcube/core/errors.hpp"
#include "usage_error.hpp"

namespace dcube::app {
namespace {

ExitStatus usage(const CLI::App& app) {
  complain("a command is missing");
  fmt::print(stderr, "\n{}", app.help());
  return ExitStatus::unusable_input;
}

ExitStatus parse_and_execute(int argc, char** argv) {
  CLI::App app{
      "Simulates store-and-forward multicomputers: which node hosts which process, and what "
      "that costs.",
      "dcube"};
  app.set_version_flag("--version", "dcube " DCUBE_VERSION);
  app.footer("Example:\n  dcube run scenarios/quickstart.json");
  const std::vector<Command> commands{
      run_command(app),      compare_command(app), embed_command(app), search_command(app),
      subcubes_command(app), report_command(app),  trace_command(app), reproduce_command(app),
      validate_command(app), list_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help or --version
    app.exit(success);
    return ExitStatus::done;
  } catch (const CLI::ParseError& error) {
    throw usage_error(app, error);
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.parser->parsed(); });
  return chosen == commands.end() ? usage(app) : chosen->execute();
}

ExitStatus guarded_main(int argc, char** argv) {
  try {
    return parse_and_execute(argc, argv);
  } catch (const InputError& error) {
    complain(error.what());
    return ExitStatus::unusable_input;
  } catch (const std::bad_alloc&) {
    complain("memory ran out; use a smaller machine, fewer processes or a larger computer");
    return ExitStatus::unusable_input;
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}", error.what()));
    return ExitStatus::defect;
  }
}

}  // namespace
}  // namespace dcube::app

int main(int argc, char** argv) { return static_cast<int>(dcube::app::guarded_main(argc, argv)); }
