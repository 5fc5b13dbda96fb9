#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/headers.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/group.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Makespan without queues for links.
struct Theory {
  Ticks makespan{0};
  std::string source;  ///< its derivation: "recurrence", "the program without contention"
};

/// Is told the file being read, and the share of all files read so far, 0 to 1.
using ReadingListener = std::function<void(const std::filesystem::path&, double)>;

/// Surroundings of a program when it is made.
struct ProgramContext {
  const Machine& machine;
  std::uint64_t seed = 0;
  std::filesystem::path folder{};  ///< base of the files that settings name
  /// Optional: gets the file of each setting that names an input, by the setting's place.
  std::map<std::string, std::filesystem::path>* inputs = nullptr;
  ReadingListener on_reading{};  ///< optional

  /// The file that a setting names, which the program is about to read. Throws InputError.
  std::filesystem::path input_file(const Params& settings, std::string_view key) const;
  /// The same where the setting says more than the file's name.
  std::filesystem::path input_file(const Params& settings, std::string_view key,
                                   const std::filesystem::path& name) const;
};

/// A file that the settings ask a program to write.
struct OutputFile {
  std::filesystem::path path;
  std::string content;
};

/// A parallel program: one coroutine per process, real answers on real data.
class Program {
 public:
  virtual ~Program() = default;

  virtual std::string_view kind() const = 0;
  /// The processes and their communication pattern.
  virtual Guest guest() const = 0;
  /// Whether it uses the machine's host computer [N Fig 9]. The run then has one more process, on
  /// the host; its rank is the number of the guest's processes.
  virtual bool uses_host() const { return false; }
  /// Estimated peak memory of the program's data, all processes together.
  virtual std::uint64_t data_bytes() const { return 0; }
  /// Code of one process, called once per process of a run; `process` outlives the task.
  virtual Task<> run(Process& process) = 0;

  /// Whether the program accounts for endpoint costs itself; the run then charges none.
  virtual bool pays_endpoints() const { return false; }

  /// Number of stages of every process; 0 without stages.
  virtual std::uint32_t stage_count() const { return 0; }
  /// Names of all stages, or none. Results tell the costs of named stages.
  virtual std::vector<std::string> stage_names() const { return {}; }
  /// Whether a process may enter a stage more than once. The end of its last visit says little
  /// then, so `stages` of results is empty.
  virtual bool repeats_stages() const { return false; }

  /// Compares the answer with an independent sequential computation; nothing without data.
  virtual std::optional<bool> verify() { return std::nullopt; }
  /// Results of the computation, by name, for `program.answer`.
  virtual Params answer() const { return Params{}; }
  /// Files to write after a run: a spectrum, sorted keys, an image.
  virtual std::vector<OutputFile> output_files() const { return {}; }
  /// Settings of a pattern that does the same, where the program is one.
  virtual std::optional<Params> pattern() const { return std::nullopt; }
  /// Time of the computation on one process of the machine, for speedup and efficiency [N 4];
  /// nothing if that has no meaning. Throws InputError past 63 bits.
  virtual std::optional<Ticks> sequential_time() const { return std::nullopt; }
  /// Makespan without contention, if a published formula gives it; other programs are run to find
  /// it. The map holds the node of each process, and last the host's node if the program uses it.
  virtual std::optional<Theory> theory(std::span<const NodeId> /*map*/) const {
    return std::nullopt;
  }
  /// Puts the program into the state before any run, where that is faster than making it anew.
  /// False where it is not.
  virtual bool forget_runs() { return false; }
};

/// sequential_time(), or nothing past 63 bits, which a parallel run need not reach.
std::optional<Ticks> sequential_time_of(const Program& program);

/// An entry of the catalogue.
struct ProgramKind {
  std::string name;
  std::string help;
  std::string example;  ///< small valid settings, in the form of Params::parse
  std::vector<ParameterHelp> parameters;
  /// The context's machine must outlive the program. Throws InputError.
  std::unique_ptr<Program> (*make)(const Params&, const ProgramContext&);
};

/// Every kind, sorted by name. Valid until the next is registered.
std::span<const ProgramKind* const> program_catalog();

/// Has internal linkage: a plug-in has its own.
constexpr Headers program_headers =
    headers_of<Program, ProgramContext, ProgramKind, Guest, Machine, Params, Process, Task<>,
               Payload, Received, Process::Receive, Process::ReceiveAny, Process::Computation,
               Process::WaitAll, Process::Test>();

/// Adds an entry, which must live as long as the process. Throws InputError when its name is empty
/// or taken, or `make` is null. Call it before other threads read the catalogue: in main(), or, in
/// a plug-in (`dcube --plugin FILE`), in the initialisation of a static object:
///   const bool is_registered = dcube::register_program(kind);
/// There it returns false instead of throwing, and the program that loads the plug-in complains.
bool register_program(const ProgramKind& kind, Headers built_with = program_headers);

/// Makes the program that `settings` describes ("kind" names the entry). Throws InputError.
std::unique_ptr<Program> make_program(const Params& settings, const ProgramContext& context);

}  // namespace dcube
