"""What tests of report pages in a browser share: one browser for all, in which each test opens pages."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "app"))

import browser  # noqa: E402
from program import ProgramTest, scenario  # noqa: E402

TIMED = {"compute": {"uniform": ["1s", "3s"]}}
CHARTS = ("#time-chart", "#embedding-chart", "#load-chart", "#gantt-chart", "#motion-machine")


def setUpModule():
    BrowserTest.driver = browser.start()
    unittest.addModuleCleanup(BrowserTest.driver.quit)


class BrowserTest(ProgramTest):
    driver = None  # one for all tests

    def open(self, *arguments):
        self.output("report", *arguments, "-o", "report.html")
        page = browser.Page(self.driver, self.folder / "report.html")
        self.addCleanup(self.assert_quiet, page)
        return page

    def assert_quiet(self, page):
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [])
        self.assertEqual(page.run("return performance.getEntriesByType('resource').map(e => e.name)"), [])

    def assert_readable_everywhere(self, page):
        """On the screen, in the dark, on paper and on a phone."""
        self.addCleanup(page.show_as)
        self.assertEqual(page.pale_texts(), [])
        page.show_as(scheme="dark")
        self.assertEqual(page.pale_texts(), [])
        self.assertNotIn("255, 255, 255", page.run("return getComputedStyle(document.body).backgroundColor"))
        page.resize(718, 900)  # A4
        page.show_as("print")
        self.assertEqual(page.cut_off(), [])
        page.show_as()
        page.resize(400, 900)
        self.assertLessEqual(page.run("return document.documentElement.scrollWidth"), 400)
        scales = page.run(
            "return [...document.querySelectorAll('.chart svg')].map((s) => s.getBoundingClientRect().width / s.viewBox.baseVal.width)")
        self.assertEqual([scale for scale in scales if scale < 0.95], [], "letters of charts are 13 pixels high")
        page.resize_back()

    def open_written(self, name):
        page = browser.Page(self.driver, self.folder / name)
        self.addCleanup(self.assert_quiet, page)
        return page

    def write_scenario(self, topology, embedding="standard", **program):
        return self.write("it.json", scenario(topology, embedding, **program))

    def open_scenario(self, *arguments, **program):
        return self.open(self.write_scenario(*arguments, **program))

    def open_once(self, write):
        """The page of what `write` writes, which stays open for all tests of a class: they leave or make it as new."""
        cls = type(self)
        if cls.page is None:
            cls.page = self.open(write())
        else:
            self.addCleanup(self.assert_quiet, cls.page)
