"""dcube compare: the table, its files, failing rows and interrupts."""

import csv
import json
import os
import signal
import unittest

from program import ProgramTest, children, exists, ring, scenario, wait_for


class Compare(ProgramTest):
    def test_names_can_be_typed_back(self):
        name = self.write("ring.json", scenario({"kind": "torus", "shape": [4, 4]}))
        self.write("gray.json", {"kind": "explicit", "map": list(range(16))})  # another map than gray's
        self.write("of.json", {**scenario({"kind": "torus", "shape": [4, 4]}), "embedding": {"kind": "gray", "guest": "ring:16"}})
        runs = self.json("compare", name, "--embedding", "gray,gray.json,gray of ring:16", "--json")["runs"]
        self.assertEqual([run["embedding"] for run in runs], ["gray", "gray.json", "gray of ring:16"])
        self.assertEqual(len({run["fingerprint"] for run in runs}), 3)
        for run in runs:
            alone = self.json("compare", name, "--embedding", run["embedding"], "--json")["runs"]
            self.assertEqual(alone, [{**run, "ratio_to_best": 1.0}])
        self.assertIn("gray of ring:16", self.output("run", "of.json"))
        (sized,) = self.json("compare", "of.json", "--process-count", "16", "--json")["runs"]
        self.assertEqual((sized["embedding"], sized["fingerprint"]), (runs[2]["embedding"], runs[2]["fingerprint"]))

    def test_two_files_of_one_name_are_told_what_to_do(self):
        name = self.write("ring.json", scenario(ring(8)))
        for format in ("csv", "rankfile"):
            self.output("embed", "ring:8", "--embedding", "xor", "--write", f"mine.{format}")
        self.assert_refused(
            ("compare", name, "--embedding", "mine.csv,mine.rankfile"),
            "--embedding: two would be called mine (rename a file, or leave one out)",
        )

    def test_costs_that_every_link_has_for_itself_are_told(self):
        slow = {"from": 2, "to": 3, "latency": "2us", "bandwidth": "1GBps"}
        edges = [{"from": node, "to": (node + 1) % 4, "latency": "1us", "bandwidth": "10GBps"} for node in (0, 1, 3)]
        name = self.write("s.json", scenario({"kind": "graph", "edges": [*edges, slow]}))
        comparison = self.json("compare", name, "--embedding", "standard", "--json")
        self.assertEqual(comparison["hop"], "a hop takes 1 us + 100 ps a byte (10 GB/s) (2 links differently)")
        model = self.json("run", name, "--embedding", "standard", "--json")["model"]
        self.assertEqual(model["hop"], "latency 1 us + 100 ps/byte; 2 directed links have costs of their own")

    def test_table_compares_makespans_and_says_who_wins_and_why(self):
        name = self.write("ring.json", scenario(ring(16)))
        lines = self.output("compare", name, "--embedding", "standard,xor").splitlines()
        rows = {line.split()[0]: line.split() for line in lines if line.endswith(" completed")}
        self.assertEqual(rows["standard"][1:4], ["19", "s", "1.267"])
        self.assertEqual(rows["xor"][1:5], ["15", "s", "1.000", "1.000"])
        self.assertRegex(lines[-1], r"^xor wins with 15 s, 21\.1 % less than standard \(19 s\): .*2\.750.*3\.750")

    def test_why_says_what_every_critical_path_goes_on(self):
        self.write("s.json", scenario({"kind": "torus", "shape": [8, 8]}))
        text = self.output("compare", "s.json", "--embedding", "gray,xor", "--why")
        self.assertRegex(text, r"\nembedding +compute +endpoint +hop +queueing\n")
        self.assertIn("\nxor against gray: ", text)
        runs = self.json("compare", "s.json", "--embedding", "gray,xor", "--why", "--json")["runs"]
        for run in runs:
            parts = run["critical_path"]["time_s"]
            self.assertAlmostEqual(sum(parts.values()), run["makespan_s"])
            alone = self.json("run", "s.json", "--embedding", run["embedding"], "--why", "--json")
            self.assertEqual(parts, alone["critical_path"]["time_s"])
        plain = self.output("compare", "s.json", "--embedding", "gray,xor")
        self.assertTrue(text.startswith(plain))
        numbers = self.output("compare", "s.json", "--process-count", "16,64", "--why")
        self.assertIn("\nrun           compute", numbers)

    def test_runs_that_one_child_makes_have_programs_of_their_own(self):
        machine = {"topology": {"kind": "torus", "shape": [4, 4]}, "link": {"latency": "1us"}}
        name = self.write("s.json", {"schema_version": 1, "machine": machine, "program": {"kind": "all_to_all", "processes": 16}})
        runs = self.json("compare", name, "--jobs", "1", "--json")["runs"]
        self.assertGreater(len(runs), 2)
        self.assertEqual({run["outcome"] for run in runs}, {"completed"})

    def test_default_is_every_embedding_that_fits_but_random(self):
        name = self.write("ring.json", scenario(ring(16)))
        comparison = self.json("compare", name, "--json")
        names = [run["embedding"] for run in comparison["runs"]]
        self.assertTrue({"standard", "xor", "by_weight", "gray", "identity"} <= set(names))
        self.assertNotIn("random", names)
        self.assertEqual(names, sorted(names))

    def test_the_embedding_of_the_scenario_is_one_of_all(self):
        halving = {"kind": "weighted_xor", "weights": "halving"}
        machine = {"kind": "torus", "shape": [4, 4]}
        name = self.write("s.json", {**scenario(machine), "embedding": halving})
        alone = self.json("run", name, "--json")["simulation"]["fingerprint"]
        runs = self.json("compare", name, "--json")["runs"]
        self.assertEqual([run["fingerprint"] for run in runs if run["embedding"] == "own"], [alone])
        (own,) = self.json("compare", name, "--embedding", "own", "--json")["runs"]
        self.assertEqual((own["embedding"], own["fingerprint"]), ("own", alone))
        (own,) = self.json("compare", name, "--embedding", "own", "--process-count", "16", "--json")["runs"]
        self.assertEqual(own["embedding"], "own")
        self.assert_refused(["compare", name, "--embedding", "own,own"], "two would be called own")
        self.write("own.json", {"kind": "xor"})
        rows = self.json("compare", name, "--embedding", "own,own.json", "--json")["runs"]
        self.assertEqual([row["embedding"] for row in rows], ["own", "own.json"])
        plain = self.write("p.json", {**scenario(machine), "embedding": "xor"})
        self.assertNotIn("own", [run["embedding"] for run in self.json("compare", plain, "--json")["runs"]])

    def test_the_embedding_of_the_scenario_need_not_fit(self):
        name = self.write("s.json", scenario({"kind": "mesh", "shape": [3, 4]}, "xor", dimensions=3))
        self.assert_refused(["run", name], "xor does not fit")
        fitting = self.write("t.json", scenario({"kind": "mesh", "shape": [3, 4]}, "identity", dimensions=3))
        named = self.json("compare", fitting, "--json")
        runs = self.json("compare", name, "--json")["runs"]
        self.assertEqual([run["embedding"] for run in runs], [run["embedding"] for run in named["runs"]])
        placed = self.json("compare", name, "--embedding", "identity,standard", "--place", "hop-bytes", "--json")["runs"]
        self.assertEqual([run["embedding"] for run in placed], ["identity", "standard", "placed"])
        self.assert_refused(["compare", name, "--hosts", "n{}"], "no map file is read")

    def test_json_gives_figures_and_ratios(self):
        name = self.write("ring.json", scenario(ring(16)))
        comparison = self.json("compare", name, "--embedding", "standard,xor", "--json")
        self.assertEqual(comparison["best"], "xor")
        self.assertEqual(comparison["bound"]["makespan_s"], 15)
        standard = comparison["runs"][0]
        self.assertNotIn("processes", standard)  # by which readers know a comparison of numbers
        self.assertEqual(standard["makespan_s"], 19)
        self.assertEqual(standard["makespan_ps"], 19 * 10**12)
        self.assertEqual(standard["ratio_to_best"], 19 / 15)
        self.assertEqual(standard["average_dilation"], 3.75)
        self.assertEqual(standard["longest_dilation"], 8)
        self.assertEqual(standard["outcome"], "completed")

    def test_without_a_uniform_cost_the_bound_is_a_mean(self):
        name = self.write("ring.json", scenario(ring(16), compute={"uniform": ["1s", "3s"]}))
        bound = self.json("compare", name, "--embedding", "xor", "--json")["bound"]
        self.assertTrue(bound["source"].startswith("what a process computes and exchanges on the average; "))
        # Four stages of two seconds and eleven hops, more or less.
        self.assertAlmostEqual(bound["makespan_s"], 19, delta=1)
        self.assertIn("to bound", self.output("compare", name, "--embedding", "xor"))

    def test_a_collective_of_two_ports_reaches_its_bound(self):
        program = {"kind": "allgather", "bytes": 1024, "ports": 2, "algorithm": "ring"}
        name = self.write("ring.json", {**scenario(ring(16)), "program": program})
        self.assertEqual(self.json("compare", name, "--embedding", "standard", "--json")["bound"]["makespan_s"], 15)

    def test_a_program_that_heeds_the_time_has_no_bound_where_a_message_may_be_late(self):
        (self.folder / "x.ti").write_text("0 init\n0 send 1 0 9 0\n0 finalize\n1 init\n1 irecv -1 0 9 0\n1 finalize\n")
        name = self.write("ring.json", {**scenario(ring(16)), "program": {"kind": "ti", "file": "x.ti", "flop": "1ns"}})
        self.assertIsNone(self.json("compare", name, "--embedding", "standard", "--json")["bound"])
        self.assertNotIn("to bound", self.output("compare", name, "--embedding", "standard"))

    def test_rows_are_the_same_whatever_runs_at_a_time(self):
        name = self.write("ring.json", scenario(ring(64), "xor", compute={"uniform": ["1s", "3s"]}))
        outputs = {self.output("compare", name, "--json", "--jobs", jobs) for jobs in (1, 2, 5)}
        self.assertEqual(len(outputs), 1)

    def test_output_writes_the_comparison_and_every_result(self):
        name = self.write("ring.json", scenario(ring(16)))
        self.output("compare", name, "--embedding", "standard,xor", "--output", "out/deep", "--no-pictures")
        folder = self.folder / "out/deep"
        self.assertEqual(
            sorted(path.name for path in folder.iterdir()),
            ["comparison.csv", "comparison.json", "comparison.txt", "index.html", "records", "runs"],
        )
        self.assertEqual(sorted(path.name for path in (folder / "runs").iterdir()), ["standard.json", "xor.json"])
        with open(folder / "comparison.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["makespan_s"] for row in rows], ["19", "15"])
        result = json.loads((folder / "runs/xor.json").read_text())
        self.assertEqual(result["makespan_s"], 15)
        self.assertEqual(result["simulation"]["fingerprint"], rows[1]["fingerprint"])
        comparison = json.loads((folder / "comparison.json").read_text())
        self.assertTrue(comparison["complete"])
        self.assertEqual([run["result"] for run in comparison["runs"]], ["runs/standard.json", "runs/xor.json"])

    def test_drawing_keeps_nothing_beside_the_script(self):
        """Whose folder may be that of a package, which is to go as a whole."""
        python = self.folder / "python"
        python.write_text('#!/bin/sh\ntest "$1" = -c || echo "$1" >told\n')
        python.chmod(0o755)
        done = self.dcube("compare", self.write("drawn.json", scenario(ring(8))), "--embedding", "standard",
                          "--output", "out", "--no-report", environment={"DCUBE_PYTHON": str(python)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "told").read_text(), "-B\n")

    def test_the_report_page_holds_every_result_and_may_be_left_out(self):
        name = self.write("ring.json", scenario(ring(16)))
        self.output("compare", name, "--embedding", "standard,xor", "--output", "out", "--no-pictures")
        page = (self.folder / "out/index.html").read_text()
        for file in ("runs/standard.json", "runs/xor.json"):
            self.assertIn(f'"file":"{file}"', page)
        self.output("compare", name, "--embedding", "standard,xor", "--output", "plain", "--no-report",
                    "--no-pictures")
        self.assertFalse((self.folder / "plain/index.html").exists())

    def test_orders_of_axes_can_be_named_among_others(self):
        exchange = {"kind": "pattern", "guest": {"axes": {"tensor": 2, "data": 4, "pipeline": 2}}, "phases": [{"exchange": 64}]}
        step = self.write("step.json", {"schema_version": 1, "machine": "torus:4x4", "embedding": "identity", "program": exchange})
        orders = [run["embedding"] for run in self.json("compare", step, "--axis-orders", "--jitter", "0", "--json")["runs"]]
        self.assertEqual(len(orders), 6)
        named = ",".join([orders[3], "identity", orders[0], orders[5]])
        for command in ("compare", "sweep"):
            result = self.json(command, step, "--embedding", named, *(["--jitter", "0"] if command == "compare" else ["-o", "s"]), "--json")
            rows = result["runs"] if command == "compare" else [group["settings"] for group in result["groups"]]
            self.assertEqual([row["embedding"] for row in rows], [orders[3], "identity", orders[0], orders[5]])
        plain = self.write("grid.json", {"schema_version": 1, "machine": "torus:4x2", "embedding": "identity",
                                         "program": {"kind": "pattern", "guest": "torus:2x4", "phases": [{"exchange": 64}]}})
        runs = self.json("compare", plain, "--embedding", "1,0,identity", "--jitter", "0", "--json")["runs"]
        self.assertEqual([run["embedding"] for run in runs], ["1,0", "identity"])
        grids = self.output("embed", "torus:4x2", "--guest", "torus:2x4", "--embedding", "1,0,0,1,standard")
        self.assertRegex(grids, r" 1,0 +0,1 +standard\n")
        self.assert_refused(["compare", step, "--embedding", "xor,gry"], '--embedding: "gry" is no embedding; did you mean `gray`')
        self.assert_refused(["compare", step, "--embedding", "data,dta,tensor"], "--embedding: \"dta\" is no embedding, and no axis (tensor, data, pipeline)")

    def test_all_orders_of_axes_stand_beside_the_map_that_place_finds(self):
        step = self.write("step.json", {
            "schema_version": 1, "machine": "torus:4x4", "embedding": "identity",
            "program": {"kind": "collective", "operation": "allreduce", "bytes": 64, "algorithm": "ring", "over": "data",
                        "guest": {"axes": {"tensor": 2, "data": 4, "pipeline": 2}}}})
        result = self.json("compare", step, "--axis-orders", "--place", "hop-bytes", "--json")
        names = [run["embedding"] for run in result["runs"]]
        self.assertEqual(len(names), 7)
        self.assertEqual((names[0], names[-1]), ("data,pipeline,tensor", "placed"))
        self.assertEqual(result["placed"],
                         {"objective": "hop-bytes", "cost": "1 hops per byte", "bound": "1 hops per byte", "gap": 0})
        self.assertIn("placed: the map that place finds by hop-bytes, 1 hops per byte (no map has less than 1 hops per "
                      "byte, gap 0.0 %)\n", self.output("compare", step, "--place", "hop-bytes"))
        self.output("compare", step, "--axis-orders", "--output", "folder", "--no-pictures")
        self.assertTrue((self.folder / "folder/runs/data,pipeline,tensor.json").exists())
        self.assert_refused(
            ["compare", step, "--embedding", "data,pipeline,tensr"], '"tensr" is no embedding, and no axis (tensor, data, pipeline)'
        )
        for option in (["--axis-orders"], ["--place", "makespan"]):
            self.assert_refused(["compare", step, *option, "--process-count", "4"], f"{option[0]}: ")

    def test_embeddings_may_be_files(self):
        name = self.write("ring.json", scenario(ring(8)))
        self.write("mine.json", {"kind": "explicit", "map": [7, 6, 5, 4, 3, 2, 1, 0]})
        comparison = self.json("compare", name, "--embedding", "standard,mine.json", "--json")
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [10, 10])
        self.assertEqual(comparison["runs"][1]["embedding"], "mine")
        self.assert_refused(["compare", name, "--embedding", "xor,xor"], "--embedding", "xor")
        self.assert_refused(["compare", name, "--embedding", "xor,foo,bar"], '--embedding: "foo" is no embedding\n')

    def test_a_jitter_that_is_asked_for_takes_the_place_of_the_scenarios(self):
        def jitter(document, *options):
            runs = self.json("compare", self.write("j.json", document), "--embedding", "gray", *options, "--json")["runs"]
            return [(run["makespan_ps"], run.get("jitter_draws")) for run in runs]

        plain = scenario({"kind": "torus", "shape": [4, 4]})
        noisy = plain | {"jitter": 0.3}
        self.assertEqual(jitter(noisy, "--jitter", "0.01"), jitter(plain, "--jitter", "0.01"))
        self.assertEqual(jitter(noisy, "--jitter", "0"), jitter(plain, "--jitter", "0"))
        self.assertEqual([draws for _, draws in jitter(noisy, "--seeds", "4")], [4])
        self.assertEqual([draws for _, draws in jitter(noisy)], [None])

    def test_set_reaches_every_run(self):
        name = self.write("ring.json", scenario(ring(8)))
        comparison = self.json(
            "compare", name, "--embedding", "standard,xor", "--set", "/program/compute=0s", "--json"
        )
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [7, 5])

    def test_an_embedding_that_does_not_fit_is_a_row(self):
        mesh = scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3)
        name = self.write("mesh.json", mesh)
        done = self.dcube("compare", name, "--embedding", "xor,identity", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^dcube: mesh.json: xor: refused \(.*powers of two.*\)\n$")
        xor, identity = json.loads(done.stdout)["runs"]
        self.assertEqual((xor["outcome"], identity["outcome"]), ("refused", "completed"))
        self.assertIn("powers of two", xor["problem"])

    def test_a_run_that_is_refused_on_its_way_is_a_row(self):
        name = self.write("late.json", scenario(ring(8), compute="9000000s"))
        done = self.dcube("compare", name, "--embedding", "standard,xor")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout.count(" refused\n"), 2, done.stdout)
        self.assertRegex(done.stderr, r"^dcube: late.json: standard: refused \(simulated time exceeds .*\)\n")

    def test_what_is_compared_is_not_set(self):
        name = self.write("ring.json", scenario(ring(8)))
        for setting in ("/embedding=xor", "/embedding/kind=xor"):
            self.assert_refused(["compare", name, "--set", setting], "--set: /embedding", "changes what is compared")
        self.assert_refused(
            ["compare", name, "--process-count", "2,4", "--set", "/program/dimensions=2"],
            "--set: /program/dimensions changes what is compared, the number of processes (name those to compare by --process-count)")

    def test_when_no_embedding_fits_nothing_runs(self):
        mesh = scenario({"kind": "mesh", "shape": [3, 3]}, dimensions=3)
        name = self.write("mesh.json", mesh)
        self.assert_refused(["compare", name, "--embedding", "xor,gray", "--output", "out"], "xor")
        self.assert_refused(["compare", name, "--embedding", "identity,xro", "--output", "out"], "did you mean `xor`?")
        self.assertFalse((self.folder / "out").exists())

    def test_unusable_numbers_are_refused(self):
        name = self.write("ring.json", scenario(ring(8)))
        for option, value in [("--jobs", "0"), ("--jobs", "many"), ("--time-limit", "0"), ("--time-limit", "soon")]:
            self.assert_refused(["compare", name, option, value, "--output", "out"], option, value)
        self.assertFalse((self.folder / "out").exists())

    def test_a_run_past_the_time_limit_is_a_row(self):
        name = self.write("ring.json", scenario(ring(16384)))
        done = self.dcube("compare", name, "--embedding", "standard,random", "--time-limit", "1ms", "--output", "out", "--no-pictures")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("timed_out"), 2)
        self.assertEqual(
            done.stderr.splitlines()[0],
            "dcube: ring.json: standard: timed_out (not done after 0.001 s)",
        )
        runs = json.loads((self.folder / "out/comparison.json").read_text())["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["timed_out", "timed_out"])
        self.assertEqual(self.files(), ["comparison.csv", "comparison.json", "comparison.txt", "ring.json"])

    def test_a_run_that_cannot_fit_in_memory_is_a_row(self):
        name = self.write("huge.json", scenario({"kind": "line", "nodes": 2**30}))
        done = self.dcube("compare", name, "--embedding", "standard")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nstandard +- .* refused\n")
        self.assertRegex(done.stderr, r"^dcube: huge.json: standard: refused \(.*GB are available\)")

    def test_a_run_that_is_killed_is_a_row(self):
        name = self.write("ring.json", scenario(ring(4096)))
        process = self.start("compare", name, "--embedding", "random,identity", "--jobs", "1")
        self.assertTrue(wait_for(lambda: children(process)))
        os.kill(int(children(process)[0]), signal.SIGKILL)
        stdout, stderr = self.ended(process, timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(stdout, r"\nrandom +- .* crashed\nidentity .* completed\n")
        self.assertEqual(stderr, "dcube: ring.json: random: crashed (killed by signal 9 (Killed))\n")

    def test_no_simulation_outlives_the_program(self):
        name = self.write("ring.json", scenario(ring(16384)))
        process = self.start("compare", name, "--embedding", "random,by_weight", "--jobs", "2")
        self.assertTrue(wait_for(lambda: len(children(process)) == 2))
        running = children(process)
        process.kill()
        self.assertTrue(wait_for(lambda: not any(exists(child) for child in running)))

    def test_a_file_in_the_place_of_the_output_folder_is_refused(self):
        name = self.write("ring.json", scenario(ring(8)))
        self.assert_refused(["compare", name, "--output", name], "--output", name)

    def test_an_interrupt_while_a_map_is_looked_for(self):
        name = self.write("ring.json", scenario(ring(4096)))
        process = self.start("compare", name, "--place", "makespan", "--jobs", "1", "--output", "out")
        self.assertTrue(wait_for(lambda: children(process)))
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(process), ("", "dcube: ring.json: interrupted (nothing is compared yet)\n"))
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.files(), ["ring.json"])

    def test_an_interrupt_keeps_the_rows_that_are_finished(self):
        name = self.write("ring.json", scenario(ring(16384)))
        process = self.start("compare", name, "--embedding", "standard,random", "--jobs", "1", "--output", "out")
        listed = self.folder / "out/comparison.json"
        self.assertTrue(wait_for(lambda: listed.exists() and "runs/standard.json" in listed.read_text()))
        self.assertTrue(wait_for(lambda: children(process)))
        second = children(process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = self.ended(process)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(stdout, r"\nstandard .* completed\n")
        self.assertNotIn("random", stdout)
        self.assertRegex(stdout, r"\nincomplete \(other runs are not done\): the fastest so far is standard with .*\n$")
        self.assertEqual(stderr, "dcube: ring.json: interrupted (1 of 2 embeddings done)\n")
        self.assertFalse(any(exists(child) for child in second))
        self.assertFalse(json.loads((self.folder / "out/comparison.json").read_text())["complete"])
        self.assertEqual(self.files(), ["comparison.csv", "comparison.json", "comparison.txt", "ring.json", "standard.json"])


def knapsack(nodes=16):
    """Shares that take 30 us an entry, tables that combine in 25 us a step, on a cube."""
    return {
        **scenario({"kind": "ring", "nodes": nodes}),
        "machine": {
            "schema_version": 1,
            "name": "cube",
            "topology": {"kind": "hypercube", "dimensions": nodes.bit_length() - 1},
            "link": {"latency": "446.7us", "per_byte": "2.4us"},
            "compute": {"knapsack_step": "30us", "combine_step": "25us"},
        },
        "program": {"kind": "knapsack", "items": 100, "capacity": 30},
    }


class CompareNumbersOfProcesses(ProgramTest):
    def test_a_larger_cube_is_not_always_faster(self):
        name = self.write("knapsack.json", knapsack())
        lines = self.output("compare", name, "--process-count", "1,2,4,8,16").splitlines()
        rows = [line.split() for line in lines if line.endswith(" completed")]
        self.assertEqual([row[0] for row in rows], ["1", "2", "4", "8", "16"])
        self.assertEqual(rows[0][1:6], ["93.00", "ms", "1.00", "100.0", "%"])
        self.assertRegex(lines[-1], r"^the shortest time is that of 4 processes: 50\.\d+ ms; 16 processes take ")

    def test_json_and_files_give_speedup_and_efficiency(self):
        name = self.write("knapsack.json", knapsack())
        comparison = self.json("compare", name, "--process-count", "4,2", "--json", "--output", "out", "--no-pictures")
        self.assertEqual(comparison["best"], {"embedding": "standard", "processes": 4})
        self.assertEqual([run["processes"] for run in comparison["runs"]], [4, 2])
        run = comparison["runs"][0]
        self.assertEqual(run["sequential_s"], 0.093)
        self.assertAlmostEqual(run["speedup"], 0.093 / run["makespan_s"])
        self.assertAlmostEqual(run["efficiency"], run["speedup"] / 4)
        self.assertEqual(
            self.files(),
            ["comparison.csv", "comparison.json", "comparison.txt", "index.html", "knapsack.json", "standard-2.json", "standard-4.json"],
        )
        with open(self.folder / "out/comparison.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["processes"] for row in rows], ["4", "2"])
        self.assertEqual(float(rows[0]["speedup"]), run["speedup"])
        result = json.loads((self.folder / "out/runs/standard-4.json").read_text())
        self.assertEqual(result["makespan_ps"], run["makespan_ps"])
        self.assertEqual(result["simulation"]["fingerprint"], run["fingerprint"])

    def test_cube_dimensions_stand_for_their_processes(self):
        name = self.write("ring.json", scenario(ring(16), "standard"))
        comparison = self.json("compare", name, "--process-count", "2,4,16", "--json")
        self.assertEqual([run["makespan_s"] for run in comparison["runs"]], [2, 5, 19])

    def test_every_embedding_meets_every_number(self):
        name = self.write("ring.json", scenario(ring(16), "xor"))
        comparison = self.json(
            "compare", name, "--process-count", "2,8", "--embedding", "standard,random", "--json"
        )
        self.assertEqual(
            [(run["embedding"], run["processes"]) for run in comparison["runs"]],
            [("standard", 2), ("standard", 8), ("random", 2), ("random", 8)],
        )

    def test_an_embedding_that_does_not_fit_a_number_is_a_row(self):
        name = self.write("ring.json", scenario(ring(16)))
        done = self.dcube("compare", name, "--process-count", "4,16", "--embedding", "xor,standard", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("xor: 4 processes: refused (4 processes: xor does not fit", done.stderr)
        self.assertEqual([(run["embedding"], run["processes"], run["outcome"]) for run in json.loads(done.stdout)["runs"]],
                         [("xor", 4, "refused"), ("xor", 16, "completed"), ("standard", 4, "completed"), ("standard", 16, "completed")])
        for embeddings, problem in (("xor,gray", "4 processes: xor does not fit"), ("xox,standard", '"xox" is no embedding')):
            self.assert_refused(["compare", name, "--process-count", "16,4", "--embedding", embeddings], problem)

    def test_an_embedding_need_not_fit_the_number_of_the_file(self):
        nine = {"schema_version": 1, "machine": "torus:3x3", "program": {"kind": "all_to_all", "processes": 5}}
        name = self.write("nine.json", nine)
        for embeddings in ("snake,identity", "identity,snake"):
            comparison = self.json("compare", name, "--process-count", "9", "--embedding", embeddings, "--json",
                                   "--set", "/machine/link/latency=2s")
            self.assertEqual({run["outcome"] for run in comparison["runs"]}, {"completed"}, embeddings)

    def test_numbers_that_are_refused_are_refused_before_anything_runs(self):
        name = self.write("knapsack.json", knapsack())
        for numbers, problem in [
            ("1,2,3", "dcube: --process-count: 3 is not a power of two; the nearest are 2 and 4\n"),
            ("1,32", "dcube: --process-count: 32 are too many (the 4-dimensional hypercube has 16 nodes, "
                     "and each hosts at most one)\n"),
            ("2,2", "dcube: --process-count: 2 is given twice\n"),
            ("0", "dcube: --process-count: 0 is not a positive integer\n"),
        ]:
            done = self.dcube("compare", name, "--process-count", numbers, "--output", "out")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", problem))
        self.assertFalse((self.folder / "out").exists())
        ring_of_16 = self.write("ring.json", scenario(ring(16), "xor"))
        self.assert_refused(["compare", ring_of_16, "--process-count", "16,4"], "--process-count: 4 processes: xor does not fit")
        self.assert_refused(["compare", ring_of_16, "--process-count", "6"], "6 is not a power of two; the nearest are 4 and 8")

    def test_a_run_past_the_time_limit_is_a_row(self):
        name = self.write("ring.json", scenario(ring(16384)))
        done = self.dcube("compare", name, "--process-count", "16384", "--time-limit", "1ms")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\n +16,384 +- .* timed_out\n")
        self.assertEqual(
            done.stderr, "dcube: ring.json: standard: 16,384 processes: timed_out (not done after 0.001 s)\n"
        )


if __name__ == "__main__":
    unittest.main()
