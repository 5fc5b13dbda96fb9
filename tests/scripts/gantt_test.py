"""Gantt charts of traces; above all Fig 4 of [X]."""

import unittest

import numpy
from pictures import PictureTest  # first: it knows where the scripts are

import plot_gantt
from plotting.traces import read_trace

PS = 10**12


class Gantt(PictureTest):
    def bars(self, file, *options):
        """What is drawn: {(row, activity): [(begin, end), ..]}, and the processes by row."""
        parsed = plot_gantt.make_parser().parse_args(
            [str(self.folder / file), "-o", "x.png", *options]
        )
        trace = read_trace(self.folder / file)
        order = plot_gantt.row_order(trace, parsed)
        found = {}
        for row, activity, begin, end, _, _ in plot_gantt.bars_of(trace, order):
            found.setdefault((order[row], activity), []).append((begin, end))
        return found, order

    def test_fig_4_of_the_paper_standard(self):
        bars, order = self.bars(self.trace("line-cc_dcube-standard"), "--order", "node")
        self.assertEqual(order, [0, 1, 2, 3, 4, 5, 6, 7])
        for process in range(8):
            self.assertEqual(bars[process, "compute"], [(0, 1), (2, 3), (5, 6)])
            self.assertEqual(bars[process, "communication"], [(1, 2), (3, 5), (6, 10)])
            self.assertNotIn((process, "waiting"), bars)

    def test_fig_4_of_the_paper_by_weight(self):
        bars, order = self.bars(self.trace("line-cc_dcube-by_weight"), "--order", "node")
        self.assertEqual(order, [0, 4, 2, 1, 6, 5, 3, 7])
        talks = [bars[process, "communication"] for process in range(8)]
        self.assertEqual([talk[0][1] for talk in talks], [4, 4, 5, 5, 5, 5, 4, 4])
        self.assertEqual(
            [talk[1] for talk in talks], [(6, end) for end in (8, 9, 8, 9, 9, 8, 9, 8)]
        )
        self.assertEqual(
            [talk[2] for talk in talks], [(10, end) for end in (11, 12, 12, 11, 11, 12, 12, 11)]
        )
        waits = {key[0]: times for key, times in bars.items() if key[1] == "waiting"}
        self.assertEqual(len(waits), 6)
        self.assertEqual(sum(end - begin for times in waits.values() for begin, end in times), 8)
        self.assertEqual(waits[0], [(5, 6), (9, 10)])
        self.assertEqual(waits[1], [(5, 6)])

    def test_two_embeddings_stand_on_one_time_axis(self):
        files = [self.trace("line-cc_dcube-standard"), self.trace("line-cc_dcube-by_weight")]
        self.drawn("gantt", *files, "--order", "node", "-o", "fig4.svg", "-o", "fig4.png")
        self.assert_picture("fig4.png")
        texts = self.texts("fig4.svg")
        for text in (
            "standard: done after 10 s",
            "by_weight: done after 12 s",
            "waiting",
            "time (s)",
            "↔ 4",
        ):
            self.assertIn(text, texts)
        self.drawn("gantt", *files, "--name", "usual", "--name", "mine", "-o", "named.svg")
        self.assertLessEqual({"usual: done after 10 s", "mine: done after 12 s"}, set(self.texts("named.svg")))
        self.refused("gantt", [*files, "--name", "mine", "-o", "x.png"], "--name: 1 names for 2 traces")

    def test_a_part_of_a_run(self):
        file = self.trace("quickstart")
        self.drawn("gantt", file, "--processes", "3,8-9", "--window", "2s:5s", "-o", "part.svg")
        texts = self.texts("part.svg")
        self.assertTrue({"3", "8", "9"} <= set(texts))
        self.assertNotIn("10", texts)
        self.refused("gantt", [file, "--processes", "99", "-o", "x.png"], "nothing happens")
        self.refused("gantt", [file, "--window", "5s:2s", "-o", "x.png"], "--window", "1s:2.5s")
        self.refused("gantt", [file, "--window", "soon:", "-o", "x.png"], "--window")
        self.refused("gantt", [file, "--processes", "a", "-o", "x.png"], "--processes")

    def test_a_traced_part_shows_its_processes_alone(self):
        file = self.trace("quickstart", "--trace-process", "4-5")
        self.assertEqual(self.bars(file)[1], [4, 5])

    def test_many_processes_are_put_together(self):
        self.result("line", {"kind": "line", "nodes": 256}, "by_weight", "--trace", "csv:many.csv")
        self.drawn("gantt", "many.csv", "-o", "many.svg", "-o", "many.png", "--size", "8x5")
        self.assert_picture("many.png", 1200, 750)
        self.assertIn("processes", self.texts("many.svg"))

    def test_shares_of_a_group_are_its_times(self):
        self.result("line", {"kind": "line", "nodes": 16}, "by_weight", "--trace", "csv:t.csv")
        trace = read_trace(self.folder / "t.csv")
        span = (0, trace.makespan_ps)
        table = plot_gantt.shares(trace, list(range(16)), span, 4, 50)
        numpy.testing.assert_allclose(table.sum(axis=0), 1, atol=1e-9)
        width = trace.makespan_ps / 50
        for activity in range(4):
            chosen = trace.rows(trace.activity == activity)
            total = int((chosen.end_ps - chosen.begin_ps).sum())
            self.assertAlmostEqual(table[activity].sum() * 4 * width, total, delta=1e-6 * PS)

    def test_endpoint_costs_and_the_host_are_drawn(self):
        self.drawn("gantt", self.trace("hypercube-cc_dcube-ncube"), "-o", "ncube.svg")
        self.assertIn("endpoint", self.texts("ncube.svg"))
        self.drawn("gantt", self.trace("hypercube-template_matching-host"), "-o", "host.svg")

    def test_a_trace_without_intervals_is_refused(self):
        file = self.trace("quickstart", "--trace-process", "none")
        self.refused("gantt", [file, "-o", "x.png"], "holds no intervals", "--trace-process")

    def test_the_longest_run_is_drawn(self):
        """2^63 - 1 ps, 106 days: a makespan of 19 digits."""
        good = (self.folder / self.trace("line-cc_dcube-standard")).read_text()
        longest = str(2**63 - 1)
        text = good.replace("# makespan: 10000000000000", f"# makespan: {longest}")
        self.write("long.csv", text.replace(",10000000000000\n", f",{longest}\n"))
        self.assertEqual(read_trace(self.folder / "long.csv").makespan_ps, 2**63 - 1)
        self.drawn("gantt", "long.csv", "-o", "long.svg", "-o", "long.png")
        self.assertIn("time (s)", self.texts("long.svg"))

    def test_an_order_by_node_needs_the_map(self):
        good = (self.folder / self.trace("line-cc_dcube-standard")).read_text()
        nameless = "".join(
            line for line in good.splitlines(keepends=True) if not line.startswith("# map")
        )
        self.write("nameless.csv", nameless)
        self.refused("gantt", ["nameless.csv", "--order", "node", "-o", "x.png"], "--full")
        self.drawn("gantt", "nameless.csv", "-o", "x.png")


if __name__ == "__main__":
    unittest.main()
