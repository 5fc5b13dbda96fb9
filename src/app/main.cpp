#include <fmt/format.h>

#include <exception>
#include <new>

#include "app/terminal/output.hpp"
#include "command.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::app {
namespace {

ExitStatus parse_and_execute(int argc, char** argv) {
  CommandLine line;
  for (const auto add :
       {run_command, compare_command, embed_command, search_command, subcubes_command,
        report_command, trace_command, reproduce_command, validate_command, list_command}) {
    add(line);
  }
  return line.run(argc, argv);
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
