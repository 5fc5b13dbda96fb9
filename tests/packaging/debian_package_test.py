"""Packs the build that is tested and looks at the Debian package: what is in it, and that its program
runs from where it is unpacked."""

import io
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

BUILD = os.environ["DCUBE_BUILD"]
WANTED = [
    "bin/dcube",
    "include/dcube/scenario/scenario.hpp",
    "share/bash-completion/completions/dcube",
    "share/dcube/platforms/ncube10-64.json",
    "share/dcube/scenarios/quickstart.json",
    "share/dcube/scenarios/studies/torus-embeddings.json",
    "share/dcube/schema/scenario.schema.json",
    "share/dcube/schema/study.schema.json",
    "share/dcube/scripts/plot_sweep.py",
    "share/dcube/scripts/plot_gantt.py",
    "share/doc/dcube/README.md",
    "share/doc/dcube/docs/reference/traces.md",
    "share/man/man1/dcube.1",
]
# Modules, those of them that were built, and a scenario for each.
MODULES = {
    file: scenario
    for file, scenario in {
        "dcube-simgrid.so": "quickstart.json",
        "dcube-otf2.so": "ring-otf2-stencil.json",
        "dcube-chakra.so": "torus-chakra-train.json",
    }.items()
    if (pathlib.Path(BUILD) / file).exists()
}


def said(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **{"text": True, **options}).stdout


class DebianPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        packed = pathlib.Path(cls.folder.name)
        # xz would take longer than all else.
        said("cpack", "-G", "DEB", "-B", cls.folder.name, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=BUILD)
        (cls.package,) = packed.glob("dcube_*.deb")
        root = packed / "root"
        said("dpkg-deb", "-x", cls.package, root)
        (program,) = root.rglob("bin/dcube")
        cls.prefix = program.parent.parent

    def test_holds_everything(self):
        missing = [name for name in WANTED if not (self.prefix / name).exists()]
        self.assertEqual(missing, [])

    def test_uses_modules_of_its_own(self):
        for module, scenario in MODULES.items():
            with self.subTest(module=module):
                (file,) = self.prefix.glob(f"lib*/**/dcube/{module}")
                done = subprocess.run(
                    [self.prefix / "bin/dcube", "run", self.prefix / "share/dcube/scenarios" / scenario],
                    check=True,
                    text=True,
                    capture_output=True,
                    env={"PATH": "/usr/bin:/bin", "LD_DEBUG": "files"},
                )
                self.assertIn("completed", done.stdout)
                self.assertIn(f"calling init: {file.resolve()}", done.stderr)

    def test_depends_on_its_libraries_and_recommends_what_draws(self):
        fields = said("dpkg-deb", "-f", self.package, "Depends", "Recommends")
        self.assertRegex(fields, r"Depends: .*libsimgrid")
        self.assertRegex(fields, r"Recommends: .*python3-matplotlib")

    @unittest.skipUnless((pathlib.Path(BUILD) / "python").exists(), "the package for Python was not built")
    def test_python_has_a_package_of_its_own(self):
        (package,) = pathlib.Path(self.folder.name).glob("python3-dcube_*.deb")
        fields = said("dpkg-deb", "-f", package)
        for field in (r"Package: python3-dcube", r"Depends: .*dcube \(= ", r"Depends: .*libsimgrid", r"Depends: .*python3-numpy"):
            self.assertRegex(fields, field)
        scripts = said("dpkg-deb", "--ctrl-tarfile", package, text=False)
        with tarfile.open(fileobj=io.BytesIO(scripts)) as control:
            modes = {member.name: member.mode & 0o777 for member in control}
        self.assertEqual((modes["./postinst"], modes["./prerm"]), (0o755, 0o755))
        root = pathlib.Path(self.folder.name) / "python"
        said("dpkg-deb", "-x", package, root)
        (init,) = root.rglob("dist-packages/dcube/__init__.py")
        self.assertTrue((init.parent / "py.typed").exists() and (init.parent / "_dcube.pyi").exists())
        result = said(
            "/usr/bin/python3",
            "-c",
            "import dcube; print(dcube.run('quickstart').outcome); dcube.run('quickstart').plot()",
            cwd=self.folder.name,
            env={"PYTHONPATH": str(init.parent.parent), "DCUBE_DATA": str(self.prefix / "share/dcube")},
        )
        self.assertEqual(result, "completed\n")
        self.assertEqual(list(self.prefix.rglob("*dist-packages*")), [])

    def test_runs_from_any_folder(self):
        result = said(
            self.prefix / "bin/dcube",
            "run",
            self.prefix / "share/dcube/scenarios/quickstart.json",
            "--set",
            "/machine=ncube10-64",
            cwd=self.folder.name,
            env={"PATH": "/usr/bin:/bin"},
        )
        self.assertIn("completed", result)

    def test_scripts_leave_nothing_beside_themselves(self):
        """A folder that holds what the package did not bring outlives it."""
        for name in ("plot_gantt.py", "check_certificate.py"):
            said(self.prefix / "share/dcube/scripts" / name, "--help", env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(list(self.prefix.rglob("__pycache__")), [])

    def test_has_a_manual_that_names_every_command(self):
        manual = (self.prefix / "share/man/man1/dcube.1").read_text(encoding="utf-8")
        for command in ("run", "compare", "embed", "search"):
            self.assertIn(f".SS dcube {command}", manual)
        said("groff", "-man", "-Tascii", "-ww", self.prefix / "share/man/man1/dcube.1")


if __name__ == "__main__":
    unittest.main()
