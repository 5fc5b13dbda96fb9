"""Results, traces, the page and the scripts have the same words and colours for activities."""

import re
import unittest

from pictures import ROOT, PictureTest
from plotting import canvas
from plotting.activities import ACTIVITIES, TRACED

PAGE = ROOT / "src/report/page/colours.js"


def colours_of_scripts():
    return [
        canvas.HATCH_COLOURS[name] if name == "waiting" else canvas.ACTIVITIES[name][0]
        for name in TRACED
    ]


class Activities(PictureTest):
    def test_results_have_the_words_of_the_scripts(self):
        result = self.json("run", ROOT / "scenarios/quickstart.json", "--json")
        self.assertEqual(tuple(result["time_s"]), ACTIVITIES)

    def test_the_page_has_the_words_and_colours_of_the_scripts(self):
        script = PAGE.read_text()
        looks = re.findall(r'\{ name: "(\w+)", colour: "(#\w{6})" \}', script)
        self.assertEqual(tuple(name for name, _ in looks), ACTIVITIES)
        self.assertEqual([colour.upper() for _, colour in looks[:-1]], colours_of_scripts())
        for name in ("waiting", "idle"):
            self.assertIn(f"const {name} = {ACTIVITIES.index(name)};", script)

    def test_paje_traces_have_them_too(self):
        name = ROOT / "scenarios/quickstart.json"
        self.output("run", name, "--quiet", "--trace", "paje:run.paje")
        states = re.findall(
            r'^2 (\w+) A "\1" "([\d. ]+)"$', (self.folder / "run.paje").read_text(), re.MULTILINE
        )
        self.assertEqual(tuple(name for name, _ in states), TRACED)
        for (name, parts), expected in zip(states, colours_of_scripts()):
            shown = "#" + "".join(f"{round(255 * float(part)):02X}" for part in parts.split())
            self.assertEqual(shown, expected, name)


if __name__ == "__main__":
    unittest.main()
