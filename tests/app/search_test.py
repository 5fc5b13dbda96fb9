"""dcube search: what it finds, writes and refuses."""

import json
import os
import signal
import subprocess
import unittest

from program import PROGRAM, ProgramTest, children, exists, long_running_child, machine, ring, scenario, wait_for

CUBE_ON_RING = ("search", "--machine", "ring:8", "--traffic", "cube:3")


class Search(ProgramTest):
    def test_summary_shows_starts_found_bound_and_gap(self):
        text = self.output(
            "search", "--machine", "torus:16x16", "--traffic", "cube:8", "--weights", "doubling", "--effort", "2000"
        )
        self.assertRegex(text, r"standard +5\.6667 +4\.593")
        self.assertRegex(text, r"weighted_xor +1\.3647 +1\.106")
        self.assertRegex(text, r"found +1\.3647 +1\.106")
        self.assertRegex(text, r"bound +1\.2338 +1\.000")
        self.assertIn("gap:   10.6 %", text)
        self.assertIn("annealing+scotch (auto: ", text)

    def test_json_holds_everything(self):
        result = self.json(*CUBE_ON_RING, "--objective", "average-dilation", "--json")
        self.assertEqual(result["found"]["value"], 40 / 24)
        self.assertEqual(result["gap"], 0)
        self.assertEqual(result["method"], "exhaustive")
        self.assertIn("every map", result["reason"])
        self.assertEqual(sorted(result["map"]), list(range(8)))
        self.assertIn("Liu & Tang", result["bound"]["source"])

    def test_same_seed_same_map(self):
        command = ("search", "--machine", "mesh:6x5", "--traffic", "tree:15", "--effort", "5000", "--json")
        first = self.json(*command, "--objective", "link-load")
        again = self.json(*command, "--objective", "link-load")
        self.assertEqual(first["map"], again["map"])

    def test_a_budget_without_an_end_is_null(self):
        command = ("search", "--machine", "mesh:6x5", "--traffic", "tree:15", "--time-limit", "50ms", "--json")
        self.assertIsNone(self.json(*command)["effort"])
        self.assertEqual(self.json(*command, "--effort", "7")["effort"], 7)

    def simulated(self, program, **more):
        machine = {"topology": {"kind": "torus", "shape": [4, 2]}, "link": {"latency": "1us", "bandwidth": "1GBps"}}
        self.write("s.json", {"schema_version": 1, "machine": machine, "embedding": "identity", "program": program, **more})
        return ("search", "s.json", "--objective", "makespan", "--effort", "40", "--json", "--output", "found.json")

    def test_cost_under_jitter_is_the_mean_over_seeds(self):
        phases = [{"compute": "100us"}, {"exchange": ["4KiB"]}, {"compute": "50us"}, {"exchange": ["1KiB"]}]
        command = self.simulated(
            {"kind": "pattern", "guest": "ring:8", "phases": phases}, jitter={"part": 0.2, "seed": 5}
        )
        found = self.json(*command, "--seeds", "3")["found"]
        times = [
            self.json("run", "s.json", "--embedding", "found.json", "--set", f"/jitter/seed={seed}", "--json")["makespan_ps"]
            for seed in (5, 6, 7)
        ]
        self.assertEqual(found["cost"], sum(times) // 3)
        self.assertEqual((found["seeds"], found["least"]), (3, min(times) / 1e12))
        self.assertEqual(found["greatest"], max(times) / 1e12)
        self.assertEqual(self.json(*command)["found"]["seeds"], 4)
        self.assertNotIn("seeds", self.json(*command, "--seeds", "1")["found"])
        self.assertRegex(self.output(*command[:-3], "--seeds", "3"), "spread: .* to .* of 3 seeds of the jitter")

    def test_seeds_are_those_of_jitter(self):
        command = self.simulated({"kind": "cc_dcube"})
        self.assert_refused([*command, "--seeds", "3"], "--seeds", "do not vary")
        self.assert_refused([*command[:-7], "--seeds", "3"], "--seeds", "makespan")

    def test_candidates_run_a_brief_program_and_the_best_the_whole(self):
        steps = ((3, 1), (1, 3), (5, 2), (7, 4))
        flows = [(a, (a * by + plus) % 8, 1000 * (a + 1)) for by, plus in steps for a in range(8)]
        lines = [f"{a},{b},{size}\n" for a, b, size in flows if a != b]
        (self.folder / "t.csv").write_text("".join(["from,to,bytes\n", *lines]))
        command = self.simulated({"kind": "traffic", "file": "t.csv", "rounds": 20})
        result = self.json(*command)
        brief = result["brief"]
        self.assertEqual(brief["repeats"], [{"setting": "/program/rounds", "whole": 20, "brief": 2}])
        self.assertEqual(brief["share"], 0.1)
        self.assertGreater(brief["checked"], 0)
        run = self.json("run", "s.json", "--embedding", "found.json", "--json")
        self.assertEqual(result["found"]["cost"], run["makespan_ps"])
        self.assertEqual(self.json(*command, "--jobs", "3")["map"], result["map"])
        self.assertIn("brief: candidates ran /program/rounds=2 instead of 20", self.output(*command[:-3]))
        self.assertNotIn("brief", self.json(*command, "--set", "/program/rounds=3"))

    def test_a_program_without_messages_is_not_brief(self):
        machine = {"topology": {"kind": "torus", "shape": [4, 2]}, "node": {"slots": 2, "cores": 1}}
        program = {"kind": "pattern", "guest": "ring:12", "phases": [{"repeat": 20, "phases": [{"compute": "1us"}]}]}
        self.write("s.json", {"schema_version": 1, "machine": machine, "embedding": "identity", "program": program})
        result = self.json("search", "s.json", "--objective", "makespan", "--effort", "20", "--jitter", "0.2", "--json")
        self.assertNotIn("brief", result)
        self.assertEqual((result["moves"], result["ended"]), (20, "effort used"))

    def test_nothing_is_so_many_times_a_bound_of_0(self):
        machine = {"schema_version": 1, "topology": {"kind": "ring", "nodes": 4}, "node": {"slots": 4}}
        self.write("m.json", {**machine, "link": {"latency": "1us"}})
        (self.folder / "t.csv").write_text("from,to,bytes\n0,1,5\n2,3,5\n0,7,1\n")
        text = self.output("search", "--machine", "m.json", "--traffic", "t.csv", "--effort", "100")
        self.assertRegex(text, r"\n  standard +0\.090909 +-\n")
        self.assertRegex(text, r"\n  bound +0 +1\.000\n")

    def test_output_is_an_embedding(self):
        self.output(*CUBE_ON_RING, "--output", "found.json")
        embedding = json.loads((self.folder / "found.json").read_text())
        self.assertEqual(embedding["kind"], "explicit")
        measured = self.json("embed", "ring:8", "--embedding", "found.json", "--json")
        self.assertEqual(measured["dilation"]["total"], 20)
        self.write("s.json", {**scenario(ring(8)), "embedding": embedding})
        self.assertEqual(self.json("run", "s.json", "--json")["embedding"]["map"], embedding["map"])

    def test_a_scenario_is_searched_by_its_traffic(self):
        self.write("s.json", scenario(ring(16), message=10))
        result = self.json("search", "s.json", "--json", "--effort", "1000")
        self.assertEqual(result["traffic"]["flows"], 64)
        self.assertEqual(result["traffic"]["bytes"], 640)
        self.assertEqual(result["found"]["cost"], 10 * 16 * 11)

    def test_an_all_to_all_is_the_same_everywhere_on_a_torus(self):
        torus = {"kind": "torus", "shape": [3, 3]}
        self.write("s.json", {**scenario(torus), "program": {"kind": "all_to_all", "message": 5}})
        result = self.json("search", "s.json", "--json", "--effort", "1000")
        self.assertEqual(result["traffic"]["flows"], 9 * 8)
        self.assertEqual(result["found"]["cost"], 5 * 9 * (4 * 1 + 4 * 2))

    def test_a_program_of_one_hop_alone_is_proved_the_fastest(self):
        phases = [{"exchange": [64, 16]}, {"compute": "1us"}]
        machine = {"topology": {"kind": "mesh", "shape": [4, 2]}, "link": {"latency": "1us", "per_byte": "1ns"}}
        program = {"kind": "pattern", "guest": "mesh:4x2", "phases": phases}
        text = json.dumps({"schema_version": 1, "machine": machine, "program": program, "embedding": "identity"})
        (self.folder / "s.json").write_text(text)
        result = self.json("search", "s.json", "--objective", "makespan", "--effort", "40", "--json")
        self.assertEqual(result["found"]["cost"], 2_064_000)
        self.assertEqual(result["bound"]["cost"], 2_064_000)
        self.assertEqual(result["gap"], 0)

    def test_makespan_does_not_depend_on_jobs(self):
        self.write("s.json", scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3))
        command = ("search", "s.json", "--objective", "makespan", "--effort", "24", "--json")
        one = self.json(*command, "--jobs", "1", "--output", "found.json")
        three = self.json(*command, "--jobs", "3")
        self.assertEqual(one["map"], three["map"])
        self.assertEqual(one["moves"], three["moves"])
        self.assertLessEqual(one["found"]["cost"], min(start["cost"] for start in one["starts"]))
        run = self.json("run", "s.json", "--embedding", "found.json", "--json")
        self.assertEqual(run["makespan_ps"], one["found"]["cost"])

    def test_a_simulation_that_is_killed_costs_one_map(self):
        self.write("s.json", scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3))
        process = self.start("search", "s.json", "--objective", "makespan", "--method", "annealing",
                             "--effort", "1000000000", "--jobs", "1", "--time-limit", "3s", "--json")
        before = long_running_child(process)
        os.kill(int(before), signal.SIGKILL)
        after = long_running_child(process)
        self.assertNotEqual(before, after)
        output, complaint = self.ended(process)
        self.assertEqual((process.returncode, complaint), (0, ""))
        self.assertGreater(json.loads(output)["moves"], 8)
        self.assertFalse(exists(after))

    def slots(self, topology, slots, **node):
        self.write("slots.json", machine(topology, node={"slots": slots, "local": {"latency": "100ms"}, **node}))
        return "slots.json"

    def test_several_processes_a_node(self):
        network = self.slots({"kind": "torus", "shape": [4, 4]}, 4)
        command = ("search", "--machine", network, "--traffic", "cube:6", "--weights", "doubling")
        text = self.output(*command, "--output", "found.json", "--write", "rankfile:x.rankfile")
        self.assertRegex(text, r"4x4 torus, 4 slots a node\)")
        self.assertRegex(text, r"xor +0\.95238 +4\.000")
        self.assertRegex(text, r"xor, fold high +0\.2381 +1\.000")
        self.assertIn("gap:   none, an optimum", text)
        result = self.json(*command, "--json")
        self.assertEqual(result["network"]["slots"], 4)
        self.assertEqual({result["map"].count(node) for node in range(16)}, {4})
        found = json.loads((self.folder / "found.json").read_text())
        self.assertEqual(found["map"], result["map"])
        placed = self.json("embed", network, "--embedding", "found.json", "--guest", "cube:6", "--json")
        self.assertEqual(placed["map"], found["map"])
        self.assertEqual(
            self.json("embed", network, "--embedding", "x.rankfile", "--guest", "cube:6", "--json")["map"], found["map"]
        )

    def test_each_method_fills_slots(self):
        network = self.slots(ring(5), 3)
        for method in ("annealing", "scotch", "auto"):
            effort = () if method == "scotch" else ("--effort", "3000")
            for traffic, processes in (("mesh:5x3", 15), ("ring:7", 7)):
                result = self.json(
                    "search", "--machine", network, "--traffic", traffic, "--method", method, "--json", *effort
                )
                self.assertEqual(len(result["map"]), processes)
                self.assertLessEqual(max(map(result["map"].count, result["map"])), 3)
                self.assertGreaterEqual(result["found"]["cost"], result["bound"]["cost"])
        small = self.slots(ring(4), 2)
        result = self.json("search", "--machine", small, "--traffic", "cube:3", "--json")
        self.assertEqual((result["method"], result["reason"]), ("exhaustive", "auto: up to 8 slots every map can be tried"))
        part = self.json("search", "--machine", "mesh:4x4", "--traffic", "ring:6", "--only", "0-2,4-6", "--json")
        self.assertEqual(part["method"], "exhaustive")

    def test_cc_time_knows_messages_inside_nodes(self):
        network = self.slots(ring(4), 2)
        command = ("search", "--machine", network, "--traffic", "cube:3", "--objective", "cc-time", "--method")
        found = self.json(*command, "exhaustive", "--json", "--output", "found.json")
        embedded = self.json("embed", network, "--embedding", "found.json", "--guest", "cube:3", "--json")
        self.assertEqual(found["found"]["value"], embedded["cc"]["makespan_s"])
        self.assertEqual(found["found"]["value"], 3 + 2 + 0.1)  # stages of a second, two hops, a message inside nodes

    def test_a_scenario_on_slots_is_searched_by_traffic_and_by_simulation(self):
        mesh = {"kind": "mesh", "shape": [3, 2]}
        several = machine(mesh, node={"slots": 2, "local": {"latency": "100ms"}})
        self.write("s.json", {**scenario(mesh, "block", dimensions=3), "machine": several})
        traffic = self.json("search", "s.json", "--json", "--method", "annealing", "--effort", "2000")
        self.assertEqual(traffic["traffic"]["flows"], 24)
        command = ("search", "s.json", "--objective", "makespan", "--effort", "24", "--json")
        one = self.json(*command, "--jobs", "1", "--output", "found.json")
        self.assertEqual(one["map"], self.json(*command, "--jobs", "3")["map"])
        self.assertLessEqual(max(map(one["map"].count, one["map"])), 2)
        self.assertLessEqual(one["found"]["cost"], min(start["cost"] for start in one["starts"]))
        self.assertGreaterEqual(one["found"]["cost"], one["bound"]["cost"])
        run = self.json("run", "s.json", "--embedding", "found.json", "--json")
        self.assertEqual(run["makespan_ps"], one["found"]["cost"])

    def test_what_slots_have_no_room_for_is_refused(self):
        network = self.slots(ring(127), 4)
        self.write("t.csv", "0,511,1\n")
        self.assert_refused(
            ["search", "--machine", network, "--traffic", "cube:9"], "512 processes", "508 slots on 127 nodes"
        )
        self.assert_refused(
            ["search", "--machine", network, "--traffic", "t.csv"], "512 processes", "508 slots on 127 nodes"
        )
        full = self.slots(ring(8), 2)
        self.assert_refused(
            ["search", "--machine", full, "--traffic", "cube:3", "--method", "constant-distances"], "2 slots"
        )

    def test_traffic_from_a_file(self):
        self.write("t.csv", "from,to,bytes\n# a path\n0,1,5\n1,2,7\n2,3,1\n")
        text = self.output("search", "--machine", "mesh:2x2", "--traffic", "t.csv")
        self.assertIn("gap:   none, an optimum", text)
        self.write("bad.csv", "0,1,5\n0,one,5\n")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "bad.csv"], "bad.csv: line 2", "one")
        self.write("empty.csv", "from,to,bytes\n")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "empty.csv"], "empty.csv", "holds no traffic")

    def test_interrupt_keeps_the_best_map(self):
        self.write("found.json", "old")
        process = self.start(
            "search", "--machine", "torus:16x16", "--traffic", "mesh:15x17", "--effort", "4000000000",
            "--method", "annealing", "--output", "found.json", "--json",
        )  # fmt: skip
        with self.assertRaises(subprocess.TimeoutExpired):
            process.communicate(timeout=1)
        process.send_signal(signal.SIGINT)
        output, complaint = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", complaint)
        result = json.loads(output)
        self.assertEqual(result["ended"], "interrupted")
        self.assertEqual(json.loads((self.folder / "found.json").read_text())["map"], result["map"])

    def slow_scenario(self):
        """A simulation of it takes a second or so."""
        return self.write("slow.json", scenario(ring(4096)))

    def test_an_interrupt_of_the_starts_says_nothing_of_bounds(self):
        scenario_file = self.slow_scenario()
        for command in ("search", "place"):
            process = self.start(command, scenario_file, "--objective", "makespan", "--jobs", "1", "--json")
            seen = set()  # the traffic, the bound, the starts
            self.assertTrue(wait_for(lambda process=process, seen=seen: seen.update(children(process)) or len(seen) >= 3))
            process.send_signal(signal.SIGINT)
            output, complaint = self.ended(process)
            self.assertEqual(process.returncode, 130)
            if output:
                self.assertEqual(json.loads(output)["ended"], "interrupted")
                self.assertEqual(complaint, "dcube: interrupted; the best map so far is kept\n")
            else:
                self.assertEqual(complaint, "dcube: slow.json: interrupted before anything was simulated\n")

    def test_a_time_limit_leaves_one_start_to_simulate(self):
        scenario_file = self.slow_scenario()
        for command in ("search", "place"):
            for jobs in ("1", "3"):
                result = self.json(command, scenario_file, "--objective", "makespan", "--time-limit", "1ns", "--jobs", jobs, "--json")
                self.assertIn("time limit", result["ended"])
                self.assertLessEqual(len(result["starts"]), 1 if command == "search" else 2)
                self.assertEqual(result["moves"], 0)
                self.assertEqual(result["found"]["cost"], min(start["cost"] for start in result["starts"]))

    def test_an_interrupt_of_the_proof_is_how_the_search_ended(self):
        terminal, slave = os.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen(
            [PROGRAM, "search", "--machine", "torus:8x8", "--traffic", "mesh:7x9", "--effort", "1000", "--prove", "1h", "--json"],
            stdout=subprocess.PIPE, stderr=slave,
        )  # fmt: skip
        self.addCleanup(process.kill)
        os.close(slave)
        shown = b""
        while b"proving" not in shown:
            shown += os.read(terminal, 65536)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(output)["ended"], "interrupted")

    def test_makespans_are_not_enumerated(self):
        self.write("s.json", scenario(ring(8)))
        for method in ("exhaustive", "constant-distances"):
            self.assert_refused(["search", "s.json", "--objective", "makespan", "--method", method], "simulates")

    def sparse_traffic(self):
        lines = [f"{i},{(i * i * 1103515245 + 12345) % 4096},{1 + i % 7}" for i in range(4096)]
        self.write("sparse.csv", "from,to,bytes\n" + "\n".join(lines) + "\n")

    def test_scotch_is_one_thread_whose_maps_annealing_begins_with(self):
        self.sparse_traffic()
        command = ("search", "--machine", "torus:64x64", "--traffic", "sparse.csv", "--json")
        scotch = self.json(*command, "--method", "scotch")
        self.assertEqual(self.json(*command, "--method", "scotch")["map"], scotch["map"])
        auto = self.json(*command, "--effort", "2000")
        self.assertIn("scotch", {start["embedding"] for start in auto["starts"]})
        self.assertLessEqual(auto["found"]["cost"], scotch["found"]["cost"])

    def test_time_limit_ends_scotch(self):
        self.sparse_traffic()
        result = self.json(
            "search", "--machine", "torus:64x64", "--traffic", "sparse.csv", "--method", "scotch",
            "--time-limit", "1ms", "--json",
        )  # fmt: skip
        self.assertIn("time limit", result["ended"])
        self.assertEqual(len(set(result["map"])), 4096)

    def test_progress_on_a_terminal_makes_way_for_the_result(self):
        for effort, done in [(("--effort", "4000000000"), " of 4,000,000,000"), ((), " maps")]:
            terminal, slave = os.openpty()
            process = subprocess.Popen(
                [PROGRAM, "search", "--machine", "torus:16x16", "--traffic", "mesh:15x17", *effort,
                 "--method", "annealing", "--time-limit", "1500ms"],
                stdout=slave, stderr=slave,
            )  # fmt: skip
            os.close(slave)
            shown = b""
            while True:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:  # closed by the program
                    break
            os.close(terminal)
            self.assertEqual(process.wait(), 0)
            progress, result = shown.decode().split("hop-bytes of mesh:15x17")
            self.assertRegex(progress, rf"searching: [\d,]+{done}, best [\d.]+ hops per byte, bound [\d.]+, gap [\d.]+ %")
            self.assertTrue(progress.endswith("\r\x1b[K"), progress)
            self.assertNotIn("\x1b", result)

    def test_time_limit_is_said(self):
        result = self.json(
            "search", "--machine", "torus:8x8", "--traffic", "mesh:9x7", "--effort", "4000000000",
            "--method", "annealing", "--time-limit", "200ms", "--json",
        )  # fmt: skip
        self.assertIn("time limit", result["ended"])

    def machine_with_costs(self):
        document = machine({"kind": "torus", "shape": [4, 4]})
        document["link"] = {"latency": "1us", "bandwidth": "1GBps"}
        document["links"] = [{"from": 0, "to": 1, "latency": "1us", "bandwidth": "10MBps"}]
        self.write("m.json", document)
        return "m.json"

    def test_the_slowest_link_and_sums(self):
        network = self.machine_with_costs()
        self.write("t.csv", "0,1,1000\n")
        result = self.json("search", "--machine", network, "--traffic", "t.csv", "--objective", "link-time", "--json",
                           "--effort", "500")
        self.assertEqual(result["found"]["cost"], 1000 * 1000)  # 1000 bytes at 1 ns
        text = self.output("search", "--machine", network, "--traffic", "t.csv", "--objective", "link-time", "--effort", "500")
        self.assertRegex(text, r"\n  embedding +slowest link +to bound\n")
        self.assertRegex(text, r"\n  identity +100 us +100\.000\n")
        slow = self.json("search", "--machine", network, "--traffic", "t.csv", "--objective", "link-time", "--json",
                         "--pin", "0=0,1=1", "--effort", "500")
        self.assertEqual(slow["found"]["cost"], 100 * 1000 * 1000)
        both = self.json("search", "--machine", network, "--traffic", "t.csv", "--objective", "hop-bytes+0.25*link-load",
                         "--json", "--effort", "500")
        self.assertEqual(both["objective"], "hop-bytes+0.25*link-load")
        self.assertEqual(both["found"]["value"], 1250)
        self.assertEqual([part["cost"] for part in both["found"]["parts"]], [1000, 1000])
        self.assertEqual([part["share"] for part in both["found"]["parts"]], [0.8, 0.2])
        text = self.output("search", "--machine", network, "--traffic", "t.csv", "--objective", "hop-bytes+0.25*link-load",
                           "--effort", "500")
        self.assertRegex(text, r"link-load +0\.25 +1,000 bytes on the busiest link +1\.000 +20\.0 %")
        relative = ["search", "--machine", "torus:4x4", "--traffic", "cube:4", "--effort", "500", "--objective"]
        result = self.json(*relative, "hop-bytes+20%*link-load", "--json")
        again = self.json(*relative, result["objective"], "--json")
        self.assertEqual(again["found"], result["found"])
        bounds = [part["bound"] for part in result["found"]["parts"]]
        weights = [part["weight"] for part in result["found"]["parts"]]
        self.assertAlmostEqual(weights[1] * bounds[1] / (weights[0] * bounds[0]), 0.2, delta=0.001)
        self.assertRegex(self.output(*relative, "hop-bytes+20%*link-load"), r"\n +term +weight .*to bound +of the sum\n")
        torus = ["search", "--machine", "torus:4x4", "--traffic", "t.csv", "--objective"]
        self.assert_refused([*torus, "link-time"], "--objective", "per_byte")
        for lonely in ("ring:1", "torus:1x1"):
            self.assert_refused(["search", "--machine", lonely, "--traffic", "cube:0", "--objective", "link-time"],
                                "--objective: the machine has no links, so link-time tells nothing")  # fmt: skip
        self.assert_refused([*torus, "hop-bytes+0.2*link-laod"], "--objective", "link-load")
        self.assert_refused([*torus, "hop-bytes+makespan"], "--objective", "makespan")
        self.assert_refused([*torus, "hop-bytes+link-load", "--certificate", "x", "--method", "exhaustive"], "--certificate")

    def test_what_processes_send_themselves_is_said(self):
        self.write("x.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n2 1 5\n3 2 4\n")
        text = self.output("search", "--machine", "ring:4", "--traffic", "x.mtx")
        self.assertIn("7 bytes more from processes to themselves", text)
        result = self.json("search", "--machine", "ring:4", "--traffic", "x.mtx", "--json")
        self.assertEqual((result["traffic"]["bytes"], result["traffic"]["own_bytes"]), (18, 7))
        self.assertEqual(result["found"]["cost"], 18)
        embedded = self.json("embed", "ring:4", "--embedding", "standard", "--traffic", "x.mtx", "--json")
        self.assertEqual(embedded["traffic"]["own_bytes"], 7)
        self.assertIn("7 bytes from processes to themselves",
                      self.output("embed", "ring:4", "--embedding", "standard", "--traffic", "x.mtx"))
        self.write("y.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 1\n2 1 5\n")
        embedded = self.json("embed", "ring:4", "--embedding", "standard", "--traffic", "y.mtx", "--json")
        self.assertEqual(embedded["traffic"].get("own_bytes"), None)

    def test_history_falls_to_what_is_found(self):
        result = self.json("search", "--machine", "torus:8x8", "--traffic", "mesh:9x7", "--effort", "20000", "--json")
        costs = [step["cost"] for step in result["history"]]
        self.assertEqual(costs, sorted(costs, reverse=True))
        self.assertEqual(costs[-1], result["found"]["cost"])

    def test_unusable_options_are_refused(self):
        self.assert_refused(["search"], "SCENARIO")
        self.assert_refused(["search", "--machine", "ring:8"], "--traffic")
        self.write("t.csv", "from,to,bytes\n0,1,5\n")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "cvs:t.csv"], '--traffic: `cvs` is no format of traffic; did you mean `csv`?')
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "ring:" + "8" * 300], "--traffic: ", "is not a process shape")
        self.assert_refused([*CUBE_ON_RING, "--objective", "speed"], "--objective", "speed", "hop-bytes")
        self.assert_refused([*CUBE_ON_RING, "--objective", "makespan"], "--objective", "SCENARIO")
        self.assert_refused([*CUBE_ON_RING, "--method", "anealing"], "--method", "annealing")
        self.assert_refused([*CUBE_ON_RING, "--weights", "1,2"], "--weights", "2 weights for 3")
        self.assert_refused([*CUBE_ON_RING, "--weights", "fast"], "--weights", "fast")
        for weights in (",", "1,2,", "1,,2"):
            self.assert_refused([*CUBE_ON_RING, "--weights", weights], f'--weights: "{weights}" has an empty entry (leave out a comma)')
        self.assert_refused([*CUBE_ON_RING, "--effort", "0"], "--effort")
        self.assert_refused([*CUBE_ON_RING, "--effort", "9", "--method", "scotch"], "--effort", "libscotch")
        self.assert_refused([*CUBE_ON_RING, "--hop", "2s"], "--hop", "cc-time")
        self.assert_refused([*CUBE_ON_RING, "--compute", "2s"], "--compute", "cc-time")
        self.assert_refused([*CUBE_ON_RING, "--objective", "link-load", "--jobs", "2"], "--jobs", "makespan")
        self.assert_refused([*CUBE_ON_RING, "--set", "/seed=2"], "--set", "SCENARIO")
        self.assert_refused([*CUBE_ON_RING, "--time-limit", "0s"], "--time-limit")
        self.assert_refused(
            [*CUBE_ON_RING, "--certificate", "x", "--method", "annealing", "--objective", "cc-time"], "--certificate"
        )
        self.assert_refused([*CUBE_ON_RING, "--prove", "0s"], "--prove")
        self.assert_refused([*CUBE_ON_RING, "--prove", "1s", "--objective", "link-load"], "--prove", "hop-bytes")
        self.assert_refused([*CUBE_ON_RING, "--output", "nowhere/x.json"], "--output", "nowhere")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "cube:4"], "16 processes", "8 nodes")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "cube:30"], "processes", "8 nodes")
        self.assert_refused(["search", "--machine", "ring:8", "--traffic", "gone.csv"], "gone.csv")
        self.assert_refused(
            ["search", "--machine", "torus:16x16", "--traffic", "cube:8", "--method", "exhaustive"], "64 nodes"
        )
        self.assert_refused(
            ["search", "--machine", "ring:8", "--traffic", "line:8", "--objective", "cc-time"], "cube"
        )


if __name__ == "__main__":
    unittest.main()
