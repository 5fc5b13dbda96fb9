"""The pictures of docs/concepts are what scripts/draw_concepts.py draws of today's answers."""

import os
import pathlib
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


if __name__ == "__main__":
    unittest.main()
