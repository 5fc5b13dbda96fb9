"""dcube run --why: the explanation, its JSON, and the examples in docs/howto/explain-a-slow-run.md."""

import json
import pathlib
import re
import resource
import shlex
import sys
import unittest

from program import ProgramTest, is_sanitized, scenario

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "pages"))

from commands_test import first_difference  # noqa: E402

LINE = {"kind": "line", "nodes": 8}
KINDS = ["compute", "endpoint", "hop", "queueing", "blocked"]


def why_of(text):
    return text[text.index("why it ") :]


def paths_of(text):
    return text[text.index("what the critical path ") :]


class Why(ProgramTest):
    def path_of(self, name, *more):
        return self.json("run", name, "--why", "--json", *more)["critical_path"]

    def test_follows_the_summary(self):
        name = self.write("line.json", scenario(LINE))
        text = self.output("run", name, "--why")
        self.assertLess(text.index("fingerprint "), text.index("why it takes 10 s\n"))
        self.assertNotIn("why", self.output("run", name))

    def test_quiet_prints_nothing_but_the_result_file_explains(self):
        name = self.write("line.json", scenario(LINE))
        self.assertEqual(self.output("run", name, "--why", "--quiet", "--output", "r.json"), "")
        self.assertIn("critical_path", json.loads((self.folder / "r.json").read_text()))

    def test_json_has_its_keys_in_order(self):
        path = self.path_of(self.write("line.json", scenario(LINE, "by_weight")))
        self.assertEqual(
            list(path),
            "last_process length_s length_ps time_s computations messages by_pairs by_link part_count "
            "parts waiting advice".split(),
        )
        self.assertEqual(list(path["time_s"]), KINDS)
        self.assertEqual(
            list(path["by_pairs"][0]),
            "pairs messages hops_least hops_most hops hop_s bytes_s queueing_s endpoint_s over".split(),
        )
        self.assertEqual(
            list(path["by_pairs"][0]["over"][0]),
            "machine_dimension wrap_around host hops hop_s bytes_s queueing_s".split(),
        )
        self.assertEqual(list(path["by_link"][0]), "link hops hop_s bytes_s queueing_s".split())
        self.assertEqual(
            list(path["waiting"]),
            "total_s by_cause_s waited_for_s awaited_later_s by_pairs by_link awaited processes".split(),
        )
        causes = "peer_compute other_compute endpoint distance queueing blocked".split()
        self.assertEqual(list(path["waiting"]["by_cause_s"]), causes)
        self.assertEqual(list(path["waiting"]["processes"][0]), ["process", *causes])
        self.assertEqual(list(path["waiting"]["awaited"][0]), "process waits waiting_s".split())
        self.assertEqual(list(path["advice"][0]), "change pairs gain_s gain_ps is_bound".split())

    def test_parts_fill_the_time_to_the_makespan(self):
        name = self.write("line.json", scenario({"kind": "line", "nodes": 16}, "by_weight"))
        result = self.json("run", name, "--why", "--json")
        parts = result["critical_path"]["parts"]
        self.assertEqual(len(parts), result["critical_path"]["part_count"])
        time = 0
        for part in parts:
            self.assertEqual(part["begin_ps"], time)
            time = part["end_ps"]
        self.assertEqual(time, result["makespan_ps"])
        self.assertEqual(sum(result["critical_path"]["time_s"].values()), result["makespan_s"])
        self.assertEqual(result["critical_path"]["waiting"]["total_s"], result["time_s"]["waiting"]["total"])

    def test_long_lists_are_cut_unless_full(self):
        order = [dimension % 7 for dimension in range(70)]
        name = self.write("ring.json", scenario({"kind": "ring", "nodes": 128}, order=order * 10))
        short = self.path_of(name)
        self.assertGreater(short["part_count"], 4096)
        self.assertEqual(len(short["parts"]), 4096)
        full = self.path_of(name, "--full")
        self.assertEqual(len(full["parts"]), full["part_count"])

    def test_names_the_queue_that_a_line_of_16_has(self):
        name = self.write("line.json", scenario({"kind": "line", "nodes": 16}, "by_weight"))
        text = why_of(self.output("run", name, "--why"))
        self.assertIn("why it takes 26 s\n", text)
        self.assertRegex(text, r"Its messages queue before \d+->\d+ \(")

    def test_of_messages_that_arrive_at_once_the_awaited_one_counts(self):
        started = [{"collective": "all_to_all", "bytes": 2000, "start": "g"}, {"collective": "barrier"}]
        name = self.write("barrier.json", {
            "schema_version": 1,
            "machine": {
                "topology": {"kind": "line", "nodes": 2}, "switching": "cut_through",
                "link": {"latency": "10ns", "bandwidth": "1GBps"},
            },
            "embedding": "identity",
            "program": {"kind": "pattern", "processes": 2, "phases": [*started, {"compute": "5us"}, {"wait": "g"}]},
        })  # fmt: skip
        path = self.path_of(name)
        kinds = [(part["kind"], part["end_ps"] - part["begin_ps"]) for part in path["parts"]]
        self.assertEqual(kinds, [("queueing", 1_000_000), ("hop", 10_000), ("compute", 5_000_000)])
        gains = {advice["change"]: advice["gain_ps"] for advice in path["advice"]}
        self.assertEqual(gains["no_queueing"], 1_000_000)

    def test_time_lost_to_a_failure_is_no_queueing(self):
        name = self.write("it.json", {
            "schema_version": 1,
            "machine": {
                "schema_version": 1, "topology": {"kind": "ring", "nodes": 5},
                "link": {"latency": "1us", "per_byte": "1ns"}, "failed": [{"links": [[0, 1]], "at": "4900ns"}],
            },
            "embedding": "identity",
            "program": {"kind": "pattern", "phases": [{"messages": [{"from": 0, "to": 1, "bytes": 4000}]}]},
        })  # fmt: skip
        text = why_of(self.output("run", name, "--why"))
        self.assertIn("why it takes 24.9 us\n100.0 % of the makespan is hops: ", text)
        self.assertIn("Its messages lost 4.90 us to failures, on hops or waiting for them.\n", text)
        self.assertIn("4 hops 24.9 us, 4.90 us of it lost to failures\n", text)
        self.assertNotIn("queue", text)
        path = self.path_of(name)
        self.assertEqual(path["time_s"]["queueing"], 0)
        self.assertEqual([(part["end_ps"], part.get("lost")) for part in path["parts"]][:2], [(4_900_000, True), (9_900_000, None)])
        self.assertEqual([one["gain_ps"] for one in path["advice"]], [10_000_000, 10_000_000])
        pairs = path["by_pairs"][0]
        self.assertEqual((path["time_s"]["hop"], pairs["hop_s"]), (24.9e-6, 24.9e-6))
        for rows in (path["by_link"], pairs["over"]):
            self.assertAlmostEqual(sum(row["hop_s"] for row in rows), 20e-6)

    def test_a_half_duplex_link_has_one_name(self):
        name = self.write("it.json", {
            "schema_version": 1,
            "machine": {
                "topology": {"kind": "line", "nodes": 2},
                "link": {"latency": "1us", "per_byte": "1ns", "duplex": "half"},
            },
            "embedding": "identity",
            "program": {"kind": "pattern", "phases": [{"messages": [
                {"from": 0, "to": 1, "bytes": 10}, {"from": 1, "to": 0, "bytes": 10}]}]},
        })  # fmt: skip
        self.assertIn("queues 1.01 us before 0-1\n", why_of(self.output("run", name, "--why")))
        path = self.path_of(name)
        self.assertEqual({part["link"] for part in path["parts"]}, {"0-1"})
        self.assertEqual([row["link"] for row in path["by_link"]], ["0-1"])

    def test_says_to_whom_overlap_was_lost(self):
        def start(name, size):
            return {"collective": "broadcast", "bytes": size, "root": 0, "algorithm": "binomial", "start": name}

        phases = [start("a", 4), start("b", 8), {"compute": "1s"}, {"wait": "b"}, {"wait": "a"}]
        machine = {"topology": {"kind": "ring", "nodes": 2}, "link": {"latency": 0, "per_byte": "1s"}}
        document = {"schema_version": 1, "machine": machine, "embedding": "identity",
                    "program": {"kind": "pattern", "processes": 2, "phases": phases}}  # fmt: skip
        name = self.write("overlap.json", document)
        first, second = self.path_of(name)["overlap"]
        self.assertEqual((first["time_s"], first["beside_compute_s"], first["beside_other_s"], first["exposed_s"]), (4, 1, 3, 0))
        self.assertEqual(second, {
            "phase": "start b", "operation": "broadcast", "count": 2, "time_s": 12, "beside_compute_s": 1,
            "beside_other_s": 0, "exposed_s": 11,
            "lost_s": {"own_time": 8, "late_start": 0, "other_messages": 3, "own_messages": 0, "busy_process": 0},
            "lost_to": [{"to": "other_messages", "link": "0->1", "behind": {"phase": "start a", "operation": "broadcast"},
                         "time_s": 3}],
        })  # fmt: skip
        text = why_of(self.output("run", name, "--why"))
        self.assertRegex(text, r"(?m)^  start b: broadcast +2 +12 s +1 s +0 s +11 s +8\.3 %$")
        self.assertIn(
            "start b: broadcast loses 8 s to its own time, 3 s to queues behind start a: broadcast (0->1).\n", text
        )
        self.assertNotIn("overlap", self.path_of(self.write("line.json", scenario(LINE))))

    def test_says_it_of_traces_too(self):
        hop = {"topology": {"kind": "ring", "nodes": 2}, "link": {"latency": "1s"}, "compute": {"flop": "1s"}}
        steps = ("init", "compute 3", "iallreduce 4 0", "compute {}", "waitall 1", "finalize")
        (self.folder / "two.ti").write_text("".join(
            f"{rank} {step.format('0' if rank else '4')}\n" for rank in (0, 1) for step in steps if rank == 0 or step != "compute 3"
        ))  # fmt: skip
        document = {"schema_version": 1, "machine": hop, "embedding": "identity", "program": {"kind": "ti", "file": "two.ti"}}
        (started,) = self.path_of(self.write("ti.json", document))["overlap"]
        # Rank 0 begins after 3 s, and has rank 1's part by then. Rank 1 waits for that, and 1 s for its part.
        self.assertEqual((started["operation"], started["count"], started["time_s"]), ("allreduce", 2, 4))
        self.assertEqual((started["beside_compute_s"], started["exposed_s"]), (0, 4))
        self.assertEqual(started["lost_to"], [{"to": "late_start", "process": 0, "time_s": 3}])

        chakra = str(ROOT / "scenarios" / "torus-chakra-train.json")
        self.assertNotIn("overlap", self.path_of(chakra))
        reduced, barrier = self.path_of(chakra, "--set", "/program/streams=per_group")["overlap"]
        self.assertEqual((reduced["operation"], barrier["operation"]), ("allreduce", "barrier"))
        self.assertGreater(reduced["beside_compute_s"], 0.2e-3)
        self.assertGreater(reduced["exposed_s"], 0.2e-3)
        self.assertAlmostEqual(reduced["lost_s"]["own_time"], reduced["exposed_s"])
        self.assertEqual([(loss["to"], loss["process"]) for loss in barrier["lost_to"]], [("late_start", 0), ("late_start", 1)])

    def test_names_the_wrap_around(self):
        name = self.write("torus.json", scenario({"kind": "torus", "shape": [8, 8]}, "xor"))
        text = why_of(self.output("run", name, "--why"))
        self.assertIn("torus dimension 0 (1 of 2 hops by a wrap-around)", text)

    def test_explains_a_hop_bound_run_and_what_could_help(self):
        name = self.write("line.json", scenario({"kind": "line", "nodes": 64}))
        text = why_of(self.output("run", name, "--why"))
        self.assertIn("in cube dimension 5: 46.4 % of the makespan, 32 hops each, over line", text)
        self.assertIn("No process waits for another.\n", text)
        self.assertRegex(text, r"a shorter route in cube dimension 5\. .* the run at most 16 s \(23.2 %\) shorter")

    def test_a_compute_bound_run_cannot_be_helped_by_maps(self):
        name = self.write("line.json", scenario(LINE, compute="1000s"))
        text = why_of(self.output("run", name, "--why"))
        self.assertIn("computations of this chain alone take 3000 s", text)

    def test_bytes_that_cut_through_are_the_slower_links_or_injections(self):
        link = {"latency": "600ns", "bandwidth": "10GBps"}
        message = {"from": 0, "to": 510, "bytes": 20480}
        document = {
            "schema_version": 1,
            "machine": {
                "schema_version": 1,
                "topology": {"kind": "torus", "shape": [8, 4, 4]},
                "switching": "cut_through",
                "link": link,
                "node": {"slots": 5, "injection": {"bandwidth": "16GBps"}},
            },
            "embedding": "block",
            "program": {"kind": "pattern", "guest": "line:511", "phases": [{"messages": [message]}]},
        }
        name = self.write("cut-through.json", document)
        whole = self.json("run", name, "--why", "--json")
        time = whole["critical_path"]["time_s"]
        self.assertEqual((time["endpoint"], time["hop"]), (2e-12, 3.848e-6))

        def gain(change):
            return next(a for a in whole["critical_path"]["advice"] if a["change"] == change)["gain_ps"]

        def makespan(*more):
            return self.json("run", name, "--json", *more)["makespan_ps"]

        self.assertEqual(whole["makespan_ps"] - makespan("--set", "/machine/link/latency=300ns"), 900_000)
        self.assertEqual(gain("shorter_ways"), 900_000)
        faster = ["--set", '/machine/link={"latency": "300ns", "bandwidth": "20GBps"}']
        self.assertEqual(whole["makespan_ps"] - makespan(*faster), gain("faster_links"))
        fast = makespan("--set", "/machine/node/injection/bandwidth=100GBps")
        self.assertLessEqual(whole["makespan_ps"] - fast, gain("no_endpoint_costs"))

    def test_execution_changes_nothing(self):
        name = self.write("line.json", scenario(LINE, "by_weight"))
        self.assertEqual(
            self.path_of(name, "--execution", "actors"), self.path_of(name, "--execution", "coroutines")
        )

    def test_goes_with_the_process_table(self):
        name = self.write("line.json", scenario(LINE))
        text = self.output("run", name, "--why", "--processes")
        self.assertIn("stage 0", text.splitlines()[0])
        self.assertIn("why it takes 10 s\n", text)

    @unittest.skipIf(is_sanitized(), "the sanitizer needs more address space than the limit")
    def test_a_record_that_cannot_fit_in_memory_is_refused_before_the_run(self):
        name = self.write("large.json", scenario({"kind": "torus", "shape": [512, 512]}))
        limit = (1_200_000_000, 1_200_000_000)
        done = self.dcube(
            "run", name, "--why", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit)
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, "^dcube: --why: .* does not fit in memory .*without --why")

    def test_the_examples_of_the_page_are_what_is_printed(self):
        page = (ROOT / "docs/howto/explain-a-slow-run.md").read_text()
        examples = re.findall(
            r"```\n\./dcube ((?:run|compare) \S+ --why[^\n]*)\n```\n+```\n(.*?)```", page, re.DOTALL
        )
        self.assertGreaterEqual(len(examples), 4)
        for command, expected in examples:
            with self.subTest(command=command):
                arguments = [
                    str(ROOT / word) if word.startswith("scenarios/") else word
                    for word in shlex.split(command)
                ]
                explain = why_of if arguments[0] == "run" else paths_of
                printed = explain(self.output(*arguments)).splitlines()
                self.assertIsNone(first_difference(expected.splitlines(), printed))


if __name__ == "__main__":
    unittest.main()
