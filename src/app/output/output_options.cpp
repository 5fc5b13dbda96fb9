#include "output_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/interop/map_files.hpp"

namespace dcube::app {
namespace {

/// "csv (.csv), result".
std::string described(std::span<const OutputKind> kinds) {
  return joined(kinds, ", ", [](const OutputKind& kind) {
    return kind.suffix.empty() ? kind.name : fmt::format("{} ({})", kind.name, kind.suffix);
  });
}

std::filesystem::path file_called(std::string_view option, std::string_view name) {
  refuse_if(name.empty(), option, "the name of the file is missing");
  return name;
}

}  // namespace

NamedOutput named_output(std::string_view option, std::string_view text,
                         std::span<const OutputKind> kinds) {
  const std::size_t colon = text.find(':');
  const std::string_view prefix = text.substr(0, colon);
  const auto kind = std::ranges::find(kinds, prefix, &OutputKind::name);
  if (colon != std::string_view::npos && kind != kinds.end()) {
    return {std::string{option}, kind->name, file_called(option, text.substr(colon + 1))};
  }
  // A path may contain a colon, but only after a folder.
  refuse_if(colon != std::string_view::npos && prefix.find('/') == std::string_view::npos, option,
            "`{}` is not a kind of file that is written here{}", prefix,
            nearest_name_hint(prefix, mapped(kinds, &OutputKind::name)));
  const auto by_suffix = std::ranges::find_if(kinds, [&](const OutputKind& one) {
    return !one.suffix.empty() && text.ends_with(one.suffix);
  });
  refuse_if(by_suffix == kinds.end(), option,
            "{} does not say what to write (KIND:FILE with one of {})",
            Setting{std::string{text}}.describe(), described(kinds));
  return {std::string{option}, by_suffix->name, file_called(option, text)};
}

void OutputOptions::add_main(Parser& parser, const std::string& kind, const std::string& help) {
  main_kind_ = kind;
  parser.option("-o,--output", main_file_, "FILE", help).writes_file();
}

bool any_names_hosts(std::span<const NamedOutput> outputs) {
  return std::ranges::any_of(outputs, [](const NamedOutput& output) {
    const MapFormat* const format = find_kind(map_format_catalog(), output.kind);
    return format != nullptr && format->names_hosts;
  });
}

void OutputOptions::add_write(Parser& parser, std::vector<OutputKind> kinds) {
  kinds_ = std::move(kinds);
  std::vector<std::string>& texts = spellings_.emplace_back(Spelling{"--write", {}}).texts;
  const std::string help = fmt::format("write another file, of the kind {}; may be repeated",
                                       joined(kinds_, ", ", &OutputKind::name));
  parser.option("--write", texts, "KIND:FILE", help).writes_file();
}

void OutputOptions::add_spelling(Parser& parser, const char* option, const char* what,
                                 const std::string& help, const std::string& kind) {
  std::vector<std::string>& texts = spellings_.emplace_back(Spelling{option, kind}).texts;
  parser.option(option, texts, what, help).writes_file();
}

void OutputOptions::add_old_spelling(Parser& parser, const char* option, const std::string& kind) {
  std::vector<std::string>& texts = spellings_.emplace_back(Spelling{option, kind}).texts;
  parser.option(option, texts, "FILE", "").writes_file().hidden();
}

std::vector<NamedOutput> OutputOptions::named() const {
  std::vector<NamedOutput> outputs;
  if (!main_file_.empty()) {
    outputs.push_back({"--output", main_kind_, main_file_});
  }
  for (const Spelling& spelling : spellings_) {
    for (const std::string& text : spelling.texts) {
      outputs.push_back(spelling.kind.empty() ? named_output(spelling.option, text, kinds_)
                                              : NamedOutput{spelling.option, spelling.kind, text});
    }
  }
  return outputs;
}

}  // namespace dcube::app
