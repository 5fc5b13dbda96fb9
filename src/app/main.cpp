#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/interrupt.hpp"

namespace dcube::app {
namespace {

ExitStatus parse_and_execute(int argc, char** argv) {
  CommandLine line;
  for (const auto add :
       {run_command, compare_command, sweep_command, collective_command, embed_command,
        search_command, place_command, fit_command, subcubes_command, report_command, trace_command,
        reproduce_command, validate_command, list_command, explain_command, docs_command}) {
    add(line);
  }
  return line.run(argc, argv);
}

/// Whether the error shows a defect of dcube: a senseless request to the system. All others tell of
/// missing resources or rights.
bool is_defect(const std::error_code& error) {
  return error == std::errc::bad_file_descriptor || error == std::errc::invalid_argument ||
         error == std::errc::bad_address || error == std::errc::resource_deadlock_would_occur;
}

ExitStatus complain_of(const std::system_error& error, const std::string& what) {
  complain(is_defect(error.code()) ? "internal error: " + what : what);
  return is_defect(error.code()) ? ExitStatus::defect : ExitStatus::unusable_input;
}

ExitStatus guarded_main(int argc, char** argv) {
  try {
    return parse_and_execute(argc, argv);
  } catch (const InputError& error) {
    complain(error.what());
    return ExitStatus::unusable_input;
  } catch (const Interrupted& interrupt) {
    complain(interrupt.what());
    return ExitStatus::interrupted;
  } catch (const std::bad_alloc&) {
    complain("memory ran out; use a smaller machine, fewer processes or a larger computer");
    return ExitStatus::unusable_input;
  } catch (const std::filesystem::filesystem_error& error) {
    return complain_of(error, InputError(error.path1().string(), error.code().message()).what());
  } catch (const std::system_error& error) {
    return complain_of(error, error.what());
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}", error.what()));
    return ExitStatus::defect;
  }
}

/// The status, unless the output could not be written: that is no success.
ExitStatus checked_output(ExitStatus status) {
  const std::optional<std::string> failure = output_failure();
  if (!failure) {
    return status;
  }
  complain(*failure);
  return status == ExitStatus::done || status == ExitStatus::experiment_failed
             ? ExitStatus::unusable_input
             : status;
}

}  // namespace
}  // namespace dcube::app

int main(int argc, char** argv) {
  using namespace dcube::app;
  keep_standard_descriptors();
  handle_signals();
  dcube::listen_to_warnings(complain_once);
  return static_cast<int>(checked_output(guarded_main(argc, argv)));
}
