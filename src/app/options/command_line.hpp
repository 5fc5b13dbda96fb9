#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/exit_status.hpp"

// CLI11 is included by command_line.cpp alone: its header takes seconds to compile.
namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
class Option;
}  // namespace CLI

namespace dcube::app {

/// An option or an argument of a command, while it is described.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_{option} {}

  Option required();
  /// A command line with both options is refused.
  Option excludes(Option other);
  /// Another value is refused, with the nearest choice.
  Option one_of(std::span<const std::string> choices);
  /// Number of values that each use of the option takes.
  Option takes(int values);
  /// "-", also in "FORMAT:-", stands for standard input.
  Option reads_file();
  /// "-", also in "FORMAT:-", stands for standard output.
  Option writes_file();
  /// Help does not show it.
  Option hidden();

 private:
  CLI::Option* option_;
};

/// Describes the options and arguments of one command. A value is never empty, and what is not
/// given stays as it is. `names` is "--name", "-n,--name" or "--name,--older-name": help shows the
/// first long name alone, the others keep working. `what` is the value in help: "FILE".
class Parser {
 public:
  explicit Parser(CLI::App& app) : app_{&app} {}

  Option argument(const char* name, std::string& value, const std::string& help);
  Option argument(const char* name, std::vector<std::string>& values, const std::string& help);
  /// Option that is given once.
  Option option(const char* names, std::string& value, const char* what, const std::string& help);
  /// Option that may be repeated.
  Option option(const char* names, std::vector<std::string>& values, const char* what,
                const std::string& help);
  /// Option that is given once and read by `read`, whose complaints get the option as their place.
  Option option(const char* names, const std::function<void(const std::string&)>& read,
                const char* what, const std::string& help);
  /// Option that is given once; `value` becomes the result of `read`.
  template <class Value, class Read>
  Option option(const char* names, Value& value, Read read, const char* what,
                const std::string& help) {
    const auto assign = [&value, read](const std::string& text) { value = read(text); };
    return option(names, assign, what, help);
  }
  /// Takes values with commas between them, and may be repeated.
  Option list(const char* names, std::vector<std::string>& values, const char* what,
              const std::string& help);
  /// `read` puts values together that have commas of their own.
  Option list(const char* names, std::vector<std::string>& values,
              std::vector<std::string> (*read)(const std::vector<std::string>&), const char* what,
              const std::string& help);
  Option flag(const char* names, bool& value, const std::string& help);

  /// One command line on each line, for the end of the help.
  void examples(const std::string& lines);

 private:
  CLI::App* app_;
};

/// The commands of dcube, and what was written on the command line.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();

  /// Adds a command. `execute` runs once its options are parsed; it throws InputError, and
  /// everything else that goes wrong is in the status it returns.
  Parser add(const char* name, const char* help, std::function<ExitStatus()> execute);
  /// The same for a command with options of its own, which it fills and `execute` gets.
  template <class Options, class Argument>
  std::pair<Parser, Options*> add(const char* name, const char* help,
                                  ExitStatus (*execute)(Argument)) {
    const auto options = std::make_shared<Options>();
    return {add(name, help, [=] { return execute(*options); }), options.get()};
  }

  /// Parses the arguments, loads the plug-ins named before the command, and executes it. Throws
  /// InputError that names the word that is unknown or unusable, and the nearest one that is known.
  ExitStatus run(int argc, const char* const* argv);

 private:
  struct Command {
    CLI::App* parser;
    std::function<ExitStatus()> execute;
  };

  std::unique_ptr<CLI::App> app_;
  std::vector<Command> commands_;
  std::vector<std::string> plugins_;
};

}  // namespace dcube::app
