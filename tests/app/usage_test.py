"""The command line as a whole: help, version, and words it does not know."""

import pathlib
import re
import shlex
import unittest

from program import ProgramTest

TOP_LEVEL = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = [
    "run",
    "compare",
    "sweep",
    "embed",
    "search",
    "place",
    "subcubes",
    "report",
    "trace",
    "reproduce",
    "validate",
    "list",
]


class Usage(ProgramTest):
    def test_version_names_the_program(self):
        self.assertRegex(self.output("--version"), r"^dcube \d+\.\d+\.\d+\n$")

    def test_help_lists_every_command(self):
        text = self.output("--help")
        for command in COMMANDS:
            self.assertIn(f"  {command} ", text)

    def test_help_of_every_command_ends_with_examples_that_run(self):
        pages = [TOP_LEVEL / "README.md", *(TOP_LEVEL / "docs").rglob("*.md")]
        # The tests of pages run what a page shows. Later examples may need what it writes.
        lines = (line for page in pages for line in page.read_text().splitlines())
        shown = {line.split("  #")[0].strip().removeprefix("./") for line in lines}
        for name in ("scenarios", "platforms", "schema", "validation"):
            (self.folder / name).symlink_to(TOP_LEVEL / name)
        for command in COMMANDS:
            _, examples = re.split(r"\nExamples?:\n", self.output(command, "--help"))
            for line in examples.splitlines():
                self.assertIn(f"dcube {command} ", examples)
                for example in line.split(" && "):
                    program, *arguments = shlex.split(example)
                    self.assertEqual(program, "dcube", example)
                    if example.strip() not in shown or "--output" in arguments:
                        self.output(*arguments)

    def test_no_command_shows_the_usage_on_standard_error(self):
        done = self.dcube()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("dcube: a command is missing\n"))
        self.assertIn("Usage:", done.stderr)

    def test_an_unknown_command_names_the_nearest(self):
        self.assert_refused(["cmopare"], "dcube: cmopare: unknown command", "`compare`")

    def test_an_unknown_option_names_the_nearest(self):
        for option in ["--embeding", "--embeding=xor"]:
            self.assert_refused(
                ["run", "x.json", option], "dcube: --embeding: unknown option", "`--embedding`"
            )

    def test_an_option_without_its_value_is_refused(self):
        self.assert_refused(["compare", "x.json", "--jobs"], "compare: --jobs")

    def test_a_missing_argument_is_named(self):
        self.assert_refused(["run"], "run: SCENARIO is required")
        self.assert_refused(["embed", "ring:8"], "embed: --embedding is required")

    def test_an_argument_too_many_is_named(self):
        self.assert_refused(["run", "x.json", "y.json"], "dcube: y.json: one argument too many")


if __name__ == "__main__":
    unittest.main()
