#include "output_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <utility>

#include "app/terminal/output.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/whole_file.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> status_of(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? std::optional{status} : std::nullopt;
}

std::string identity_of(const struct stat& status) {
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

bool is_standard_output(const fs::path& file) {
  static const fs::path printed = "/dev/stdout";
  if (file == printed) {
    return true;
  }
  const auto status = status_of(file);
  const auto output = status_of(printed);
  // A device, such as /dev/null, takes both.
  return status && output && !S_ISCHR(output->st_mode) &&
         identity_of(*status) == identity_of(*output);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// Identity of a file, equal for all its names, whether it exists or not. `target`: symbolic links
/// are resolved.
std::string identity_of(const fs::path& target) {
  if (const auto status = status_of(target)) {
    return identity_of(*status);
  }
  const auto folder = status_of(folder_of(target));
  return (folder ? identity_of(*folder) : folder_of(target).string()) + "/" +
         target.filename().string();
}

/// Throws InputError at the option unless the file can be written. Returns the file with symbolic
/// links resolved.
fs::path try_to_open(std::string_view option, const fs::path& file) {
  std::error_code error;
  refuse_if(!fs::is_directory(folder_of(file), error), option, "{} is not a folder",
            folder_of(file).string());
  const fs::file_status status = fs::status(file, error);
  // Whoever reads a pipe would take its opening and closing for all there is to read.
  if (fs::is_fifo(status) || fs::is_socket(status)) {
    return file;
  }
  try {
    return WholeFile{file}.target();
  } catch (const InputError& problem) {
    throw InputError(option, problem.what());
  }
}

}  // namespace

void write_together(std::span<const std::pair<fs::path, std::string>> contents) {
  std::vector<std::unique_ptr<WholeFile>> files;
  for (const auto& [file, content] : contents) {
    files.push_back(std::make_unique<WholeFile>(file));
    files.back()->write(content);
    files.back()->flush();
  }
  for (const auto& file : files) {
    file->commit();
  }
}

void make_folder(std::string_view option, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  refuse_if(error.value() != 0, option, "{}: {}", folder.string(), error.message());
}

OutputPlan::OutputPlan(const DisplayOptions& display) {
  if (display.json) {
    prints("--json");
  }
}

void OutputPlan::prints(std::string_view option) {
  printing_option_ = option;
  expect_one_printer();
}

void OutputPlan::expect_one_printer() const {
  refuse_if(!printing_option_.empty() && !printed_file_option_.empty(), printing_option_,
            "standard output takes the file of {} alone (name another file, or leave one out)",
            printed_file_option_);
}

void OutputPlan::use(const std::string& identity, const Use& use) {
  const auto [found, is_new] = uses_.insert({identity, use});
  const Use& known = found->second;
  if (is_new || (known.option.empty() && use.option.empty())) {
    return;
  }
  const std::string same =
      use.file == known.file ? "" : fmt::format(" ({} is the same file)", known.file);
  refuse_if(!known.option.empty() && !use.option.empty(), use.option, "{} is given twice{}",
            use.file, same);
  throw InputError(
      known.option + use.option,
      fmt::format("{} is read, so it cannot be written{}; name another file", use.file, same));
}

void OutputPlan::reads(const std::vector<fs::path>& files) {
  for (fs::path file : files) {
    auto status = status_of(file);
    if (const std::size_t colon = file.string().find(':'); !status && colon != std::string::npos) {
      file = file.string().substr(colon + 1);
      status = status_of(file);
    }
    if (status && S_ISREG(status->st_mode)) {
      use(identity_of(*status), {file.string(), {}});
    }
  }
}

void OutputPlan::writes(std::string_view option, const fs::path& file) {
  const bool is_printed = is_standard_output(file);
  use(identity_of(try_to_open(option, file)),
      {file == "/dev/stdout" ? "standard output" : file.string(), std::string{option}});
  if (is_printed) {
    printed_file_option_ = option;
    expect_one_printer();
  }
}

void OutputPlan::writes_into(std::string_view option, const fs::path& folder,
                             const std::string& name) {
  in_folders_.push_back({std::string{option}, folder, name});
}

void OutputPlan::make_folders() {
  for (const InFolder& file : std::exchange(in_folders_, {})) {
    make_folder(file.option, file.folder);
    writes(file.option, file.folder / file.name);
  }
}

std::vector<NamedOutput> OutputPlan::writes(const OutputOptions& options) {
  std::vector<NamedOutput> outputs = options.named();
  for (const NamedOutput& output : outputs) {
    writes(output.option, output.file);
  }
  return outputs;
}

void OutputPlan::put(const fs::path& file, std::string content) {
  contents_.emplace_back(file, std::move(content));
}

void OutputPlan::add_writer(std::function<void()> writer) { writers_.push_back(std::move(writer)); }

ExitStatus OutputPlan::finish(std::string_view told) {
  ExitStatus status = ExitStatus::done;
  const auto attempt = [&](const std::function<void()>& write) {
    try {
      write();
    } catch (const InputError& error) {
      complain(error.what());
      status = ExitStatus::unusable_input;
    }
  };
  attempt([&] { write_together(contents_); });
  for (const auto& writer : writers_) {
    attempt(writer);
  }
  if (printed_file_option_.empty()) {
    print(told);
  }
  return status;
}

}  // namespace dcube::app
