"""The traffic of every shipped scenario, written and read back, weighs what its run measured."""

import csv
import json
import operator
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
        """(source, destination, bytes, hops) of the trace's messages between nodes: no host computer beside them."""
        with open(self.folder / "trace.csv", newline="") as file:
            rows = csv.reader(line for line in file if line.startswith(("record,", "message,")))
            wanted = operator.itemgetter(*map(next(rows).index, ("source", "destination", "bytes", "hops")))
            for row in rows:
                message = tuple(map(int, wanted(row)))
                if max(message[:2]) < processes:
                    yield message

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

    def test_what_processes_send_themselves_is_written(self):
        messages = [{"from": 0, "to": 0, "bytes": 100}, {"from": 1, "to": 2, "bytes": 7}, {"from": 7, "to": 7, "bytes": 3}]
        program = {"kind": "pattern", "guest": "line:8", "phases": [{"messages": messages}]}
        self.write("s.json", {"schema_version": 1, "machine": "ring:8", "embedding": "identity", "program": program})
        self.output("run", "s.json", "--write", "traffic:x.csv", "--write", "traffic:x.mtx", "--write", "traffic:matrix:x.txt")
        self.assertEqual((self.folder / "x.csv").read_text(), "from,to,bytes,messages\n0,0,100,1\n1,2,7,1\n7,7,3,1\n")
        for file in ("x.csv", "x.mtx", "matrix:x.txt"):
            traffic = self.json("embed", "ring:8", "--embedding", "identity", "--traffic", file, "--json")["traffic"]
            self.assertEqual((traffic["bytes"], traffic["own_bytes"]), (7, 103), file)

    def check(self, scenario):
        run = self.json("run", scenario, "--json", "--full", "--trace", "csv:trace.csv", "--trace-link", "none",
                        "--traffic", "x.csv", "--traffic", "x.mtx")  # fmt: skip
        nodes = run["embedding"]["map"]
        messages = [message for message in self.messages(len(nodes)) if message[0] != message[1]]
        bytes_sent = sum(size for *_, size, _ in messages)
        hop_bytes = sum(size * hops for *_, size, hops in messages)
        machine = self.machine_of(scenario)
        self.write("map.json", {"kind": "explicit", "map": nodes})
        found = self.json("search", "--machine", machine, "--traffic", "x.csv", "--effort", "100",
                          "--json", "--output", "found.json")  # fmt: skip
        self.assertEqual(found["traffic"]["bytes"], bytes_sent)

        measure = ["embed", machine, "--json", "--embedding"]
        placed, again = self.json(*measure, "map.json,found.json", "--traffic", "x.csv")
        if run["machine"].get("routing") == "ugal":  # some messages take longer routes
            self.assertLess(placed["hop_bytes"], hop_bytes)
            hop_bytes = placed["hop_bytes"]
        self.assertEqual(placed["hop_bytes"], hop_bytes)
        self.assertEqual(placed["traffic"]["bytes"], bytes_sent)
        self.assertEqual(placed["traffic"]["messages"], len(messages))
        self.assertLessEqual(found["found"]["cost"], hop_bytes)
        self.assertEqual(again["hop_bytes"], found["found"]["cost"])
        self.assertEqual(self.json(*measure, "map.json", "--traffic", "x.mtx")["hop_bytes"], hop_bytes)


if __name__ == "__main__":
    unittest.main()
