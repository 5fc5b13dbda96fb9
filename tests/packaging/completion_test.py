"""Completion in bash, as pressing Tab asks for it."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["DCUBE_PROGRAM"]


def completions(*words):
    """What bash offers for the last of the words of a command line."""
    line = [PROGRAM, *words]
    quoted = " ".join(f"'{word}'" for word in line)
    text = f"""
source {ROOT}/packaging/dcube.bash-completion
COMP_WORDS=({quoted}) COMP_CWORD={len(line) - 1}
_dcube
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", text], text=True, capture_output=True, check=True)
    return done.stdout.split()


class Completion(unittest.TestCase):
    def test_commands(self):
        self.assertIn("compare", completions("com"))
        self.assertLessEqual({"run", "embed", "search", "list"}, set(completions("")))

    def test_options_of_a_command(self):
        self.assertIn("--embedding", completions("run", "--emb"))
        self.assertIn("--help", completions("embed", "--h"))

    def test_the_command_follows_plugins(self):
        self.assertIn("--plugin", completions("--pl"))
        self.assertIn("--embedding", completions("--plugin", "x.so", "run", "--emb"))
        self.assertIn("run", completions("--plugin", "x.so", "ru"))

    def test_names(self):
        self.assertEqual(completions("embed", "ncube10-6")[:1], ["ncube10-64"])
        self.assertIn("by_weight", completions("run", "--embedding", "by"))
        self.assertIn("torus:", completions("embed", "tor"))
        self.assertEqual(completions("explain", "dead"), ["deadlock"])

    def test_files_where_nothing_else_fits(self):
        os.chdir(ROOT)
        self.assertIn("scenarios", completions("run", "scen"))


if __name__ == "__main__":
    unittest.main()
