"""Installs the tested build as a wheel, in a virtual environment of the interpreter it is for, and uses it."""

import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DCUBE_BUILD"])
# Modules, those of them that were built, and a scenario for each.
MODULES = {
    file: scenario
    for file, scenario in {
        "dcube-simgrid.so": "quickstart",
        "dcube-otf2.so": "ring-otf2-stencil",
        "dcube-chakra.so": "torus-chakra-train",
    }.items()
    if (BUILD / file).exists()
}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": folder.name}
        # With the packages of the system: numpy is one, and no index is asked for it.
        cls.said(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", "venv")
        cls.bin = cls.folder / "venv/bin"
        cls.said(
            cls.bin / "python", "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-index",
            "-w", ".", "--config-settings", f"build-dir={BUILD}", ROOT,
        )  # fmt: skip
        (cls.wheel,) = cls.folder.glob("*.whl")
        cls.said(cls.bin / "python", "-m", "pip", "install", "--no-deps", "--no-index", cls.wheel)

    @classmethod
    def said(cls, *command):
        done = subprocess.run(
            [str(word) for word in command], cwd=cls.folder, env=cls.environment, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if done.returncode != 0:
            raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout[-4000:]}")
        return done.stdout

    def test_is_for_this_interpreter_and_records_its_files(self):
        self.assertIn(f"-cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-linux_", self.wheel.name)
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
        self.assertEqual([line.split(",")[0] for line in record.splitlines()], names)
        self.assertLessEqual({"dcube/py.typed", "dcube/_dcube.pyi"}, {*names})  # hints for type checkers
        self.assertFalse([name for name in names if "/include/" in name or name.endswith(".a")])

    def test_the_program_is_on_the_path_and_finds_modules_and_data_in_the_wheel(self):
        for scenario in MODULES.values():
            self.assertIn("makespan", self.said(self.bin / "dcube", "run", scenario))
        self.said(self.bin / "dcube", "compare", "quickstart", "--output", "compared")
        self.assertTrue((self.folder / "compared/comparison.json").exists())

    def test_the_package_finds_modules_and_data_in_the_wheel(self):
        (self.folder / "mine.py").write_text(
            "import dcube, pathlib\n"
            f"for name in {list(MODULES.values())}:\n"
            "    print(dcube.run(name).makespan_s)\n"
            "print(dcube._dcube.data_folders()[0])\n"
        )
        *times, data = self.said(self.bin / "python", "mine.py").splitlines()
        self.assertEqual(len(times), len(MODULES))
        self.assertTrue(pathlib.Path(data).is_relative_to(self.folder), data)

    def test_a_source_distribution_has_what_a_wheel_is_built_from(self):
        name = self.said(sys.executable, "-B", "-c", "import sys; sys.path.insert(0, sys.argv[1]); "
                         "import dcube_wheel; print(dcube_wheel.build_sdist('.'))", ROOT / "packaging/wheel")  # fmt: skip
        with tarfile.open(self.folder / name.strip()) as archive:
            files = {file.partition("/")[2] for file in archive.getnames()}
        self.assertLessEqual(
            {"PKG-INFO", "pyproject.toml", "CMakeLists.txt", "CMakePresets.json", "packaging/wheel/dcube_wheel.py",
             "src/python/module.cpp", "include/dcube/core/ids.hpp", "platforms/ncube10-64.json"}, files,
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
