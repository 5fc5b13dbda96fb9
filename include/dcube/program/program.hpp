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

/// The makespan that a run would have if no message had to queue for a link.
struct Theory {
  Ticks makespan{0};
  std::string source;  ///< how it is known: "recurrence", "the program without contention"
};

/// Hears how far the files of a program have been read, where that may take long: a file that is
/// being read, and the share of all that is to be read, 0 to 1.
using ReadingListener = std::function<void(const std::filesystem::path&, double)>;

/// What a program knows about its surroundings when it is made.
struct ProgramContext {
  const Machine& machine;
  std::uint64_t seed = 0;
  std::filesystem::path folder{};  ///< files that settings name are relative to it
  /// Gets the file of each setting that names one to be read, by the setting's place, if given.
  std::map<std::string, std::filesystem::path>* inputs = nullptr;
  ReadingListener on_reading{};  ///< if given

  /// The file that a setting names, which the program is about to read. Throws InputError.
  std::filesystem::path input_file(const Params& settings, std::string_view key) const;
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
  /// Its processes and who talks to whom.
  virtual Guest guest() const = 0;
  /// Whether it talks to the machine's host computer [N Fig 9]. The run then has one process more,
  /// which runs on the host; its rank is the number of the guest's processes.
  virtual bool uses_host() const { return false; }
  /// An estimate of the memory that the program's data take at their peak, all processes together.
  virtual std::uint64_t data_bytes() const { return 0; }
  /// What one process executes. Called once per process of a run; `process` outlives the task.
  virtual Task<> run(Process& process) = 0;

  /// Whether it accounts for the machine's endpoint costs by itself; the run then charges none.
  virtual bool pays_endpoints() const { return false; }

  /// How many stages every process goes through; 0 when the program has none.
  virtual std::uint32_t stage_count() const { return 0; }
  /// The names of the stages, as many, or none. Results tell what a stage costs that has a name.
  virtual std::vector<std::string> stage_names() const { return {}; }
  /// Whether a process may enter a stage more than once. When it was last in one says little then,
  /// so `stages` of results is empty.
  virtual bool repeats_stages() const { return false; }

  /// Whether the computed answer equals that of an independent sequential computation; nothing
  /// when there is no data to check.
  virtual std::optional<bool> verify() { return std::nullopt; }
  /// Named results of the computation, for `program.answer`.
  virtual Params answer() const { return Params{}; }
  /// The files to write after a run: a spectrum, sorted keys, an image.
  virtual std::vector<OutputFile> output_files() const { return {}; }
  /// The time of the same computation on one process of the same machine, from which speedup and
  /// efficiency follow [N 4]; nothing where that has no meaning. Throws InputError past 63 bits.
  virtual std::optional<Ticks> sequential_time() const { return std::nullopt; }
  /// The makespan without contention under the map, where a published formula gives it. Any other
  /// program is run without contention to find out. The map holds the node of each process, and
  /// last that of the host where the program uses it.
  virtual std::optional<Theory> theory(std::span<const NodeId> /*map*/) const {
    return std::nullopt;
  }
};

/// The program's sequential_time(), or nothing when that is past 63 bits: all processes together
/// may finish in time what one of them could not.
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

/// Of internal linkage: a plug-in has its own.
constexpr Headers program_headers =
    headers_of<Program, ProgramContext, ProgramKind, Guest, Machine, Params, Process, Task<>,
               Payload, Received, Process::Receive, Process::ReceiveAny, Process::Computation,
               Process::WaitAll, Process::Test>();

/// Adds an entry, which must live as long as the process. Throws InputError when its name is empty
/// or taken, or `make` is null. Call it before other threads read the catalogue: from main(), or,
/// in a plug-in (`dcube --plugin FILE`), where a static object is initialised:
///   const bool is_registered = dcube::register_program(kind);
/// There it gives false in place of throwing, and the program that loads the plug-in complains.
bool register_program(const ProgramKind& kind, Headers built_with = program_headers);

/// Builds the program that `settings` describes ("kind" names the entry). Throws InputError.
std::unique_ptr<Program> make_program(const Params& settings, const ProgramContext& context);

}  // namespace dcube
