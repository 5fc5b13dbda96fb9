"""Installs the Debian package in a bare Debian root and uses it there: what a user gets who has nothing
of dcube, and none of the libraries that it was built with.

scripts/try-on makes the root. DCUBE_PACKAGE names the package; without it, one is built with the preset
`package`, for this machine's own release; DCUBE_SUITE names another. The tests are skipped where there can be no
root: without root's rights, without debootstrap, and where no mirror answers. They take minutes and about 2 GB
below TMPDIR.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTALL = "DEBIAN_FRONTEND=noninteractive apt-get -y -q install"

# What bash offers when Tab is pressed behind these words, asked for as an interactive shell does.
COMPLETE = """
. /usr/share/bash-completion/bash_completion
_completion_loader dcube
COMP_WORDS=(dcube embed ncube10-6) COMP_CWORD=2 COMP_LINE='dcube embed ncube10-6' COMP_POINT=21
$(complete -p dcube | sed 's/.*-F \\([^ ]*\\).*/\\1/') dcube ncube10-6 embed
printf '%s\\n' "${COMPREPLY[@]}"
"""


def said(*command, **options):
    """The output of a command, with its errors; the test fails with them when the command does."""
    done = subprocess.run(
        command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-8000:]}")
    return done.stdout


def built_package():
    """The package that DCUBE_PACKAGE names, or a new one."""
    if named := os.environ.get("DCUBE_PACKAGE"):
        return pathlib.Path(named).resolve()
    said("cmake", "--workflow", "--preset", "package", cwd=ROOT)
    return max((ROOT / "build/package").glob("dcube_*.deb"), key=lambda file: file.stat().st_mtime)


class CleanRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name) / "root"
        release = platform.freedesktop_os_release()["VERSION_CODENAME"]
        cls.suite = os.environ.get("DCUBE_SUITE", release)
        tried = subprocess.run(cls.command("true"), check=False, text=True, capture_output=True)
        if tried.returncode != 0:
            raise unittest.SkipTest(tried.stderr.strip())
        package = cls.package = built_package()
        shutil.copy(package, cls.root / "tmp")
        cls.inside("apt-get -q update")
        cls.inside(f"{INSTALL} ./tmp/{package.name}")

    @classmethod
    def command(cls, *words):
        return [ROOT / "scripts/try-on", "--keep", cls.root, "--bare", cls.suite, *words]

    @classmethod
    def inside(cls, command, folder="/"):
        """What a shell command says in the root."""
        return said(*cls.command("bash", "-c", f"cd {folder} && {command}"))

    def test_1_runs_a_scenario_by_name(self):
        for scenario in ("quickstart", "ring-otf2-stencil", "torus-chakra-train"):
            self.assertIn("completed", self.inside(f"dcube run {scenario}"))

    def test_2_evaluates_an_embedding_on_a_machine_by_name(self):
        self.assertIn("dilation", self.inside("dcube embed ncube10-64 --embedding xor"))

    def test_3_draws_pictures_of_a_comparison(self):
        self.inside("dcube compare quickstart --embedding standard,xor --output out", folder="/tmp")
        self.assertNotEqual(list((self.root / "tmp/out").rglob("*.png")), [])

    def test_4_completes_the_words_of_a_command_line(self):
        (self.root / "tmp/complete").write_text(COMPLETE)
        self.assertIn("ncube10-64", self.inside("bash /tmp/complete").split())

    def test_5_has_a_manual_page(self):
        self.inside(f"{INSTALL} --no-install-recommends man-db")
        self.assertIn("dcube compare", self.inside("man dcube | cat"))

    def test_6_is_a_library_for_others(self):
        """With the development packages that the package suggests, and no other."""
        suggested = self.inside("dpkg-query -W -f '${Suggests}' dcube").replace(",", "")
        self.inside(f"{INSTALL} --no-install-recommends g++ cmake make pkgconf {suggested}")
        shutil.copytree(ROOT / "tests/consumer", self.root / "tmp/consumer")
        self.inside("cmake -S . -B build && cmake --build build", folder="/tmp/consumer")
        scenario = "/usr/share/dcube/scenarios/quickstart.json"
        self.assertRegex(self.inside(f"build/consumer {scenario}", folder="/tmp/consumer"), '"outcome": *"completed"')
        self.assertIn("16 processes placed", self.inside("build/with_scotch", folder="/tmp/consumer"))

    def test_6_serves_python(self):
        """With the package for Python that was built beside it, if any."""
        packages = sorted(self.package.parent.glob("python3-dcube_*.deb"))
        if not packages:
            self.skipTest("there is no python3-dcube")
        shutil.copy(packages[-1], self.root / "tmp")
        self.inside(f"{INSTALL} --no-install-recommends ./tmp/{packages[-1].name}")
        self.assertIn("completed", self.inside("""python3 -c 'import dcube; print(dcube.run("quickstart").outcome)'"""))

    def test_7_leaves_nothing_behind(self):
        self.inside("dpkg --purge python3-dcube dcube")
        left = [str(path) for path in self.root.glob("usr/*/**/*dcube*")]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
