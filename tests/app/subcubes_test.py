"""dcube subcubes: mappings, files, pairs, the conjecture, simulation, interrupts."""

import csv
import json
import pathlib
import re
import shlex
import signal
import time
import unittest

from program import ProgramTest, wait_for

TOP_LEVEL = pathlib.Path(__file__).resolve().parents[2]

GRAPH = {
    "schema_version": 1,
    "tasks": 4,
    "messages": [[0, 1, 3], [0, 2, 2], [3, 0, 1], [1, 2, 5]],
}


def hamming(a, b):
    return sum(x != y and "*" not in (x, y) for x, y in zip(a, b))


def twice_mean(a, b):
    return 2 * hamming(a, b) + sum((x == "*") != (y == "*") for x, y in zip(a, b))


def bandwidth(graph, mapping):
    """Total bandwidth by the definitions."""
    d = mapping[0].count("*")
    return sum(w * twice_mean(mapping[i], mapping[j]) * 2**d // 2 for i, j, w in graph["messages"])


class Subcubes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.graph = self.write("graph.json", GRAPH)

    def search(self, *arguments):
        return self.json("subcubes", self.graph, "--subcube", 1, "--json", *arguments)

    def test_every_method_finds_a_mapping_of_the_kind_asked_for(self):
        for method in ("annealing", "paper", "random", "exhaustive"):
            for kind in ("parallel", "non-parallel", "any"):
                with self.subTest(method=method, kind=kind):
                    result = self.search("--method", method, f"--{kind}")
                    mapping = result["mapping"]
                    self.assertEqual((result["tasks"], result["subcube"], result["dimensions"]), (4, 1, 3))
                    self.assertEqual([a.count("*") for a in mapping], [1] * 4)
                    self.assertTrue(all(hamming(a, b) for a in mapping for b in mapping if a != b))
                    self.assertEqual(result["bandwidth"], bandwidth(GRAPH, mapping))
                    self.assertGreaterEqual(result["bandwidth"], result["bound"])
                    if kind != "any":
                        self.assertEqual(result["parallel"], kind == "parallel")

    def test_exhaustive_is_optimal_and_annealing_meets_it(self):
        best = self.search("--method", "exhaustive", "--any")
        self.assertTrue(best["optimal"])
        self.assertEqual(self.search()["bandwidth"], best["bandwidth"])

    def test_traffic_of_any_application_is_a_task_graph(self):
        self.write("app.csv", "from,to,bytes\n0,1,3\n0,2,2\n3,0,1\n1,2,5\n")
        result = self.json("subcubes", "--traffic", "app.csv", "--subcube", 1, "--json")
        self.assertEqual(result["mapping"], self.search()["mapping"])
        ring = self.json("subcubes", "--traffic", "ring:8", "--subcube", 2, "--json")
        self.assertEqual((ring["tasks"], ring["dimensions"], ring["node_distance"]), (8, 5, 1))

    def test_the_examples_of_the_page_are_what_is_printed(self):
        page = (TOP_LEVEL / "docs" / "theory" / "subcubes.md").read_text()
        examples = re.findall(r"```\n\$ \./dcube (subcubes [^\n]*)\n(?:\.\.\n)?(.*?)```", page, re.DOTALL)
        self.assertGreaterEqual(len(examples), 4)
        (self.folder / "scenarios").symlink_to(TOP_LEVEL / "scenarios")
        for command, expected in examples:
            with self.subTest(command=command):
                printed = self.output(*shlex.split(command))
                self.assertEqual(printed[-len(expected) :], expected)

    def test_a_result_follows_from_the_seed(self):
        arguments = ("subcubes", "--random", "tasks=25,ccp=0.2,w=20", "--subcube", 3, "--method", "paper")
        first = self.output(*arguments, "--seed", 7)
        self.assertEqual(self.output(*arguments, "--seed", 7), first)
        self.assertNotEqual(self.output(*arguments, "--seed", 8), first)

    def test_the_table_shows_tasks_and_quality(self):
        text = self.output("subcubes", self.graph, "--subcube", 1)
        self.assertIn("4 tasks, 4 messages, on 1-cubes of a 3-cube", text)
        self.assertIn("bandwidth", text)
        self.assertIn("parallel; greatest common frontier of 1 dimension", text)

    def test_a_written_mapping_is_measured_again(self):
        found = self.search("--output", "mapped.json")
        written = json.loads((self.folder / "mapped.json").read_text())
        self.assertEqual(written["mapping"], found["mapping"])
        again = self.json("subcubes", "mapped.json", "--evaluate", "mapped.json", "--json")
        for key in ("bandwidth", "mapping", "diameter", "node_distance", "parallel", "bound"):
            self.assertEqual(again[key], found[key])
        self.assertEqual(again["method"], "given")
        self.assertEqual(self.output("validate", "mapped.json"), "mapped.json: valid task graph\n")

    def test_a_graph_that_is_written_keeps_its_name_and_description(self):
        labels = {"name": "four", "description": "Four tasks."}
        self.write("named.json", {**GRAPH, **labels})
        self.output("subcubes", "named.json", "--subcube", 1, "--output", "mapped.json")
        written = json.loads((self.folder / "mapped.json").read_text())
        self.assertEqual({key: written.get(key) for key in labels}, labels)

    def test_a_reduction_leads_back_to_a_mapping(self):
        self.output("subcubes", self.graph, "--subcube", 1, "--reduction", "reduced.json")
        reduced = json.loads((self.folder / "reduced.json").read_text())
        self.assertEqual(reduced["tasks"], 8)
        self.assertEqual(len(reduced["messages"]), 2 * 4 + 4)
        self.output("subcubes", "reduced.json", "--subcube", 0, "--output", "nodes.json")
        arguments = ("subcubes", self.graph, "--subcube", 1, "--evaluate", "nodes.json", "--json")
        mapping = self.json(*arguments)["mapping"]
        self.assertEqual([a.count("*") for a in mapping], [1] * 4)
        broken = json.loads((self.folder / "nodes.json").read_text())
        nodes = broken["mapping"]
        nodes[0], nodes[2], nodes[4], nodes[6] = nodes[2], nodes[4], nodes[6], nodes[0]
        self.write("nodes.json", broken)
        self.assert_refused(arguments, "nodes.json: is no mapping to subcubes")

    def test_an_optimiser_of_single_nodes_solves_the_reduction(self):
        arguments = ("subcubes", self.graph, "--subcube", 1)
        self.output(*arguments, "--reduction", "reduced.mtx")
        search = ("search", "--machine", "hypercube:3", "--traffic", "reduced.mtx", "--output", "found.json")
        self.output(*search, "--method", "exhaustive")
        found = self.json(*arguments, "--map", "found.json", "--json")
        self.assertEqual(found["bandwidth"], self.search("--method", "exhaustive", "--any")["bandwidth"])
        nodes = json.loads((self.folder / "found.json").read_text())["map"]
        nodes[0], nodes[2], nodes[4], nodes[6] = nodes[2], nodes[4], nodes[6], nodes[0]
        self.write("found.json", {"kind": "explicit", "map": nodes})
        self.assert_refused((*arguments, "--map", "found.json"), "found.json: is no mapping to subcubes")
        self.assert_refused((*arguments, "--map", "x.json", "--evaluate", "y.json"), "--map: one of")
        self.assert_refused((*arguments, "--map", "gone.json"), "gone.json: cannot be read")
        self.assert_refused((*arguments, "--reduction", "r.xyz"), "--reduction: ", ".mtx")
        self.assert_refused((*arguments, "--reduction", "gone/r.mtx"), "--reduction: ", "is not a folder")

    def test_a_pair_is_that_of_the_definitions(self):
        pair = self.json("subcubes", "--pair", "0*1*", "1**0", "--json")
        self.assertEqual((pair["H"], pair["M"], pair["T"]), (1, 2, 8))
        self.assertEqual(pair["frontiers"], ["0*10", "1*10"])
        self.assertEqual((pair["parallel"], pair["disjoint"]), (False, True))
        self.assertIn("total distance of partners T        8", self.output("subcubes", "--pair", "0*1*", "1**0"))

    def test_the_conjecture_holds(self):
        checks = self.json("subcubes", "--conjecture", "--json")
        self.assertEqual(len(checks), 8)
        self.assertTrue(all(check["holds"] for check in checks))
        one = self.output("subcubes", "--conjecture", "--subcube", 1, "--dimensions", 4)
        self.assertIn("holds for every task graph", one)

    def test_bandwidth_is_held_against_simulated_makespan(self):
        result = self.json(
            "subcubes", "--random", "tasks=8,ccp=0.5,w=40", "--subcube", 1, "--simulate", 12, "--json"
        )
        simulation = result["simulation"]
        self.assertEqual(len(simulation["mappings"]), 12)
        self.assertEqual({m["parallel"] for m in simulation["mappings"]}, {True, False})
        for mapping in simulation["mappings"]:
            self.assertGreaterEqual(mapping["makespan_s"], mapping["makespan_uncontended_s"])
        for links in ("contention", "no_contention"):
            for coefficient in ("pearson", "spearman"):
                value = simulation[links][coefficient]
                self.assertTrue(value is None or -1 <= value <= 1.0000001)
        self.assertGreater(simulation["contention"]["pearson"], 0.3)

    def test_of_ties_the_least_of_the_other_is_shown(self):
        draw = ("subcubes", "--random", "tasks=6,ccp=0.5,w=20", "--subcube", 2, "--simulate", 25)
        line = re.search(r"one message at a time .*", self.output(*draw))[0]
        self.assertRegex(line, r" 40 us +720 +40 us$")

    def test_preparing_simulations_ends_with_an_interrupt(self):
        process = self.start("subcubes", "--random", "tasks=64,ccp=.3,w=20", "--subcube", 1, "--simulate", 100000, "--method", "random")
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - begin, 10)

    def test_tasks_and_simulated_mappings_are_written_as_csv(self):
        draw = ["subcubes", "--random", "tasks=6,ccp=0.5,w=20", "--subcube", "1"]
        told = self.json(*draw, "--simulate", "3", "--json", "--write", "simulation:k.csv", "--csv", "t.csv")
        tasks = list(csv.DictReader((self.folder / "t.csv").read_text().splitlines()))
        self.assertEqual([task["subcube"] for task in tasks], told["mapping"])
        self.assertEqual(sum(int(task["bandwidth"]) for task in tasks), told["bandwidth"])
        rows = list(csv.DictReader((self.folder / "k.csv").read_text().splitlines()))
        self.assertEqual([float(row["makespan_s"]) for row in rows],
                         [row["makespan_s"] for row in told["simulation"]["mappings"]])
        self.assertEqual(self.output(*draw, "--csv", "-"), (self.folder / "t.csv").read_text())
        self.assert_refused([*draw, "--write", "simulation:k.csv"], "add --simulate K")
        self.assert_refused(["subcubes", "--pair", "0*1*", "1**0", "--csv", "p.csv"], "--csv: is of a mapping")

    def test_a_machine_can_be_named(self):
        text = self.output(
            "subcubes", self.graph, "--subcube", 1, "--simulate", 4, "--machine", "unit-hypercube-4"
        )
        self.assertIn("simulated on unit-hypercube-4", text)
        self.assert_refused(
            ("subcubes", self.graph, "--subcube", 1, "--simulate", 4, "--machine", "unit-ring-4"), "--machine"
        )

    def failed_cube(self, dimensions, **failed):
        return self.write(
            "failed.json",
            {
                "schema_version": 1,
                "topology": {"kind": "hypercube", "dimensions": dimensions},
                "link": {"per_byte": "1us"},
                "failed": failed,
            },
        )

    def test_nodes_that_have_failed_are_left_out(self):
        machine = self.failed_cube(4, nodes=[0, 5], links=[[14, 15]], spares=[10])
        dead = {0, 5, 10}
        for method in ("annealing", "paper", "random", "exhaustive"):
            for kind in ("parallel", "non-parallel", "any"):
                with self.subTest(method=method, kind=kind):
                    result = self.search("--machine", machine, "--method", method, f"--{kind}", "--dimensions", 4)
                    self.assertEqual(result["left_out"], sorted(dead))
                    for address in result["mapping"]:
                        self.assertFalse([n for n in dead if not hamming(address, f"{n:04b}")], address)
                    self.assertEqual(result["bandwidth"], bandwidth(GRAPH, result["mapping"]))
                    self.assertGreaterEqual(result["bandwidth"], result["bound"])
        text = self.output("subcubes", self.graph, "--subcube", 1, "--machine", machine, "--dimensions", 4)
        self.assertIn("left out  3 nodes of the cube, which the machine cannot use: 0 5 10", text)

    def test_a_cube_is_larger_where_what_has_failed_takes_the_room(self):
        self.assertEqual(self.search()["dimensions"], 3)
        machine = self.failed_cube(4, nodes=[1])
        self.assertEqual(self.search("--machine", machine)["dimensions"], 4)

    def test_mappings_to_nodes_are_all_parallel_ones_when_simulated(self):
        result = self.json(
            "subcubes", "--random", "tasks=6,ccp=0.5,w=40", "--subcube", 0, "--any", "--simulate", 5, "--json"
        )
        self.assertEqual([mapping["parallel"] for mapping in result["simulation"]["mappings"]], [True] * 5)

    def test_mappings_are_simulated_on_a_machine_with_failures(self):
        machine = self.failed_cube(4, nodes=[0, 5], spares=[10])
        result = self.search("--simulate", 8, "--machine", machine, "--write", "scenario:exchange.json")
        self.assertEqual(len(result["simulation"]["mappings"]), 8)
        for mapping in result["simulation"]["mappings"]:
            self.assertGreaterEqual(mapping["makespan_s"], mapping["makespan_uncontended_s"])
        run = self.json("run", "exchange.json", "--json")
        self.assertTrue(run["verified"])
        self.assertEqual(run["program"]["processes"], 8)
        self.assertFalse({0, 5, 10} & set(run["embedding"]["map"]))
        self.assertEqual(run["program"]["answer"]["bandwidth"], result["bandwidth"])

    def test_options_of_simulations_need_some(self):
        for option, value in (("--jobs", "2"), ("--time-limit", "1s"), ("--records", "kept"), ("--shard", "1/1")):
            self.assert_refused(["subcubes", self.graph, "--subcube", 1, option, value],
                                f"dcube: {option}: is for the simulations of --simulate (add --simulate 100)\n")  # fmt: skip
        self.assertEqual(self.files(), ["graph.json"])

    def test_a_map_that_is_none_is_the_fault_of_its_option(self):
        self.assert_refused(["subcubes", self.graph, "--subcube", 1, "--map", "xr"], 'dcube: --map: "xr" is no embedding')

    def test_a_mapping_onto_failed_nodes_is_refused(self):
        mapping = {"schema_version": 1, "mapping": ["000*", "001*", "010*", "011*"]}
        mapping = self.write("mapping.json", mapping)
        machine = self.failed_cube(4, nodes=[6])
        self.assert_refused(
            ("subcubes", self.graph, "--machine", machine, "--evaluate", mapping), "011* of task 3 holds node 6"
        )
        machine = self.failed_cube(3, nodes=[6])
        self.assert_refused(
            ("subcubes", self.graph, "--subcube", 1, "--machine", machine), "--dimensions: 4 1-cubes do not fit"
        )

    def test_a_written_scenario_runs(self):
        found = self.search("--scenario", "exchange.json")
        result = self.json("run", "exchange.json", "--json")
        self.assertTrue(result["verified"])
        self.assertEqual(result["program"]["answer"]["bandwidth"], found["bandwidth"])

    def test_what_cannot_be_used_is_said(self):
        def refused(arguments, *parts):
            self.assert_refused(("subcubes", *arguments), *parts)

        refused((), "GRAPH: a task graph is missing")
        refused((self.graph, "--random", "tasks=4"), "GRAPH: one of GRAPH, --traffic and --random")
        refused((self.graph,), "--subcube: is missing")
        refused((self.graph, "--subcube", 1, "--dimensions", 2), "--dimensions: 4 tasks do not fit")
        for number in (0, 21, "x"):
            refused((self.graph, "--subcube", 1, "--dimensions", number), f"--dimensions: {number} is not a number of dimensions (1 to 20)")
        refused((self.graph, "--subcube", 1, "--method", "anealing"), "did you mean `annealing`?")
        refused((self.graph, "--subcube", 1, "--any", "--parallel"), "--parallel: one of")
        refused((self.graph, "--subcube", 0, "--non-parallel"), "every mapping is parallel")
        refused(("--random", "tasks=4,cpp=1", "--subcube", 1), "--random", "cpp")
        refused(("--random", "tasks=4,edges=9", "--subcube", 1), "--random", "9 is not")
        refused(("--random", "tasks=4,ccp=2", "--subcube", 1), "--random", "a probability (0 to 1)")
        refused((self.graph, "--subcube", 1, "--method", "random", "--moves", 5), "--moves: random makes no moves")
        refused((self.graph, "--subcube", 1, "--method", "exhaustive", "--restarts", 5), "--restarts: exhaustive")
        refused((self.graph, "--subcube", 1, "--machine", "unit-ring-8"), "--machine: is for --simulate")
        refused((self.graph, "--subcube", 1, "--scenario", "x.json", "--machine", "nope"), "--machine: ", "nope")
        refused((self.graph, "--conjecture"), "--conjecture: takes no task graph")
        refused(("--pair", "0*", "0*1"), "--pair: 0* and 0*1 lie in different cubes")
        refused(("--pair", "0*", "0x"), "--pair", "is not the address of a subcube")
        refused(("--conjecture", "--subcube", 1), "--conjecture: needs both")
        refused(("--conjecture", "--subcube", 1, "--dimensions", 9), "--conjecture", "cannot be looked through")
        refused((self.graph, "--subcube", 1, "--evaluate", self.graph), "`mapping` is missing")
        self.output("subcubes", self.graph, "--subcube", 1, "--output", "mapped.json")
        refused((self.graph, "--subcube", 2, "--evaluate", "mapped.json"), "--subcube: is 2, and mapped.json maps to 1-cubes (leave it out)")
        refused(("--traffic", "ring:5", "--evaluate", "mapped.json"), "dcube: mapped.json: 5 tasks do not fit")
        refused((self.graph, "--subcube", 1, "--output", "gone/x.json"), "--output", "is not a folder")

    def test_a_mapping_that_is_given_takes_no_options_of_a_search(self):
        self.output("subcubes", self.graph, "--subcube", 1, "--output", "parallel.json")
        self.output("subcubes", self.graph, "--subcube", 1, "--non-parallel", "--output", "other.json")
        for words, name, complaint in (
            (("--method", "exhaustive"), "parallel.json", "--method: is of a search, and --evaluate gives the mapping (leave it out)"),
            (("--moves", 5), "parallel.json", "--moves: is of a search"),
            (("--restarts", 3), "parallel.json", "--restarts: is of a search"),
            (("--non-parallel",), "parallel.json", "--non-parallel: the mapping of parallel.json is parallel"),
            (("--parallel",), "other.json", "--parallel: the mapping of other.json is not parallel"),
        ):  # fmt: skip
            self.assert_refused(("subcubes", self.graph, "--evaluate", name, *words), complaint)
        self.output("subcubes", self.graph, "--evaluate", "parallel.json", "--parallel")
        self.output("subcubes", self.graph, "--evaluate", "parallel.json", "--non-parallel", "--simulate", 2)

    def test_a_broken_task_graph_is_named_by_its_place(self):
        def refused(change, *parts):
            name = self.write("broken.json", {**GRAPH, **change})
            self.assert_refused(("subcubes", name, "--subcube", 1), "broken.json", *parts)

        refused({"messages": [[0, 4, 1]]}, "/messages/0/1: 4 is not a task (0 to 3)")
        refused({"messages": [[0, 1]]}, "/messages/0: [0, 1] is not a message")
        refused({"messages": [[1, 1, 5]]}, "/messages/0: task 1 sends to itself")
        refused({"tasks": 0}, "/tasks: 0 is not a number of tasks")
        refused({"mesages": []}, "/mesages: unknown key; did you mean `messages`?")
        refused({"mapping": ["0x"]}, "/mapping/0", "is not the address of a subcube")
        refused({"schema_version": 2}, "/schema_version")

    def test_an_interrupt_keeps_the_best_so_far(self):
        process = self.start(
            "subcubes", "--random", "tasks=30,ccp=0.5,w=20", "--subcube", 1, "--restarts", 100000,
            "--output", "best.json", "--seed", 3,
        )  # fmt: skip
        self.assertTrue(wait_for(lambda: self.blocks_interrupt(process)))
        process.send_signal(signal.SIGINT)
        output, errors = self.ended(process)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(errors, "dcube: interrupted (what was found so far is kept)\n")
        self.assertIn("interrupted", output)
        best = json.loads((self.folder / "best.json").read_text())
        self.assertEqual(len(best["mapping"]), 30)

    @staticmethod
    def blocks_interrupt(process):
        """Whether the search has begun to look out for an interrupt."""
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
        blocked = next(line.split()[1] for line in lines if line.startswith("SigBlk"))
        return int(blocked, 16) >> (signal.SIGINT - 1) & 1


if __name__ == "__main__":
    unittest.main()
