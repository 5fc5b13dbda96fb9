#include "libscotch.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdio>

#include "dcube/core/errors.hpp"

// libscotch reports errors by three functions that its users define, or take from libscotcherr or
// libscotcherrexit, which prints and ends the program. These remember an error while dcube calls
// libscotch, and print it at other times. They are weak, so that a program that uses both dcube and
// Scotch may have its own.

namespace {

/// Target of error messages while dcube calls libscotch.
thread_local std::string* kept_error = nullptr;

}  // namespace

extern "C" {

[[gnu::weak]] void SCOTCH_errorProg(const char* /*program*/) {}

[[gnu::weak]] void SCOTCH_errorPrint(const char* format, ...) {
  std::array<char, 256> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (kept_error != nullptr) {
    *kept_error = text.data();
  } else {
    fmt::print(stderr, "{}\n", text.data());
  }
}

[[gnu::weak]] void SCOTCH_errorPrintW(const char* /*format*/, ...) {}

}  // extern "C"

namespace dcube::libscotch {
namespace {

using SourceGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

/// Settings of libscotch: one thread, because several share out large graphs differently in every
/// run, and random numbers of its own.
void prepare(SCOTCH_Context* context, std::uint64_t seed) {
  check(SCOTCH_contextThreadSpawn(context, 1, nullptr), "start its thread");
  check(SCOTCH_contextRandomClone(context), "start its random numbers");
  SCOTCH_contextRandomSeed(context, static_cast<SCOTCH_Num>(seed & most_num));
  SCOTCH_contextRandomReset(context);
}

}  // namespace

KeepingErrors::KeepingErrors() { kept_error = &error_; }

KeepingErrors::~KeepingErrors() { kept_error = nullptr; }

void check(int status, const char* what) {
  if (status != 0) {
    const std::string said =
        kept_error != nullptr && !kept_error->empty() ? ": " + *kept_error : "";
    throw InputError("", fmt::format("libscotch cannot {}{}", what, said));
  }
}

Graph part_of(const Graph& whole, const std::vector<SCOTCH_Num>& vertices,
              std::vector<SCOTCH_Num>& number) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    number[static_cast<std::size_t>(vertices[i])] = static_cast<SCOTCH_Num>(i);
  }
  Graph part;
  for (const SCOTCH_Num vertex : vertices) {
    const auto at = static_cast<std::size_t>(vertex);
    for (auto i = static_cast<std::size_t>(whole.first[at]);
         i < static_cast<std::size_t>(whole.first[at + 1]); ++i) {
      const SCOTCH_Num neighbour = number[static_cast<std::size_t>(whole.neighbours[i])];
      if (neighbour >= 0) {
        part.neighbours.push_back(neighbour);
        part.weights.push_back(whole.weights[i]);
      }
    }
    part.first.push_back(static_cast<SCOTCH_Num>(part.neighbours.size()));
  }
  for (const SCOTCH_Num vertex : vertices) {
    number[static_cast<std::size_t>(vertex)] = -1;
  }
  return part;
}

void map_onto(SCOTCH_Arch* target, SCOTCH_Num target_size, const Graph& graph,
              const Mapping& mapping, std::vector<SCOTCH_Num>& parts) {
  SourceGraph source;
  check(
      SCOTCH_graphBuild(source.get(), 0, static_cast<SCOTCH_Num>(parts.size()), graph.first.data(),
                        nullptr, nullptr, nullptr, static_cast<SCOTCH_Num>(graph.neighbours.size()),
                        graph.neighbours.data(), graph.weights.data()),
      "build the graph");
  Strategy strategy;
  check(SCOTCH_stratGraphMapBuild(strategy.get(), mapping.strategy, target_size, mapping.excess),
        "choose a strategy");
  Context context;
  prepare(context.get(), mapping.seed);
  SourceGraph bound;
  check(SCOTCH_contextBindGraph(context.get(), source.get(), bound.get()), "bind the graph");
  const auto map_graph = mapping.has_fixed ? SCOTCH_graphMapFixed : SCOTCH_graphMap;
  check(map_graph(bound.get(), target, strategy.get(), parts.data()), "map the graph");
}

}  // namespace dcube::libscotch
