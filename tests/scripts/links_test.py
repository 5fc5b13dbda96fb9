"""Pictures of links in time, and what makes a trace of hops unusable."""

import unittest

from pictures import PictureTest  # first: it knows where the scripts are

import plot_links
from plotting.traces import read_hops

CUT_THROUGH = ("--set", "/machine/switching=cut_through")
PACKETS = ("--set", "/machine/link/packet=1000")


class Links(PictureTest):
    def traced(self, name, *options):
        self.output("run", "switching", "--quiet", "--write", f"csv:{name}.csv", *options)
        return f"{name}.csv"

    def bars(self, file):
        trace = read_hops(self.folder / file)
        names = plot_links.links_in_order(trace)
        found = {}
        for row, begin, end, _, _ in plot_links.bars_of(trace):
            bar = (round(begin * 1e6, 6), round(end * 1e6, 6))
            found.setdefault(names[row], []).append(bar)
        return found

    def test_bars_are_the_hops_of_each_switching(self):
        self.assertEqual(
            self.bars(self.traced("whole")),
            {"0->1": [(0, 5)], "1->2": [(5, 10)], "2->3": [(10, 15)], "3->4": [(15, 20)]},
        )
        self.assertEqual(
            self.bars(self.traced("cut", *CUT_THROUGH)),
            {"0->1": [(0, 4)], "1->2": [(1, 5)], "2->3": [(2, 6)], "3->4": [(3, 7)]},
        )
        packets = self.bars(self.traced("packets", *PACKETS))
        self.assertEqual(list(packets), ["0->1", "1->2", "2->3", "3->4"])
        self.assertEqual(packets["2->3"], [(4, 6), (6, 8), (8, 10), (10, 12)])

    def test_panels_have_names_and_ends(self):
        files = [self.traced("whole"), self.traced("cut", *CUT_THROUGH)]
        self.drawn("links", *files, "--name", "first", "--name", "second", "-o", "l.svg", "-o", "l.png")
        self.assert_picture("l.png")
        texts = self.texts("l.svg")
        for text in ("first: done after 20 us", "second: done after 8 us", "time (us)", "3->4"):
            self.assertIn(text, texts)
        self.assertEqual(texts.count("0->1"), 2)
        self.drawn("links", *files, "-o", "l.svg")
        self.assertIn("cut.csv: done after 8 us", self.texts("l.svg"))

    def test_several_messages_are_told_apart(self):
        file = self.trace("line-cc_dcube-standard", "--window", ":3s")
        self.drawn("links", file, "-o", "l.svg")
        self.assertIn("0→1", self.texts("l.svg"))
        half = self.trace("ring-cc_dcube-half_duplex")
        self.drawn("links", half, "-o", "l.svg")
        self.assertIn("0-1", self.texts("l.svg"))

    def test_what_cannot_be_drawn_is_refused(self):
        file = self.traced("whole")
        self.refused("links", [file, "--name", "a", "--name", "b", "-o", "x.png"], "--name: 2 names for 1 traces")
        bare = self.traced("bare", "--trace-link", "none")
        self.refused("links", [bare, "-o", "x.png"], "holds no hops", "--trace-link none")
        large = self.trace("torus-cc_dcube-tpu_v4")
        self.refused("links", [large, "-o", "x.png"], "are too many to draw", "--trace-link")

    def test_damaged_hops_are_refused_in_the_words_of_dcube(self):
        text = (self.folder / self.traced("whole")).read_text()
        for old, new in (
            ("0->1,0,1", "0-1,0,1"),
            ("0->1,0,1", "1->0,0,1"),
            ("hop,,,,,0,0,1", "hop,,,,,9,0,1"),
            ("hop,,,,,0,0,1", "hop,,,,,0,x,1"),
            (",4000,,0,0,5000000", ",4000,,0,0,0"),
            (",4000,,0,0,5000000", ",4000,,7,0,5000000"),
        ):
            with self.subTest(new):
                self.assertIn(old, text)
                (self.folder / "bad.csv").write_text(text.replace(old, new, 1))
                complaint = self.dcube("trace", "bad.csv").stderr
                said = complaint.removeprefix("dcube: ").removesuffix("\n")
                self.refused("links", ["bad.csv", "-o", "x.png"], f": {said}; make it with `dcube")


if __name__ == "__main__":
    unittest.main()
