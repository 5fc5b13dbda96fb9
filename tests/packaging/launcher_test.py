"""The launcher and scripts/install-packages where they cannot do what they would like to."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Tree(unittest.TestCase):
    """A tree like this one with a program that only says that it runs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.root.chmod(0o755)
        shutil.copy(ROOT / "dcube", self.root)
        for name in ("src", "include", "schema", "cmake"):
            (self.root / name).mkdir()
        (self.root / "CMakeLists.txt").touch()
        self.program = self.root / "build/release/dcube"
        script(self.program, 'echo "running $*"')
        self.stamp = self.root / "build/release/launcher.stamp"
        self.stamp.write_text(f"{self.root.resolve()}\n")

    def launch(self, *words, user=None, env=None):
        return subprocess.run(
            [self.root / "dcube", *(words or ["list"])], text=True, capture_output=True, check=False, env=env, user=user
        )

    def make_stale(self):
        os.utime(self.stamp, (1, 1))


class Launcher(Tree):
    def test_what_is_built_runs_without_a_word(self):
        done = self.launch()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "running list\n", ""))

    def test_python_gets_the_package_and_all_other_words(self):
        package = self.root / "build/release/python/dcube"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("import sys; print(sys.argv)")
        (self.root / "build/release/launcher-python.stamp").write_text(f"{self.root.resolve()}\n")
        done = self.launch("python", "-c", "import dcube", "--help", env={"PYTHONPATH": "/nowhere"})
        self.assertEqual((done.stdout, done.stderr), ("['-c', '--help']\n", ""))

    def test_python_is_built_by_itself(self):
        script(self.root / "scripts/install-packages", 'echo "wanted: $*" >&2; exit 2')
        done = self.launch("python")
        self.assertEqual(done.returncode, 2)
        self.assertIn("wanted: build python", done.stderr)
        self.assertEqual(self.launch().stdout, "running list\n")

    def test_no_environment_is_needed(self):
        script(self.root / "scripts/install-packages", "exit 2")
        self.make_stale()
        done = self.launch(env={})
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("PATH", done.stderr)

    def test_a_missing_package_takes_one_line(self):
        script(
            self.root / "scripts/install-packages",
            "echo 'dcube: ask an administrator to run: apt-get install g++' >&2; exit 2",
        )
        self.make_stale()
        done = self.launch()
        self.assertEqual(done.returncode, 2)
        lines = [line for line in done.stderr.splitlines() if "building" not in line]
        self.assertEqual(lines, ["dcube: ask an administrator to run: apt-get install g++"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_program_older_than_its_sources_is_said_to_be_so(self):
        self.make_stale()
        done = self.launch(user=NOBODY)
        self.assertEqual((done.returncode, done.stdout), (0, "running list\n"))
        self.assertIn("the sources are newer than", done.stderr)


class InstallPackages(unittest.TestCase):
    """With a package system in which nothing is installed, and an apt-get that tells when it runs."""

    def install(self, user_id):
        with tempfile.TemporaryDirectory() as folder:
            bin_folder = pathlib.Path(folder)
            script(bin_folder / "dpkg-query", "exit 1")
            script(bin_folder / "id", f"echo {user_id}")
            script(bin_folder / "sudo", "exit 1")
            script(bin_folder / "apt-get", 'echo "apt-get ran: $*" >&2')
            return subprocess.run(
                ["/bin/sh", "-c", f"exec {ROOT}/scripts/install-packages build 2>&1"],
                text=True,
                capture_output=True,
                check=False,
                env={"PATH": f"{folder}:/usr/bin:/bin"},
            )

    def test_who_may_not_install_is_told_what_to_ask_for(self):
        done = self.install(1000)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn("ask an administrator to run: apt-get install", done.stdout)
        self.assertIn("libsimgrid-dev", done.stdout)

    def test_apt_get_runs_after_it_was_announced(self):
        done = self.install(0)
        self.assertEqual(done.returncode, 0)
        announced, *ran = done.stdout.splitlines()
        self.assertIn("installing the Debian packages", announced)
        self.assertIn("g++", announced)
        self.assertIn("apt-get ran", ran[0])


if __name__ == "__main__":
    unittest.main()
