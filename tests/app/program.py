"""Runs the program under test, which the environment variable DCUBE_PROGRAM names."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["DCUBE_PROGRAM"]

# SimGrid's stacks are unknown to the address sanitizer, which says so once a run.
SANITIZER_NOTE = re.compile(
    r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n"
    r"False positive error reports may follow\nFor details see .*\n"
)


def is_sanitized():
    """Whether the program was built with the address sanitizer."""
    return b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()


# Seconds that a command may take. The sanitizers make a simulation several times slower.
PATIENCE = 600 if is_sanitized() else 120


def machine(topology, **more):
    """A machine on which a message takes a second a hop."""
    return {"schema_version": 1, "name": "unit", "topology": topology, "link": {"latency": "1s"}, **more}


def ring(nodes):
    return {"kind": "ring", "nodes": nodes}


def scenario(topology, embedding="standard", **program):
    return {
        "schema_version": 1,
        "machine": machine(topology),
        "embedding": embedding,
        "program": {"kind": "cc_dcube", **program},
    }


def children(process):
    """Process ids of the running simulations."""
    return children_of(process.pid)


def children_of(number):
    path = pathlib.Path(f"/proc/{number}/task/{number}/children")
    return path.read_text().split() if path.exists() else []


def long_running_child(process):
    """The process id of a simulation that has run for a second; others may have come and gone."""
    since = {}

    def has_one():
        running = children(process)
        for child in list(since):
            if child not in running:
                del since[child]
        now = time.monotonic()
        return any(now - since.setdefault(child, now) > 1 for child in running)

    return next(iter(since)) if wait_for(has_one) else None


def catches(process, number):
    """Whether a started program has come so far that it looks after its own end by this signal."""
    path = pathlib.Path(f"/proc/{process.pid}/status")
    caught = re.search(r"^SigCgt:\s*(\w+)", path.read_text(), re.MULTILINE) if path.exists() else None
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def exists(process_id):
    return pathlib.Path(f"/proc/{process_id}").exists()


def wait_for(condition):
    """Whether `condition` came true in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return name

    def files(self):
        return sorted(path.name for path in self.folder.rglob("*") if path.is_file() and "records" not in path.parts)

    def dcube(self, *arguments, environment=None, program=(PROGRAM,), **more):
        """`environment`: variables to add; `more` goes to subprocess.run."""
        done = subprocess.run(
            [*program, *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            **more,
        )
        done.stderr = SANITIZER_NOTE.sub("", done.stderr)
        return done

    def start(self, *arguments, program=(PROGRAM,), environment=None):
        """For tests that interrupt the program; ended with the test."""
        process = subprocess.Popen(
            [*program, *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, timeout=60):
        """What a started program has written to standard output and standard error, once it ends."""
        output, errors = process.communicate(timeout=timeout)
        return output, SANITIZER_NOTE.sub("", errors)

    def output(self, *arguments):
        """Standard output of a run that must go well."""
        done = self.dcube(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.output(*arguments))

    def assert_refused(self, arguments, *parts):
        """Exit status 2, nothing on standard output, and one line of complaint with all `parts`."""
        done = self.dcube(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("dcube: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
