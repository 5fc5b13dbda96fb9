"""Machines whose network is fluid: run, trace, report, and compare --network."""

import csv
import io
import unittest

from program import ProgramTest, machine, ring, scenario

BYTES_TAKE_TIME = {"link": {"latency": "1ms", "per_byte": "1ms"}}


def fluid_scenario(topology, embedding="standard", network="fluid", **program):
    described = scenario(topology, embedding, message=1000, **program)
    described["machine"] = machine(topology, network=network, **BYTES_TAKE_TIME)
    return described


class Run(ProgramTest):
    def test_quickstart_completes_and_says_what_carries_messages(self):
        result = self.json("run", "quickstart", "--set", "/machine/network=fluid", "--json")
        self.assertEqual(result["outcome"], "completed")
        self.assertTrue(result["model"]["switching"].startswith("fluid (CM02, factors 1), full duplex"))
        self.assertEqual(result["messages"]["queued"], 0)
        self.assertEqual(result["messages"]["hops"], 640)
        text = self.output("run", "quickstart", "--set", "/machine/network=fluid")
        self.assertIn("shared by SimGrid (CM02, factors 1)", text)

    def test_answers_are_right(self):
        for name in ("ring-fft", "ring-bitonic_sort", "mesh-maze", "hypercube-template_matching-host"):
            result = self.json("run", name, "--set", "/machine/network=fluid", "--json")
            self.assertIs(result["verified"], True, name)

    def test_theory_is_the_run_in_which_messages_do_not_share(self):
        name = self.write("s.json", fluid_scenario(ring(16)))
        result = self.json("run", name, "--json")
        free = self.json("run", name, "--set", "/machine/link/contention=false", "--json")
        self.assertEqual(result["theory"]["makespan_s"], free["makespan_s"])
        self.assertLess(free["makespan_s"], result["makespan_s"])
        self.assertEqual(result["theory"]["source"], "the program without contention")

    def test_lv08_is_slower_than_cm02(self):
        fast = self.json("run", self.write("a.json", fluid_scenario(ring(16))), "--json")
        network = {"kind": "fluid", "model": "LV08"}
        slow = self.json("run", self.write("b.json", fluid_scenario(ring(16), network=network)), "--json")
        self.assertGreater(slow["makespan_s"], fast["makespan_s"])
        self.assertIn("LV08", slow["model"]["switching"])

    def test_runs_are_the_same_again_and_under_both_executors(self):
        name = self.write("s.json", fluid_scenario(ring(16), compute={"uniform": ["1s", "3s"]}, exchange="eager"))
        prints = {
            self.json("run", name, "--json", "--execution", execution)["simulation"]["fingerprint"]
            for execution in ("actors", "coroutines", "actors", "coroutines")
        }
        self.assertEqual(len(prints), 1)

    def test_traces_have_messages_and_no_hops(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        for kind in ("csv", "paje", "chrome"):
            self.output("run", name, "--trace", f"{kind}:t.{kind}")
        summary = self.json("trace", "t.csv", "--json")
        self.assertEqual(summary["hops"]["count"], 0)
        self.assertGreater(summary["messages"]["count"], 0)

    def test_why_is_refused(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        for command in (("run", name, "--why"), ("compare", name, "--why", "--embedding", "xor")):
            self.assert_refused(command, "dcube: --why: the machine's network is fluid, ")

    def test_a_page_is_made(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        self.output("run", name, "--output", "r.json")
        self.output("report", "r.json", "--output", "r.html")
        self.assertGreater((self.folder / "r.html").stat().st_size, 10_000)

    def test_makespan_can_be_searched_for(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        words = ("search", name, "--objective", "makespan", "--effort", 30, "--json")
        first, second = (self.json(*words, "--jobs", jobs) for jobs in (1, 2))
        self.assertEqual((first["starts"], first["found"]), (second["starts"], second["found"]))


class Compare(ProgramTest):
    def networks(self, *more):
        name = self.write("s.json", fluid_scenario({"kind": "torus", "shape": [4, 4]}, network="switched"))
        return ("compare", name, "--embedding", "standard,gray", "--network", "store_and_forward,fluid", *more)

    def test_rows_are_embeddings_under_networks_and_the_end_ranks_them(self):
        lines = self.output(*self.networks()).splitlines()
        header = next(line for line in lines if line.startswith("network"))
        self.assertEqual(header.split()[:3], ["network", "embedding", "makespan"])
        rows = [tuple(line.split()[:2]) for line in lines if line.endswith(" completed")]
        self.assertEqual(
            rows,
            [(n, e) for n in ("store_and_forward", "fluid") for e in ("standard", "gray")],
        )
        self.assertRegex(lines[-2], r"^store_and_forward: (standard|gray) [<=] (standard|gray)$")
        self.assertRegex(lines[-1], r"^fluid: (standard|gray) [<=] (standard|gray)$")

    def test_json_and_csv_name_the_network(self):
        comparison = self.json(*self.networks("--json"))
        self.assertEqual(list(comparison["best"]), ["store_and_forward", "fluid"])
        for network, names in comparison["ranking"].items():
            rows = [run for run in comparison["runs"] if run["network"] == network]
            self.assertEqual(names[0], min(rows, key=lambda run: run["makespan_s"])["embedding"])
            self.assertEqual(min(run["ratio_to_best"] for run in rows), 1)
        self.output(*self.networks("--write", "csv:t.csv"))
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual([row["network"] for row in rows], ["store_and_forward"] * 2 + ["fluid"] * 2)

    def test_each_row_is_the_run_alone(self):
        comparison = self.json(*self.networks("--json"))
        for run in comparison["runs"]:
            setting = "switched" if run["network"] == "store_and_forward" else run["network"]
            alone = self.json(
                "run", "s.json", "--embedding", run["embedding"], "--set", f"/machine/network={setting}", "--json"
            )
            self.assertEqual(alone["simulation"]["fingerprint"], run["fingerprint"])

    def test_a_folder_holds_every_run(self):
        self.output(*self.networks("--output", "out", "--no-pictures"))
        names = sorted(path.name for path in (self.folder / "out/runs").iterdir())
        self.assertEqual(
            names,
            ["fluid-gray.json", "fluid-standard.json", "store_and_forward-gray.json", "store_and_forward-standard.json"],
        )
        self.assertTrue((self.folder / "out/index.html").exists())

    def test_what_cannot_be_compared_is_refused(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        refused = {
            ("--network", "flud"): "dcube: --network: `flud` is not a network that dcube knows; did you mean `fluid`?\n",
            ("--network", "fluid,fluid"): "dcube: --network: fluid is given twice\n",
            ("--network", "fluid", "--set", "/machine/network=fluid"): (
                "dcube: --set: /machine/network changes what is compared, the network (name those to compare by "
                "--network)\n"
            ),
        }
        for options, problem in refused.items():
            self.assert_refused(("compare", name, *options), problem)

    def test_switching_is_another_name_of_the_option(self):
        name = self.write("s.json", fluid_scenario(ring(8)))
        words = ("compare", name, "--embedding", "xor", "--json")
        self.assertEqual(
            self.output(*words, "--switching", "fluid:LV08"), self.output(*words, "--network", "fluid:LV08")
        )
        self.assertNotIn("--switching", self.output("compare", "--help"))


if __name__ == "__main__":
    unittest.main()
