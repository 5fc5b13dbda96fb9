#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "app/terminal/output.hpp"
#include "core/file_names.hpp"
#include "core/mapped.hpp"
#include "core/plugin.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::app {
namespace {

constexpr const char* plugin_option = "--plugin";
constexpr const char* empty_value = "is empty (give it a value, or leave it out)";

/// Older spellings of an option stay out of its help.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional || option->get_lnames().empty()) {
      return CLI::Formatter::make_option_name(option, is_positional);
    }
    const std::string name = "--" + option->get_lnames().front();
    return option->get_snames().empty() ? name
                                        : fmt::format("-{},{}", option->get_snames().front(), name);
  }
};

std::vector<std::string> option_names(const CLI::App& command) {
  const auto shown = command.get_options([](const CLI::Option* option) {
    return !option->get_lnames().empty() && !option->get_group().empty();
  });
  return mapped(shown, [](const auto* option) { return "--" + option->get_lnames().front(); });
}

/// Names of a command's options and arguments.
std::vector<std::string> names_of_fields(const CLI::App& command) {
  std::vector<std::string> names = option_names(command);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      names.push_back(option->get_name());
    }
  }
  return names;
}

/// Refuses an empty value, an option that stands where its value is missing, and one that is given
/// again where it has all its values.
Option checked(const CLI::App& command, CLI::Option& option) {
  option.check([&command, &option](const std::string& value) {
    refuse_if(option.count() > static_cast<std::size_t>(option.get_items_expected_max()),
              option.get_name(), "is given twice (once is enough)");
    refuse_if(value.empty(), option.get_name(), "{}", empty_value);
    refuse_if(!option.get_positional() && value.starts_with("--") &&
                  command.get_option_no_throw(value) != nullptr,
              option.get_name(), "has no value ({} follows)", value);
    return std::string{};
  });
  return Option{&option};
}

Option stands_for(CLI::Option& option, const char* file) {
  option.transform([file](const std::string& value) {
    const bool is_stream = value == "-" || value.ends_with(":-");
    return is_stream ? value.substr(0, value.size() - 1) + file : value;
  });
  return Option{&option};
}

InputError one_too_many(const CLI::App& command, const std::string& word) {
  return {word, fmt::format("one argument too many (see dcube {} --help)", command.get_name())};
}

InputError unknown_word(const CLI::App& command, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    refuse_if(name == plugin_option, name, "stands after the command (write dcube {} FILE {} ..)",
              name, command.get_name());
    return {name, "unknown option" + nearest_name_hint(name, option_names(command))};
  }
  return one_too_many(command, word);
}

/// Complaint about a command line that could not be parsed, in the words of this program.
InputError usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::vector<std::string> unknown = app.remaining(true);
  const bool has_ended_options = std::erase(unknown, "--") > 0;
  if (has_ended_options && !unknown.empty()) {
    return one_too_many(command, unknown.front());
  }
  if (!unknown.empty()) {
    return unknown_word(command, unknown.front());
  }
  if (error.get_name() == "ArgumentMismatch") {
    const std::string text = error.what();  // "--option: 1 required NAME missing"
    const std::string name = text.substr(0, text.find(':'));
    if (const CLI::Option* const option = command.get_option_no_throw(name)) {
      return {name, fmt::format("lacks a value ({} {})", name, option->get_type_name())};
    }
  }
  return {command.get_name(), error.what()};
}

/// "--output=" would take the next word for its value, and "--json=no" is no way to say it.
void check_values(const CLI::App& command, std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") {
      return;
    }
    refuse_if(word.starts_with("--") && word.find('=') == word.size() - 1,
              word.substr(0, word.size() - 1), "{}", empty_value);
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* const option = command.get_option_no_throw(name);
    refuse_if(name != word && option != nullptr && option->get_items_expected_max() == 0, name,
              "takes no value");
  }
}

bool is_plugin_option(const std::string& word) {
  return word.substr(0, word.find('=')) == plugin_option;
}

/// The position of the first word that is neither --plugin nor its value.
std::size_t command_position(std::span<const std::string> words) {
  std::size_t position = 0;
  while (position < words.size() && is_plugin_option(words[position])) {
    position += words[position] == plugin_option ? 2 : 1;
  }
  return position;
}

/// `dcube help run` is `dcube run --help`.
std::vector<std::string> without_help_command(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  return words;
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::one_of(std::span<const std::string> choices) {
  option_->check([name = option_->get_name(), choices](const std::string& value) {
    refuse_if(std::ranges::find(choices, value) == choices.end(), name,
              "`{}` is not one of its choices{}", value, nearest_name_hint(value, choices));
    return std::string{};
  });
  return *this;
}

Option Option::takes(int values) {
  option_->expected(values);
  return *this;
}

Option Option::reads_file() { return stands_for(*option_, standard_input); }

Option Option::hidden() {
  option_->group("");
  return *this;
}

Option Option::writes_file() { return stands_for(*option_, "/dev/stdout"); }

Option Parser::argument(const char* name, std::string& value, const std::string& help) {
  return checked(*app_, *app_->add_option(name, value, help)->type_name(""));
}

Option Parser::argument(const char* name, std::vector<std::string>& values,
                        const std::string& help) {
  return checked(*app_, *app_->add_option(name, values, help)->type_name(""));
}

Option Parser::option(const char* names, std::string& value, const char* what,
                      const std::string& help) {
  return checked(*app_, *app_->add_option(names, value, help)->type_name(what));
}

Option Parser::option(const char* names, std::vector<std::string>& values, const char* what,
                      const std::string& help) {
  return checked(*app_,
                 *app_->add_option(names, values, help)->type_name(what)->allow_extra_args(false));
}

Option Parser::option(const char* names, const std::function<void(const std::string&)>& read,
                      const char* what, const std::string& help) {
  CLI::Option& option = *app_->add_option(names, help)->type_name(what)->expected(1);
  checked(*app_, option);
  option.check([&option, read](const std::string& text) {
    at_place(option.get_name(), [&] { read(text); });
    return std::string{};
  });
  return Option{&option};
}

Option Parser::list(const char* names, std::vector<std::string>& values, const char* what,
                    const std::string& help) {
  return checked(*app_, *app_->add_option(names, values, help)
                             ->type_name(what)
                             ->delimiter(',')
                             ->allow_extra_args(false));
}

Option Parser::list(const char* names, std::vector<std::string>& values,
                    std::vector<std::string> (*read)(const std::vector<std::string>&),
                    const char* what, const std::string& help) {
  const auto assign = [&values, read](const std::vector<std::string>& given) {
    values = read(given);
  };
  return checked(*app_, *app_->add_option_function<std::vector<std::string>>(names, assign, help)
                             ->type_name(what)
                             ->delimiter(',')
                             ->allow_extra_args(false));
}

Option Parser::flag(const char* names, bool& value, const std::string& help) {
  return Option{app_->add_flag(names, value, help)};
}

void Parser::examples(const std::string& lines) {
  const bool are_several = lines.find('\n') != std::string::npos;
  std::string text = are_several ? "Examples:\n  " : "Example:\n  ";
  for (const char character : lines) {
    text += character;
    text += character == '\n' ? "  " : "";
  }
  app_->footer(text);
}

CommandLine::CommandLine()
    : app_{std::make_unique<CLI::App>(
          "Simulates multicomputers: which node hosts which process, and what that costs.",
          "dcube")} {
  app_->formatter(std::make_shared<HelpFormat>());
  app_->set_version_flag("--version", "dcube " DCUBE_VERSION);
  app_->require_subcommand(0, 1);  // the words after a command are its own
  Parser{*app_}.option(plugin_option, plugins_, "FILE",
                       "Load programs and topologies from a shared library");
  Parser{*app_}.examples(
      "dcube run scenarios/quickstart.json\n"
      "dcube explain MESSAGE  # the cause of an error, and what helps");
}

CommandLine::~CommandLine() = default;

Parser CommandLine::add(const char* name, const char* help, std::function<ExitStatus()> execute) {
  commands_.push_back({app_->add_subcommand(name, help), std::move(execute)});
  return Parser{*commands_.back().parser};
}

ExitStatus CommandLine::run(int argc, const char* const* argv) {
  std::vector<std::string> words = without_help_command({argv + 1, argv + argc});
  const std::vector<std::string> names =
      mapped(commands_, [](const Command& command) { return command.parser->get_name(); });
  const std::size_t position = command_position(words);
  const auto named =
      position < words.size() ? std::ranges::find(names, words[position]) : names.end();
  if (named == names.end() && position < words.size() && !words[position].starts_with('-')) {
    throw InputError(words[position],
                     "unknown command" + nearest_name_hint(words[position], names));
  }
  const auto chosen_command = static_cast<std::size_t>(named - names.begin());
  check_values(named == names.end() ? *app_ : *commands_[chosen_command].parser, words);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(app_->help());
    return ExitStatus::done;
  } catch (const CLI::CallForVersion& version) {
    print(fmt::format("{}\n", version.what()));
    return ExitStatus::done;
  } catch (const CLI::ParseError& error) {
    throw usage_error(*app_, error);
  }
  for (const std::string& plugin : plugins_) {
    load_plugin(plugin);
  }
  const auto chosen = std::ranges::find_if(
      commands_, [](const Command& command) { return command.parser->parsed(); });
  if (chosen == commands_.end()) {
    complain("a command is missing");
    fmt::print(stderr, "\n{}", app_->help());
    return ExitStatus::unusable_input;
  }
  std::vector<std::vector<std::string>> fields{names_of_fields(*chosen->parser)};
  for (const Command& command : commands_) {
    fields.push_back(names_of_fields(*command.parser));
  }
  name_fields_by(std::move(fields));
  return chosen->execute();
}

}  // namespace dcube::app
