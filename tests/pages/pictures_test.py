"""The pictures of docs/concepts are what scripts/draw_concepts.py draws of what the program answers today."""

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
            self.assertEqual(drawing, kept[name], f"{name} is old; scripts/make-pictures draws it anew")

    def test_all_stand_in_a_page(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "concepts").glob("*.md"))
        missing = [name for name in contents(PICTURES) if f"../pictures/concepts/{name}" not in pages]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
