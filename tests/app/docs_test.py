"""dcube docs."""

import pathlib
import unittest

from program import ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHOUT_DISPLAY = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}


class Docs(ProgramTest):
    def install(self):
        """A book beside a folder of data, as an installation has them; gives its first page."""
        page = self.folder / "share/doc/dcube/html/index.html"
        page.parent.mkdir(parents=True)
        page.write_text("<h1>dcube</h1>")
        (self.folder / "share/dcube").mkdir()
        return page

    def docs(self, **environment):
        return self.dcube("docs", environment={"DCUBE_DATA": str(self.folder / "share/dcube"), **environment})

    def test_the_path_is_printed_when_there_is_no_display(self):
        page = self.install()
        done = self.docs(**WITHOUT_DISPLAY)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{page}\n", ""))

    def opener(self, status):
        """A folder for PATH whose xdg-open notes what it is to open."""
        folder = self.folder / "bin"
        folder.mkdir()
        script = folder / "xdg-open"
        script.write_text(f'#!/bin/sh\necho "$1" >"{self.folder}/opened"\nexit {status}\n')
        script.chmod(0o755)
        return str(folder)

    def test_a_browser_opens_the_page_where_there_is_a_display(self):
        page = self.install()
        done = self.docs(DISPLAY=":0", PATH=self.opener(0))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual((self.folder / "opened").read_text(), f"{page}\n")

    def test_the_path_is_printed_when_no_browser_opens(self):
        page = self.install()
        self.assertEqual(self.docs(DISPLAY=":0", PATH=self.opener(3)).stdout, f"{page}\n")
        self.assertEqual(self.docs(DISPLAY=":0", PATH="/nowhere").stdout, f"{page}\n")

    def test_a_book_that_is_not_installed_is_one_line(self):
        done = self.docs(**WITHOUT_DISPLAY)
        made = ROOT / "build/docs/html/index.html"
        if made.is_file():  # by scripts/docs
            self.assertEqual(done.stdout, f"{made}\n")
            return
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("dcube-doc", done.stderr)


if __name__ == "__main__":
    unittest.main()
