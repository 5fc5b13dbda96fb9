"""What scripts/docs generates: the keys of files, the commands, the lists and the packages' interfaces.

The book itself is made by the test docs/site, where it is asked for.
"""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["DCUBE_PROGRAM"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from book import check, keys, pages, python_api, reference  # noqa: E402


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        documents = {path.name: json.loads(path.read_text()) for path in (ROOT / "schema").glob("*.json")}
        cls.schemas = keys.Schemas(documents)
        cls.found = list(cls.schemas.keys())

    def test_every_key_has_a_description(self):
        self.assertGreater(len(self.found), 350)
        lacking = [f"{file}: {pointer}" for file, pointer, key in self.found if not self.schemas.find("description", file, key)]
        self.assertEqual(lacking, [])

    def test_ranges_that_descriptions_name_are_those_of_the_values(self):
        def limits(text):
            found = re.search(r"\((\d+) to (\d+)(?:\^(\d+))?( each)?\)", text)
            return found and (int(found[1]), int(found[2]) ** int(found[3] or 1), found[4])

        count, wrong = 0, []
        for file, pointer, key in self.found:
            if range_ := limits(self.schemas.find("description", file, key) or ""):
                least, most, each = range_
                value = key["items"] if each else key
                count += 1
                if (value.get("minimum"), value.get("maximum")) != (least, most):
                    wrong.append(f"{file}: {pointer}")
        self.assertGreater(count, 15)
        self.assertEqual(wrong, [])

    def test_seeds_have_64_bits(self):
        files = ("scenario.schema.json", "machine.schema.json", "experiments.schema.json")
        seeds = [key["description"] for file, pointer, key in self.found if file in files and pointer.endswith("/seed")]
        self.assertGreater(len(seeds), 4)
        self.assertEqual([seed for seed in seeds if "below 2^64" not in seed], [])

    def test_what_takes_costs_from_elsewhere_has_no_default_of_its_own(self):
        said = re.compile(r"[Dd]efault: as ")
        wrong = [
            f"{file}: {pointer}"
            for file, pointer, key in self.found
            if said.search(self.schemas.find("description", file, key) or "") and self.schemas.find("default", file, key) is not None
        ]
        self.assertEqual(wrong, [])
        for name in ("link_override", "link_class"):
            file, _, schema = self.schemas.of("machine.schema.json", f"#/definitions/{name}")
            for key in ("latency", "per_byte"):
                self.assertIn("Default: as without", self.schemas.find("description", file, schema["properties"][key]), name)

    def test_a_required_key_has_no_default(self):
        page = keys.page(self.schemas, "scenario.schema.json")
        self.assertRegex(page, r"\| `schema_version` \| [^\n]* \| required \|")
        self.assertNotRegex(keys.page(self.schemas, "machine.schema.json"), r"\| `schema_version` \| [^\n]* \| `1` \|")

    def test_pages_name_keys_that_machines_have(self):
        known = {tuple(pointer.split("/")[-2:]) for file, pointer, _ in self.found if file == "machine.schema.json"}
        last = {key for _, key in known}
        named = {
            (page.name, *pointer)
            for page in (ROOT / "docs").rglob("*.md")
            for pointer in re.findall(r"/machine/(\w+)(?:/([a-z_]\w*))?", page.read_text())
        }
        self.assertGreater(len(named), 10)
        wrong = [
            f"{page}: /machine/{key}/{inner}"
            for page, key, inner in named
            if ("machine", key) not in known
            or inner and (inner not in last if key == "topology" else (key, inner) not in known)
        ]
        self.assertEqual(wrong, [])


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = reference.texts(ROOT, PROGRAM)

    def sections(self, page):
        return re.findall(r"^##+ (.*)$", self.texts[page], re.MULTILINE)

    def test_every_command_has_its_options(self):
        listed = re.findall(r"^  (\w+) {2,}", reference.said(PROGRAM, "--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertIn("run", listed)
        self.assertEqual(self.sections("command-options"), [f"dcube {name}" for name in listed])

    def test_every_entry_of_a_catalogue_has_a_section(self):
        self.assertIn("cc_dcube", self.sections("programs"))
        self.assertIn("weighted_xor", self.sections("embeddings"))
        self.assertIn("allreduce", self.sections("collectives"))
        self.assertIn("mtx", self.sections("formats"))

    def test_every_complaint_has_a_section(self):
        codes = re.findall(r"^  ([\w-]+) {2,}", reference.said(PROGRAM, "explain"), re.MULTILINE)
        self.assertIn("deadlock", codes)
        self.assertEqual(self.sections("errors"), codes)
        self.assertIn("* `deadlock at`\n\nEvery process", self.texts["errors"])
        self.assertEqual(self.texts["errors"].count("**Remedy.** "), len(codes))

    def test_settings_and_measures_are_rows(self):
        self.assertIn("| `compute` | 1s | ", self.texts["programs"])
        self.assertIn("| `shape` | required | ", self.texts["topologies"])
        self.assertIn("| `makespan_s` | simulated time ", self.texts["measures"])

    def test_every_word_of_a_list_is_on_its_page(self):
        for kind in reference.LISTS:
            page = self.texts[kind].replace("\\", "").lower()
            for word in re.findall(r"[\w.-]{3,}", reference.said(PROGRAM, "list", kind).lower()):
                if word != "default":
                    self.assertIn(word.rstrip("."), page, kind)

    def test_every_public_name_of_the_package_is_there(self):
        public = python_api.public_names(ast.parse((ROOT / "src/python/dcube/__init__.py").read_text()))
        self.assertEqual(public["Process"], "_dcube")
        text = self.texts["python-api"]
        for name, home in public.items():
            if not name.isupper():
                self.assertTrue(f"### dcube.{name}\n" in text or home == "_dcube" and f"`{name}`" in text, name)
        self.assertEqual(len(re.findall("### dcube.Request\n", text)), int("made without" not in text))

    def test_headers_shown_exist(self):
        for _, directive, names in reference.CPP:
            for name in names:
                if directive == "doxygenfile":
                    self.assertTrue((ROOT / "include/dcube" / name).is_file(), name)


class Pages(unittest.TestCase):
    def test_links_out_of_the_book_become_downloads_or_words(self):
        with tempfile.TemporaryDirectory() as folder:
            book = pages.Book(ROOT, pathlib.Path(folder))
            text = book.relinked(
                ROOT / "docs/tutorials/x.md", "[a](../../LICENSE), [b](../../examples), [c](../howto/find-a-map.md#x)"
            )
            self.assertEqual(text, "[a](../files/LICENSE), b, [c](../howto/find-a-map.md#x)")
            self.assertTrue((pathlib.Path(folder) / "files/LICENSE").is_file())

    def test_whole_machines_and_scenarios_are_valid(self):
        kinds = set()
        for page in sorted((ROOT / "docs").rglob("*.md")):
            for text in re.findall(r"```json\n(.*?)```", page.read_text(), re.DOTALL):
                if '"schema_version"' not in text or not ('"topology"' in text or '"machine"' in text):
                    continue
                done = subprocess.run([PROGRAM, "validate", "-"], input=text, text=True, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{page}: {text}")
                kinds.add(done.stdout.split()[-1])
        self.assertEqual(kinds, {"machine", "scenario"})

    def test_missing_files_and_anchors_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#not">2</a><a href="c.html">3</a>')
            (folder / "b.html").write_text('<h1 id="there">b</h1>')
            self.assertEqual(
                check.broken_links(folder),
                [
                    "a.html: b.html#not: there is no such place on the page",
                    "a.html: c.html: there is no such file",
                ],
            )


if __name__ == "__main__":
    unittest.main()
