"""Report pages in a real browser: they open, zoom, play and step, and ask nothing of a network."""

import json
import re
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from opened import CHARTS, TIMED, BrowserTest, setUpModule  # noqa: F401
from program import scenario


class Phases(BrowserTest):
    page = None

    def setUp(self):
        super().setUp()
        self.open_once(self.write_phases)

    def write_phases(self):
        messages = [{"from": p, "to": (5 * p + 3) % 16, "bytes": 100 + p} for p in range(16)]
        phases = [
            {"repeat": 2, "phases": [{"exchange": 500, "name": "halo <b>"}, {"compute": "1us"}]},
            {"messages": messages * 40},
            {"compute": "1us + 1us * rank"},
        ]
        program = {"kind": "pattern", "guest": "torus:4x4", "phases": phases}
        return self.write("it.json", {"schema_version": 1, "machine": "torus:4x4", "program": program})

    def test_a_table_tells_what_each_costs(self):
        rows = [row.split("\t") for row in self.page.texts("#phases-table tbody tr")]
        self.assertEqual([row[0] for row in rows], ["halo <b>", "compute 1", "messages", "compute 2"])
        self.assertEqual(rows[0][1], "2")
        self.assertEqual([row[8] for row in rows], ["128", "0", "640", "0"])
        shares = [float(row[-1].rstrip(" %")) for row in rows]
        self.assertAlmostEqual(sum(shares), 100, delta=0.3)
        named = [row.split("\t")[0] for row in self.page.texts("#why-phases tbody tr")]
        self.assertEqual(named, ["halo <b>", "compute 1", "messages", "compute 2"])

    def test_intervals_tell_their_phase(self):
        tip = self.page.run("const g = dcube_report.gantt(); return g.tell_of(3, g.timeline.intervals.first[3])")
        self.assertIn("phase halo <b>", tip)

    def test_long_settings_are_told_by_their_length(self):
        program = next(text for text in self.page.texts("#summary dd") if text.startswith("pattern"))
        self.assertIn("messages [640 items]", program)
        self.assertIn("halo <b>", program)
        self.assertLess(len(program), 600)


class Stages(BrowserTest):
    def test_a_load_that_no_stage_has_is_a_dash(self):
        self.write("it.json", {**scenario({"kind": "ring", "nodes": 8}), "machine": "ring:8"})
        self.output("run", "it.json", "--set", '/machine/routing={"kind": "minimal_adaptive"}', "--quiet", "-o", "r.json")
        page = self.open("r.json")
        self.assertEqual({row.split("\t")[-1] for row in page.texts("#stages-table tbody tr")}, {"–"})


class ProcessesInTime(BrowserTest):
    page = None

    def setUp(self):
        super().setUp()
        self.open_once(lambda: self.write_scenario({"kind": "torus", "shape": [4, 4]}, "xor", **TIMED))
        ActionChains(self.driver).move_to_element(self.page.find("#title")).perform()
        self.page.run("dcube_report.gantt().reset()")
        self.page.wait_for("return document.getElementById('tooltip').hidden")
        self.chart = self.page.find("#gantt-chart canvas")
        self.page.run("arguments[0].scrollIntoView({block: 'center'})", self.chart)
        self.whole = self.domain()

    def domain(self):
        return self.page.run("return dcube_report.gantt().view.signal('domain')")

    def span(self):
        begin, end = self.domain()
        return end - begin

    def test_the_wheel_zooms_around_the_pointer(self):
        origin = browser_origin(self.chart)
        ActionChains(self.driver).scroll_from_origin(origin, 0, -300).perform()
        self.page.wait_for(f"const [b, e] = dcube_report.gantt().view.signal('domain'); return e - b < {0.8 * (self.whole[1] - self.whole[0])}")
        zoomed = self.domain()
        self.assertGreater(zoomed[0], self.whole[0])
        self.assertLess(zoomed[1], self.whole[1])
        ActionChains(self.driver).scroll_from_origin(origin, 0, 3000).perform()
        self.page.wait_for(f"const [b, e] = dcube_report.gantt().view.signal('domain'); return e - b >= {self.whole[1] - self.whole[0]}")
        self.assertEqual(self.domain(), self.whole)

    def test_a_drag_zooms_to_what_it_spans_and_the_button_goes_back(self):
        ActionChains(self.driver).move_to_element(self.chart).click_and_hold().move_by_offset(150, 10).release().perform()
        zoomed = self.domain()
        self.assertLess(zoomed[1] - zoomed[0], 0.3 * (self.whole[1] - self.whole[0]))
        self.page.click("#gantt-reset")
        self.assertEqual(self.domain(), self.whole)

    def test_buttons_and_keys_zoom_and_move(self):
        self.page.click("#gantt-in")
        self.assertAlmostEqual(self.span(), (self.whole[1] - self.whole[0]) / 2)
        begin = self.domain()[0]
        self.page.click("#gantt-later")
        self.assertGreater(self.domain()[0], begin)
        chart = self.page.find("#gantt-chart")
        chart.send_keys("+")
        self.assertAlmostEqual(self.span(), (self.whole[1] - self.whole[0]) / 4)
        later = self.domain()[0]
        chart.send_keys(Keys.ARROW_LEFT)
        self.assertLess(self.domain()[0], later)
        chart.send_keys(Keys.HOME)
        self.assertEqual(self.domain(), self.whole)

    def test_zoom_draws_fewer_stretches(self):
        before = self.page.run("return dcube_report.gantt().view.data('stretches').length")
        self.page.run("dcube_report.gantt().show_domain(1, 2)")
        self.page.wait_for(f"return dcube_report.gantt().view.data('stretches').length < {before} / 2")

    def test_a_tooltip_tells_of_the_stretch_under_the_pointer(self):
        # Not its middle, where two rows may meet.
        ActionChains(self.driver).move_to_element_with_offset(self.chart, 20, 6).perform()
        self.page.wait_for("return !document.getElementById('tooltip').hidden")
        self.assertRegex(self.page.texts("#tooltip")[0], r"process \d+ on node \d+\n\w+ for .* from .* to ")


def browser_origin(element):
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    return ScrollOrigin.from_element(element)


class MessagesOnTheirWay(BrowserTest):
    page = None

    def setUp(self):
        super().setUp()
        self.open_once(lambda: self.write_scenario({"kind": "line", "nodes": 8}, "by_weight"))
        speed = self.page.find("#motion-speed").get_attribute("value")
        self.addCleanup(self.page.choose, "#motion-speed", speed)
        self.page.run("dcube_report.motion().pause(); dcube_report.motion().show(0)")

    def time(self):
        """In seconds."""
        return round(self.page.run("const m = dcube_report.motion(); return m.time * m.timeline.unit_s"), 6)

    def show(self, seconds):
        self.page.run(f"const m = dcube_report.motion(); m.show({seconds} / m.timeline.unit_s)")

    def test_play_advances_and_pause_stops(self):
        self.page.click("#motion-play")
        self.assertEqual(self.page.texts("#motion-play"), ["Pause"])
        self.page.wait_for("return dcube_report.motion().time > 0")
        first = self.page.run("return dcube_report.motion().time")
        self.page.wait_for(f"return dcube_report.motion().time > {first}")
        self.page.click("#motion-play")
        stopped = self.time()
        self.page.frame_times(0.3)
        self.assertEqual(self.time(), stopped)
        self.assertEqual(self.page.texts("#motion-play"), ["Play"])

    def test_it_ends_by_itself_and_starts_again(self):
        self.page.choose("#motion-speed", "8")
        self.page.run("dcube_report.motion().slide(900)")
        self.page.click("#motion-play")
        self.page.wait_for("return !dcube_report.motion().is_playing")
        self.assertEqual(self.time(), 12)
        self.page.click("#motion-play")
        self.page.wait_for("return dcube_report.motion().is_playing && dcube_report.motion().time < dcube_report.motion().timeline.end / 2")

    def test_steps_go_from_event_to_event(self):
        # A second of computing, then every hop takes one.
        for second in (1, 2, 3):
            self.page.click("#motion-step")
            self.assertEqual(self.time(), second)
        self.page.click("#motion-back")
        self.assertEqual(self.time(), 2)
        self.page.click("#motion-start")
        self.assertEqual(self.time(), 0)

    def test_waiting_processes_are_marked_and_counted(self):
        self.show(5.5)
        self.assertRegex(self.page.texts("#motion-counts")[0], r"\d messages? on links, 0 queued, 4 processes waiting")
        widths = self.page.run("return dcube_report.motion().view.data('nodes').map(n => n.border_width)")
        self.assertEqual(widths.count(2), 4)

    def test_dots_move_along_a_link(self):
        x = []
        for moment in (1.25, 1.75):
            self.show(moment)
            x.append(self.page.run("return dcube_report.motion().dots.data('dots')[0].x"))
        self.assertAlmostEqual(abs(x[1] - x[0]), 0.22, 1)

    def test_the_slider_sets_the_time(self):
        self.page.run("const s = document.getElementById('motion-slider'); s.value = 500; s.dispatchEvent(new Event('input'))")
        self.assertEqual(self.time(), 6)


class SeveralResults(BrowserTest):
    def setUp(self):
        super().setUp()
        name = self.write("torus.json", scenario({"kind": "torus", "shape": [4, 4]}, **TIMED))
        self.output("compare", name, "--embedding", "standard,xor,gray", "--output", "out", "--no-pictures")
        self.page = self.open("out")

    def test_the_winner_is_shown_first(self):
        shown = self.page.texts("tr.shown td:nth-child(2)")
        self.assertEqual(shown, sorted(self.page.texts("#comparison-table tbody td:nth-child(2)"), key=lambda text: float(text.split()[0]))[:1])
        self.assertNotEqual(self.page.texts("tr.shown td:first-child"), ["standard"])
        self.assert_readable_everywhere(self.page)

    def test_the_choice_changes_what_is_shown(self):
        self.page.screenshot("several")
        self.page.screenshot("several-narrow", 420)
        self.assertEqual(self.page.texts("#comparison-table tbody td:first-child"), ["standard", "xor", "gray"])
        self.page.choose("#run", "1")
        self.assertIn("xor", self.page.texts("#summary dd"))
        self.assertEqual(self.page.texts("tr.shown td:first-child"), ["xor"])
        self.page.click("#comparison-table tbody tr:nth-child(1) button")
        self.assertEqual(self.page.texts("tr.shown td:first-child"), ["standard"])
        self.assertEqual(self.page.find("#run").get_attribute("value"), "0")

    def test_columns_sort(self):
        title = "#comparison-table th:nth-child(2) button"
        self.page.click(title)
        times = self.page.texts("#comparison-table tbody td:nth-child(2)")
        self.page.click(title)
        self.assertEqual(self.page.texts("#comparison-table tbody td:nth-child(2)"), times[::-1])
        self.assertEqual(times, sorted(times, key=lambda text: float(text.split()[0])))

    def test_colours_can_be_chosen(self):
        script = "return document.querySelector('#embedding-chart').view.data('nodes').map(n => n.colour)"
        before = self.page.run(script)
        self.page.choose("#embedding-colour", "bit 1")
        self.assertNotEqual(self.page.run(script), before)
        self.assertEqual(len(set(self.page.run(script))), 2)
        self.page.choose("#load-quantity", "busy")
        self.assertIn("makespan", self.page.texts("#load-legend")[0])


class Deadlock(BrowserTest):
    def test_who_waits_for_whom_is_told_and_marked(self):
        receive = "l1: recv 8b from {} tag 0\n"
        ranks = "".join(f"rank {rank} {{\n{receive.format(awaited)}}}\n" for rank, awaited in enumerate((1, 0, 0)))
        self.write("dead.goal", f"num_ranks 3\n{ranks}")
        document = {**scenario({"kind": "ring", "nodes": 4}, "identity"), "program": {"kind": "goal", "file": "dead.goal"}}
        page = self.open(self.write("dead.json", document))
        self.assertEqual(page.texts("#blocked-cycle"), ["Circle: process 0 waits for process 1 waits for process 0."])
        rows = [row.split("\t")[:3] for row in page.texts("#blocked-table tbody tr")]
        self.assertEqual(rows, [[f"process {p}", f"node {p}", f"process {q}"] for p, q in ((0, 1), (1, 0), (2, 0))])
        nodes = page.run("return document.querySelector('#embedding-chart').view.data('nodes').map(n => [n.border_width, n.tip])")
        self.assertEqual([width for width, _ in nodes], [3.5, 3.5, 3.5, 0.6])
        self.assertIn("process 2 waits for process 0", nodes[2][1])
        self.assertIn("waits for ever", page.texts("#embedding-legend")[0])
        self.assertNotIn("waiting", page.texts("#summary dt"))


class Answers(BrowserTest):
    def test_a_search_shows_its_map_the_links_and_the_gap(self):
        self.output("search", "--machine", "torus:4x4", "--traffic", "cube:4", "--weights", "1,2,4,9", "--effort", "1000",
                    "--write", "s.html", "--write", "result:s.json", "--quiet")
        page = self.open_written("s.html")
        result = json.loads((self.folder / "s.json").read_text())
        found = result["map"]
        self.assertIn(f"found by {result['found']['origin']}", page.texts("#verdict")[0])
        labels = page.texts("#map svg text")
        self.assertEqual(labels, [str(found.index(node)) for node in range(16)])
        self.assertEqual(len(page.texts("#links .chart")), 2)
        heads = page.texts("#links h3")
        self.assertIn("processes in order of the nodes", heads[0])
        before, after = (float(re.search(r": ([\d,]+) bytes", head)[1].replace(",", "")) for head in heads)
        self.assertLess(after, before)
        self.assertEqual(page.run("return document.querySelectorAll('#gap .curve').length"), 1)
        self.assert_readable_everywhere(page)

    def test_links_that_both_directions_share_are_lines_once(self):
        parallel = {"kind": "fat_tree", "down": [2, 2], "up": [1, 1], "parallel": [1, 2]}
        for topology, traffic, told, pieces in [
            ({"kind": "torus", "shape": [4, 4]}, "mesh:4x4", "2 bytes over the busiest link, 24 links in use", 40),
            (parallel, "ring:4", "4 bytes over the busiest link, 8 links in use", 8),
        ]:  # fmt: skip
            self.write("m.json", {"schema_version": 1, "topology": topology, "link": {"latency": "1us", "bandwidth": "1GBps", "duplex": "half"}})
            self.output("search", "--machine", "m.json", "--traffic", traffic, "--effort", "100", "--write", "s.html", "--quiet")
            page = self.open_written("s.html")
            self.assertEqual(page.texts("#links h3")[-1].split(": ")[1], told)
            for section in ("#map", "#links .chart:last-of-type"):
                self.assertEqual(page.run(f"return document.querySelectorAll('{section} svg line').length"), pieces)
            page.run("document.querySelector('#links svg line').dispatchEvent(new PointerEvent('pointermove'))")
            self.assertRegex(page.texts("#tooltip")[0], r"^\d-\d: [024] bytes$")
        page.screenshot("shared-links-search")

    def test_a_collective_shows_times_by_size_and_where_the_fastest_changes(self):
        self.output("collective", "allreduce", "--machine", "tpu_v4-4x4x8", "--bytes", "1KiB,64KiB,4MiB", "--embedding", "identity",
                    "--algorithm", "swing_latency,bucket", "--write", "c.html", "--write", "result:c.json", "--quiet")
        page = self.open_written("c.html")
        crossovers = json.loads((self.folder / "c.json").read_text())["crossovers"]
        self.assertGreater(len(crossovers), 0)
        self.assertEqual(page.run("return document.querySelectorAll('#times .mark').length"), len(crossovers))
        self.assertEqual(page.texts("#times .entry"), ["swing_latency", "bucket"])
        self.assertEqual(len(page.texts("#crossovers tr")), 1 + len(crossovers))
        self.assertEqual(len(page.texts("#fastest tr")), 4)
        self.assert_readable_everywhere(page)


class Why(BrowserTest):
    def test_the_makespan_is_explained(self):
        page = self.open_scenario({"kind": "line", "nodes": 16}, "by_weight")
        facts = page.texts("#why-totals dd")
        self.assertEqual(facts[0], "80.8 % hops, 15.4 % computing, 3.8 % queueing before links")
        self.assertIn("12->11 for 1 s", facts)
        self.assertEqual(page.texts("#why-pairs tbody td:first-child"), [f"cube dimension {i}" for i in range(4)])
        page.click("#why summary")
        chain = page.texts("#why-parts tbody td:last-child")
        self.assertEqual(len(chain), 8)
        self.assertEqual(chain[0], "computes")
        self.assertRegex(chain[7], r"^message from 13 to 5: 3 hops \(12->11, 11->10, 10->9\), queues for 1 s$")
        self.assertFalse(page.find("#why-cut").is_displayed())
        self.assertFalse(page.find("#why-overlap").is_displayed())

    def test_halves_are_rounded_as_in_texts(self):
        page = self.open_scenario({"kind": "torus", "shape": [8, 8]}, "xor")
        shares = page.texts("#why-pairs tbody td:last-child")
        told = self.output("run", "it.json", "--why")
        self.assertIn("6.2 %", shares)
        for share in shares:
            self.assertIn(share, told)

    def test_whom_overlap_was_lost_to_is_told(self):
        start = {"collective": "broadcast", "root": 0, "algorithm": "binomial"}
        phases = [{**start, "bytes": 4, "start": "a"}, {**start, "bytes": 8, "start": "b"}, {"compute": "1s"},
                  {"wait": "b"}, {"wait": "a"}]  # fmt: skip
        document = {"schema_version": 1, "embedding": "identity",
                    "machine": {"topology": {"kind": "ring", "nodes": 2}, "link": {"latency": 0, "per_byte": "1s"}},
                    "program": {"kind": "pattern", "processes": 2, "phases": phases}}  # fmt: skip
        page = self.open(self.write("overlap.json", document))
        rows = [row.split("\t") for row in page.texts("#why-overlap tbody tr")]
        self.assertEqual([row[0] for row in rows], ["start a: broadcast", "start b: broadcast"])
        self.assertEqual(rows[1][-1], "8 s to its own time, 3 s to queues behind start a: broadcast (0->1)")


class Texts(BrowserTest):
    def test_what_files_say_is_shown_and_never_run(self):
        evil = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>{{data}}"
        document = scenario({"kind": "ring", "nodes": 4})
        document["name"] = evil
        document["machine"]["name"] = evil
        page = self.open(self.write("<b>it.json", document))
        page.frame_times(0.2)
        self.assertIsNone(page.run("return window.hit ?? null"))
        self.assertIn(evil, page.texts("#title")[0])
        self.assertIn("<b>it.json", page.texts("#summary dd"))
        self.assertTrue(any(evil in text for text in page.texts("#summary dd")))


class FourThousandProcesses(BrowserTest):
    def test_a_large_machine_opens_scrolls_and_plays_smoothly(self):
        for name, topology in [
            ("torus-64x64", {"kind": "torus", "shape": [64, 64]}),
            ("hypercube-12", {"kind": "hypercube", "dimensions": 12}),
            ("ring-4096", {"kind": "ring", "nodes": 4096}),
        ]:
            with self.subTest(name):
                page = self.open_scenario(topology, "standard", **TIMED)
                size = (self.folder / "report.html").stat().st_size
                scrolling = page.frame_times(0.5, "window.scrollBy(0, frame % 150 < 75 ? 60 : -60)")
                page.click("#motion-play")
                playing = page.frame_times(0.5)
                self.assertTrue(page.run("return dcube_report.motion().is_playing"))
                page.run("dcube_report.motion().pause()")
                page.run("document.querySelector('#gantt').scrollIntoView()")
                zooming = page.frame_times(0.5, "dcube_report.gantt().zoom(frame % 40 < 20 ? 0.9 : 1 / 0.9)")
                print(f"{name}: {size / 1e6:.2f} MB, opened in {page.load_s:.2f} s; ms a frame, median and 95 %:",
                      *(f"{what} {times[len(times) // 2]:.0f} and {times[len(times) * 95 // 100]:.0f}"
                        for what, times in [("scrolling", scrolling), ("playing", playing), ("zooming", zooming)]))  # fmt: skip
                self.assertLess(size, 10e6)
                self.assertLess(page.load_s, 60)
                # Gross failures only: the machine that tests run on may be busy.
                for times in (scrolling, playing, zooming):
                    self.assertLess(times[len(times) // 2], 1000)
                page.run("dcube_report.motion().slide(300); dcube_report.gantt().reset()")
                for chart in CHARTS:
                    self.assertGreater(page.painted(chart), 0.01, chart)
                page.screenshot(name)


class ComparisonPage(BrowserTest):
    def open_comparison(self, program, *arguments, status=0):
        self.write("s.json", {**scenario({"kind": "torus", "shape": [8, 8]}, **program)})
        done = self.dcube("compare", "s.json", "-o", "d", "--no-pictures", "--jitter", "0", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        self.told = json.loads((self.folder / "d/comparison.json").read_text())["runs"]
        return self.open_written("d/index.html")

    def column(self, page, title):
        """The texts of a column of the table, by the names of its rows."""
        titles = page.texts("#comparison-table th")
        place = titles.index(title) + 1
        return dict(zip(page.texts("#comparison-table td:first-child"), page.texts(f"#comparison-table td:nth-child({place})")))

    def best(self, page):
        return page.texts("#comparison-table tr.best td:first-child")

    def test_figures_and_verdict_are_those_of_the_comparison(self):
        page = self.open_comparison({"order": [0, 3]}, "--embedding", "standard,xor,gray")
        told = {run["embedding"]: str(run["longest_dilation"]) for run in self.told}
        self.assertEqual(told, {"standard": "4", "xor": "2", "gray": "3"})
        self.assertEqual(self.column(page, "longest dilation"), told)
        verdict = (self.folder / "d/comparison.txt").read_text().split("\n\n")[-1].strip()
        self.assertTrue(page.texts("#verdict")[0].endswith(f": {verdict}"), verdict)

    def test_results_alone_give_the_dilation_of_their_stages(self):
        self.open_comparison({"order": [0, 3]}, "--embedding", "standard,xor")
        page = self.open("d/runs/standard.json", "d/runs/xor.json")
        self.assertEqual(self.column(page, "longest dilation of a stage"), {"standard": "1", "xor": "1"})

    def test_each_network_has_its_best(self):
        page = self.open_comparison({"message": 1000}, "--embedding", "standard,xor,gray", "--network", "store_and_forward,cut_through",
                                    "--set", "/machine/link/per_byte=10ms")  # fmt: skip
        told = {f"{run['network']}-{run['embedding']}": run["ratio_to_best"] for run in self.told}
        self.assertEqual(self.column(page, "to best"), {name: f"{ratio:.3f}" for name, ratio in told.items()})
        self.assertEqual(self.best(page), [name for name, ratio in told.items() if ratio == 1])
        self.assertGreaterEqual(len(self.best(page)), 2)
        rankings = (self.folder / "d/comparison.txt").read_text().split("\n\n")[-1].strip()
        self.assertTrue(page.texts("#verdict")[0].endswith(f":\n{rankings}"), rankings)

    def test_refused_embeddings_are_rows(self):
        page = self.open_comparison({}, "--embedding", "xor,binary_tree,gray", status=1)
        self.assertEqual(self.column(page, "outcome"), {"xor": "completed", "binary_tree": "refused", "gray": "completed"})
        self.assertEqual(self.column(page, "makespan")["binary_tree"], "–")
        self.assertIn("places a tree", page.find("#comparison-table td.bad").get_attribute("title"))
        page.click("#comparison-table th:nth-child(2) button")
        self.assertEqual(page.texts("#run option"), ["xor: 16 s", "gray: 20 s"])
        page.screenshot("comparison")

    def test_several_numbers_of_processes_have_no_one_number(self):
        page = self.open_comparison({}, "--process-count", "2,4", "--set", "/embedding=identity")
        self.assertRegex(page.texts("#verdict")[0], r"^cc_dcube, on unit \(torus 8×8, 64 nodes\): the shortest time is that of 2 processes: ")
        self.assertNotIn("to best", page.texts("#comparison-table th"))


class SweepPage(BrowserTest):
    def open_sweep(self, *arguments):
        self.write("s.json", scenario({"kind": "ring", "nodes": 8}, "standard", message=1))
        self.output("sweep", "s.json", *arguments, "-o", "d", "--no-pictures")
        return self.open_written("d/index.html")

    def legend(self, page):
        return page.run("return [...document.querySelectorAll('#legend .entry')].map(e => e.textContent)")

    def dots(self, page):
        return page.run("return document.querySelectorAll('#chart circle').length")

    def test_any_measure_is_drawn_against_any_setting(self):
        page = self.open_sweep("--vary", "/program/compute=log:10ms:1s:5", "--vary", "/program/message=1,2",
                               "--embedding", "standard,xor", "--ratio", "standard/xor")
        self.assertEqual(self.legend(page), ["standard", "xor"])
        self.assertEqual(page.texts("#chart svg .title"), ["message 1", "message 2"])
        self.assertEqual(self.dots(page), 20)
        for measure in page.run("return [...document.getElementById('measure').options].map(o => o.value)"):
            page.choose("#measure", measure)
            self.assertEqual(self.dots(page), 20)
        page.choose("#x", "embedding")
        self.assertEqual(page.find("#lines").get_attribute("value"), "compute_s")
        self.assertEqual(self.dots(page), 20)
        page.choose("#lines", "message")
        self.assertEqual(page.find("#charts").get_attribute("value"), "compute_s")
        self.assertEqual(self.legend(page), ["1", "2"])
        page.choose("#charts", "")
        chosen = "return document.querySelector('#fixed select').selectedOptions[0].text"
        self.assertEqual(page.run(chosen), "100 ms")  # the middle
        self.assertEqual(self.dots(page), 4)
        page.choose("#fixed select", "[0.01]")
        self.assertEqual(page.run(chosen), "10 ms")
        self.assertEqual(self.dots(page), 4)
        self.assertEqual(page.run("return document.querySelectorAll('#ratio-tables tr').length"), 11)
        page.screenshot("sweep")
        self.assert_readable_everywhere(page)

    def test_settings_that_change_together_are_one_axis_and_many_rows_are_turned_page_by_page(self):
        values = ",".join(str(i) for i in range(1, 61))
        times = ",".join(f"{i}s" for i in range(1, 61))
        page = self.open_sweep("--zip", f"/program/message={values}", "--zip", f"/program/compute={times}",
                               "--embedding", "standard,xor", "--jobs", "1")
        options = "return [...document.getElementById('x').options].map(o => o.text)"
        self.assertEqual(page.run(options), ["message, compute", "embedding"])
        self.assertEqual(self.legend(page), ["standard", "xor"])
        self.assertEqual(self.dots(page), 120)
        page.choose("#lines", "message")  # exchanges the two
        self.assertIn("28 of 60 lines are drawn", page.texts("#left-out")[0])
        self.assertEqual(page.texts("#rows"), ["Rows 1 to 100 of 120"])
        page.click("#later")
        self.assertEqual(page.texts("#rows"), ["Rows 101 to 120 of 120"])
        self.assertEqual(len(page.texts("#table tr")), 21)
        self.assertFalse(page.find("#later").is_enabled())

    def test_names_of_others_are_text(self):
        self.write("t.json", {"schema_version": 1, "name": "<script>alert(1)</script>", "scenario": "s.json", "seeds": 2})
        self.write("s.json", scenario({"kind": "ring", "nodes": 8}, "standard", message=1))
        self.output("sweep", "t.json", "-o", "e", "--no-pictures")
        page = self.open_written("e/index.html")
        self.assertEqual(page.texts("h1"), ["<script>alert(1)</script>"])
        self.assertIn("nothing to draw", page.texts("#chart")[0])


if __name__ == "__main__":
    unittest.main()
