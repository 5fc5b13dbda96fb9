#include "usage_error.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace dcube::app {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

InputError unknown_word(const CLI::App& app, const CLI::App& command, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return {name, "unknown option" + nearest_name_hint(name, option_names(command))};
  }
  if (&command == &app) {
    return {word, "unknown command" + nearest_name_hint(word, command_names(app))};
  }
  return {word, fmt::format("one argument too many (see dcube {} --help)", command.get_name())};
}

}  // namespace

InputError usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  if (const std::vector<std::string> unknown = app.remaining(true); !unknown.empty()) {
    return unknown_word(app, command, unknown.front());
  }
  return {command.get_name(), error.what()};
}

}  // namespace dcube::app
