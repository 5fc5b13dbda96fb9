#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/scenario/validation.hpp"
#include "support/complaint.hpp"
#include "support/schema_check.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

/// What the schema alone makes of a text: no JSON object to check, a complaint, or nothing because
/// only the readers know better.
enum class Schema { unread, rejects, accepts };

struct BrokenInput {
  const char* what;
  std::string text;
  Schema schema;
  std::string message;
};

const std::vector<BrokenInput> broken_inputs{
    {"EmptyFile", R"()", Schema::unread,
     "x.json: line 1, column 1: is empty; expected '[', '{', or a literal"},
    {"Truncated", R"({"schema_version": 1,)", Schema::unread,
     "x.json: line 1, column 22: syntax error while parsing object key - unexpected end of input; "
     "expected string literal"},
    {"Comment", "{\"schema_version\": 1 // one\n}", Schema::unread,
     "x.json: line 1, column 22: syntax error while parsing object - invalid literal; expected "
     "'}'"},
    {"TrailingComma", "{\n  \"schema_version\": 1,\n}", Schema::unread,
     "x.json: line 3, column 1: syntax error while parsing object key - unexpected '}'; expected "
     "string literal"},
    {"NotANumber",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "compute": NaN}})",
     Schema::unread,
     "x.json: line 1, column 92: syntax error while parsing value - invalid literal"},
    {"HugeNumber",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "compute": 1e999}})",
     Schema::unread, "x.json: line 1, column 96: number overflow parsing '1e999'"},
    {"InvalidUtf8", "{\"schema_version\": \"\xff\"}", Schema::unread,
     "x.json: line 1, column 21: syntax error while parsing value - invalid string: ill-formed "
     "UTF-8 byte"},
    {"UnterminatedText", R"({"schema_version": "abc)", Schema::unread,
     "x.json: line 1, column 24: syntax error while parsing value - invalid string: missing "
     "closing quote"},
    {"TextAfterTheEnd",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}} x)",
     Schema::unread,
     "x.json: line 1, column 82: syntax error while parsing value - invalid literal; expected end "
     "of input"},
    {"DuplicateKey", "{\n  \"schema_version\": 1,\n  \"seed\": 1, \"seed\": 2\n}", Schema::unread,
     "x.json: line 3, column 14: the key \"seed\" is given twice"},
    {"EscapedDuplicateKey", R"({"a\"": 1, "a\"": 2})", Schema::unread,
     "x.json: line 1, column 12: the key \"a\"\" is given twice"},
    {"NotAnObject", R"([1, 2])", Schema::unread, "x.json: [1, 2] is not a JSON object { .. }"},
    {"NeitherKind", R"({"schema_version": 1})", Schema::rejects,
     "x.json: is neither a machine (`topology` is missing), a scenario (`machine` and `program` "
     "are "
     "missing), a file of experiments (`experiments` is missing) nor a task graph (`tasks` is "
     "missing)"},
    {"MissingMachine", R"({"schema_version": 1, "program": {"kind": "cc_dcube"}})", Schema::rejects,
     "x.json: `machine` is missing"},
    {"MissingProgram", R"({"schema_version": 1, "machine": "unit-ring-8"})", Schema::rejects,
     "x.json: `program` is missing"},
    {"MissingVersion", R"({"machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: `schema_version` is missing; add \"schema_version\": 1"},
    {"FutureVersion",
     R"({"schema_version": 2, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /schema_version: 2 is not a schema version that this dcube reads (1)"},
    {"UnknownKey",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "sed": 5})",
     Schema::rejects, "x.json: /sed: unknown key; did you mean `seed`?"},
    {"FarFromAnyKey",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "wallpaper": 5})",
     Schema::rejects,
     "x.json: /wallpaper: unknown key; known: schema_version, name, description, machine, "
     "embedding, program, seed, execution, jitter, $schema"},
    {"UnknownMachine",
     R"({"schema_version": 1, "machine": "unit-rign-8", "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine: \"unit-rign-8\" is no machine in platforms/; did you mean `unit-ring-8`?"},
    {"MissingMachineFile",
     R"({"schema_version": 1, "machine": "machines/none.json", "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine: \"machines/none.json\" does not exist (a machine is a name in platforms/ "
     "or a file, relative to the scenario)"},
    {"MachineIsANumber", R"({"schema_version": 1, "machine": 5, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine: 5 is no machine (a name in platforms/, a file, a network such as "
     "\"torus:8x8\" or a group of settings { .. })"},
    {"EmptyName",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "name": ""})",
     Schema::rejects, "x.json: /name: \"\" is not a name (a text of at least one letter)"},
    {"DescriptionIsANumber",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "description": 5})",
     Schema::rejects, "x.json: /description: 5 is not a text"},
    {"NegativeSeed",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "seed": -1})",
     Schema::rejects, "x.json: /seed: -1 is not a seed (a non-negative integer)"},
    {"FractionalSeed",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "seed": 1.5})",
     Schema::rejects, "x.json: /seed: 1.5 is not a seed (a non-negative integer)"},
    {"SeedBeyond64Bits",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "seed": 18446744073709551616})",
     Schema::rejects,
     "x.json: /seed: 18446744073709551616 is not a seed (a non-negative integer); at most "
     "18446744073709551615"},
    {"UnknownExecution",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "execution": "coroutine"})",
     Schema::rejects, "x.json: /execution: \"coroutine\" is unknown; did you mean `coroutines`?"},
    {"MissingTopology",
     R"({"schema_version": 1, "machine": {"name": "m"}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine: `topology` is missing"},
    {"MissingTopologyKind",
     R"({"schema_version": 1, "machine": {"topology": {"nodes": 8}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/topology: `kind` is missing"},
    {"UnknownTopology",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "trous", "shape": [8, 8]}}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/topology/kind: \"trous\" is not a topology; did you mean `torus`?"},
    {"SideOfZero",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": [8, 0]}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/topology/shape/1: 0 is not a side (a positive integer)"},
    {"EmptyShape",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": []}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/topology/shape: [] is not a list of at least one entry, each a side (a "
     "positive integer)"},
    {"ShapeOfText",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": "8by8"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/topology/shape/0: \"8by8\" is not a side (a positive integer)"},
    {"UnknownTopologyKey",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "node": 8}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/topology/node: unknown key; did you mean `nodes`?"},
    {"NodesOfARingMissing",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/topology: `nodes` is missing"},
    {"UnknownTie",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8, "tie": "postive"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/topology/tie: \"postive\" is unknown; did you mean `positive`?"},
    {"TooManyNodes",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": [100000, 100000]}}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/topology/shape: [100000, 100000] is too large (a machine has at most "
     "4294967294 link numbers, two per node and dimension)"},
    {"TooManyDimensions",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "hypercube", "dimensions": 40}}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/topology/dimensions: 40 is not a number of dimensions (0 to 26)"},
    {"UnknownLinkKey",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"latencies": "1s"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/link/latencies: unknown key; did you mean `latency`?"},
    {"NegativeLatency",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": -1}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link/latency: -1 is not a duration (a non-negative number of seconds, or "
     "with a unit: ps, ns, us, ms, s)"},
    {"LatencyWithoutUnit",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": "1 minute"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link/latency: \"1 minute\" is not a duration (a non-negative number of "
     "seconds, or with a unit: ps, ns, us, ms, s)"},
    {"LatencyBeyond63Bits",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": "1e9s"}}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/link/latency: \"1e9s\" cannot be kept exactly (a duration is below 2^63 ps, "
     "about 106 days, and as a fraction of picoseconds has a denominator below 2^63)"},
    {"PerByteAndBandwidth",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"per_byte": "1us", "bandwidth": "1GBps"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link/bandwidth: given beside `per_byte` (one of them says what a byte "
     "costs)"},
    {"BandwidthOfAnUnknownUnit",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"bandwidth": "10GBph"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link/bandwidth: \"10GBph\" is not a rate (a positive number of bytes per "
     "second, or with a unit: Bps, MB/s, GiB/s, Gbps, ..)"},
    {"ZeroBandwidth",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"bandwidth": 0}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link/bandwidth: 0 is not a rate (a positive number of bytes per second, or "
     "with a unit: Bps, MB/s, GiB/s, Gbps, ..)"},
    {"UnknownDuplex",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"duplex": "hlaf"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/link/duplex: \"hlaf\" is unknown; did you mean `half`?"},
    {"ContentionOfText",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": {"contention": "yes"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/link/contention: \"yes\" is not true or false"},
    {"HalfAPlan",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}}, "program": {"kind": "collective", "operation": "allreduce", "plans": 1.5}})",
     Schema::rejects,
     "x.json: /program/plans: 1.5 is not a whole number (0 to 1000), true or false"},
    {"LinksPerDimension",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": [{"latency": "1s"}, {"latency": "2s"}]}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/link: 2 entries for 1 dimension (one for each, or one group for all)"},
    {"LinkEntryOfText",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": ["1s"]}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/link/0: \"1s\" is not a group of settings { .. }"},
    {"DuplexDiffersByDimension",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "torus", "shape": [4, 4]}, "link": [{"duplex": "full"}, {"duplex": "half"}]}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/link/1/duplex: \"half\" differs from another dimension's (the whole machine "
     "has one)"},
    {"LinkIsANumber",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "link": 5}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/link: 5 is not a group of settings {\"latency\": \"1us\", "
     "\"bandwidth\": \"10GBps\"}"},
    {"OverridesOfAGroup",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "links": {"from": 1, "to": 2}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/links: {\"from\": 1, \"to\": 2} is not a list of overrides [{\"from\": .., "
     "\"to\": ..}, ..]"},
    {"OverrideBetweenStrangers",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "links": [{"from": 1, "to": 3, "latency": "2s"}]}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/links/0/to: no link joins node 1 to node 3 (its neighbours: 0, 2)"},
    {"OverrideOutsideTheMachine",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "links": [{"from": 1, "to": 8, "latency": "2s"}]}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts, "x.json: /machine/links/0/to: 8 is not a node (0 to 7)"},
    {"OverrideOfNothing",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "links": [{"from": 1, "to": 2}]}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/links/0: overrides nothing (give latency, per_byte or bandwidth)"},
    {"OverrideTwice",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "links": [{"from": 1, "to": 2, "latency": 1}, {"from": 1, "to": 2, "latency": 2}]}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts,
     "x.json: /machine/links/1: this link has been overridden before (once is enough)"},
    {"UnknownEndpointKey",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "endpoint": {"sned": 1}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/endpoint/sned: unknown key; did you mean `send`?"},
    {"Switching",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "switching": "cut-through"}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/switching: \"cut-through\" is unknown; did you mean `cut_through`?"},
    {"NetworkOfNumber",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "network": 5}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/network: 5 is not a text"},
    {"ComputeTableOfText",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "compute": {"add": "fast"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/compute/add: \"fast\" is not a duration (a non-negative number of seconds, "
     "or with a unit: ps, ns, us, ms, s)"},
    {"UnknownOperation",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "compute": {"host_strat": 1}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/compute/host_strat: unknown key; did you mean `host_start`?"},
    {"HostOutsideTheMachine",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "host": {"attached_to": 8}}, "program": {"kind": "cc_dcube"}})",
     Schema::accepts, "x.json: /machine/host/attached_to: 8 is not a node (0 to 7)"},
    {"HostAttachedToNothing",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "host": {"latency": 1}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/host: `attached_to` is missing"},
    {"HostAttachedToSome",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "host": {"attached_to": "some"}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/host/attached_to: \"some\" is neither a node number nor \"all\""},
    {"UnknownMachineKey",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}, "linc": {}}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects, "x.json: /machine/linc: unknown key; did you mean `link`?"},
    {"UnknownEmbedding",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": "xorr"})",
     Schema::accepts, "x.json: /embedding: \"xorr\" is no embedding; did you mean `xor`?"},
    {"EmbeddingIsAList",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": [0, 1]})",
     Schema::rejects,
     "x.json: /embedding: [0, 1] is no embedding (a name, or settings { \"kind\": .. })"},
    {"UnknownEmbeddingKind",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"kind": "by_wait"}})",
     Schema::accepts,
     "x.json: /embedding/kind: \"by_wait\" is not an embedding; known: axes, binary_tree, block, "
     "boxes, by_weight, cyclic, explicit, gray, identity, loop, random, snake, standard, "
     "weighted_xor, xor"},
    {"EmbeddingWithoutKind",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"seed": 1}})",
     Schema::rejects, "x.json: /embedding: `kind` is missing"},
    {"MapTooShort",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"kind": "explicit", "map": [0, 1]}})",
     Schema::accepts,
     "x.json: /embedding/map: 2 nodes for 8 processes (one node for each process of cube:3)"},
    {"NodeTwiceInMap",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"kind": "explicit", "map": [0, 1, 2, 3, 4, 5, 6, 6]}})",
     Schema::accepts,
     "x.json: /embedding/map/7: node 6 already hosts process 6 (a node hosts at most one)"},
    {"MapWithoutNodes",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"kind": "explicit"}})",
     Schema::rejects, "x.json: /embedding: `map` is missing"},
    {"SettingOfAnotherEmbedding",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}, "embedding": {"kind": "xor", "seed": 1}})",
     Schema::rejects, "x.json: /embedding/seed: unknown key; known: fold, guest, kind"},
    {"XorNeedsPowersOfTwo",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 12}}, "program": {"kind": "cc_dcube", "dimensions": 3}, "embedding": "xor"})",
     Schema::accepts,
     "x.json: /embedding: xor does not fit the ring of 12 (sides must be powers of two); identity, "
     "standard, explicit or random would fit"},
    {"TooFewNodes",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "dimensions": 4}})",
     Schema::accepts,
     "x.json: /embedding: standard does not fit the ring of 8 (cube:4 has 16 processes, the "
     "machine 8 nodes); a machine of at least 16 nodes would fit"},
    {"TopologyIsText",
     R"({"schema_version": 1, "machine": {"topology": "torus:8x8"}, "program": {"kind": "cc_dcube"}})",
     Schema::rejects,
     "x.json: /machine/topology: \"torus:8x8\" is not a group of settings {\"kind\": \"torus\", "
     "\"shape\": [8, 8]}"},
    {"LineBreakInAKey", R"({"a\nb": 1, "machine": 1})", Schema::rejects,
     "x.json: /a\\nb: unknown key; known: schema_version, name, description, machine, embedding, "
     "program, seed, execution, jitter, $schema"},
};

const std::vector<BrokenInput> broken_programs{
    {"UnknownProgram",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcub"}})",
     Schema::accepts,
     "x.json: /program/kind: \"cc_dcub\" is not a program; did you mean `cc_dcube`?"},
    {"ProgramIsText", R"({"schema_version": 1, "machine": "unit-ring-8", "program": "cc_dcube"})",
     Schema::rejects,
     "x.json: /program: \"cc_dcube\" is not a group of settings {\"kind\": \"cc_dcube\"}"},
    {"ProgramWithoutKind",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"compute": "1s"}})",
     Schema::rejects, "x.json: /program: `kind` is missing"},
    {"UnknownProgramKey",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "massage": 64}})",
     Schema::rejects, "x.json: /program/massage: unknown key; did you mean `message`?"},
    {"NegativeMessage",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "message": -64}})",
     Schema::rejects,
     "x.json: /program/message: -64 is not a size (a number of bytes, or with a unit: B, kB, MB, "
     "KiB, MiB, M, ..)"},
    {"HalfAByte",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "message": 0.5}})",
     Schema::rejects,
     "x.json: /program/message: 0.5 is not a size (a whole number of bytes below 2^63)"},
    {"UniformOfThree",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "compute": {"uniform": ["1s", "2s", "3s"]}}})",
     Schema::rejects,
     "x.json: /program/compute/uniform: needs two durations, the least and the greatest"},
    {"UniformBackwards",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "compute": {"uniform": ["3s", "1s"]}}})",
     Schema::accepts,
     "x.json: /program/compute/uniform/1: 1 s is less than the least duration, 3 s"},
    {"UnknownOrder",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "order": "ascendign"}})",
     Schema::rejects,
     "x.json: /program/order: \"ascendign\" is unknown; did you mean `ascending`?"},
    {"OrderOutsideTheCube",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "order": [0, 3]}})",
     Schema::accepts,
     "x.json: /program/order/1: 3 is not one of the program's 3 cube dimensions (they count from "
     "0)"},
    {"UnknownExchange",
     R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube", "exchange": "blocking"}})",
     Schema::rejects,
     "x.json: /program/exchange: \"blocking\" is unknown; known: rendezvous, eager"},
    {"TooManySerialCopies",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}}, "program": {"kind": "collective", "operation": "allreduce", "serial_copies": 1001}})",
     Schema::rejects, "x.json: /program/serial_copies: 1001 is not a number of copies (0 to 1000)"},
    {"HalfOfTwoCopies",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}}, "program": {"kind": "collective", "operation": "allreduce", "serial_copies": "2/4"}})",
     Schema::rejects,
     "x.json: /program/serial_copies: `2/4` is not a part of the data (1/1 to 1/4294967295)"},
    {"QuarterOfCopiesWithAZero",
     R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8}}, "program": {"kind": "collective", "operation": "allreduce", "serial_copies": "1/04"}})",
     Schema::rejects,
     "x.json: /program/serial_copies: `1/04` is not a part of the data (1/1 to 1/4294967295)"},
};

TEST(BrokenInputs, EachGetsItsMessage) {
  const TemporaryFolder folder;
  for (const auto& inputs : {broken_inputs, broken_programs}) {
    for (const BrokenInput& broken : inputs) {
      const auto file = folder.write("x.json", broken.text);
      EXPECT_EQ(folder.shortened(complaint([&] { validate_document(file); })), broken.message)
          << broken.what;
    }
  }
}

TEST(BrokenInputs, SchemaRejectsWhatItCan) {
  for (const auto& inputs : {broken_inputs, broken_programs}) {
    for (const BrokenInput& broken : inputs) {
      if (broken.schema != Schema::unread) {
        EXPECT_EQ(schema_complaint("scenario", broken.text).has_value(),
                  broken.schema == Schema::rejects)
            << broken.what;
      }
    }
  }
}

}  // namespace
}  // namespace dcube
