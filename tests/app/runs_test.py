"""Every command that makes many runs keeps, shares and resumes them alike."""

import os
import pathlib
import signal
import unittest

from program import PROGRAM, ProgramTest, children, children_of, is_sanitized, ring, scenario, wait_for
from sweep_test import AS_ROOT, HAS_MPI, MPIRUN

EXPERIMENTS = {
    "schema_version": 1,
    "title": "T",
    "source": "S",
    "experiments": [
        {
            "name": "a ring",
            "quantity": "makespan_s",
            "scenario": scenario(ring(64)),
            "limit_percent": 1e6,
            "points": [
                {"label": f"{message}", "set": {"/program/message": message}, "printed": 73.0} for message in range(1, 9)
            ],
        }
    ],
}


class Runs(ProgramTest):
    # Commands, the option that names the folder, and how many runs each makes in its first round.
    COMMANDS = {
        "compare": (["compare", "ring.json", "--embedding", "standard,random,by_weight,xor", "--no-pictures", "--no-report"],
                    "--output", 4),
        "collective": (["collective", "allreduce", "--machine", "ring:16", "--bytes", "1KiB,64KiB", "--algorithm",
                        "ring,recursive_doubling", "--embedding", "identity,gray"], "--output", 8),
        "reproduce": (["reproduce", "experiments.json"], "--records", 8),
        "subcubes": (["subcubes", "--random", "tasks=6,ccp=0.5,w=5", "--subcube", "1", "--simulate", "6"], "--records", 12),
    }

    def setUp(self):
        super().setUp()
        self.write("ring.json", scenario(ring(256)))
        self.write("experiments.json", EXPERIMENTS)

    def records(self, folder):
        """The lines of all files of records, but for their heads."""
        return sorted(
            line for file in (self.folder / folder).rglob("*.jsonl") for line in file.read_text().splitlines()[1:]
        )

    def each(self):
        for name, (words, option, runs) in self.COMMANDS.items():
            yield name, [*words, option], runs, self.dcube(*words)

    def assert_same(self, done, alone):
        self.assertEqual((done.returncode, done.stderr, done.stdout), (alone.returncode, alone.stderr, alone.stdout))

    def test_runs_that_timed_out_are_made_with_more_time(self):
        for name, words, runs, alone in self.each():
            short = self.dcube(*words, name, "--time-limit", "1us")
            self.assertNotEqual(short.returncode, 0, name)
            kept = self.records(name)
            self.assertEqual(self.dcube(*words, name, "--time-limit", "1us").returncode, short.returncode)
            self.assertEqual(self.records(name), kept, name)
            self.assert_same(self.dcube(*words, name), alone)

    def test_what_has_been_made_is_not_made_again(self):
        for name, words, runs, alone in self.each():
            self.assert_same(self.dcube(*words, name), alone)
            made = self.records(name)
            self.assertGreaterEqual(len(made), runs)
            self.assert_same(self.dcube(*words, name), alone)
            self.assertEqual(self.records(name), made)

    def test_shards_meet_in_a_folder(self):
        for name, words, runs, alone in self.each():
            for shard in (1, 2):
                done = self.dcube(*words, name, "--shard", f"{shard}/2")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                if shard == 1:
                    self.assertRegex(done.stdout, f"shard 1 of 2 is done; {runs // 2} of {runs} runs are in {name}(/records)? ")
                    self.assertEqual(len(self.records(name)), runs // 2)
            self.assert_same(self.dcube(*words, name), alone)

    def test_a_shard_needs_a_folder(self):
        for words, _, _ in self.COMMANDS.values():
            done = self.dcube(*words, "--shard", "1/2")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^dcube: --shard: needs a folder .*\n$")

    def test_a_file_keeps_no_records(self):
        self.write("file", {})
        for name, (words, option, _) in self.COMMANDS.items():
            self.assert_refused([*words, option, "file"], f"dcube: {option}: ")

    def test_a_killed_command_goes_on_where_it_was(self):
        for name, words, runs, alone in self.each():
            process = self.start(*words, name, "--jobs", "1")
            wait_for(lambda: self.records(name) or process.poll() is not None)
            process.send_signal(signal.SIGKILL)
            self.ended(process)
            kept = self.records(name)
            self.assert_same(self.dcube(*words, name), alone)
            made = self.records(name)
            self.assertLessEqual(set(kept), set(made))
            self.assertEqual(len({line.split('"outcome"')[0] for line in made}), len(made))

    @unittest.skipUnless(HAS_MPI, "needs Open MPI's mpirun and the module dcube-mpi")
    @unittest.skipIf(is_sanitized(), "MPI and SimGrid's own MPI are only kept apart without the sanitizer")
    def test_ranks_share_runs(self):
        for name, words, runs, alone in self.each():
            ranks = (MPIRUN, "--oversubscribe", "-n", "2", PROGRAM)
            self.assert_same(self.dcube(*words, name, program=ranks, environment=AS_ROOT), alone)
            self.assertGreaterEqual(len(self.records(name)), runs)

    @unittest.skipUnless(HAS_MPI, "needs Open MPI's mpirun and the module dcube-mpi")
    @unittest.skipIf(is_sanitized(), "MPI and SimGrid's own MPI are only kept apart without the sanitizer")
    def test_a_rank_that_is_interrupted_says_nothing(self):
        takes_seconds = {"kind": "all_to_all", "processes": 4096}
        document = {**scenario({"kind": "torus", "shape": [64, 64]}), "program": takes_seconds}
        (experiment,) = EXPERIMENTS["experiments"]
        self.write("long.json", {**EXPERIMENTS, "experiments": [{**experiment, "scenario": document}]})
        ranks = (MPIRUN, "--oversubscribe", "-n", "2", PROGRAM)
        process = self.start("reproduce", "long.json", program=ranks, environment=AS_ROOT)
        self.assertTrue(wait_for(lambda: rank_1_of(process) and children_of(rank_1_of(process))))
        os.kill(int(rank_1_of(process)), signal.SIGINT)
        said = [line for line in self.ended(process)[1].splitlines() if line.startswith("dcube:")]
        self.assertEqual(process.returncode, 130)
        self.assertRegex("\n".join(said), r"^(dcube: long\.json: interrupted \([0-9] of 8 simulations done\))?$")


def rank_1_of(process):
    """The process id of rank 1, which `process` has started; None before."""
    for rank in children(process):
        try:
            environment = pathlib.Path(f"/proc/{rank}/environ").read_bytes()
        except OSError:
            continue
        if b"OMPI_COMM_WORLD_RANK=1\0" in environment:
            return rank
    return None


if __name__ == "__main__":
    unittest.main()
