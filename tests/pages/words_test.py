"""The book is short and plain: every part of it keeps to a number of words, lines are short, and words that
only this project uses stay out.

Words are counted as wc -w counts them, code blocks included. Pages that programs write are not read, and
neither are tables that programs write into pages, between "<!-- made by .." and "<!-- end of what is made -->".
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Written by programs: scripts/validation_report.py and the like.
GENERATED = {DOCS / "validation" / f"{name}.md" for name in ("ncube", "subcubes", "torus", "collectives", "xor")}
HOME = "home"
# The most words of each part: a folder of docs/, or several, or the pages outside of all folders.
MOST_WORDS = {
    HOME: 1_200,
    "tutorials": 5_000,
    "howto": 11_900,
    "concepts": 6_900,
    "reference": 15_500,
    "theory": 4_200,
    "contributing, decisions": 8_800,
    "validation": 2_640,
}
MOST_WORDS_OF_THE_BOOK = 55_500
LONGEST_LINE = 160
MADE = re.compile(r"<!-- made by .*?<!-- end of what is made -->", re.DOTALL)
# Phrases that the field says in other words (the words behind them). Only those that nobody writes by chance.
PRIVATE = {
    r"coarse to fine": "multilevel",
    r"order rule": "arbitration rule",
    r"rests? on ties": "is tie-sensitive",
    r"ties decide here": "tie-sensitive",
    r"parts? the machine": "disconnects the machine",
    r"heeds? the time": "timing-dependent control flow",
    r"hops a byte": "hops per byte",
    r"longest way": "maximum dilation",
    r"shorter way in": "shorter route in",
    r"choose their ways": "choose their routes",
    r"(map|maps|embedding|embeddings|rankfile), mended": "repaired",
    r"in place of": "instead of",
    r"in vain": "the result itself",
    r"as ever": "as before, or nothing",
    r"unless given": "Default: ..",
}


def pages():
    """README.md and the hand-written pages of docs/, each with the part that it belongs to."""
    found = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    for page in found:
        if page not in GENERATED and not page.is_symlink():
            yield page, part_of(page)


def part_of(page):
    folder = page.relative_to(DOCS).parts[0] if page.is_relative_to(DOCS) else ""
    for part in MOST_WORDS:
        if folder in part.split(", "):
            return part
    return HOME


def text_of(page):
    """What people have written: tables made by programs are empty lines, so that numbers of lines stay."""
    text = page.read_text(encoding="utf-8")
    return MADE.sub(lambda made: "\n" * made.group().count("\n"), text)


def lines_outside_of_code(page):
    """(number, line) of every line outside of code blocks."""
    fence = None
    for number, line in enumerate(text_of(page).splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence):
            fence = None
        elif fence is None:
            yield number, line


def prose(page):
    """The paragraphs of a page, each as (number of its first line, text without code and targets of links)."""
    begin, text = 0, []
    for number, line in [*lines_outside_of_code(page), (0, "")]:
        alone = line.lstrip().startswith(("|", "#", "* ", "- ", "> ")) or re.match(r"\s*\d+\. ", line)
        if text and (not line.strip() or alone):
            yield begin, " ".join(text)
            text = []
        if line.strip():
            begin = begin if text else number
            text.append(re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "`", line)).strip())


def name(page):
    return str(page.relative_to(ROOT))


class Words(unittest.TestCase):
    def test_parts_keep_to_their_numbers(self):
        words, largest = dict.fromkeys(MOST_WORDS, 0), {part: [] for part in MOST_WORDS}
        for page, part in pages():
            count = sum(1 for word in text_of(page).split() if re.search(r"\w", word))  # no bars of tables
            words[part] += count
            largest[part].append((count, name(page)))
        for part, most in MOST_WORDS.items():
            with self.subTest(part):
                shown = ", ".join(f"{page} {count}" for count, page in sorted(largest[part], reverse=True)[:5])
                self.assertLessEqual(words[part], most, f"words of {part}; the longest pages: {shown}")
        with self.subTest("the book"):
            self.assertLessEqual(sum(words.values()), MOST_WORDS_OF_THE_BOOK)

    def test_lines_are_short(self):
        for page, _ in pages():
            long = [
                f"{name(page)}:{number}: {len(line)} characters"
                for number, line in lines_outside_of_code(page)
                if len(line) > LONGEST_LINE and not line.lstrip().startswith("|")
            ]
            with self.subTest(name(page)):
                self.assertEqual(long, [])

    def test_phrases_are_the_fields(self):
        private = {re.compile(rf"\b{phrase}\b", re.IGNORECASE): better for phrase, better in PRIVATE.items()}
        for page, _ in pages():
            if page == DOCS / "reference/glossary.md":  # names both
                continue
            found = [
                f"{name(page)}:{number}: {match.group()}: write {better}"
                for number, text in prose(page)
                for phrase, better in private.items()
                for match in phrase.finditer(text)
            ]
            with self.subTest(name(page)):
                self.assertEqual(found, [])

    def test_no_sentence_begins_with_so(self):
        # "So" begins a paragraph, a cell or a point, or stands behind the end of a sentence.
        begins = re.compile(r"(?:^(?:[*>-] |\d+\. )?|[.!?:;)\"*]\s+|\|\s*)[*_\"(]*So\s\S+")
        for page, _ in pages():
            found = [
                f"{name(page)}:{number}: {match.group().strip()}"
                for number, text in prose(page)
                for match in begins.finditer(text)
            ]
            with self.subTest(name(page)):
                self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
