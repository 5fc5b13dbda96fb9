"""Every snippet of docs/howto/use-python.md runs, in order, and prints what the page shows."""

import contextlib
import io
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page):
    """(line, code, what the block after it shows or None)."""
    blocks = [(match.start(), match.end(), *match.groups()) for match in BLOCK.finditer(page)]
    for i, (begin, end, language, code) in enumerate(blocks):
        if language != "python":
            continue
        follows = i + 1 < len(blocks) and not blocks[i + 1][2] and not page[end : blocks[i + 1][0]].strip()
        yield page.count("\n", 0, begin) + 2, code, blocks[i + 1][3] if follows else None


class Pages(unittest.TestCase):
    def test_snippets(self):
        page = ROOT / "docs/howto/use-python.md"
        names = {"__name__": "page"}
        count = 0
        for line, code, shown in steps(page.read_text(encoding="utf-8")):
            with self.subTest(line=line):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n" * (line - 1) + code, page, "exec"), names)
                if shown is not None:
                    self.assertEqual(printed.getvalue().rstrip(), shown.rstrip())
                count += 1
        self.assertGreater(count, 4)


if __name__ == "__main__":
    unittest.main()
