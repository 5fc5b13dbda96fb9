"""The pictures of docs/concepts are what scripts/draw_concepts.py draws of today's answers, and those of
docs/pictures show what the program answers today."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures" / "concepts"


def contents(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


class ConceptPictures(unittest.TestCase):
    def test_are_as_the_program_answers_today(self):
        with tempfile.TemporaryDirectory() as drawn:
            script = ROOT / "scripts" / "draw_concepts.py"
            subprocess.run([sys.executable, script, os.environ["DCUBE_PROGRAM"], drawn], check=True)
            now = contents(pathlib.Path(drawn))
        kept = contents(PICTURES)
        self.assertEqual(sorted(now), sorted(kept))
        for name, drawing in now.items():
            with self.subTest(f"scripts/make-pictures draws {name} anew"):
                self.assertEqual(drawing, kept[name])

    def test_all_stand_in_a_page(self):
        found = (ROOT / "docs" / "concepts").glob("*.md")
        pages = "".join(page.read_text(encoding="utf-8") for page in found)
        for name in contents(PICTURES):
            self.assertIn(f"../pictures/concepts/{name}", pages)


class Pictures(unittest.TestCase):
    QUICKSTART = ("link-load", "comparison", "sweep")

    def check(self, root, *pictures):
        environment = {**os.environ, "DCUBE": os.environ["DCUBE_PROGRAM"]}
        return subprocess.run([sys.executable, root / "scripts/make-pictures", "--check", *pictures], env=environment,
                              capture_output=True, text=True, check=False)  # fmt: skip

    def test_show_what_the_program_answers_today(self):
        """Those of quickstart.json here, all others together with the next test."""
        checked = self.check(ROOT, *self.QUICKSTART)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""), checked.stderr)

    def test_those_that_are_out_of_date_are_named_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "tree"
            for part in ("scenarios", "platforms", "schema", "validation", "docs/validation", "docs/pictures", "scripts"):
                shutil.copytree(ROOT / part, copy / part)
            scenario = copy / "scenarios/quickstart.json"
            scenario.write_text(scenario.read_text().replace('"compute": "1s"', '"compute": "2s"'))
            checked = self.check(copy)
        named = [line.partition(".png")[0] for line in checked.stdout.splitlines()]
        self.assertEqual((checked.returncode, named), (1, [f"docs/pictures/{name}" for name in self.QUICKSTART]))

    def test_all_stand_in_a_page(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        text = "".join(page.read_text(encoding="utf-8") for page in pages)
        for picture in (ROOT / "docs/pictures").glob("*.png"):
            self.assertIn(f"pictures/{picture.name}", text)


if __name__ == "__main__":
    unittest.main()
