"""Type hints: those of the module in C++ are what it has, and programs that use the package pass a strict check."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import dcube

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(dcube.__file__).parent
# Checking numpy's own hints takes longer than all else.
CONFIGURATION = """\
[mypy]
ignore_missing_imports = True
[mypy-numpy.*]
follow_imports = skip
"""
# What pybind11 has in place of a metaclass and of constructors that nobody may call.
DIFFERENT = r"""
dcube\._dcube\.[A-Z]\w+
dcube\._dcube\.[A-Z]\w+\.__init__
"""
TYPED = """
from collections.abc import Generator
import dcube

def halo(p: dcube.Process) -> Generator[dcube.Awaitable, dcube.Received, float]:
    request: dcube.Request = p.post_receive(1 - p.rank)
    p.send(1 - p.rank, bytes=8)
    yield p.compute("1us")
    received = yield p.wait(request)
    pair: dcube.Group = p.world().split(lambda rank: rank % 2)
    yield pair.barrier()
    return received.arrival_ps / 1e12

result: dcube.Result = dcube.run(program=dcube.Program(halo, 2), machine="ring:2", embedding=[1, 0])
found = dcube.search("quickstart", pins={0: 3}, avoid=[5, 6])
made = dcube.compare("quickstart", ["xor", range(64), found, {"kind": "gray"}], time_limit_s=60)
text: str = f"{result.makespan_s + found.value:.3f} {made.best['makespan_ps']} {result.returned[0]}"
figure = dcube.sweep("quickstart", vary={"/program/message": [1, 64]}, measures="makespan_s").plot(title="x")
longest: int = dcube.embed("torus:8x8", "xor").dilation["longest"]
mapped: list[str] = dcube.subcubes(random={"tasks": 3, "edges": 2}, subcube=1, any=True).mapping
swept = dcube.collective("allreduce", "ring:4", bytes=[8, "1KiB"], algorithms="ring", crossovers=False).fastest
print(result.links["busy_ps"].max(), dcube.OBJECTIVES, dcube.machines()["ring"])
"""
WRONG = {
    'dcube.run("quickstart", seed="1")': "arg-type",
    'dcube.run("quickstart", embeding="xor")': "call-arg",
    'dcube.run("quickstart").makespan': "attr-defined",
    'dcube.Program(lambda p: p.rank, "4")': "arg-type",
}


class Package(unittest.TestCase):
    def test_says_that_it_has_hints(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        self.assertTrue((PACKAGE / "_dcube.pyi").exists())


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Hints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "mypy.ini").write_text(CONFIGURATION)

    def said(self, module, *options):
        done = subprocess.run([sys.executable, "-m", module, *map(str, options)], cwd=self.folder, text=True,
                              env={"PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        return done.returncode, done.stdout

    def test_the_module_has_what_its_stub_says(self):
        (self.folder / "different").write_text(DIFFERENT)
        status, text = self.said("mypy.stubtest", "--concise", "--mypy-config-file", "mypy.ini", "--allowlist", "different",
                                 "--ignore-unused-allowlist", "dcube._dcube")  # fmt: skip
        self.assertEqual(status, 0, text)

    def test_programs_pass_a_strict_check_and_wrong_ones_do_not(self):
        (self.folder / "typed.py").write_text(TYPED)
        (self.folder / "wrong.py").write_text("\n".join(["import dcube", *WRONG]))
        _, text = self.said("mypy", "--strict", "--config-file", "mypy.ini", "--follow-imports", "silent",
                            "--no-error-summary", "typed.py", "wrong.py")  # fmt: skip
        found = re.findall(r"^(\w+\.py:\d+): error: .*\[([\w-]+)\]$", text, re.M)
        self.assertEqual(found, [(f"wrong.py:{line}", code) for line, code in enumerate(WRONG.values(), 2)], text)

    def test_the_programs_of_the_page_pass_a_strict_check(self):
        # Functions on it have no hints, which a strict check would demand first of all.
        untyped = ("--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls")
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/howto/use-python.md").read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        program = "\n".join(blocks)
        (self.folder / "page.py").write_text(program)
        _, text = self.said("mypy", "--strict", *untyped, "--config-file", "mypy.ini", "--follow-imports", "silent",
                            "--no-error-summary", "page.py")  # fmt: skip
        found = re.findall(r"^page\.py:(\d+): (?=error)", text, re.M)
        # Lists of unlike things are lists of objects for mypy of Debian 12; that of Debian 13 has no complaint.
        _, version = self.said("mypy", "--version")
        is_newer = tuple(map(int, re.findall(r"\d+", version)[:2])) >= (1, 15)
        self.assertEqual([program.splitlines()[int(line) - 1].strip() for line in found], [] if is_newer else [
            'made = dcube.run(machine="ring:16", program={"kind": "cc_dcube", "compute": "1s"}, embedding=embedding)',
            "dcube.run(**wrong)"], text)  # fmt: skip


if __name__ == "__main__":
    unittest.main()
