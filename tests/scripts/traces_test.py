"""The scripts refuse what `dcube trace` refuses, in the same words, and read what it reads."""

import unittest
import unittest.mock

from pictures import PictureTest


def replaced(old, new):
    return lambda text: text.replace(old, new, 1)


def without_line(beginning):
    return lambda text: "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(beginning)
    )


INTERVAL = "interval,0,compute,0,,,,,,,,,,,0,1000000000000\n"
MANY = 4294901760
DAMAGES = {
    "empty": lambda text: "",
    "another table": lambda text: "a,b\n1,2\n",
    "no first line": without_line("# dcube trace"),
    "another version": replaced("# dcube trace: 1", "# dcube trace: 2"),
    "another unit of time": replaced("# time_unit: ps", "# time_unit: us"),
    "no makespan": without_line("# makespan"),
    "a makespan that is no number": replaced("# makespan: 1", "# makespan: x1"),
    "a key twice": replaced("# nodes", "# machine: x\n# nodes"),
    "a comment without a key": replaced("# nodes", "# remark\n# nodes"),
    "no line of columns": lambda text: text[: text.index("record,")],
    "a column that is missing": replaced(",begin_ps,", ",began_ps,"),
    "cut in a line": lambda text: text[:-3],
    "cut after a line": lambda text: text[: text.rindex("\n", 0, -1) + 1],
    "an interval that is missing": replaced(INTERVAL, ""),
    "an unknown record": replaced("interval,0,", "span,0,"),
    "an unknown activity": replaced("compute", "sleep"),
    "idle, which traces leave out": replaced("compute", "idle"),
    "too few cells": replaced(INTERVAL, "interval,0,compute,0\n"),
    "too many cells": replaced(INTERVAL, INTERVAL.replace("\n", ",1\n")),
    "a process that is not there": replaced("interval,0,", "interval,8,"),
    "a process that is no number": replaced("interval,0,", "interval,one,"),
    "a negative time": replaced(INTERVAL, INTERVAL.replace(",0,1", ",-1,1")),
    "an interval that ends before it begins": replaced(
        INTERVAL, INTERVAL.replace(",0,1000000000000", ",7,6")
    ),
    "a makespan that is too short": replaced("# makespan: 10000000000000", "# makespan: 1"),
    "too many processes": lambda text: text.replace("# shape: 8", f"# shape: {MANY}")
    .replace("# nodes: 8", f"# nodes: {MANY}")
    .replace("# processes: 8", f"# processes: {MANY}"),
}


class Traces(PictureTest):
    def setUp(self):
        super().setUp()
        self.text = (self.folder / self.trace("line-cc_dcube-standard")).read_text()

    def test_damaged_traces_are_refused_in_the_words_of_dcube(self):
        self.assertIn(INTERVAL, self.text)
        for name, damage in DAMAGES.items():
            with self.subTest(name):
                text = damage(self.text)
                self.assertNotEqual(text, self.text)
                (self.folder / "bad.csv").write_text(text)
                complaint = self.dcube("trace", "bad.csv").stderr
                self.assertTrue(complaint.startswith("dcube: bad.csv: "), complaint)
                said = complaint.removeprefix("dcube: ").removesuffix("\n")
                self.refused("gantt", ["bad.csv", "-o", "x.png"], f": {said}; make it with `dcube")

    def test_what_dcube_reads_is_drawn(self):
        for name, change in {
            "lines of Windows": lambda text: text.replace("\n", "\r\n"),
            "rows taken out on purpose": lambda text: without_line("# intervals")(
                text.replace(INTERVAL, "", 1)
            ),
            "a name with an odd end of a line": replaced("# machine: ", "# machine: \u2028\x0b"),
            "a key of a later version": replaced("# nodes", "# weather: fine\n# nodes"),
            "columns in another order": lambda text: "".join(
                line if line.startswith("#") else f"note,{line}"
                for line in text.splitlines(keepends=True)
            ),
        }.items():
            with self.subTest(name):
                (self.folder / "good.csv").write_text(change(self.text), newline="")
                self.output("trace", "good.csv")
                self.drawn("gantt", "good.csv", "-o", "x.svg")

    def test_a_file_without_an_end_is_refused(self):
        with unittest.mock.patch("plotting.documents.MOST_CHARACTERS", 1000):
            for name in ("/dev/zero", self.trace("quickstart")):
                self.refused("gantt", [name, "-o", "x.png"], "is longer than 1,000 characters")

    def test_what_is_not_there_is_named(self):
        self.refused("gantt", ["missing.csv", "-o", "x.png"], "missing.csv: No such file")


if __name__ == "__main__":
    unittest.main()
