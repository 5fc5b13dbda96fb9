"""Runs plotting scripts on what the program under test writes, and looks at their pictures."""

import contextlib
import importlib
import io
import json
import pathlib
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(ROOT / "tests" / "app"))
sys.path.insert(0, str(SCRIPTS))

from matplotlib.image import imread  # noqa: E402
from plotting.options import run  # noqa: E402
from program import ProgramTest, children, scenario, wait_for  # noqa: E402

ONE_AFTER_THE_OTHER = """
import json, runpy, sys
sys.path.insert(0, "")
for sys.argv in json.loads(sys.argv[1]):
    sys.path[0] = sys.argv[0].rpartition("/")[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
"""

__all__ = ["ROOT", "PictureTest", "children", "scenario", "wait_for"]


class PictureTest(ProgramTest):
    """A test with a folder of its own, in which the program and the scripts run."""

    def plot(self, script, *arguments):
        """Runs a script in this process, which is far quicker; what came out, as subprocess has it."""
        module = importlib.import_module(f"plot_{script}")
        words = [f"plot_{script}.py", *map(str, arguments)]
        out, errors = io.StringIO(), io.StringIO()
        status = 0
        with contextlib.chdir(self.folder), redirect_stdout(out), redirect_stderr(errors):
            with mock.patch.object(sys, "argv", words):
                try:
                    run(module.make_parser(), module.draw)
                except SystemExit as end:
                    status = end.code
        return subprocess.CompletedProcess(words, status, out.getvalue(), errors.getvalue())

    def plot_apart(self, script, *arguments, environment=None):
        """Runs a script as users do."""
        return subprocess.run(
            [SCRIPTS / f"plot_{script}.py", *map(str, arguments)],
            cwd=self.folder, capture_output=True, text=True, timeout=300, env=environment,
        )  # fmt: skip

    def plots_apart(self, runs):
        """Runs scripts one after the other in one interpreter of their own, each as its main program;
        loading matplotlib takes longer than most pictures."""
        runs = [[str(SCRIPTS / f"plot_{script}.py"), *map(str, words)] for script, *words in runs]
        return subprocess.run(
            [sys.executable, "-B", "-c", ONE_AFTER_THE_OTHER, json.dumps(runs)],
            cwd=self.folder, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    def drawn(self, script, *arguments):
        """Must go well, without a word."""
        done = self.plot(script, *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def refused(self, script, arguments, *parts):
        """Exit status 2 and one line of complaint with all `parts`."""
        done = self.plot(script, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"plot_{script}: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def result(self, name, topology, embedding="standard", *options, **program):
        """A result of a run on a machine."""
        self.write(f"{name}-scenario.json", scenario(topology, embedding, **program))
        self.output("run", f"{name}-scenario.json", "--quiet", "--output", f"{name}.json", *options)
        return f"{name}.json"

    def trace(self, name, *options):
        """A trace of a scenario in scenarios/."""
        file = f"{name}.csv"
        self.output(
            "run", ROOT / f"scenarios/{name}.json", "--quiet", "--trace", f"csv:{file}", *options
        )
        return file

    def texts(self, picture):
        """Every text of an SVG file."""
        root = ElementTree.parse(self.folder / picture).getroot()
        found = root.iter("{http://www.w3.org/2000/svg}text")
        return ["".join(text.itertext()).replace("\u00a0", " ") for text in found]

    def heights(self, picture):
        """How far below the upper edge each text of an SVG file stands, in points."""
        root = ElementTree.parse(self.folder / picture).getroot()
        return {"".join(text.itertext()): float(text.get("y")) for text in root.iter("{http://www.w3.org/2000/svg}text")}

    def assert_picture(self, name, width=None, height=None):
        """A PNG that decodes, is not blank and has that size in pixels."""
        content = (self.folder / name).read_bytes()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        size = struct.unpack(">II", content[16:24])
        pixels = imread(self.folder / name)
        self.assertEqual(pixels.shape[1::-1], size)
        if width:
            self.assertEqual(size, (width, height))
        red, green, blue = (pixels[::3, ::3, :3] * 100).round().astype(int).reshape(-1, 3).T
        self.assertGreater(len(set(red + 1000 * green + 10**6 * blue)), 5, f"{name} is blank")
