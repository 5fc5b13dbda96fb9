"""The command line as a whole: help, version, and words it does not know."""

import pathlib
import re
import shlex
import sys
import unittest

from program import ProgramTest

TOP_LEVEL = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP_LEVEL / "tests" / "pages"))

from commands_test import every_page  # noqa: E402

COMMANDS = [
    "run",
    "compare",
    "sweep",
    "embed",
    "search",
    "place",
    "fit",
    "subcubes",
    "report",
    "trace",
    "reproduce",
    "validate",
    "list",
    "explain",
]


class Usage(ProgramTest):
    def test_version_names_the_program(self):
        self.assertRegex(self.output("--version"), r"^dcube \d+\.\d+\.\d+\n$")

    def test_help_lists_every_command(self):
        text = self.output("--help")
        for command in COMMANDS:
            self.assertIn(f"  {command} ", text)

    def test_help_of_list_names_all_that_it_lists(self):
        known = self.dcube("list", "nothing").stderr.strip().partition("known: ")[2]
        self.assertIn(f"{known} (default: all)", self.output("list", "--help"))

    def test_the_page_of_options_names_every_command_that_has_one(self):
        page = (TOP_LEVEL / "docs" / "reference" / "commands.md").read_text()
        commands = [*COMMANDS, "collective"]
        helps = {command: self.output(command, "--help") for command in commands}
        rows = re.findall(r"^\|`(--[\w-]+)[^`|]*`\|([\w, ]+)\|", page, re.MULTILINE)
        named = {option: set(names.split(", ")) for option, names in rows if set(names.split(", ")) <= set(commands)}
        self.assertGreater(len(named), 10)
        for option, names in named.items():
            self.assertEqual(names, {command for command in commands if f"{option} " in helps[command]}, option)

    def test_simgrid_is_loaded_by_what_simulates(self):
        simulates = "scenarios/quickstart.json"
        (self.folder / "scenarios").symlink_to(TOP_LEVEL / "scenarios")
        for arguments, wanted in ((["list", "machines"], False), (["run", simulates], True)):
            done = self.dcube(*arguments, environment={"LD_DEBUG": "files"})
            self.assertEqual(done.returncode, 0)
            self.assertEqual("libsimgrid" in done.stderr, wanted)
            self.assertIn("libc.so", done.stderr)

    def test_help_of_every_command_ends_with_examples_that_run(self):
        # What the tests of pages run need not run here, unless later examples may need what it writes.
        run_there = {command.removeprefix("./") for page in every_page() for _, command, _ in page.runs()}
        for name in ("examples", "scenarios", "platforms", "schema", "validation"):
            (self.folder / name).symlink_to(TOP_LEVEL / name)
        for command in COMMANDS:
            _, examples = re.split(r"\nExamples?:\n", self.output(command, "--help"))
            for line in examples.splitlines():
                self.assertIn(f"dcube {command} ", examples)
                for example in line.split(" && "):
                    program, *arguments = shlex.split(example)
                    self.assertEqual(program, "dcube", example)
                    if example.strip() not in run_there or "--output" in arguments:
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
        self.assert_refused(["compare", "x.json", "--jobs"], "dcube: --jobs: lacks a value (--jobs N)\n")
        for option, what in (("--embedding", "NAME[,NAME..]"), ("--failures", "N[,N..]")):
            self.assert_refused(["compare", "x.json", option, ","], f"dcube: {option}: lacks a value ({option} {what})\n")
        self.assert_refused(["subcubes", "--pair", "0*"], "dcube: --pair: lacks a value (--pair ADDRESS ADDRESS)\n")

    def test_an_option_that_takes_no_value_has_none(self):
        for option, value in (("--json", "5"), ("--quiet", "false"), ("--help", "no")):
            self.assert_refused(["run", "x.json", f"{option}={value}"], f"dcube: {option}: takes no value")
        self.assert_refused(["--version=3"], "dcube: --version: takes no value")

    def test_a_missing_argument_is_named(self):
        self.assert_refused(["run"], "run: SCENARIO is required")
        self.assert_refused(["embed", "ring:8"], "embed: --embedding is required")

    def test_an_argument_too_many_is_named(self):
        self.assert_refused(["run", "x.json", "y.json"], "dcube: y.json: one argument too many")


if __name__ == "__main__":
    unittest.main()
