"""dcube search: what it proves, and certificates that others can check."""

import json
import pathlib
import subprocess
import sys
import unittest

from program import ProgramTest, machine, ring

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
CUBE_ON_RING = ("search", "--machine", "ring:8", "--traffic", "cube:3")


class SearchProofs(ProgramTest):
    def check(self, *files):
        return subprocess.run(
            [sys.executable, SCRIPTS / "check_certificate.py", *files],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )

    def test_counts_of_the_fastest_maps(self):
        for nodes, dimensions, maps, constant in ((8, 3, 20, 12), (16, 4, 400, 96)):
            proof = self.json(
                "search", "--machine", f"ring:{nodes}", "--traffic", f"cube:{dimensions}",
                "--objective", "cc-time", "--method", "exhaustive", "--json",
            )["proof"]  # fmt: skip
            self.assertTrue(proof["complete"])
            self.assertEqual((proof["optima_fixed"], proof["optima_fixed_constant"]), (maps, constant))

    def test_certificates_hold(self):
        self.write("t.csv", "0,1,5\n1,2,7\n2,0,1\n3,1,2\n5,5,1\n")
        self.write("positive.json", machine({**ring(8), "tie": "positive"}))
        self.write("half.json", {**machine(ring(6)), "link": {"latency": "1s", "duplex": "half"}})
        cases = [
            ("ring:8", "cube:3", "cc-time", "exhaustive"),
            ("ring:8", "cube:3", "hop-bytes", "exhaustive"),
            ("torus:4x2", "cube:3", "longest-dilation", "exhaustive"),
            ("mesh:3x2", "t.csv", "hop-bytes", "exhaustive"),
            ("hypercube:3", "t.csv", "average-dilation", "exhaustive"),
            ("ring:6", "t.csv", "link-load", "exhaustive"),
            ("torus:4x2", "cube:3", "link-load", "exhaustive"),
            ("positive.json", "cube:3", "link-load", "exhaustive"),
            ("half.json", "t.csv", "link-load", "exhaustive"),
            ("ring:16", "cube:4", "average-dilation", "constant-distances"),
            ("torus:8x4", "cube:5", "average-dilation", "constant-distances"),
        ]
        for i, (network, slots) in enumerate(
            (({"kind": "mesh", "shape": [3, 2]}, 2), (ring(4), 2), ({"kind": "line", "nodes": 3}, 3))
        ):
            self.write(f"slots{i}.json", machine(network, node={"slots": slots, "local": {"latency": "300ms"}}))
        self.write("silent.csv", "0,1,5\n1,2,7\n2,0,1\n4,6,2\n")
        for objective in ("hop-bytes", "average-dilation", "longest-dilation", "link-load"):
            cases += [(f"slots{i}.json", "silent.csv", objective, "exhaustive") for i in range(3)]
        cases += [
            (f"slots{i}.json", "cube:3", objective, "exhaustive") for i in range(3) for objective in ("cc-time", "hop-bytes")
        ]
        for i, (network, traffic, objective, method) in enumerate(cases):
            self.output(
                "search", "--machine", network, "--traffic", traffic, "--objective", objective,
                "--method", method, "--certificate", f"{i}.proof",
            )  # fmt: skip
        done = self.check(*(f"{i}.proof" for i in range(len(cases))))
        self.assertEqual((done.returncode, done.stdout.count(": holds:")), (0, len(cases)), done.stdout)

    def random_traffic(self, processes):
        rows = [f"{i},{(i * i + 3 * i + 1) % processes},{1 + i * 7 % 9}" for i in range(processes)]
        rows += [f"{i},{(5 * i + 2) % processes},{1 + i % 4}" for i in range(processes)]
        (self.folder / "t.csv").write_text("from,to,bytes\n" + "\n".join(rows) + "\n")

    def test_a_bound_has_a_certificate_that_no_other_number_has(self):
        self.random_traffic(14)
        machines = ("torus:4x4", "mesh:5x3", "line:16", "hypercube:4", "ring:15", "torus:5x3", "mesh:4x2x2")
        for i, machine in enumerate(machines):
            result = self.json("search", "--machine", machine, "--traffic", "t.csv", "--effort", "100000", "--json",
                               "--prove", "2s", "--certificate", f"{i}.proof")  # fmt: skip
            self.assertRegex(result["bound"]["source"], "semidefinite|dual ascent")
            self.assertLessEqual(result["bound"]["cost"], result["found"]["cost"])
            checked = self.check(f"{i}.proof")
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            certified = json.loads((self.folder / f"{i}.proof").read_text())["bound"]
            self.assertIn(f"no map costs less than {certified}", checked.stdout)
            # Branch and bound may prove more.
            self.assertIn(certified, [bound["cost"] for bound in result["bounds"] if "semidefinite" in bound["source"]])
        proof = json.loads((self.folder / "1.proof").read_text())
        column = proof["modes"][0]["columns"][0]

        def forged(change):
            copy = json.loads((self.folder / "1.proof").read_text())
            change(copy)
            self.write("forged.proof", copy)
            checked = self.check("forged.proof")
            self.assertEqual(checked.returncode, 1, checked.stdout + checked.stderr)

        forged(lambda copy: copy.update(bound=proof["bound"] + 2))
        forged(lambda copy: copy["modes"][0]["columns"].__setitem__(0, [4 * x + 2**22 for x in column]))
        forged(lambda copy: copy["modes"].pop(0))
        forged(lambda copy: copy["modes"].append(copy["modes"][0]))
        forged(lambda copy: copy["cuts"].append({**copy["cuts"][0], "multiplier": -(2**44)}))
        forged(lambda copy: copy["cuts"][0].update(distance="hops of cycles of 9"))
        forged(lambda copy: copy["flows"].pop(0))

    def test_a_certificate_that_is_missing_is_told_by_the_status(self):
        for machine, traffic, why, *more in (
            ("torus:8x8", "mesh:7x9", "no semidefinite bound was made"),
            ("ring:16", "cube:4", "the enumeration is not complete", "--method", "exhaustive"),
        ):
            with self.subTest(machine=machine):
                done = self.dcube("search", "--machine", machine, "--traffic", traffic, "--effort", "100", *more,
                                  "--write", "certificate:x.json", "--write", "x.csv")  # fmt: skip
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"x.json: not written: {why}", done.stderr)
                self.assertIn("\nfound: ", done.stdout)
                self.assertEqual(self.files(), ["x.csv"])

    def test_a_bound_that_is_reached_without_a_semidefinite_one_is_told(self):
        done = self.dcube("search", "--machine", "line:9", "--traffic", "line:8", "--objective", "average-dilation",
                          "--method", "annealing", "--effort", "3000", "--prove", "2s", "--write", "certificate:c.json")  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn("c.json: not written: another bound was reached", done.stderr)
        self.assertNotIn("--prove", done.stderr)

    def test_a_proof_raises_the_bound_over_time(self):
        self.random_traffic(28)
        command = ("search", "--machine", "mesh:7x4", "--traffic", "t.csv", "--effort", "100000", "--json")
        plain = self.json(*command)
        proved = self.json(*command, "--prove", "3s")
        self.assertEqual(plain["map"], proved["map"])
        self.assertGreater(proved["bound"]["cost"], plain["bound"]["cost"])
        bounds = [step["cost"] for step in proved["bound_history"]]
        self.assertEqual(bounds, sorted(bounds))
        self.assertEqual(bounds[-1], proved["bound"]["cost"])
        text = self.output(*command[:-1], "--prove", "3s")
        self.assertIn("mixtures of maps", text)

    def test_branch_and_bound_ends_at_an_optimum(self):
        self.random_traffic(10)
        for machine in ("fat_tree:4,4/1,2", "dragonfly:p=1,a=3,h=1"):
            command = ("search", "--machine", machine, "--traffic", "t.csv", "--method", "annealing", "--effort", "1000",
                       "--prove", "60s", "--json")  # fmt: skip
            result = self.json(*command)
            self.assertEqual(result["gap"], 0)
            self.assertEqual(result["ended"], "bound reached")
            self.assertIn("of placements, each with a dual ascent", result["bound"]["source"])
            more = self.json(*command, "--jobs", "2")
            for key in ("found", "bounds", "map"):
                self.assertEqual(result[key], more[key])

    def test_parts_of_the_flows_end_at_an_optimum(self):
        pairs = [f"{a},{b},1" for a in range(12) for b in range(a)]
        (self.folder / "clique.csv").write_text("\n".join(["from,to,bytes", *pairs, "30,31,1"]) + "\n")
        command = ("search", "--machine", "hypercube:5", "--traffic", "clique.csv", "--method", "annealing", "--json")
        result = self.json(*command, "--prove", "60s")
        self.assertEqual(result["gap"], 0)
        self.assertEqual(result["ended"], "bound reached")
        self.assertIn("of parts of the flows", result["bound"]["source"])

    def test_a_forged_certificate_does_not_hold(self):
        self.output(*CUBE_ON_RING, "--objective", "cc-time", "--certificate", "true.proof")
        self.output(
            *CUBE_ON_RING, "--objective", "average-dilation", "--method", "constant-distances", "--certificate", "constant.proof"
        )
        self.output(*CUBE_ON_RING, "--objective", "link-load", "--certificate", "load.proof")
        slots = self.write("slots.json", machine(ring(4), node={"slots": 2, "local": {"latency": "100ms"}}))
        self.output(
            "search", "--machine", slots, "--traffic", "cube:3", "--objective", "cc-time",
            "--certificate", "slots.proof",
        )  # fmt: skip
        forgeries = [
            ("slots.proof", lambda proof: proof["machine"].pop("slots")),
            ("slots.proof", lambda proof: proof["machine"].update(slots=3)),
            ("slots.proof", lambda proof: proof.update(cc_local_ps=0)),
            ("slots.proof", lambda proof: proof.update(map=[0] * 3 + proof["map"][3:])),
            ("slots.proof", lambda proof: proof.update(optima=proof["optima"] + 1)),
            ("true.proof", lambda proof: proof.update(optima=proof["optima"] + 1)),
            ("true.proof", lambda proof: proof.update(cost=proof["cost"] + proof["cc_hop_ps"])),
            ("true.proof", lambda proof: proof["map"].reverse() or proof["map"].__setitem__(0, proof["map"][1])),
            ("true.proof", lambda proof: proof["levels"][3].update(tried=1)),
            ("true.proof", lambda proof: proof["levels"].pop()),
            ("true.proof", lambda proof: proof["levels"].clear()),
            ("true.proof", lambda proof: proof.update(optima_fixed_constant=0)),
            ("true.proof", lambda proof: proof.update(version=2)),
            ("true.proof", lambda proof: proof["machine"].update(kind="mesh")),
            ("true.proof", lambda proof: proof["symmetries"].append(proof["symmetries"][3])),
            ("load.proof", lambda proof: proof.update(sharing="undirected")),
            ("load.proof", lambda proof: proof.update(tie="positive")),
            ("load.proof", lambda proof: proof["symmetries"].append([1, 2, 3, 4, 5, 6, 7, 0])),
            ("true.proof", lambda proof: proof["symmetries"].append([1, 0, 2, 3, 4, 5, 6, 7])),
            ("true.proof", lambda proof: proof["symmetries"].pop()),
            ("constant.proof", lambda proof: proof["trials"].pop()),
            ("constant.proof", lambda proof: proof.update(least_sum=3, optima=[])),
            ("constant.proof", lambda proof: proof["flows"].pop()),
            ("constant.proof", lambda proof: proof["trials"][0].update(witness=None)),
            ("constant.proof", lambda proof: proof["trials"][0].update(witness=[0, 2])),
        ]  # fmt: skip
        for source, forge in forgeries:
            proof = json.loads((self.folder / source).read_text())
            forge(proof)
            self.write("forged.proof", proof)
            done = self.check("forged.proof")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("does not hold", done.stdout)
        self.write("text.proof", "no certificate")
        self.assertEqual(self.check("text.proof").returncode, 2)

    def test_an_enumeration_without_enough_effort_says_so(self):
        arguments = ("--machine", "torus:16x16", "--traffic", "cube:8", "--objective", "average-dilation")
        result = self.json("search", *arguments, "--method", "constant-distances", "--effort", 1000, "--json")
        self.assertEqual(result["ended"], "effort used")


if __name__ == "__main__":
    unittest.main()
