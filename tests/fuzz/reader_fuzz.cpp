// Feeds a reader with damaged copies of a file that it accepts. Whatever the damage, the reader
// must take it or complain with an InputError of one line; anything else, and a crash, is a defect.
//
//     reader_fuzz READER SEED_FILE SCRATCH_FILE ROUNDS SEED
//
// The scratch file holds the input that was being read when something went wrong.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "core/address_sanitizer.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/program/program.hpp"
#include "dcube/report/result_file.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/validation.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/topology.hpp"
#include "dcube/trace/trace_file.hpp"
#include "misbehaviour.hpp"
#include "program/image_file.hpp"
#include "program/number_file.hpp"
#include "support/kernel_runner.hpp"
#include "support/pieces.hpp"
#include "support/schedule_text.hpp"
#include "support/simulated_program.hpp"
#include "workload/goal_reader.hpp"
#include "workload/ti_reader.hpp"

namespace {

using namespace dcube;
using Reader = std::function<void(const std::string& file)>;

Reader map_reader(const std::string& format) {
  return [format, torus = std::shared_ptr<const Topology>{make_topology(
                      Params::parse("kind=torus,shape=8x8", "torus: "))}](const std::string& file) {
    read_map(map_file(file, format), *torus, HostNames{});
  };
}

/// Reads a table of edges.
void read_edges(const std::string& file) {
  Params settings{"m.json: /topology"};
  settings.set("kind", "graph");
  settings.set("edges", file);
  make_topology(settings);
}

/// Reads a machine of another tool.
void read_other_machine(const std::string& file) { load_machine(file, Ticks{1}); }

/// Reads a table of routes of a ring of 4.
void read_routes(const std::string& file) {
  Params settings{"m.json: /routing"};
  settings.set("kind", "table");
  settings.set("file", file);
  with_routing(make_topology(Params::parse("kind=ring,nodes=4")), settings);
}

/// Makes a program of a file and runs it, process i on node i, where it has few processes.
Reader program_reader(const std::string& kind) {
  return [kind,
          machine = testing::uneven_machine("kind=torus,shape=4x4")](const std::string& file) {
    Params settings{"s.json: /program"};
    settings.set("kind", kind);
    settings.set("file", file);
    const std::unique_ptr<Program> program = make_program(settings, {machine});
    const std::uint32_t processes = program->guest().process_count();
    if (processes > machine.topology->node_count()) {
      return;
    }
    std::vector<NodeId> map;
    for (std::uint32_t rank = 0; rank < processes; ++rank) {
      map.emplace_back(rank);
    }
    testing::run_without_simgrid({.machine = machine,
                                  .map = map,
                                  .body = [&](Process& process) { return program->run(process); },
                                  .program_pays_endpoints = program->pays_endpoints()});
  };
}

std::string content_of(const std::string& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// Reads the text of a schedule whole and in small pieces, which must be the same.
Reader reader_in_pieces(Schedule (*read)(const std::string& file, std::size_t bytes)) {
  return [read](const std::string& file) {
    const auto outcome = [&](std::size_t bytes) {
      return testing::outcome_of([&] { return read(file, bytes); });
    };
    constexpr std::size_t whole = std::size_t{1} << 20;
    const std::string expected = outcome(whole);
    for (const std::size_t bytes : {1U, 7U, 64U}) {
      if (outcome(bytes) != expected) {
        throw ContractViolation{fmt::format("is another in pieces of {} bytes", bytes)};
      }
    }
  };
}
Schedule read_goal_in_pieces(const std::string& file, std::size_t bytes) {
  return read_goal(in_pieces(content_of(file), bytes), file, ExactTime{1000, 1});
}
Schedule read_ti_in_pieces(const std::string& file, std::size_t bytes) {
  return read_ti(file, {.flop = ExactTime{1000, 1},
                        .picosecond = ExactTime{1, 1},
                        .text_of = [&](const std::filesystem::path& named, ReadingPart) {
                          return in_pieces(content_of(named.string()), bytes);
                        }});
}

std::map<std::string, Reader> readers() {
  std::map<std::string, Reader> all{
      {"document", [](const std::string& file) { validate_document(file); }},
      {"result", [](const std::string& file) { report::read_named(file); }},
      {"study", [](const std::string& file) { Study{load_study_plan(file)}; }},
      {"trace", [](const std::string& file) { summarise_trace(file, {}); }},
      {"traffic", [](const std::string& file) { read_traffic(file); }},
      {"image", [](const std::string& file) { read_image(file, "image"); }},
      {"sound", [](const std::string& file) { read_sound_file(file, "sound"); }},
      {"edges", read_edges},
      {"routes", read_routes},
      {"topo", read_other_machine},
      {"xml", read_other_machine},
      {"yml", read_other_machine},
      {"goal", program_reader("goal")},
      {"ti", program_reader("ti")},
      {"goal-pieces", reader_in_pieces(read_goal_in_pieces)},
      {"ti-pieces", reader_in_pieces(read_ti_in_pieces)},
      {"matrix", program_reader("traffic")},
      {"embedding", [](const std::string& file) { load_embedding_settings(file); }}};
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr) {
      all.emplace(format->name, map_reader(format->name));
    }
  }
  return all;
}

/// Damages texts and bytes in the ways that find defects: numbers at the ends of their ranges,
/// pieces lost, doubled, moved or replaced by what the format knows from elsewhere.
class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_{seed} {}

  std::string operator()(std::string text) {
    for (std::uint64_t times = 1 + below(3); times-- > 0;) {
      once(text);
    }
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : random_.next() % end; }

  void once(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + below(1 + below(40)), text.size() - at);
    switch (below(8)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 3:
        text.insert(at, pieces_[below(pieces_.size())]);
        break;
      case 4:
        if (at < text.size()) {
          text[at] = static_cast<char>(below(256));
        }
        break;
      default:
        replace_number(text, at);
    }
  }

  /// The next number after `at`, or a word in quotes.
  void replace_number(std::string& text, std::size_t at) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) {
      return;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    text.replace(begin, end - begin, numbers_[below(numbers_.size())]);
  }

  static constexpr std::array<std::string_view, 19> numbers_{"0",
                                                             "1",
                                                             "-1",
                                                             "2",
                                                             "3",
                                                             "0.5",
                                                             "127",
                                                             "255",
                                                             "65536",
                                                             "2147483647",
                                                             "2147483648",
                                                             "4294967295",
                                                             "4294967296",
                                                             "1e9",
                                                             "9223372036854775807",
                                                             "1e400",
                                                             "nan",
                                                             "1e-400",
                                                             "18446744073709551616"};
  static constexpr std::array<std::string_view, 20> pieces_{
      "\0", "\n",   "\r\n", "\"",   "{",     "}",      "[",   "]",  ",",  ":",
      "#",  "null", "true", "\xff", "\x9b[", "\u202e", "../", "\t", "\\", "\xc0\x80"};
  SplitMix64 random_;
};

std::uint64_t number_of(const char* text) {
  std::uint64_t number = 0;
  std::from_chars(text, text + std::string_view{text}.size(), number);
  return number;
}

/// What is wrong with how the reader took the file; nothing when it behaved.
std::string misbehaviour(const Reader& reader, const std::string& file) {
  constexpr itimerval most_processor_time{{}, {60, 0}};   // a busy computer takes longer
  setitimer(ITIMER_PROF, &most_processor_time, nullptr);  // which ends the process
  return misbehaviour_of([&] { reader(file); });
}

int fuzz(const std::string& name, const std::string& seed_file, const std::string& scratch,
         std::uint64_t rounds, std::uint64_t seed) {
  const auto known = readers();
  const auto reader = known.find(name);
  if (reader == known.end()) {
    fmt::print(stderr, "{} is no reader\n", name);
    return 2;
  }
  const std::string whole = content_of(seed_file);
  reader->second(seed_file);  // which must be readable, or nothing is tried
  Damage damage{seed};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // A new file: emptying one makes some file systems write to the disk at once.
    std::filesystem::remove(scratch);
    std::ofstream{scratch, std::ios::binary} << damage(whole);
    if (const std::string wrong = misbehaviour(reader->second, scratch); !wrong.empty()) {
      fmt::print(stderr, "{} {}\n", name, wrong);
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int arguments = 6;
  if (argc != arguments) {
    fmt::print(stderr, "reader_fuzz READER SEED_FILE SCRATCH_FILE ROUNDS SEED\n");
    return 2;
  }
#ifndef DCUBE_ADDRESS_SANITIZER
  constexpr rlim_t most_bytes = rlim_t{4} << 30;  // a machine of 10^9 nodes is legal, and large
  const rlimit limit{most_bytes, most_bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
  return fuzz(argv[1], argv[2], argv[3], number_of(argv[4]), number_of(argv[5]));
}
