#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/explain/complaints.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/file_names.hpp"
#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/show/text_table.hpp"

namespace dcube::app {
namespace {

/// `text` in lines of at most 88 characters, the first after `label`.
std::string paragraph(std::string_view label, std::string_view text) {
  constexpr std::size_t width = 88;
  std::string lines = fmt::format("  {:<9}", label);
  const std::size_t indent = lines.size();
  std::size_t column = indent;
  for (const std::string_view word : blank_separated(text)) {
    if (column > indent && column + 1 + word.size() > width) {
      lines += fmt::format("\n{:{}}", "", indent);
      column = indent;
    }
    lines += column > indent ? " " : "";
    column += word.size() + (column > indent ? 1 : 0);
    lines += word;
  }
  return lines + "\n";
}

std::string explanation(const Complaint& complaint) {
  return fmt::format("{}\n{}{}{}", complaint.code, paragraph("messages", complaint.messages),
                     paragraph("cause", complaint.cause), paragraph("remedy", complaint.remedy));
}

std::string list() {
  Table table = facts_table();
  for (const Complaint& complaint : complaints()) {
    const std::string_view first = complaint.messages.substr(0, complaint.messages.find(" | "));
    table.add_row({std::string{complaint.code}, std::string{trimmed(first, " (`")}});
  }
  return "complaints that dcube explains: codes, and words of the message\n" + table.text(2);
}

/// The complaints of each line, or of all lines as one where a message was broken into lines.
std::vector<const Complaint*> complaints_in(const std::string& text) {
  std::vector<const Complaint*> found;
  for (const std::string_view line : split_at(text, '\n')) {
    const auto* const complaint = complaint_of(line);
    if (complaint != nullptr && std::ranges::find(found, complaint) == found.end()) {
      found.push_back(complaint);
    }
  }
  if (const auto* const complaint = complaint_of(text); found.empty() && complaint != nullptr) {
    found.push_back(complaint);
  }
  return found;
}

[[noreturn]] void refuse(const std::string& message) {
  constexpr std::size_t most = 3;
  const auto nearest = nearest_complaints(message, most);
  const std::string hint =
      nearest.empty()
          ? ""
          : fmt::format("the nearest are {}; ", joined(nearest, ", ", [](const Complaint* one) {
                          return std::string{one->code};
                        }));
  throw InputError("explain", fmt::format("no entry has the words of this message; {}`dcube "
                                          "explain` lists all",
                                          hint));
}

ExitStatus explain(const std::vector<std::string>& words) {
  if (words.empty()) {
    print(list());
    return ExitStatus::done;
  }
  const bool is_piped = words == std::vector<std::string>{"-"};
  const std::string message = is_piped ? file_text(standard_input) : joined(words, " ");
  const auto coded = std::ranges::find(complaints(), trimmed(message), &Complaint::code);
  const std::vector<const Complaint*> found =
      coded != complaints().end() ? std::vector<const Complaint*>{&*coded} : complaints_in(message);
  if (found.empty()) {
    refuse(message);
  }
  print(joined(found, "\n", [](const Complaint* one) { return explanation(*one); }));
  return ExitStatus::done;
}

}  // namespace

void explain_command(CommandLine& line) {
  auto [parser, words] = line.add<std::vector<std::string>>(
      "explain", "Say the cause of a complaint of dcube, and what helps", explain);
  parser.argument("MESSAGE", *words,
                  "the complaint in quotes, - for standard input, or a code (default: list all)");
  parser.examples(
      "dcube explain 'dcube: --embedding: \"xr\" is no embedding; did you mean `xor`?'\n"
      "dcube explain disconnected");
}

}  // namespace dcube::app
