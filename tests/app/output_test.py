"""What commands write: planned before anything runs, on disk before anything is told."""

import json
import os
import subprocess
import unittest

from program import PROGRAM, SANITIZER_NOTE, ProgramTest, ring, scenario

LINE = {"kind": "line", "nodes": 8}
RUN_KINDS = ["csv", "chrome", "paje", "result", "traffic"]


def sorting(output):
    """A program that writes its sorted keys to a file."""
    return scenario({"kind": "hypercube", "dimensions": 2}) | {
        "program": {"kind": "bitonic_sort", "output": output}
    }


class Planned(ProgramTest):
    def refused(self, arguments, *parts):
        """Refused before anything has run: no file has come or gone."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assert_refused(arguments, *parts)
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_an_input_is_not_overwritten(self):
        name = self.write("s.json", scenario(LINE))
        self.write("map.json", {"kind": "explicit", "map": list(range(8))})
        os.symlink("s.json", self.folder / "link.json")
        os.link(self.folder / "s.json", self.folder / "hard.json")
        self.write("t.csv", "from,to,bytes\n0,1,5\n")
        for file in ["s.json", "./s.json", "link.json", "hard.json", self.folder / "s.json"]:
            self.refused(["run", name, "--output", file], "--output", "is read")
        self.refused(["run", name, "--write", "csv:link.json"], "--write", "is read")
        self.refused(["search", name, "-o", "s.json"], "--output", "is read")
        self.refused(["embed", "ring:8", "--embedding", "map.json", "--write", "csv:map.json"], "--write", "is read")
        self.refused(
            ["embed", "ring:8", "--embedding", "identity", "--guest", "line:2", "--traffic", "t.csv", "-o", "t.csv"],
            "--output", "is read",
        )
        self.output("embed", "ring:8", "--embedding", "xor", "--write", "rankfile:ranks")
        self.refused(["run", name, "--embedding", "rankfile:ranks", "-o", "ranks"], "--output", "is read")
        self.refused(["run", name, "--embedding", "map.json", "-o", "map.json"], "--output", "is read")
        self.write("holder.json", {"kind": "explicit", "file": "rankfile:ranks"})
        self.write("unit.json", {"schema_version": 1, **scenario(LINE)["machine"]})
        self.write("m.json", {**scenario(LINE), "machine": "unit.json"})
        for command in ("run", "search", "report"):
            self.refused([command, "m.json", "--output", "unit.json"], "--output", "is read")
        self.refused(["embed", "ring:8", "--embedding", "holder.json", "--write", "csv:ranks"], "--write", "is read")
        self.output("run", name, "--quiet", "--write", "csv:trace.csv")
        self.refused(["trace", "trace.csv", "--write", "csv:./trace.csv"], "is read")
        self.refused(["report", name, "-o", "link.json"], "--output", "is read")
        self.output("compare", name, "--embedding", "xor", "--output", "out", "--no-pictures", "--no-report")
        for file in ("out/comparison.json", "out/runs/xor.json"):
            self.refused(["report", "out", "-o", file], "--output", "is read")

    def test_a_machine_that_is_named_is_not_overwritten(self):
        file = "platforms/own.json"
        self.write(file, {"schema_version": 1, **scenario({"kind": "hypercube", "dimensions": 3})["machine"]})
        self.write("t.csv", "from,to,bytes\n0,1,5\n")
        for arguments in (
            ["embed", "own", "--embedding", "xor"],
            ["search", "--machine", "own", "--traffic", "cube:3"],
            ["subcubes", "--traffic", "t.csv", "--subcube", "1", "--dimensions", "3", "--machine", "own", "--simulate", "2"],
        ):
            self.refused([*arguments, "--output", file], "--output", "is read")

    def test_two_outputs_of_one_name_are_refused(self):
        name = self.write("s.json", scenario(LINE))
        os.symlink("a", self.folder / "dangling")
        os.symlink(".", self.folder / "here")
        for first, second in [("a", "a"), ("a", "./a"), ("a", "here/a"), ("a", "dangling"), ("dangling", "here/a"),
                              ("/dev/stdout", "/dev/stdout"), ("-", "/dev/stdout"), ("-", "/dev/fd/1")]:
            for kind in RUN_KINDS:
                target = f"{kind}:csv:{second}" if kind == "traffic" else f"{kind}:{second}"
                self.refused(["run", name, "--output", first, "--write", target], "--write", "given twice")
        self.refused(["run", name, "--trace", "csv:a", "--traffic", "csv:a"], "given twice")
        self.refused(["embed", "ring:8", "--embedding", "xor", "--write", "csv:a", "--export", "json:a"], "given twice")
        self.refused(["search", name, "-o", "a", "--certificate", "a", "--method", "exhaustive"], "given twice")
        self.refused(["subcubes", "--random", "tasks=3,edges=2", "--subcube", "1", "-o", "a", "--scenario", "a"], "given twice")
        self.output("run", name, "--quiet", "--output", "a", "--write", "csv:b")
        self.refused(["trace", "b", "--to", "csv:c", "--to", "paje:./c"], "given twice")
        os.link(self.folder / "a", self.folder / "hard")
        self.refused(["run", name, "--output", "a", "--write", "csv:hard"], "--write: hard is given twice (a is the same file)")

    def test_a_place_that_takes_no_file_is_refused(self):
        name = self.write("s.json", scenario(LINE))
        (self.folder / "folder").mkdir()
        commands = [
            (["run", name], "result"), (["run", name], "csv"), (["trace", "t.csv"], "chrome"),
            (["embed", "ring:8", "--embedding", "xor"], "rankfile"), (["search", name], "json"),
            (["subcubes", "--random", "tasks=3,edges=2", "--subcube", "1"], "scenario"),
        ]
        self.output("run", name, "--quiet", "--write", "csv:t.csv")
        for command, kind in commands:
            self.refused([*command, "--write", f"{kind}:gone/x"], "--write", "gone is not a folder")
            self.refused([*command, "--write", f"{kind}:folder"], "--write", "folder", "directory")
            self.refused([*command, "--write", f"{kind}:/proc/x"], "--write", "/proc/x")
            self.refused([*command, "--write", f"{kind}:"], "--write")
        self.refused(["report", name, "-o", "folder"], "--output", "directory")
        self.refused(["compare", name, "--output", name], "--output", name)

    def test_an_unknown_kind_is_no_file_name(self):
        name = self.write("s.json", scenario(LINE))
        self.refused(["run", name, "--write", "cvs:x"], "--write", "`cvs`", "did you mean `csv`?")
        self.refused(["run", name, "--write", "x"], "--write", "KIND:FILE")
        self.refused(["run", name, "--traffic", "gfr:x.mtx"], "--traffic", "`gfr`", "did you mean `grf`?")
        self.refused(["run", name, "--write", "traffic:gfr:x.mtx"], "--write", "`gfr`")
        self.refused(["run", name, "--write", "traffic:x.foo"], "--write", "KIND:FILE")
        self.refused(["search", name, "--write", "certficate:x"], "did you mean `certificate`?")
        self.refused(["subcubes", "--random", "tasks=3,edges=2", "--subcube", "1", "--reduction", "mtz:x.mtx"],
                     "--reduction", "did you mean `mtx`?")


class Written(ProgramTest):
    def test_one_form_writes_every_kind(self):
        name = self.write("s.json", scenario(LINE))
        self.output("run", name, "-o", "a.json", "--write", "csv:b.csv", "--write", "traffic:c.mtx",
                    "--write", "traffic:csv:d", "--write", "chrome:e", "--write", "result:f")
        self.assertEqual(self.files(), ["a.json", "b.csv", "c.mtx", "d", "e", "f", "s.json"])
        self.assertEqual((self.folder / "a.json").read_text(), (self.folder / "f").read_text())
        self.output("run", name, "--output", "a2.json", "--trace", "csv:b2.csv", "--traffic", "c2.mtx")
        for new, old in [("b.csv", "b2.csv"), ("c.mtx", "c2.mtx")]:
            self.assertEqual((self.folder / new).read_text(), (self.folder / old).read_text())

    def test_the_main_product_is_what_json_prints(self):
        name = self.write("s.json", scenario(LINE))
        self.output("run", name, "--quiet", "--write", "csv:t.csv")
        for command in (["embed", "ring:8", "--embedding", "xor,standard"], ["trace", "t.csv"]):
            printed = self.output(*command, "--json", "-o", "x.json")
            self.assertEqual((self.folder / "x.json").read_text(), printed)

    def test_search_and_subcubes_write_all_they_know(self):
        search = ["search", "--machine", "ring:8", "--traffic", "cube:3", "--objective", "cc-time", "--method", "exhaustive"]
        self.output(*search, "-o", "e.json", "--write", "certificate:c", "--write", "x.rankfile", "--write", "result:r")
        self.assertEqual(self.files(), ["c", "e.json", "r", "x.rankfile"])
        measured = [self.json("embed", "ring:8", "--embedding", file, "--json")["map"] for file in ["e.json", "x.rankfile"]]
        self.assertEqual(measured[0], measured[1])
        self.output("subcubes", "--random", "tasks=3,edges=2", "--subcube", "1", "-o", "m.json", "--write", "scenario:s.json",
                    "--write", "reduction:g.mtx", "--write", "reduction:csv:g")
        self.output("validate", "m.json", "s.json")
        self.assertTrue({"g", "g.mtx"} <= set(self.files()))

    def test_a_file_on_standard_output_stands_there_alone(self):
        name = self.write("s.json", scenario(ring(8)))
        self.output("run", name, "--quiet", "--write", "csv:t.csv")
        self.write("m.csv", "collective,from,to,size,time_us\npingpong,0,1,8,5\n")
        search = ["--machine", "ring:8", "--traffic", "ring:8", "--effort", "10"]
        for command, option, kind in (
            (["run", name], "--write", "csv"), (["run", name, "--why"], "--write", "traffic:csv"), (["run", name], "--output", ""),
            (["trace", "t.csv"], "--write", "csv"), (["trace", "t.csv"], "--output", ""),
            (["embed", "ring:8", "--embedding", "xor"], "--write", "rankfile"),
            (["embed", "ring:8", "--embedding", "xor"], "--csv", ""),
            (["search", *search], "--output", ""), (["place", *search], "--write", "csv"),
            (["compare", name, "--embedding", "xor,standard"], "--write", "csv"),
            (["collective", "scan", "--machine", "ring:4", "--bytes", "4"], "--write", "csv"),
            (["fit", "ring:8", "--measured", "m.csv"], "--write", "csv"),
            (["subcubes", "--random", "tasks=3,edges=2", "--subcube", "1"], "--write", "reduction:csv"),
            (["sweep", name, "--vary", "/program/message=1,2", "--no-pictures", "--no-report"], "--write", "csv"),
            (["report", name, "--no-timeline"], "--output", ""),
        ):  # fmt: skip
            colon = ":" if kind else ""
            with self.subTest(command=command, option=option):
                self.output(*command, option, f"{kind}{colon}alone.txt")
                printed = self.output(*command, option, f"{kind}{colon}-")
                # Searches say how long they took.
                words = (self.folder / "alone.txt").read_text()
                self.assertEqual(len(printed.splitlines()), len(words.splitlines()))
                self.assertEqual(printed.splitlines()[:3], words.splitlines()[:3])
                if command[0] != "report":
                    self.assert_refused([*command, option, f"{kind}{colon}-", "--json"], "--json",
                                        f"standard output takes the file of {option} alone")  # fmt: skip
        self.assert_refused(["run", name, "--processes", "--write", "csv:-"], "--processes", "takes the file of --write alone")
        self.assert_refused(["trace", "t.csv", "--processes", "--write", "csv:-"], "--processes", "takes the file of --write")
        with open(self.folder / "both.txt", "w") as output:
            self.assertEqual(self.told_to(output, "run", name, "--write", "csv:/proc/self/fd/1"), (0, ""))
        self.assertEqual((self.folder / "both.txt").read_text(), (self.folder / "t.csv").read_text())
        self.assertEqual(self.told_to(subprocess.DEVNULL, "run", name, "--write", "csv:/dev/null", "--json"), (0, ""))

    def test_old_spellings_are_not_in_the_help(self):
        for command, old in [("run", "--trace "), ("run", "--traffic"), ("embed", "--export"), ("trace", "--to "),
                             ("search", "--certificate"), ("subcubes", "--scenario"), ("subcubes", "--reduction")]:
            text = self.output(command, "--help")
            self.assertNotIn(old, text)
            self.assertIn("--write", text)

    def test_a_picture_that_is_not_drawn_is_missed_where_it_was_named(self):
        nothing = {"DCUBE_PYTHON": "/nonexistent"}
        shape = ["--machine", "torus:4x4", "--traffic", "cube:4", "--effort", "1"]
        sweep = ["sweep", "quickstart", "--vary", "/program/message=1,2", "--output", "swept"]
        bytes_ = ["collective", "allreduce", "--machine", "ring:4", "--bytes", "8,16", "--algorithm", "ring"]
        for command, named, folder in (
            (["search", *shape], ["--write", "picture:a.png"], ["--output", "s/"]),
            (["place", *shape], ["--write", "picture:b.png"], ["--output", "p/"]),
            (sweep, ["--write", "png:c.png"], []),
            (bytes_, ["--output", "d.png"], ["--output", "c"]),
            (["compare", "quickstart", "--embedding", "xor"], None, ["--output", "x"]),
        ):  # fmt: skip
            for options, status in ((named, 2), (folder, 0)):
                if options is not None:
                    with self.subTest(command=command[0], options=options):
                        done = self.dcube(*command, *options, "--quiet", environment=nothing)
                        self.assertEqual(done.returncode, status, done.stderr)
                        self.assertIn("no picture", done.stderr)

    def test_a_picture_with_too_many_curves_is_refused_by_its_name(self):
        many = ["--vary", "/program/message=lin:1:25:25", "--vary", "/program/compute=1s,2s"]
        done = self.dcube("sweep", "quickstart", *many, "--x", "/program/compute", "--lines", "/program/message",
                          "--quiet", "--no-report", "--output", "swept", "--write", "png:c.png")  # fmt: skip
        reason = "no picture: 25 lines are too many to tell apart (at most 24); vary fewer settings, or choose others by --x and --lines"
        self.assertEqual(done.stderr, f"dcube: c.png: {reason}\ndcube: swept/curves.png: {reason}\n")
        self.assertEqual(done.returncode, 2)

    def told_to(self, stdout, *arguments):
        """The error messages and exit status of a command with this standard output."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE, text=True)
        return done.returncode, SANITIZER_NOTE.sub("", done.stderr)

    def products(self):
        """Commands and the files that they write."""
        name = self.write("s.json", scenario(ring(8)))
        self.output("run", name, "--quiet", "--write", "csv:t.csv")
        return [
            (["run", name, "--output", "r.json", "--write", "csv:r.csv", "--write", "traffic:r.mtx"], ["r.json", "r.csv", "r.mtx"]),
            (["compare", name, "--embedding", "xor", "--output", "out", "--no-pictures"],
             ["out/comparison.json", "out/index.html", "out/runs/xor.json"]),
            (["search", name, "--output", "found.json"], ["found.json"]),
            (["embed", "ring:8", "--embedding", "xor", "--write", "csv:m.csv"], ["m.csv"]),
            (["report", name, "-o", "page.html"], ["page.html"]),
            (["trace", "t.csv", "-o", "t.json"], ["t.json"]),
            (["subcubes", "--random", "tasks=3,edges=2", "--subcube", "1", "-o", "sub.json"], ["sub.json"]),
        ]

    def assert_complete(self, files):
        for file in files:
            text = (self.folder / file).read_text()
            self.assertNotEqual(text, "")
            if file.endswith(".json"):
                json.loads(text)

    def test_a_full_standard_output_loses_no_file(self):
        for command, files in self.products():
            with self.subTest(command[0]), open("/dev/full", "w") as full:
                status, complaint = self.told_to(full, *command)
                self.assertEqual((status, complaint.count("\n")), (2, 1), complaint)
                self.assertIn("standard output", complaint)
                self.assert_complete(files)

    def test_a_reader_that_has_gone_loses_no_file(self):
        for command, files in self.products():
            with self.subTest(command[0]):
                reader, writer = os.pipe()
                os.close(reader)
                self.told_to(writer, *command)
                os.close(writer)
                self.assert_complete(files)

    def test_a_closed_standard_output_loses_no_file(self):
        for command, files in self.products():
            with self.subTest(command[0]):
                words = " ".join(f"'{word}'" for word in [PROGRAM, *command])
                done = subprocess.run(["sh", "-c", f"exec {words} >&-"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assert_complete(files)

    def test_a_file_that_cannot_be_written_is_told_after_the_others(self):
        name = self.write("s.json", scenario(LINE))
        done = self.dcube("run", name, "--output", "r.json", "--write", "csv:/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("completed in 10 s", done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("/dev/full", done.stderr)
        self.assert_complete(["r.json"])


class WhatAScenarioNames(ProgramTest):
    def test_it_is_written_below_the_results_and_named(self):
        name = self.write("s.json", sorting("keys.txt"))
        self.assertRegex(self.output("run", name), r"\nwrote keys\.txt\n$")
        self.assertTrue((self.folder / "keys.txt").exists())
        (self.folder / "results").mkdir()
        said = self.output("run", name, "--output", "results/r.json")
        self.assertRegex(said, r"\nwrote results/keys\.txt\n$")
        self.assertEqual((self.folder / "results/keys.txt").read_text(), (self.folder / "keys.txt").read_text())

    def test_it_stays_there(self):
        outside = self.folder / "outside"
        (self.folder / "in/side").mkdir(parents=True)
        outside.mkdir()
        os.symlink("../outside", self.folder / "in/way")
        os.symlink("../outside/x", self.folder / "in/link")
        for output in ["/tmp/dcube-x", str(outside / "x"), "../outside/x", "side/../../outside/x", "way/x", "link", ".profile",
                       ".git/x", "way/../x"]:
            with self.subTest(output):
                name = self.write("in/s.json", sorting(output))
                self.assert_refused(["run", name, "--output", "in/r.json"],
                                    "/program/output", "folder of results", "--write output:FILE")
        self.assertEqual(list(outside.iterdir()), [])
        self.assertFalse((self.folder / "in/r.json").exists())

    def test_the_command_line_may_name_any_file(self):
        (self.folder / "other").mkdir()
        (self.folder / "results").mkdir()
        name = self.write("s.json", sorting("/nowhere/x"))
        for option in (["--write", "output:other/a"], ["--set", "/program/output=other/b"],
                       ["--write", f"output:{self.folder}/other/c"]):
            self.assertRegex(self.output("run", name, "-o", "results/r.json", *option), r"\nwrote .*other/[abc]\n$")
        self.assertEqual(sorted(path.name for path in (self.folder / "other").iterdir()), ["a", "b", "c"])
        self.assert_refused(["run", name, "--write", "output:s.json"], "is read")
        self.write("none.json", scenario(ring(8)))
        self.assert_refused(["run", "none.json", "--write", "output:x"],
                            "dcube: --write: output:FILE is the program's `output`: unknown key")  # fmt: skip
        self.assert_refused(["run", name, "--write", "output:x", "-o", "x"], "given twice")


if __name__ == "__main__":
    unittest.main()
