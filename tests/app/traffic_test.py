"""The traffic of every shipped scenario, written and read back, weighs what its run measured."""

import csv
import json
import os
import pathlib
import unittest

from program import ProgramTest

SHIPPED = pathlib.Path(__file__).parents[2]


class TrafficOfScenarios(ProgramTest):
    def machine_of(self, scenario):
        """What `dcube embed` takes for it."""
        machine = json.loads(scenario.read_text())["machine"]
        if isinstance(machine, dict):
            return self.write("machine.json", {"schema_version": 1, **machine})
        return SHIPPED / "platforms" / f"{machine}.json"

    def messages(self, processes):
        """Of the trace, those between nodes: no host computer beside them."""
        with open(self.folder / "trace.csv", newline="") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                ends = (row["source"], row["destination"])
                if row["record"] == "message" and all(int(end) < processes for end in ends):
                    yield row

    def test_hop_bytes_are_those_of_the_run(self):
        missing = [f"-{kind}-" for kind in os.environ.get("DCUBE_WITHOUT", "").split()]
        scenarios = [
            scenario
            for scenario in sorted((SHIPPED / "scenarios").glob("*.json"))
            if not any(kind in scenario.stem for kind in missing)
        ]
        self.assertGreater(len(scenarios), 30)
        for scenario in scenarios:
            with self.subTest(scenario=scenario.stem):
                self.check(scenario)

    def check(self, scenario):
        run = self.json("run", scenario, "--json", "--full", "--traffic", "x.csv", "--trace", "csv:trace.csv")
        nodes = run["embedding"]["map"]
        messages = [row for row in self.messages(len(nodes)) if row["source"] != row["destination"]]
        bytes_sent = sum(int(row["bytes"]) for row in messages)
        hop_bytes = sum(int(row["bytes"]) * int(row["hops"]) for row in messages)
        machine = self.machine_of(scenario)
        self.write("map.json", {"kind": "explicit", "map": nodes})
        measure = ["embed", machine, "--json", "--embedding"]
        placed = self.json(*measure, "map.json", "--traffic", "x.csv")
        if run["machine"].get("routing") == "ugal":  # some messages take longer routes
            self.assertLess(placed["hop_bytes"], hop_bytes)
            hop_bytes = placed["hop_bytes"]
        self.assertEqual(placed["hop_bytes"], hop_bytes)
        self.assertEqual(placed["traffic"]["bytes"], bytes_sent)
        self.assertEqual(placed["traffic"]["messages"], len(messages))

        self.check_search(machine, measure, bytes_sent, hop_bytes)
        self.output("run", scenario, "--quiet", "--traffic", "x.mtx")
        self.assertEqual(self.json(*measure, "map.json", "--traffic", "x.mtx")["hop_bytes"], hop_bytes)

    def check_search(self, machine, measure, bytes_sent, hop_bytes):
        found = self.json("search", "--machine", machine, "--traffic", "x.csv", "--effort", "100",
                          "--json", "--output", "found.json")
        self.assertEqual(found["traffic"]["bytes"], bytes_sent)
        self.assertLessEqual(found["found"]["cost"], hop_bytes)
        again = self.json(*measure, "found.json", "--traffic", "x.csv")
        self.assertEqual(again["hop_bytes"], found["found"]["cost"])


if __name__ == "__main__":
    unittest.main()
