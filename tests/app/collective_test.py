"""`dcube collective`: which algorithm and embedding are fastest, and what it leaves behind."""

import csv
import io
import json
import signal
import unittest

from program import ProgramTest, long_running_child

MACHINE = {
    "schema_version": 1,
    "name": "small",
    "topology": {"kind": "torus", "shape": [4, 4]},
    "link": {"latency": "1us", "bandwidth": "1GBps"},
    "switching": "cut_through",
}


class Collective(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("m.json", MACHINE)

    def asked(self, operation, *arguments):
        return self.json("collective", operation, "--machine", "m.json", *arguments, "--json")

    def scenario_of(self, row, operation, **program):
        """A scenario that somebody would write for the same run."""
        return {
            "schema_version": 1,
            "machine": "m.json",
            "embedding": row["embedding"],
            "program": {
                "kind": "collective",
                "operation": operation,
                "algorithm": row["algorithm"],
                "bytes": row["bytes"],
                "value_bytes": 4,
                "ports": row["ports"],
                "data": False,
                **program,
            },
        }

    def test_rows_are_those_of_run(self):
        result = self.asked(
            "allreduce", "--bytes", "1KiB,64KiB", "--algorithm", "rabenseifner,ring,bucket,swing_bandwidth",
            "--embedding", "identity,snake",
        )
        self.assertEqual(result["processes"], 16)
        rows = [row for row in result["rows"] if row["embedding"] == "identity"]
        self.assertEqual(len(rows), 8)
        for row in rows:
            shape = {"shape": [4, 4]} if row["algorithm"] in ("bucket", "swing_bandwidth") else {}
            self.write("s.json", self.scenario_of(row, "allreduce", **shape))
            run = self.json("run", "s.json", "--json")
            self.assertEqual(run["makespan_ps"], row["time_ps"])
            self.assertEqual(run["simulation"]["fingerprint"], row["fingerprint"])

    def test_folded_sides_are_the_shape_of_processes(self):
        self.write("m.json", {**MACHINE, "topology": {"kind": "torus", "shape": [[2, 2], [2, 2]]}})
        folded = self.asked("allreduce", "--bytes", "4KiB", "--algorithm", "bucket,swing_latency", "--embedding", "block")
        self.write("m.json", {**MACHINE, "topology": {"kind": "hypercube", "dimensions": 4}})
        for row in folded["rows"]:
            gray = self.scenario_of(row, "allreduce", shape=[4, 4])
            self.write("s.json", {**gray, "embedding": {"kind": "gray", "guest": "torus:4x4"}})
            run = self.json("run", "s.json", "--json")
            self.assertEqual(run["simulation"]["fingerprint"], row["fingerprint"])
        self.assertEqual(len(folded["rows"]), 2)

    def test_algorithms_on_a_twisted_torus_know_its_twist(self):
        for shape, given, twist in (
            ([4, 8], {}, [[0, 4], [0, 0]]), ([2, 2, 4], {}, [[0, 0, 2], [0, 0, 2], [0, 0, 0]]),
            ([4, 6], {"twist": [[0, 3], [0, 0]]}, [[0, 3], [0, 0]]),
        ):
            topology = {"kind": "twisted_torus", "shape": shape, **given}
            self.write("t.json", {**MACHINE, "topology": topology})
            row = self.json(
                "collective", "allreduce", "--machine", "t.json", "--bytes", "48KiB", "--algorithm", "bucket",
                "--embedding", "identity", "--no-crossovers", "--write", "scenario:s.json", "--json",
            )["rows"][0]
            with open(self.folder / "s.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["program"]["twist"], twist)
            run = self.json("run", "s.json", "--json")
            self.assertEqual(run["makespan_ps"], row["time_ps"])
            self.assertEqual(run["messages"]["hops"], run["messages"]["count"])

    def test_bandwidths_are_those_of_nccl_tests(self):
        for operation, factor in (
            ("allreduce", 30 / 16), ("allgather", 15 / 16), ("reduce_scatter", 15 / 16),
            ("alltoall", 15 / 16), ("broadcast", 1), ("reduce", 1),
        ):
            for row in self.asked(operation, "--bytes", "4KiB", "--embedding", "identity")["rows"]:
                self.assertAlmostEqual(row["algbw_bytes_per_s"], 4096 / row["time_s"], delta=1)
                self.assertAlmostEqual(
                    row["busbw_bytes_per_s"], factor * row["algbw_bytes_per_s"], delta=1
                )
        row = self.asked("scan", "--bytes", "64")["rows"][0]
        self.assertIsNone(row["busbw_bytes_per_s"])

    def test_the_fastest_comes_first_and_next_is_another_algorithm(self):
        result = self.asked("allreduce", "--bytes", "1KiB,1MiB")
        self.assertTrue(result["complete"])
        for best in result["fastest"]:
            rows = [row for row in result["rows"] if row["bytes"] == best["bytes"]]
            self.assertEqual(rows[0]["time_ps"], min(row["time_ps"] for row in rows))
            self.assertEqual(rows[0]["time_ps"], best["time_ps"])
            others = [row for row in rows if row["algorithm"] != best["algorithm"]]
            self.assertEqual(best["next"]["time_ps"], min(row["time_ps"] for row in others))

    def test_crossovers_are_where_the_fastest_changes(self):
        result = self.asked(
            "allreduce", "--bytes", "64,1MiB", "--algorithm", "recursive_doubling,bucket", "--embedding", "identity"
        )
        (crossover,) = result["crossovers"]
        self.assertEqual(crossover["from"]["algorithm"], "recursive_doubling")
        self.assertEqual(crossover["to"]["algorithm"], "bucket")
        size = crossover["bytes"]
        for bytes_, winner in ((size, "bucket"), (size - size // 50 // 4 * 4, "recursive_doubling")):
            near = self.asked(
                "allreduce", "--bytes", bytes_, "--algorithm", "recursive_doubling,bucket", "--embedding", "identity"
            )
            self.assertEqual(near["fastest"][0]["algorithm"], winner)
        without = self.asked("allreduce", "--bytes", "64,1MiB", "--no-crossovers")
        self.assertIsNone(without["crossovers"])

    def test_the_text_says_it_in_one_line(self):
        text = self.output(
            "collective", "allreduce", "--machine", "m.json", "--bytes", "64,1MiB",
            "--algorithm", "recursive_doubling,bucket", "--embedding", "identity",
        )
        begin = "allreduce of 16 processes on small (4x4 torus): a hop takes 1 us + 1 ns a byte (1 GB/s)\n"
        self.assertIn(begin + "  full duplex, cut-through, first come first served\n", text)
        self.assertRegex(text, r"fastest: recursive_doubling below [0-9.]+ KiB, bucket from there on\n$")
        self.assertNotIn("rabenseifner", text)

    def test_a_bare_network_says_what_a_hop_takes(self):
        text = self.output("collective", "allreduce", "--machine", "torus:4x4", "--bytes", "64", "--network", "fluid,cut_through")
        self.assertTrue(text.startswith("allreduce of 16 processes on torus:4x4 (4x4 torus): a hop takes 1 s (no bandwidth)\n"
                                        "  full duplex\n"), text)  # fmt: skip
        machine = self.asked("allreduce", "--bytes", "64", "--set", "/machine/failed/links=[[0,1]]")["machine"]
        self.assertEqual(machine["hop"], "a hop takes 1 us + 1 ns a byte (1 GB/s)")
        self.assertTrue(machine["network"].endswith("; failed: link 0-1"), machine)

    def test_embeddings_within_one_percent_are_equal(self):
        self.write("m.json", {"schema_version": 1, "topology": {"kind": "torus", "shape": [4, 4, 8]}, "link": {"latency": "1s"}})
        arguments = ["--bytes", "1KiB", "--algorithm", "recursive_doubling", "--no-crossovers"]
        (best,) = self.asked("allreduce", *arguments)["fastest"]
        rows = self.asked("allreduce", *arguments)["rows"]
        equal = [row["embedding"] for row in rows[1:] if row["time_ps"] <= 1.01 * best["time_ps"]]
        self.assertTrue(equal)
        self.assertEqual(sorted(best["equal_embeddings"]), sorted(equal))
        text = self.output("collective", "allreduce", "--machine", "m.json", *arguments)
        self.assertIn(" = ".join([best["embedding"], *best["equal_embeddings"]][:4]), text)

    def test_fair_links_may_have_another_winner(self):
        fast = ["--set", "/machine/link/latency=200ns", "--set", "/machine/link/bandwidth=50GBps", "--bytes", "16MiB",
                "--algorithm", "swing_bandwidth,bucket_balanced", "--embedding", "identity", "--no-crossovers"]  # fmt: skip
        self.write("m.json", MACHINE | {"topology": {"kind": "torus", "shape": [4, 4, 8]}})
        ask = ["collective", "allreduce", "--machine", "m.json", *fast]
        self.assertRegex(self.output(*ask), r"\nfair links: not tried \(up to \d+\.\d % of the hops queue; --check-links tries\)\n$")
        self.assertEqual(self.asked("allreduce", *fast)["fair_links"]["tried"], False)
        text = self.output(*ask, "--check-links")
        self.assertRegex(text, r"\nfair links: at 16 MiB swing_bandwidth takes [\d.]+ us, \d\.\d % less than bucket_balanced "
                               r"\(packets of 12\.\d KiB in turn\)\n$")  # fmt: skip
        (change,) = self.asked("allreduce", *fast, "--check-links")["fair_links"]["changes"]
        self.assertEqual((change["from"]["algorithm"], change["to"]["algorithm"]), ("bucket_balanced", "swing_bandwidth"))
        alone = self.asked("allreduce", *fast, "--set", "/machine/link/service=round_robin",
                           "--set", f"/machine/link/packet={change['packet']}")["rows"]  # fmt: skip
        self.assertEqual({row["algorithm"]: row["time_s"] for row in alone}["swing_bandwidth"], change["time_s"])
        # What is cheap is tried, and where nothing queues nothing is said.
        self.write("m.json", MACHINE)
        small = self.asked("allreduce", "--bytes", "64KiB", "--algorithm", "swing_bandwidth", "--embedding", "identity")
        self.assertTrue(small["fair_links"] is None or small["fair_links"]["tried"])
        ring = self.asked("allreduce", "--bytes", "64KiB", "--algorithm", "ring", "--embedding", "snake", "--ports", "1", "--check-links")
        self.assertIsNone(ring["fair_links"])

    def test_slow_machines_have_smaller_units(self):
        text = self.output("collective", "allreduce", "--machine", "ncube10-64", "--bytes", "64KiB", "--algorithm", "ring")
        self.assertIn("busbw MB/s", text)
        text = self.output("collective", "allreduce", "--machine", "torus:4x4", "--bytes", "64KiB")
        self.assertIn("busbw kB/s", text)

    def test_processes_fill_slots_and_avoid_failed_nodes(self):
        self.write("m.json", {**MACHINE, "node": {"slots": 4}, "failed": {"nodes": [3]}})
        result = self.asked("allreduce", "--bytes", "1KiB", "--set", "/program/processes=60")
        self.assertEqual(result["processes"], 60)
        self.assertIn("hierarchical", [row["algorithm"] for row in result["rows"]])

    def test_processes_of_a_node_may_be_given(self):
        for settings, is_there in (((), False), (("--set", "/program/node_size=4"), True)):
            result = self.asked("allreduce", "--bytes", "1KiB", *settings)
            self.assertEqual("hierarchical" in [row["algorithm"] for row in result["rows"]], is_there)

    def test_every_operation_runs_on_what_is_left(self):
        """Failed nodes, spares, slots and a number of processes leave no usual number of processes."""
        operations = ("allgather", "allreduce", "broadcast", "exscan", "gather", "reduce", "reduce_scatter", "scan", "scatter")
        without_nodes = ("--set", '/machine/failed={"nodes":[3],"spares":[6]}')
        slots = ("--set", "/machine/node/slots=3", "--set", "/program/processes=42")
        for settings, processes, asked in (
            (without_nodes, 14, ("all_to_all", *operations)),
            ((*without_nodes, *slots), 42, ("all_to_all",)),
            (("--set", "/program/processes=12"), 12, ("all_to_all",)),
        ):
            for operation in asked:
                result = self.asked(operation, "--bytes", "1KiB:1KiB", "--no-crossovers", *settings)
                self.assertEqual(result["processes"], processes, operation)
                size = processes * 4 if operation == "all_to_all" else 4
                self.assertEqual(result["rows"][0]["bytes"], -(-1024 // size) * size, operation)
                self.assertTrue(any(row["outcome"] == "completed" for row in result["rows"]), operation)
        self.assert_refused(
            ["collective", "alltoall", "--machine", "m.json", "--set", "/program/processes=12", "--bytes", "64"],
            "--bytes", "48 bytes", "96 is",
        )

    def test_all_embeddings_are_those_with_maps_of_their_own(self):
        rows = self.asked("allreduce", "--bytes", "1KiB", "--algorithm", "ring")["rows"]
        names = [row["embedding"] for row in rows]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("identity", names)
        self.assertIn("snake", names)
        self.assertNotIn("standard", names)  # the same map as identity
        self.assertEqual(rows[0]["embedding"], "snake")  # a ring of neighbours
        rows = self.asked("allreduce", "--bytes", "1KiB", "--algorithm", "bucket")["rows"]
        self.assertEqual([row["embedding"] for row in rows], ["identity"])

    def test_equal_times_at_all_sizes_are_explained(self):
        command = ["collective", "allreduce", "--machine", "torus:4x4", "--bytes", "1KiB,1MiB", "--no-crossovers"]
        self.assertIn("sizes make no difference, as links have no bandwidth", self.output(*command))
        text = self.output(*command, "--set", "/machine/link/bandwidth=50GBps")
        self.assertNotIn("make no difference", text)

    def test_weighted_xor_is_tried_where_a_cube_fits(self):
        link = {"latency": "500ns", "bandwidth": "10GBps"}
        mesh = {"kind": "mesh", "shape": [8, 8]}
        self.write("m.json", {**MACHINE, "topology": mesh, "link": link, "switching": "store_and_forward"})
        row = self.asked("broadcast", "--bytes", "64KiB", "--no-crossovers")["rows"][0]
        self.assertEqual((row["algorithm"], row["embedding"]), ("scatter_allgather", "weighted_xor"))

    def test_every_name_can_be_typed_back(self):
        for topology, settings in (
            ({"kind": "hypercube", "dimensions": 4}, []),
            ({"kind": "torus", "shape": [4, 4]}, []),
            ({"kind": "mesh", "shape": [8, 2]}, []),
            ({"kind": "torus", "shape": [4, 2]}, ["--set", "/machine/node/slots=2", "--set", "/program/processes=16"]),
            ({"kind": "ring", "nodes": 9}, ["--set", "/program/processes=7"]),
        ):
            self.write("m.json", {**MACHINE, "topology": topology})
            command = ["allreduce", "--bytes", "1KiB", "--no-crossovers", *settings]
            of = lambda rows: {(row["algorithm"], row["embedding"]): row.get("fingerprint") for row in rows}
            all_rows = of(self.asked(*command, "--algorithm", "all")["rows"])
            names = sorted({name for _, name in all_rows})
            with self.subTest(topology=topology, names=names):
                for name in names:
                    alone = of(self.asked(*command, "--embedding", name)["rows"])
                    for way, fingerprint in all_rows.items():
                        if way[1] == name:
                            self.assertEqual(alone[way], fingerprint, way)

    def test_gray_of_a_ring_has_its_own_name_everywhere(self):
        self.write("m.json", {**MACHINE, "topology": {"kind": "hypercube", "dimensions": 4}})
        command = ["collective", "allreduce", "--machine", "m.json", "--bytes", "1MiB", "--algorithm", "ring",
                   "--no-crossovers"]  # fmt: skip
        found = self.json(*command, "--write", "scenario:all.json", "--json")["fastest"][0]
        self.assertEqual(found["embedding"], "gray of ring:16")
        named = self.json(*command, "--embedding", "gray of ring:16,gray", "--json")
        self.assertEqual(named["fastest"][0]["fingerprint"], found["fingerprint"])
        self.assertNotEqual(named["rows"][1]["fingerprint"], found["fingerprint"])
        run = self.json("run", "all.json", "--json")
        self.assertEqual(run["simulation"]["fingerprint"], found["fingerprint"])
        written = json.loads((self.folder / "all.json").read_text())
        self.write("named.json", {**written, "embedding": "gray of ring:16"})
        for arguments in (["named.json"], ["all.json", "--embedding", "gray of ring:16"]):
            self.assertEqual(self.json("run", *arguments, "--json")["simulation"]["fingerprint"], found["fingerprint"])
        compared = self.json("compare", "all.json", "--embedding", "gray,gray of ring:16", "--json")
        self.assertEqual([run["embedding"] for run in compared["runs"]], ["gray", "gray of ring:16"])
        self.assertEqual(compared["runs"][1]["fingerprint"], found["fingerprint"])
        embedded = self.json("embed", "m.json", "--embedding", "gray of ring:16", "--guest", "cube:4", "--json")
        self.assertEqual(embedded["map"], self.json("run", "all.json", "--json")["embedding"]["map"])
        for wrong, words in (("grey of ring:16", "gray"), ("gray of blob:16", "blob"), ("gray of ring:8", "8 processes")):
            self.assert_refused(["run", "all.json", "--embedding", wrong], words)

    def test_one_way_that_ran_is_not_the_fastest(self):
        text = self.output("collective", "allreduce", "--machine", "m.json", "--bytes", "64", "--algorithm", "bucket",
                           "--embedding", "identity")  # fmt: skip
        self.assertTrue(text.endswith("\nran alone: bucket\n"), text)

    def test_ports_are_compared(self):
        rows = self.asked(
            "allreduce", "--bytes", "64KiB", "--algorithm", "bucket", "--embedding", "identity", "--ports", "all"
        )["rows"]
        self.assertEqual(sorted(row["ports"] for row in rows), [1, 2, 4])
        (row,) = self.asked("allreduce", "--bytes", "64KiB", "--algorithm", "recursive_doubling",
                            "--embedding", "identity", "--ports", "3")["rows"]
        self.assertEqual(row["ports"], 1)

    def test_automatic_names_what_was_taken(self):
        rows = self.asked("allreduce", "--bytes", "64,64KiB", "--algorithm", "automatic", "--embedding", "identity")
        self.assertEqual([row["taken"] for row in rows["rows"]], ["recursive_doubling", "rabenseifner"])

    def test_all_may_be_compared_with_the_automatic_choice(self):
        rows = self.asked("allreduce", "--bytes", "64", "--algorithm", "all,automatic", "--embedding", "identity")["rows"]
        taken = [row["time_ps"] for row in rows if row["algorithm"] in ("automatic", "recursive_doubling")]
        self.assertEqual(len(taken), 2)
        self.assertEqual(taken[0], taken[1])
        self.assert_refused(
            ["collective", "allreduce", "--machine", "m.json", "--algorithm", "all,ring"], "--algorithm: ring is one of all"
        )

    def test_networks_are_compared(self):
        result = self.asked(
            "allgather", "--bytes", "4KiB", "--embedding", "identity", "--network", "cut_through,store_and_forward"
        )
        self.assertEqual([best["network"] for best in result["fastest"]], ["cut_through", "store_and_forward"])
        own = self.asked("allgather", "--bytes", "4KiB", "--embedding", "identity")
        self.assertEqual(result["fastest"][0]["time_ps"], own["fastest"][0]["time_ps"])

    def test_settings_root_and_compute_reach_the_program(self):
        base = ["--bytes", "4KiB", "--algorithm", "binomial", "--embedding", "identity"]
        usual = self.asked("reduce", *base)
        self.assertEqual(usual["root"], 0)
        plain = usual["rows"][0]["time_ps"]
        # 4 steps in which 4,096 bytes are combined
        slower = self.asked("reduce", *base, "--compute", "1ns")["rows"][0]["time_ps"]
        self.assertEqual(slower - plain, 4 * 4096 * 1000)
        elsewhere = self.asked("reduce", *base, "--root", "5", "--compute", "1ns", "--set", "/machine/endpoint/call=1us")
        self.assertEqual((elsewhere["root"], elsewhere["compute"]), (5, "1ns"))
        self.assertEqual(elsewhere["settings"], {"/machine/endpoint/call": "1us"})
        text = self.output("collective", "reduce", "--machine", "m.json", *base, "--root", "5", "--compute", "1ns")
        self.assertIn(", root 5, 1ns to combine a byte\n", text)
        far = self.asked("reduce", *base, "--set", "/machine/link/latency=1s")["rows"][0]["time_ps"]
        self.assertGreater(far, plain)

    def test_csv_and_json_have_the_same_rows(self):
        rows = self.asked("allreduce", "--bytes", "1KiB,4KiB", "--csv", "rows.csv")["rows"]
        table = list(csv.DictReader(io.StringIO((self.folder / "rows.csv").read_text())))
        self.assertEqual(len(table), len(rows))
        for line, row in zip(table, rows):
            self.assertEqual(int(line["time_ps"]), row["time_ps"])
            self.assertEqual(line["fingerprint"], row["fingerprint"])
            self.assertEqual(float(line["busbw_bytes_per_s"]), row["busbw_bytes_per_s"])
        text = self.output("collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB,4KiB", "--csv", "-")
        self.assertEqual(list(csv.DictReader(io.StringIO(text))), table)
        text = self.output("collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB", "--write", "csv:/dev/stdout")
        self.assertEqual(list(csv.DictReader(io.StringIO(text))), [row for row in table if row["bytes"] == "1024"])

    def test_groups_along_axes_run_at_once(self):
        self.write("m.json", {**MACHINE, "topology": {"kind": "torus", "shape": [4, 2]}})
        command = ["collective", "allreduce", "--machine", "m.json", "--bytes", "64KiB", "--algorithm", "ring",
                   "--embedding", "identity"]  # fmt: skip
        over = lambda *axes: self.json(*command, "--axes", "x=4,y=2", "--over", *axes, "--json")
        alone = self.json(*command, "--set", "/machine/topology/shape=[4]", "--json")["fastest"][0]
        groups = over("x")
        self.assertEqual(groups["fastest"][0]["time_ps"], alone["time_ps"])
        self.assertEqual(groups["fastest"][0]["busbw_bytes_per_s"], alone["busbw_bytes_per_s"])
        self.assertEqual([groups[key] for key in ("processes", "group_size", "over", "axes")],
                         [8, 4, ["x"], {"x": 4, "y": 2}])  # fmt: skip
        self.assertEqual(list(groups["axes"]), ["x", "y"])
        self.assertEqual(over("y")["group_size"], 2)
        self.assertEqual(over("y,x")["group_size"], 8)
        text = self.output(*command, "--axes", "x=4,y=2", "--over", "x")
        self.assertIn("allreduce of 4 processes over x, 2 groups at once, on ", text)
        for words, complaint in (
            (["--over", "x"], "--over: names axes, and --axes gives none"),
            (["--axes", "x=4", "--over", "z"], '--over: "z" is not an axis'),
            (["--axes", "x=40"], "--axes: "),
            (["--axes", "x"], "--axes: "),
            (["--axes", "x=4,y=2", "--over", "x,x"], "--over: x is given twice"),
        ):
            self.assert_refused([*command, *words], complaint)

    def test_the_winner_is_exported(self):
        result = self.asked(
            "allreduce", "--bytes", "1KiB,1MiB", "--algorithm", "ring",
            "--write", "best.jax", "--write", "scenario:best.json", "--write", "result:r.json",
        )
        best = result["fastest"][-1]
        order = json.loads((self.folder / "best.jax").read_text())
        self.assertEqual(sorted(order), list(range(16)))
        self.assertNotEqual(order, list(range(16)))
        run = self.json("run", "best.json", "--json")
        self.assertEqual(run["makespan_ps"], best["time_ps"])
        self.assertEqual(run["embedding"]["map"], order)
        self.assertEqual(json.loads((self.folder / "r.json").read_text()), result)
        again = self.asked("allreduce", "--bytes", "1MiB", "--algorithm", "ring", "--embedding", "best.jax")
        self.assertEqual(again["rows"][0]["time_ps"], best["time_ps"])
        self.assertEqual(again["rows"][0]["embedding"], "best")

    def test_a_folder_holds_everything(self):
        self.output("collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB:64KiB:x8", "--output", "out")
        self.assertEqual(
            self.files(), ["collective.csv", "collective.json", "collective.png", "collective.txt", "index.html", "m.json"]
        )
        self.output("collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB:64KiB:x8", "-o", "x.svg")
        self.assertIn("bus bandwidth (GB/s)", (self.folder / "x.svg").read_text())

    def test_what_is_refused_leaves_no_folder(self):
        self.assert_refused(["collective", "allreduce", "--machine", "m.json", "--algorithm", "rings", "--output", "out"], "rings")
        self.assert_refused(["collective", "allreduce", "--machine", "m.json", "--set", "/machine/nodes=1", "--output", "out"], "nodes")
        self.assertFalse((self.folder / "out").exists())

    def test_pictures_need_no_folder_of_temporary_files(self):
        nowhere = {"TMPDIR": "/nonexistent"}
        arguments = ["collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB,8KiB", "--embedding", "identity"]
        done = self.dcube(*arguments, "--output", "out", "--quiet", environment=nowhere)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            self.files(), ["collective.csv", "collective.json", "collective.png", "collective.txt", "index.html", "m.json"]
        )

    def test_results_are_written_before_the_picture(self):
        arguments = ["collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB,8KiB", "--embedding", "identity"]
        done = self.dcube(*arguments, "--output", "out", "--quiet", environment={"DCUBE_PYTHON": "/nonexistent"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("out/collective.png: no picture", done.stderr)
        self.assertEqual(self.files(), ["collective.csv", "collective.json", "collective.txt", "index.html", "m.json"])

    def test_one_size_is_no_picture(self):
        one = ["collective", "scan", "--machine", "m.json", "--bytes", "64"]
        self.output(*one, "-o", "out")
        self.assertEqual(self.files(), ["collective.csv", "collective.json", "collective.txt", "index.html", "m.json"])
        self.assert_refused([*one, "-o", "x.png"], "--output: x.png", "one size")

    def test_what_does_not_fit_is_a_row(self):
        self.write("odd.json", {**MACHINE, "topology": {"kind": "torus", "shape": [3, 3]}})
        arguments = ["collective", "allgather", "--machine", "odd.json", "--bytes", "36"]
        result = self.json(*arguments, "--json")
        problems = {row["algorithm"]: row.get("problem") for row in result["rows"]}
        self.assertEqual(problems["neighbour_exchange"], "needs an even number of processes")
        self.assertEqual(problems["swing"], "needs a power of two of processes")
        self.assertIsNone(problems["ring"])
        self.assertIn("did not run (--all-rows says why)", self.output(*arguments))
        done = self.dcube(*arguments, "--algorithm", "ring,swing", "--embedding", "identity")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "dcube: swing on identity: refused (needs a power of two of processes)\n")
        self.assert_refused([*arguments, "--algorithm", "swing"], "--algorithm: nothing fits")

    def test_an_algorithm_that_nobody_named_may_not_fit(self):
        for operation, machine in (("reduce_scatter", "ring:6"), ("allreduce", "mesh:3x3")):
            words = ("collective", operation, "--machine", machine, "--bytes", "36KiB", "--no-crossovers")
            self.assertIn("did not run", self.output(*words, "--embedding", "identity"))
            done = self.dcube(*words, "--embedding", "identity,xor")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("on xor: refused", done.stderr)
            self.assertNotIn("on identity", done.stderr)

    def test_an_interrupt_keeps_what_is_finished(self):
        self.write("m.json", {**MACHINE, "topology": {"kind": "torus", "shape": [64, 64]}})
        process = self.start(
            "collective", "allreduce", "--machine", "m.json", "--bytes", "1KiB",
            "--algorithm", "recursive_doubling,ring", "--embedding", "identity", "--jobs", "1",
        )
        self.assertTrue(long_running_child(process))
        process.send_signal(signal.SIGINT)
        stdout, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertIn("fastest so far: recursive_doubling\n", stdout)
        self.assertEqual(stderr, "dcube: interrupted (1 of 2 runs done)\n")

    def test_no_more_than_all_hops_queue(self):
        # Every message waits for the NIC, too, which is no hop.
        self.write("m.json", MACHINE | {"node": {"injection": {"bandwidth": "100MBps"}}})
        fair = self.asked("alltoall", "--bytes", "1MiB", "--algorithm", "linear", "--embedding", "identity")["fair_links"]
        self.assertLessEqual(fair["queued_share"], 1)

    def test_a_bandwidth_that_no_node_has_is_told(self):
        node = {"slots": 8, "local": {"latency": "1us", "bandwidth": "450GBps"}}
        alone = {**MACHINE, "topology": {"kind": "ring", "nodes": 1}, "node": node}
        self.write("node.json", alone)
        self.write("two.json", {**alone, "topology": {"kind": "ring", "nodes": 2}})
        self.write("free.json", {**alone, "node": {"slots": 8}})
        for name, size, most in (("node.json", "1GiB", 450e9), ("node.json", "1MiB", None), ("two.json", "1GiB", 451e9), ("free.json", "1GiB", None)):
            with self.subTest(name + size):
                asked = ("collective", "broadcast", "--machine", name, "--set", "/program/processes=8", "--bytes", size, "--no-crossovers",
                         "--embedding", "block")
                self.assertEqual(self.json(*asked, "--json")["exceeded_node_bandwidth_bytes_per_s"], most)
                lines = [line for line in self.output(*asked).splitlines() if "a node has" in line]
                self.assertEqual([line[:21] for line in lines], [f"busbw above {most / 1e9:.0f} GB/s," ] if most else [])
        self.assertIsNone(self.asked("broadcast", "--bytes", "1MiB", "--algorithm", "binomial")["exceeded_node_bandwidth_bytes_per_s"])

    def test_hosts_are_called_by_their_names(self):
        own = ("collective", "allreduce", "--machine", "m.json", "--bytes", "64", "--algorithm", "ring", "--hosts", "cn{:03}")
        for embedding in ((), ("--embedding", "snake,identity"), ("--embedding", "all")):
            self.output(*own, *embedding, "--write", "rankfile:b.rankfile")
            hosts = [line.split("=")[1].split()[0] for line in (self.folder / "b.rankfile").read_text().splitlines()]
            self.assertEqual(sorted(hosts), [f"cn{node:03}" for node in range(16)])
        read = self.json(*own, "--embedding", "b.rankfile,identity", "--json")["rows"]
        self.assertEqual({row["embedding"] for row in read}, {"b", "identity"})
        for more in ((), ("--embedding", "identity"), ("--write", "b.jax")):
            self.assert_refused([*own, *more], "dcube: --hosts: no map file is read (such as --embedding rankfile:FILE)\n")
        (self.folder / "names").write_text("a\nb\n")
        self.assert_refused([*own[:-1], "names", "--write", "rankfile:b.rankfile"], "names: has 2 names for 16 nodes")


if __name__ == "__main__":
    unittest.main()
