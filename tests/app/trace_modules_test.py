"""Traces that are read by modules: nothing of their libraries is in the program, and every command
takes them like any other program."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramTest

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
MISSING = os.environ.get("DCUBE_WITHOUT", "").split()
TRACES = {"otf2": "ring-otf2-stencil", "chakra": "torus-chakra-train"}


class TraceModules(ProgramTest):
    @unittest.skipUnless(shutil.which("ldd"), "there is no ldd")
    def test_the_program_is_linked_to_no_library_of_traces(self):
        libraries = subprocess.run(["ldd", PROGRAM], check=True, text=True, capture_output=True).stdout
        self.assertNotIn("trace-format", libraries)
        self.assertNotIn("protobuf", libraries)

    def each(self):
        for kind, name in TRACES.items():
            with self.subTest(kind=kind):
                yield kind, SCENARIOS / f"{name}.json"

    def test_every_command_takes_them(self):
        for kind, scenario in self.each():
            if kind in MISSING:
                continue
            result = self.json("run", scenario, "--why", "--json")
            self.assertEqual(result["outcome"], "completed")
            self.assertIn("critical_path", result)
            self.assertIn("identity", self.output("compare", scenario, "--output", kind))
            self.output("report", kind, "--output", f"{kind}.html")
            found = self.json("search", scenario, "--objective", "makespan", "--json")
            self.assertEqual(found["traffic"]["name"], kind)

    def test_a_result_can_be_run_again(self):
        for kind, scenario in self.each():
            if kind in MISSING:
                continue
            result = self.json("run", scenario, "--output", f"{kind}.json", "--json")
            document = json.loads((self.folder / f"{kind}.json").read_text())["scenario"]["document"]
            again = self.write(f"{kind}-again.json", document)
            self.assertEqual(
                self.json("run", again, "--json")["simulation"]["fingerprint"],
                result["simulation"]["fingerprint"],
            )

    def test_a_missing_module_takes_one_line(self):
        for kind, scenario in self.each():
            if kind not in MISSING:
                continue
            self.assert_refused(["run", scenario], f"dcube-{kind}.so", "apt install")


if __name__ == "__main__":
    unittest.main()
