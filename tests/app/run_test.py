"""dcube run: summary, JSON, process table, exit statuses."""

import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest, ring, scenario

LINE = {"kind": "line", "nodes": 8}


class Run(ProgramTest):
    def test_summary_shows_the_makespan_first_and_the_fingerprint_last(self):
        lines = self.output("run", self.write("line.json", scenario(LINE))).splitlines()
        self.assertEqual(lines[0], "line: completed in 10 s")
        self.assertRegex(lines[-1], r"^fingerprint [0-9a-f]{16}$")

    def test_summary_says_where_the_time_went(self):
        text = self.output("run", self.write("line.json", scenario(LINE)))
        self.assertRegex(text, r"compute +3 s +3 s +30\.0 %  #+\n")
        self.assertRegex(text, r"communication +7 s +7 s +70\.0 %  #+\n")
        self.assertRegex(text, r"waiting +0 s +0 s +0\.0 %\n")
        self.assertIn("10 s by recurrence, as simulated", text)

    def test_summary_says_what_the_program_takes_without_contention(self):
        self.assertIn("65.8664304 ms by this run, in which no message queued\n",
                      self.output("run", "hypercube-fft"))
        self.assertIn("2.8134 ms by the program without contention, "
                      "simulated 1.8867 ms (67.1 %) longer\n",
                      self.output("run", "hypercube-subcube_exchange"))
        self.assertIn("no formula, and a run like this is not made again without contention "
                      "(--set /machine/link/contention=false makes it)\n",
                      self.output("run", "torus-bitonic_sort", "--embedding", "random",
                                  "--set", "/machine/topology/shape=[64,64]",
                                  "--set", "/program/keys_per_process=1"))

    def test_json_has_the_keys_and_values_of_the_contract(self):
        result = self.json("run", self.write("line.json", scenario(LINE)), "--json")
        self.assertEqual(result["outcome"], "completed")
        self.assertEqual(result["makespan_s"], 10)
        self.assertEqual(result["makespan_ps"], 10 * 10**12)
        self.assertEqual(result["embedding"], {"kind": "standard", "map": list(range(8))})
        self.assertEqual(result["messages"]["hops"], 56)
        self.assertEqual(result["time_s"]["communication"], {"total": 56, "mean": 7, "max": 7})

    def test_output_writes_the_json_beside_the_summary(self):
        name = self.write("line.json", scenario(LINE))
        text = self.output("run", name, "--output", "result.json")
        result = json.loads((self.folder / "result.json").read_text())
        self.assertIn("completed in 10 s", text)
        self.assertIn(result["simulation"]["fingerprint"], text)
        self.assertEqual(self.files(), ["line.json", "result.json"])

    def test_a_transformer_is_written_in_other_forms(self):
        step = self.write("step.json", {
            "schema_version": 1, "machine": "torus:2x2x2", "embedding": "data,tensor,pipeline",
            "program": {"kind": "transformer", "layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "flops": "1M",
                        "axes": {"tensor": 2, "pipeline": 2, "data": 2}, "micro_batches": 2}})
        first = self.json("run", step, "--write", "pattern:p.json", "--write", "chakra:traces", "--json")
        fingerprint = first["simulation"]["fingerprint"]
        again = self.json("run", "p.json", "--json")
        self.assertEqual(again["simulation"]["fingerprint"], fingerprint)
        # Beside other files, whose memory it once took for a name.
        self.output("run", "p.json", "-o", "r.json", "--write", "csv:t.csv", "--write", "chrome:t.json", "--write", "pattern:q.json")
        self.assertEqual(again["program"]["kind"], "pattern")
        self.output("validate", "p.json")
        program = json.loads((self.folder / "traces/scenario.json").read_text())["program"]
        self.assertEqual((program["kind"], program["file"]), ("chakra", "trace.{}.et"))
        self.assertEqual(len(os.listdir(self.folder / "traces")), 9)
        self.assert_refused(["run", step, "--embedding", "axes:data,tensor"], 'step.json: /embedding/order/0: "axes:data" is not one of the axes')
        self.assert_refused(["run", step, "--embedding", "cyclic:switch"], "step.json: /embedding/over: the 2x2x2 torus has no switches")
        self.assert_refused(["run", step, "--set", "/program/axes/data=4"],
                            "does not fit the 2x2x2 torus (torus:2x2x4 has 16 processes, the machine 8 nodes)")
        self.assert_refused(["run", self.write("line.json", scenario(LINE)), "--write", "pattern:x.json"],
                            "--write: cc_dcube is no pattern, which could be written as pattern")
        self.assert_refused(["run", "line.json", "--write", "chakra:folder"],
                            "--write: cc_dcube is no pattern, which could be written as chakra")
        self.assertNotIn("folder", os.listdir(self.folder))

    def test_a_pattern_that_reads_a_file_is_written_beside_its_scenario(self):
        (self.folder / "in").mkdir()
        (self.folder / "in/t.csv").write_text("0,3,100\n1,2,50\n")
        program = {"kind": "pattern", "guest": "line:8", "phases": [{"traffic": "t.csv"}]}
        self.write("in/s.json", {"schema_version": 1, "machine": "ring:8", "embedding": "identity", "program": program})
        first = self.json("run", "in/s.json", "--write", "pattern:in/copy.json", "--json")
        again = self.json("run", "in/copy.json", "--json")
        self.assertEqual(again["simulation"]["fingerprint"], first["simulation"]["fingerprint"])
        self.assert_refused(["run", "in/s.json", "--write", "pattern:copy.json"],
                            "--write: the pattern reads in/t.csv, whose name is relative to the scenario; write copy.json beside that")

    def test_quiet_prints_nothing(self):
        name = self.write("line.json", scenario(LINE))
        self.assertEqual(self.output("run", name, "--quiet", "--output", "result.json"), "")
        self.assertIn("result.json", self.files())

    def test_output_to_a_folder_that_is_missing_is_refused_before_the_run(self):
        name = self.write("line.json", scenario(LINE))
        self.assert_refused(["run", name, "--output", "no/result.json"], "--output", "no")

    def test_a_run_that_cannot_fit_in_memory_is_refused_before_it_starts(self):
        name = self.write("huge.json", scenario({"kind": "line", "nodes": 2**30}))
        self.assert_refused(["run", name], "huge.json: ", "GB", "does not fit in memory")

    def test_set_overrides_a_value(self):
        name = self.write("line.json", scenario(LINE))
        result = self.json("run", name, "--json", "--set", "/program/compute=2s")
        self.assertEqual(result["makespan_s"], 13)

    def test_an_unusable_override_names_its_value(self):
        name = self.write("line.json", scenario(LINE))
        self.assert_refused(["run", name, "--set", "program=1"], "--set")
        self.assert_refused(["run", name, "--set", "/program/compute=fast"], "/program/compute")

    def test_embedding_replaces_one_that_does_not_fit(self):
        name = self.write("mesh.json", scenario({"kind": "mesh", "shape": [3, 3]}, "xor", dimensions=3))
        self.assert_refused(["run", name], "/embedding")
        self.assertEqual(self.json("run", name, "--json", "--embedding", "identity")["outcome"], "completed")

    def test_embedding_may_be_a_file(self):
        name = self.write("line.json", scenario(LINE))
        by_weight = [0, 2, 1, 5, 3, 6, 4, 7]
        nodes = [by_weight.index(process) for process in range(8)]
        self.write("mine.json", {"kind": "explicit", "map": nodes})
        result = self.json("run", name, "--json", "--embedding", "mine.json")
        self.assertEqual(result["embedding"], {"kind": "explicit", "map": nodes})

    def test_an_unknown_embedding_names_the_nearest(self):
        name = self.write("line.json", scenario(LINE))
        self.assert_refused(["run", name, "--embedding", "standart"], "standart", "`standard`")

    def test_execution_changes_no_event(self):
        name = self.write("line.json", scenario(LINE, "by_weight"))
        results = [
            self.json("run", name, "--json", "--execution", execution)["simulation"]
            for execution in ["actors", "coroutines"]
        ]
        self.assertEqual([one["execution"] for one in results], ["actors", "coroutines"])
        self.assertEqual(results[0]["fingerprint"], results[1]["fingerprint"])
        self.assert_refused(["run", name, "--execution", "threads"], "--execution")

    def test_processes_shows_stage_ends_and_waiting_intervals(self):
        # [X] Fig. 4, by weight on a line of 8, Ta = Tc = 1: 8 units of waiting over 6 processes.
        text = self.output("run", self.write("line.json", scenario(LINE, "by_weight")), "--processes")
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^process +node +stage 0 +stage 1 +stage 2 +end +waiting$")
        rows = [line.replace(" s", "").split(None, 6) for line in lines[1:9]]
        self.assertEqual([row[2] for row in rows], "4 4 5 5 5 5 4 4".split())
        self.assertEqual([row[3] for row in rows], "8 9 8 9 9 8 9 8".split())
        self.assertEqual([row[4] for row in rows], "11 12 12 11 11 12 12 11".split())
        both = "[5, 6) [9, 10)"
        self.assertEqual(
            [row[6] if len(row) > 6 else "" for row in rows],
            [both, "[5, 6)", "[9, 10)", "", "", "[9, 10)", "[5, 6)", both],
        )

    def test_processes_of_a_large_run_need_full(self):
        name = self.write("big.json", scenario({"kind": "torus", "shape": [128, 64]}))
        self.assert_refused(["run", name, "--processes"], "--processes", "8,192", "--full")
        lines = self.output("run", name, "--processes", "--full").splitlines()
        self.assertGreater(len(lines), 8192)

    def test_json_leaves_out_a_large_map_unless_full(self):
        name = self.write("big.json", scenario({"kind": "torus", "shape": [128, 64]}))
        self.assertNotIn("map", self.json("run", name, "--json")["embedding"])
        self.assertEqual(len(self.json("run", name, "--json", "--full")["embedding"]["map"]), 8192)

    def test_json_lists_the_load_of_every_link_and_node(self):
        result = self.json("run", self.write("line.json", scenario(LINE)), "--json")
        loads = result["link_loads"]
        ends = list(zip(loads["from"], loads["to"]))
        self.assertEqual(sorted(ends), sorted((a, b) for a in range(8) for b in range(8) if abs(a - b) == 1))
        self.assertEqual(sum(loads["messages"]), result["messages"]["hops"])
        self.assertEqual(loads["busy_s"], loads["messages"])
        self.assertEqual(loads["messages"][ends.index((2, 3))], result["link_load"]["max"])
        self.assertEqual(max(result["node_loads"]), result["node_load"]["max"])
        self.assertEqual(sum(result["node_loads"]), result["messages"]["hops"] - result["messages"]["count"])

    def test_nodes_forward_packets_where_links_carry_packets(self):
        message = {"from": 0, "to": 3, "bytes": 1000}
        name = self.write("packets.json", {
            "schema_version": 1,
            "machine": {"topology": {"kind": "line", "nodes": 4}, "link": {"latency": "1us", "per_byte": "1ns"}},
            "program": {"kind": "pattern", "processes": 4, "phases": [{"messages": [message]}]},
            "embedding": "identity",
        })  # fmt: skip
        for packet, of_a_link in (("2kB", 1), ("300", 4), ("100", 10)):
            for more in ([], ["--set", "/machine/link/contention=false"]):
                given = ["run", name, "--set", f"/machine/link/packet={packet}", *more]
                result = self.json(*given, "--json")
                self.assertEqual(result["node_loads"], [0, of_a_link, of_a_link, 0])
                self.assertEqual(result["node_load"]["max"], of_a_link)
                self.assertEqual(result["link_load"]["top"][0]["messages"], of_a_link)
                self.assertRegex(self.output(*given), rf"busiest links +packets\n +0->1 +{of_a_link}\n")

    def test_messages_that_a_failed_node_lost_are_forwarded_by_nobody(self):
        messages = [{"from": 0, "to": 1, "bytes": 1}] * 6
        name = self.write("lost.json", {
            "schema_version": 1,
            "machine": {
                "topology": {"kind": "ring", "nodes": 4}, "link": {"latency": "10ps"},
                "links": [{"from": 1, "to": 2, "latency": "100ps"}], "failed": [{"nodes": [1], "at": "45ps"}],
            },
            "program": {"kind": "pattern", "processes": 2, "phases": [{"messages": messages}]},
            "embedding": {"kind": "explicit", "map": [0, 2]},
        })  # fmt: skip
        self.assertEqual(self.json("run", name, "--json")["node_loads"], [0, 0, 0, 6])
        for packet in ("1", "2"):  # 4 packets of node 0 reach node 1 before it fails
            more = [message | {"bytes": 2} for message in messages]
            given = [f"/machine/link/packet={packet}", f"/program/phases/0/messages={json.dumps(more)}"]
            result = self.json("run", name, "--set", given[0], "--set", given[1], "--json")
            self.assertEqual(result["node_loads"], [0, 0, 0, 12 // int(packet)])

    def test_half_duplex_links_are_listed_once(self):
        name = self.write("line.json", scenario(LINE))
        result = self.json("run", name, "--json", "--set", "/machine/link/duplex=half")
        self.assertEqual(list(zip(result["link_loads"]["from"], result["link_loads"]["to"])),
                         [(node, node + 1) for node in range(7)])

    def test_json_holds_a_scenario_that_gives_the_same_result(self):
        self.write("machines/small.json", {"schema_version": 1, "topology": ring(8), "link": {"latency": "0.1s"}})
        given = {**scenario(ring(8)), "machine": "machines/small.json"}
        name = self.write("given.json", given)
        first = self.json("run", name, "--json", "--embedding", "random", "--set", "/seed=5", "--set",
                          "/machine/link/per_byte=1.5us", "--set", "/program/message=3")
        again = self.json("run", self.write("again/given.json", first["scenario"]["document"]), "--json")
        self.assertEqual(again["simulation"]["fingerprint"], first["simulation"]["fingerprint"])
        for key in ("makespan_ps", "machine", "embedding", "link_loads"):
            self.assertEqual(again[key], first[key])
        self.assertEqual(again["scenario"]["document"], first["scenario"]["document"])

    def test_json_and_processes_exclude_each_other(self):
        name = self.write("line.json", scenario(LINE))
        self.assert_refused(["run", name, "--json", "--processes"], "--processes", "--json")

    def test_busiest_links_name_their_nodes(self):
        text = self.output("run", self.write("line.json", scenario(LINE)))
        self.assertRegex(text, r"busiest links +messages\n +2->3 +5\n")

    def test_one_embedding_is_taken(self):
        name = self.write("ring.json", scenario(ring(8)))
        for given in ("xor,gray", ",", "xor,"):
            self.assert_refused(["run", name, "--embedding", given],
                                f'dcube: --embedding: "{given}" is not one embedding (a name with commas is an order of axes')  # fmt: skip

    def test_a_file_that_is_missing_is_refused(self):
        self.assert_refused(["run", "missing.json"], "missing.json")

    def test_a_file_that_cannot_be_looked_up_is_refused_as_the_system_says(self):
        (self.folder / "loop.json").symlink_to("loop.json")
        self.assert_refused(["run", "loop.json"], "loop.json: cannot be read (Too many levels of symbolic links)")
        self.assert_refused(["run", "a" * 300], ": cannot be read (File name too long)")
        self.write("s.json", {**scenario(ring(8)), "machine": "./loop.json"})
        self.assert_refused(["run", "s.json"], "loop.json: cannot be read (Too many levels of symbolic links)")

    def test_a_bad_value_is_named_by_file_and_pointer(self):
        name = self.write("bad.json", scenario({"kind": "torus", "shape": [4, 0]}))
        self.assert_refused(["run", name], "bad.json: /machine/topology/shape/1: 0 is not a side")

    def test_a_simulated_time_out_of_range_is_refused(self):
        name = self.write("long.json", scenario(LINE, compute="9000000s"))
        self.assert_refused(["run", name], "long.json: simulated time exceeds")

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        name = self.write("line.json", scenario(LINE))
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [PROGRAM, "run", name], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True
            )
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output", done.stderr)

    def test_an_interrupt_ends_the_run_with_130(self):
        name = self.write("slow.json", scenario(ring(16384), "random"))
        process = self.start("run", name, "--output", "result.json")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        self.assertEqual(self.files(), ["slow.json"])

    def test_a_map_file_is_of_the_guest_that_is_named_beside_it(self):
        self.write("m.json", {"kind": "explicit", "map": [3, 2, 1, 0]})
        name = self.write("s.json", scenario(ring(4), {"kind": "explicit", "file": "m.json", "guest": "ring:4"}))
        self.assertEqual(self.json("run", name, "--json")["embedding"]["guest"], "ring:4")


if __name__ == "__main__":
    unittest.main()
