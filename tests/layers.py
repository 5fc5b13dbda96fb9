#!/usr/bin/env python3
"""Keeps the rooms apart: reads the #include lines below include/ and src/ and complains about
every one that points the wrong way.

    layers.py [ROOT]       check a source tree (default: the one this file is in)
    layers.py --self-test  check that each kind of mistake is found

Description stays apart from execution, and each outside library has one home: the tables below are
the rules.
"""

import pathlib
import re
import sys
import tempfile

# Which rooms a room may include from, besides itself. Must stay free of cycles, and complete: a
# room sees every room downstream of the ones it sees.
SEES = {
    "core": set(),
    "topology": {"core"},
    "embedding": {"topology", "core"},
    "network": {"topology", "core"},
    "metrics": {"embedding", "topology", "core"},
    "interop": {"network", "embedding", "topology", "core"},
    "search": {"metrics", "embedding", "topology", "core"},
    "engine": {"network", "embedding", "topology", "core"},
    "collective": {"engine", "network", "embedding", "topology", "core"},
    "program": {"collective", "engine", "metrics", "network", "embedding", "topology", "core"},
    "workload": {
        "program", "collective", "interop", "engine", "metrics", "network", "embedding", "topology",
        "core",
    },
    "trace": {"engine", "network", "embedding", "topology", "core"},
    "scenario": {
        "show", "workload", "program", "collective", "trace", "search", "interop", "engine", "metrics", "network",
        "embedding", "topology", "core",
    },
    "show": {"core"},
    "runs": {
        "show", "scenario", "workload", "program", "collective", "trace", "search", "interop", "engine", "metrics",
        "network", "embedding", "topology", "core",
    },
    "questions": {
        "runs", "show", "scenario", "workload", "program", "collective", "trace", "search", "interop", "engine", "metrics",
        "network", "embedding", "topology", "core",
    },
    "report": {
        "show", "scenario", "workload", "program", "collective", "trace", "search", "interop", "engine", "metrics",
        "network", "embedding", "topology", "core",
    },
    "app": {
        "report", "questions", "runs", "show", "scenario", "workload", "program", "collective", "trace", "search",
        "interop", "engine", "metrics", "network", "embedding", "topology", "core",
    },
    "python": {
        "questions", "runs", "show", "scenario", "workload", "program", "collective", "trace", "search", "interop",
        "engine", "metrics", "network", "embedding", "topology", "core",
    },
}  # fmt: skip

# Outside libraries: how their headers are spelt, and the rooms whose sources may include them. No
# public header may name any of them.
EVERYWHERE = set(SEES)
LIBRARIES = {
    "SimGrid": (r"(simgrid|xbt|smpi)/.*", {"engine"}),
    "nlohmann/json": (r"nlohmann/.*", {"core", "interop", "trace", "scenario", "runs", "questions", "report", "app"}),
    "Boost": (r"boost/.*", {"core", "engine", "search", "topology"}),  # SimGrid's own headers use Boost
    "Scotch": (r"(pt)?scotch(/.*|\.h)", {"search"}),
    "Clp": (r"coin/.*", {"search"}),
    "Eigen": (r"(unsupported/)?Eigen/.*", {"search", "questions"}),
    "KissFFT": (r"kiss_?fft.*", {"program"}),
    "libsndfile": (r"sndfile\.hh?", {"program"}),
    "libpng": (r"png\.h", {"program"}),
    "CLI11": (r"CLI/.*", {"app"}),
    "pybind11": (r"pybind11/.*", {"python"}),
    "OTF2": (r"otf2/.*", {"workload"}),
    "MPI": (r"mpi\.h", {"runs"}),
    "SQLite": (r"sqlite3\.h", {"runs"}),
    "protobuf": (r"google/protobuf/.*|[a-z_]+\.pb\.h", {"workload"}),
    "fmt": (r"fmt/.*", EVERYWHERE),
}

# How many includes of private headers of other rooms there may be. Lower it where some go.
MOST_SHARED = 28
# Private headers, in src/, that other rooms may include, and why. All others belong to their room
# alone, but for those of core, which are for every room.
SHARED = {
    "embedding/fold.hpp": "search reads the folds of cubes; it derives from function_embedding.hpp",
    "network/hop_costs.hpp": "engine estimates the memory of this table; it holds servers.hpp and calendar.hpp",
    "program/catalog.hpp": "the list of programs names those of workload, too",
    "program/settings.hpp": "programs of workload read their settings in the same way; it needs fmt",
    "questions/compare/comparison_runs.hpp": "one command makes these runs; it holds compared_run.hpp",
    "report/link_bytes.hpp": "one command draws it; a part of a page, in nlohmann/json",
    "report/machine_view.hpp": "one command draws it; a part of a page, in nlohmann/json",
    "report/timeline.hpp": "one command draws it; a part of a page, in nlohmann/json",
    "runs/execute.hpp": "commands make the runs of a store; it takes store.hpp",
    "runs/key.hpp": "comparisons give their runs keys; it needs fmt",
    "runs/mpi.hpp": "one command shares runs by MPI; it takes store_feed.hpp",
    "runs/store.hpp": "commands open the folders of runs; its format is record_text.hpp",
    "scenario/embed_result.hpp": "questions and pages hold parts of a result, in nlohmann/json",
}

# An objective of the search is known to its file in src/search/objectives; others ask for properties
# (ObjectiveTraits). The files that name particular ones all the same, how often, and why.
OBJECTIVES = "src/search/objectives/"
NAMED_OBJECTIVES = {
    "include/dcube/search/objective.hpp": (1, "the one that is minimised where nobody chooses"),
    "src/questions/compare/makespan_bound.cpp": (1, "a bound of the link load is one of the makespan"),
}
OBJECTIVE = re.compile(r"\bObjective::[a-z_]+")

# The library names fields of requests, and the command line says which option that is. An example for
# a shell begins with `dcube`; the others are options of SimGrid and Open MPI.
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OPTIONS_OF_OTHERS = {"--cfg", "--log", "--map-by"}
TEXT = re.compile(r'//[^\n]*|"((?:[^"\\\n]|\\.)*)"')

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SYSTEM_HEADER = re.compile(r"[a-z0-9_]+|(sys|linux|netinet|arpa|net)/[a-z0-9_/]+\.h|[a-z0-9_]+\.h")


class Tree:
    """The C++ files of a source tree and what they include."""

    def __init__(self, root, shared, named_objectives):
        self.root = pathlib.Path(root).resolve()
        self.shared = shared
        self.named_objectives = named_objectives
        self.used = []  # of these, once for each include
        self.complaints = []
        self.edges = {}  # file -> files of the tree that it includes
        files = [
            path
            for top in ("include", "src")
            for path in sorted((self.root / top).rglob("*"))
            if path.suffix in (".hpp", ".cpp", ".h", ".inc")
        ]
        self.files = files
        for path in files:
            self.check(path)
        self.find_cycles()
        for name in sorted(set(shared) - set(self.used)):
            self.complaints.append(f'"{name}" is shared in tests/layers.py, but no other room includes it')
        if len(self.used) > MOST_SHARED:
            self.complaints.append(
                f"{len(self.used)} includes of private headers of other rooms, of which {MOST_SHARED} may be"
            )

    def complain(self, path, what):
        self.complaints.append(f"{path.relative_to(self.root)}: {what}")

    def room_of(self, path):
        parts = path.relative_to(self.root).parts
        rest = parts[2:] if parts[:2] == ("include", "dcube") else parts[1:]
        return rest[0] if len(rest) > 1 else None

    def is_public(self, path):
        return path.relative_to(self.root).parts[0] == "include"

    def resolve(self, path, name):
        """The file of the tree that `#include "name"` in `path` means."""
        for folder in (path.parent, self.root / "include", self.root / "src"):
            candidate = folder / name
            if candidate.is_file():
                return candidate.resolve()
        return None

    def check(self, path):
        self.edges[path] = []
        room = self.room_of(path)
        if room not in SEES:
            self.complain(path, "is in no room (rooms are listed in tests/layers.py)")
            return
        source = path.read_text(encoding="utf-8")
        if room != "app":
            self.check_texts(path, source)
        self.check_objectives(path, source)
        for bracket, name in INCLUDE.findall(source):
            target = self.resolve(path, name)
            if target is not None:
                self.edges[path].append(target)
                self.check_arrow(path, room, name, target)
            elif bracket == '"':
                self.complain(path, f'includes "{name}", which is not in the tree')
            else:
                self.check_library(path, room, name)

    def check_texts(self, path, source):
        for text in TEXT.findall(source):
            options = set(OPTION.findall(text)) - OPTIONS_OF_OTHERS
            if options and "dcube " not in text:
                self.complain(path, f'"{text}" names {", ".join(sorted(options))}, an option of the command line')

    def check_objectives(self, path, source):
        file = path.relative_to(self.root).as_posix()
        names = OBJECTIVE.findall(source)
        may = self.named_objectives.get(file, (0, ""))[0]
        if not file.startswith(OBJECTIVES) and len(names) != may:
            self.complain(
                path,
                f"names objectives {len(names)} times ({', '.join(sorted(set(names)))}), of which {may} may be;"
                " ask for a property (ObjectiveTraits)",
            )

    def check_arrow(self, path, room, name, target):
        target_room = self.room_of(target)
        if target_room != room and target_room not in SEES[room]:
            self.complain(path, f'{room} includes "{name}" but does not see {target_room}')
        if self.is_public(path) and not self.is_public(target):
            self.complain(path, f'a public header includes the private "{name}"')
        elif target_room not in (room, "core") and not self.is_public(target):
            header = str(target.relative_to(self.root / "src"))
            if header in self.shared:
                self.used.append(header)
            else:
                self.complain(
                    path,
                    f'{room} includes "{name}", a private header of {target_room}'
                    f" (public ones are in include/dcube/{target_room})",
                )

    def check_library(self, path, room, name):
        for library, (pattern, homes) in LIBRARIES.items():
            if re.fullmatch(pattern, name):
                if self.is_public(path):
                    self.complain(path, f"a public header includes <{name}> ({library})")
                elif room not in homes:
                    self.complain(
                        path, f"includes <{name}>: {library} is at home in {', '.join(sorted(homes))}"
                    )
                return
        if not SYSTEM_HEADER.fullmatch(name):
            self.complain(path, f"includes <{name}>, of a library tests/layers.py does not know")

    def find_cycles(self):
        """Depth-first search over files; an edge back into the current path closes a cycle."""
        done = set()
        for start in self.files:
            stack = [(start, iter(self.edges.get(start, ())))]
            path = [start]
            while stack:
                file, targets = stack[-1]
                target = next((t for t in targets if t not in done), None)
                if target is None:
                    done.add(file)
                    stack.pop()
                    path.pop()
                elif target in path:
                    cycle = [*path[path.index(target) :], target]
                    names = " -> ".join(str(p.relative_to(self.root)) for p in cycle)
                    self.complaints.append(f"include cycle: {names}")
                else:
                    stack.append((target, iter(self.edges.get(target, ()))))
                    path.append(target)


def check_rules():
    """The tables themselves: no cycle between rooms, and nothing downstream forgotten."""
    for room, seen in SEES.items():
        for other in seen:
            assert room not in SEES[other], f"{room} and {other} see each other"
            assert SEES[other] <= seen, f"{room} sees {other} but not all that {other} sees"
    for library, (_, homes) in LIBRARIES.items():
        assert homes <= EVERYWHERE, f"{library} is at home in an unknown room"


def self_test():
    sound = {
        "include/dcube/core/ids.hpp": "#pragma once\n#include <cstdint>\n",
        "include/dcube/topology/topology.hpp": '#include "dcube/core/ids.hpp"\n',
        "src/topology/ring.cpp": '#include "catalog.hpp"\n#include <fmt/format.h>\n',
        "src/topology/catalog.hpp": '#include "dcube/topology/topology.hpp"\n',
        "src/engine/simulation.cpp": '#include <simgrid/s4u.hpp>\n#include <sys/wait.h>\n',
        "src/scenario/reader.cpp": '#include <nlohmann/json.hpp>\n#include "topology/catalog.hpp"\n',
        "src/core/text.hpp": "#include <string>\n",
        "src/engine/flags.cpp": '// see --help\nset("--cfg=x", "dcube run x.json --quiet");\n',
        "src/app/run.cpp": 'option("--output");\n',
        "src/search/anneal.cpp": '#include "core/text.hpp"\n',
        "src/topology/grid.hpp": "",
        "src/search/objectives/link_load.cpp": "models{Objective::hop_bytes};\n",
        "src/search/usual.cpp": "usual = Objective::hop_bytes;\n",
    }
    shared = {"topology/catalog.hpp": "readers list what there is"}
    # One file added to the sound tree, and what must be said about it.
    mistakes = [
        ("src/core/time.cpp", '#include "dcube/topology/topology.hpp"\n', "does not see topology"),
        ("src/core/time.cpp", '#include "topology/catalog.hpp"\n', "does not see topology"),
        ("src/core/time.cpp", '#include "../topology/catalog.hpp"\n', "does not see topology"),
        ("src/core/time.cpp", "#include <dcube/topology/topology.hpp>\n", "does not see topology"),
        ("src/topology/mesh.cpp", "  #  include <simgrid/s4u.hpp>\n", "SimGrid is at home in engine"),
        ("src/program/fft.cpp", "#include <nlohmann/json.hpp>\n", "at home in app, core, interop"),
        ("src/program/fft.cpp", "#include <eigen3/Eigen/Core>\n", "does not know"),
        ("src/program/fft.cpp", '#include "gone.hpp"\n', "not in the tree"),
        ("include/dcube/core/text.hpp", "#include <fmt/format.h>\n", "a public header includes <fmt"),
        ("include/dcube/topology/x.hpp", '#include "topology/catalog.hpp"\n', "the private"),
        ("include/dcube/core/ids.hpp", '#include "dcube/core/ids.hpp"\n', "include cycle"),
        ("src/search/x.cpp", '#include "topology/grid.hpp"\n', "a private header of topology"),
        ("src/search/x.cpp", '#include "../topology/grid.hpp"\n', "a private header of topology"),
        ("src/search/x.hpp", "#include <topology/grid.hpp>\n", "a private header of topology"),
        ("src/search/x.cpp", 'refuse("--seed", "is odd");\n', "names --seed"),
        ("src/app/x.cpp", "if (objective == Objective::link_load) {\n", "names objectives 1 times"),
        ("include/dcube/search/x.hpp", "switch (x) { case Objective::cc_time: }\n", "names objectives 1 times"),
        ("src/search/usual.cpp", "", "names objectives 0 times"),
        ("src/search/usual.cpp", "Objective::hop_bytes, Objective::makespan\n", "names objectives 2 times"),
        ("src/attic/old.cpp", "", "is in no room"),
        ("src/main.cpp", "", "is in no room"),
    ]
    complaints = complaints_about(sound, shared)
    assert not complaints, complaints
    for file, text, expected in mistakes:
        complaints = complaints_about({**sound, file: text}, shared)
        found = [c for c in complaints if file in c and expected in c]
        assert found, f"{file} with {text!r}: expected '{expected}', got {complaints}"
    two = {"include/dcube/core/a.hpp": '#include "b.hpp"\n', "include/dcube/core/b.hpp": '#include "a.hpp"\n'}
    assert len(complaints_about(two, {})) == 1
    complaints = complaints_about({**sound, "src/scenario/reader.cpp": ""}, shared)
    assert len(complaints) == 1 and "no other room includes it" in complaints[0], complaints
    many = {f"src/scenario/r{i}.cpp": '#include "topology/catalog.hpp"\n' for i in range(MOST_SHARED)}
    complaints = complaints_about({**sound, **many}, shared)
    assert len(complaints) == 1 and "may be" in complaints[0], complaints
    print(f"{len(mistakes) + 3} kinds of mistake are found")


def complaints_about(files, shared):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Tree(root, shared, {"src/search/usual.cpp": (1, "the usual one")}).complaints


def main():
    check_rules()
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[1])
    tree = Tree(root, SHARED, NAMED_OBJECTIVES)
    for complaint in tree.complaints:
        print(complaint)
    if not tree.files:
        print(f"{root}: no sources")
        return 1
    print(f"{len(tree.files)} files, {len(tree.complaints)} complaints")
    return 1 if tree.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
