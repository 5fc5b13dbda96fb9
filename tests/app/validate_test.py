"""dcube validate and dcube list."""

import unittest

from program import ProgramTest, machine, ring, scenario


class Validate(ProgramTest):
    def test_good_files_are_named_with_their_kind(self):
        self.write("m.json", machine(ring(8)))
        self.write("s.json", scenario(ring(8)))
        self.assertEqual(
            self.output("validate", "m.json", "s.json"), "m.json: valid machine\ns.json: valid scenario\n"
        )

    def test_every_bad_file_has_its_line(self):
        self.write("bad.json", scenario({"kind": "torus", "shape": [0]}))
        self.write("broken.json", '{ "schema_version": 1,')
        self.write("good.json", machine(ring(8)))
        done = self.dcube("validate", "bad.json", "broken.json", "good.json", "missing.json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "good.json: valid machine\n")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 3)
        for line, file in zip(lines, ["bad.json", "broken.json", "missing.json"]):
            self.assertTrue(line.startswith(f"dcube: {file}: "), line)

    def test_an_unknown_key_names_the_nearest(self):
        self.write("m.json", {**machine(ring(8)), "linkk": {}})
        self.assert_refused(["validate", "m.json"], "/linkk", "`link`")

    def test_another_kind_of_file_is_called_by_its_name(self):
        self.write("m.json", machine(ring(8)))
        self.write("s.json", scenario(ring(8)))
        self.write("study.json", {"schema_version": 1, "scenario": "s.json", "vary": []})
        self.write("tasks.json", {"schema_version": 1, "tasks": 2, "messages": [[0, 1, 3]]})
        self.output("run", "s.json", "--output", "r.json", "--quiet")
        self.output("sweep", "s.json", "--seeds", 1, "--output", "swept", "--quiet")
        self.output("embed", "ring:8", "--embedding", "xor", "--output", "e.json", "--write", "json:map.json", "--quiet")
        for arguments, words in (
            ("run m.json", "m.json: is a machine, not a scenario (--machine takes it, and `machine` of a scenario)"),
            ("run r.json", "r.json: is the result of a run, not a scenario (dcube report shows it)"),
            ("run study.json", "study.json: is a study, not a scenario (dcube sweep runs it)"),
            ("run map.json", "map.json: is an embedding, not a scenario (--embedding takes it)"),
            ("compare tasks.json", "tasks.json: is a task graph, not a scenario (dcube subcubes maps it)"),
            ("sweep m.json", "m.json: is a machine, not a scenario ("),
            ("sweep swept/sweep.json", "swept/sweep.json: is a result that dcube wrote, not a "),
            ("embed s.json --embedding xor", "s.json: is a scenario, not a machine (dcube run simulates it)"),
            ("embed ring:8 --embedding r.json", "r.json: is the result of a run, not an embedding ("),
            ("embed ring:8 --embedding e.json", "e.json: is what dcube embed measured, not an embedding ({ `kind`: \"explicit\", `map`: its map } is one)"),
            ("reproduce s.json", "s.json: is a scenario, not a file of experiments ("),
            ("subcubes s.json --subcube 1", "s.json: is a scenario, not a task graph ("),
            ("report swept/sweep.json", "swept/sweep.json: is not the result of a run ("),
        ):
            with self.subTest(arguments):
                self.assert_refused(arguments.split(), "dcube: " + words)

    def test_what_run_refuses_before_it_runs_is_refused(self):
        hidden = scenario({"kind": "hypercube", "dimensions": 2}) | {
            "program": {"kind": "bitonic_sort", "output": "../sorted"}
        }
        self.write("hidden.json", hidden)
        self.write("huge.json", scenario({"kind": "line", "nodes": 2**30}))
        for name in ("hidden.json", "huge.json"):
            complaint = self.dcube("run", name).stderr
            self.assertNotEqual(complaint, "")
            for more in ([], ["--set", "/seed=1"]):
                self.assert_refused(["validate", name, *more], name)
        self.assertEqual(self.dcube("validate", "hidden.json").stderr, self.dcube("run", "hidden.json").stderr)
        self.assertEqual(
            self.output("validate", "hidden.json", "--set", "/program/output=sorted"), "hidden.json: valid scenario\n"
        )
        self.assertEqual(self.files(), ["hidden.json", "huge.json"])


class List(ProgramTest):
    def test_everything_is_listed_with_parameters_and_examples(self):
        text = self.output("list")
        for part in ["topologies\n", "embeddings\n", "programs\n", "machines (", "scenarios (", "measures of runs", "  quickstart ", "  torus: ", "  xor: "]:
            self.assertIn(part, text)
        self.assertIn("required", text)
        self.assertIn("example: ", text)

    def test_one_kind_is_listed_alone(self):
        text = self.output("list", "embeddings")
        self.assertTrue(text.startswith("embeddings\n"))
        self.assertNotIn("programs\n", text)

    def test_formats_say_which_command_reads_and_writes_them(self):
        text = self.output("list", "formats")
        self.assertRegex(text, r"map formats \(read by --embedding .*; written by --write of embed, search, place and collective\)")
        self.assertRegex(text, r"traffic formats \(read by --traffic .*; written by run --write")

    def test_an_unknown_kind_names_the_nearest(self):
        self.assert_refused(["list", "embedings"], "embedings", "`embeddings`")


if __name__ == "__main__":
    unittest.main()
