"""What every command owes the terminal and the files: nothing is lost, nothing is obeyed, and what
the surroundings refuse is no defect."""

import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest

from program import PATIENCE, PROGRAM, SANITIZER_NOTE, ProgramTest, catches, is_sanitized, ring, scenario, wait_for

LINE = {"kind": "line", "nodes": 8}
# A terminal would clear its screen, or change its colours, or break a line, or turn what follows.
HOSTILE = "evil\x1b[2J\x9b31m\r\n\u202etxet"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")


class Shell(ProgramTest):
    def setUp(self):
        super().setUp()
        self.scenario = self.write("line.json", scenario(LINE))

    def shell(self, line, *arguments):
        """Runs a line of shell in which "$@" is dcube with `arguments`."""
        done = subprocess.run(["bash", "-c", line, "bash", PROGRAM, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE)
        done.stderr = SANITIZER_NOTE.sub("", done.stderr)
        return done

    def assert_one_line(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class StandardDescriptors(Shell):
    def test_a_trace_is_not_mixed_with_what_is_printed_to_a_closed_output(self):
        done = self.shell('"$@" <&- >&-', "run", self.scenario, "--trace", "csv:t.csv")
        self.assert_one_line(done, "standard output: cannot be written (it is closed)")
        trace = (self.folder / "t.csv").read_text()
        self.assertEqual(self.output("run", self.scenario, "--quiet", "--trace", "csv:again.csv"), "")
        self.assertEqual(trace, (self.folder / "again.csv").read_text())

    def test_results_are_written_whatever_becomes_of_standard_output(self):
        for line, status in [('"$@" >/dev/full', 2), ('"$@" >&-', 2), ('"$@" | true; exit ${PIPESTATUS[0]}', 0)]:
            for command in [["run", self.scenario, "--output", "result.json"],
                            ["search", self.scenario, "--time-limit", "0.1s", "--output", "result.json"]]:
                with self.subTest(line=line, command=command):
                    self.assertEqual(self.shell(line, *command).returncode, status)
                    self.assertIsInstance(json.loads((self.folder / "result.json").read_text()), dict)
                    (self.folder / "result.json").unlink()

    def test_help_to_a_full_disk_is_an_error(self):
        self.assert_one_line(self.shell('"$@" >/dev/full', "run", "--help"), "No space left on device")

    def test_complaints_that_cannot_be_written_leave_the_exit_status(self):
        for line in ['"$@" 2>/dev/full', '"$@" 2>&-', '"$@" <&- >&- 2>&-']:
            self.assertEqual(self.shell(line, "run", "nope.json").returncode, 2)
            self.assertEqual(self.shell(line).returncode, 2)  # no command

    def test_output_goes_where_standard_output_stands(self):
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]:
            line = f'(echo a; "$@" --output {name}; echo b) >log; "$@" --output {name} >>log'
            self.shell(line, "run", self.scenario, "--quiet")
            lines = (self.folder / "log").read_text()
            first, rest = lines.removeprefix("a\n").split("b\n")
            self.assertEqual(json.loads(first)["outcome"], "completed")
            self.assertEqual(json.loads(rest)["outcome"], "completed")


class Printable(Shell):
    def setUp(self):
        super().setUp()
        document = scenario(LINE)
        document["name"] = HOSTILE
        document["machine"]["name"] = HOSTILE
        self.hostile = self.write("hostile.json", document)

    def assert_harmless(self, *arguments):
        done = self.dcube(*arguments)
        self.assertIsNone(OBEYED.search(done.stdout + done.stderr), done.stdout + done.stderr)
        self.assertNotIn("txet", done.stdout.replace("\\u202etxet", ""))
        for line in (done.stdout + done.stderr).splitlines():
            self.assertFalse(line.startswith("\\u202e"), line)  # HOSTILE has not broken it
        return done

    def test_names_in_files_are_shown_not_obeyed(self):
        self.assertIn("evil\\u001b", self.assert_harmless("run", self.hostile, "--why").stdout)
        self.assert_harmless("compare", self.hostile, "--embedding", "standard,identity")
        self.assert_harmless("search", self.hostile, "--time-limit", "0.1s")
        self.assert_harmless("embed", self.hostile, "--embedding", "standard")
        self.assert_harmless("run", self.hostile, "--set", "/program/kind=\"" + HOSTILE.replace("\x1b", "\\u001b").replace("\r\n", "\\n") + "\"")
        self.dcube("run", self.hostile, "--trace", "csv:t.csv")
        self.assert_harmless("trace", "t.csv")

    def test_progress_shows_names_and_does_not_obey_them(self):
        slow = {**scenario(ring(16384), "random"), "name": HOSTILE}
        terminal, standard_error = pty.openpty()
        with open(terminal, "rb", buffering=0) as shown:
            process = subprocess.Popen([PROGRAM, "run", self.write("slow.json", slow)], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=standard_error)
            os.close(standard_error)
            text = shown.read(1000).decode(errors="replace")
            process.terminate()
            self.assertEqual(process.wait(timeout=60), 130)
        self.assertIn("simulating evil\\u001b[2J", text)
        self.assertIsNone(OBEYED.search(text.replace("\r\x1b[K", "")), text)

    def test_json_keeps_its_meaning(self):
        done = self.assert_harmless("run", self.hostile, "--json")
        self.assertEqual(json.loads(done.stdout)["machine"]["name"], HOSTILE)

    def test_files_named_on_the_command_line_are_shown_not_obeyed(self):
        for name in ["no\x1b[31m.json", "no\u009b31m.json", "no\nsuch.json", "no\u202e.json"]:
            done = self.assert_harmless("run", name)
            self.assert_one_line(done, "no")
        done = subprocess.run([PROGRAM, "run", b"no\x9b31m.json"], cwd=self.folder, capture_output=True)
        self.assertIn(b"no\\x9b31m.json", done.stderr)

    def test_a_page_of_experiments_holds_no_control_characters(self):
        experiments = {
            "schema_version": 1, "title": HOSTILE, "source": HOSTILE,
            "experiments": [{"name": HOSTILE, "scenario": scenario(LINE), "quantity": "makespan_s", "limit_percent": 1,
                             "points": [{"label": HOSTILE, "expected": 10}]}]}
        done = self.assert_harmless("reproduce", self.write("e.json", experiments), "--output", "page.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(OBEYED.search((self.folder / "page.md").read_text()))

    def test_long_texts_are_cut(self):
        number = "1" * 100_000
        text = json.dumps(scenario(LINE)).replace('"nodes": 8', '"nodes": ' + number)
        for arguments in [["run", self.write("long.json", text)], ["run", "x" * 100_000], ["run", self.scenario, "--set", "/seed=" + number]]:
            done = self.dcube(*arguments)
            self.assert_one_line(done)
            self.assertLess(len(done.stderr), 5000)


class Surroundings(Shell):
    def test_devices_without_end_are_refused(self):
        self.assert_refused(["run", "/dev/zero"], "/dev/zero: cannot be read (it is a device)")
        self.assert_refused(["run", self.scenario, "--set", "/machine=\"/dev/zero\""], "/dev/zero")
        self.assert_refused(["embed", "torus:2x2", "--embedding", "hostfile:/dev/zero"], "/dev/zero")

    def test_a_scenario_may_come_through_a_pipe(self):
        done = self.shell('cat line.json | "$@"', "run", "/dev/stdin")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_file_size_limit_is_an_error_of_the_file(self):
        done = self.shell('ulimit -f 1; "$@"', "run", self.scenario, "--quiet", "--output", "result.json")
        self.assert_one_line(done, "result.json: cannot be written (File too large)")
        self.assertNotIn("result.json", self.files())

    def test_a_comparison_says_of_a_full_disk_what_a_run_says(self):
        done = self.shell('ulimit -f 1; "$@"', "compare", self.scenario, "--embedding", "standard,xor",
                          "--output", "out", "--no-report")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot be written (File too large)", done.stderr)

    def test_links_in_circles_and_endless_names_are_unusable_input(self):
        (self.folder / "loop").symlink_to("loop")
        for name in ["loop", "loop/x", "x" * 300, "x/" * 3000]:
            for arguments in [["run", name], ["report", name], ["validate", name], ["reproduce", name],
                              ["run", self.scenario, "--output", name], ["trace", name],
                              ["compare", self.scenario, "--no-pictures", "--output", name],
                              ["embed", name, "--embedding", "standard"],
                              ["embed", "unit-ring-8", "--embedding", name]]:
                done = self.dcube(*arguments)
                self.assertEqual(done.returncode, 2, (arguments[0], name[:10], done.stderr))

    def test_more_jobs_than_descriptors_run_fewer_at_a_time(self):
        arguments = ["compare", self.scenario, "--embedding", "standard,identity,random,xor,by_weight",
                     "--jobs", "100"]
        done = self.shell('ulimit -n 12; "$@"', *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        if not is_sanitized():  # which needs descriptors itself, to look at what an exception points to
            done = self.shell('ulimit -n 5; "$@"', *arguments)
            self.assert_one_line(done, "Too many open files")

    def test_a_platforms_folder_where_a_command_runs_hides_no_machine(self):
        self.write("platforms/unit-ring-8.json",
                   {"schema_version": 1, "topology": ring(4), "link": {"latency": "9s"}})
        self.assertIn("8 nodes", self.output("embed", "unit-ring-8", "--embedding", "standard"))


class Readers(Shell):
    def test_a_reader_that_has_gone_has_seen_enough(self):
        """What is printed and what is written to the same pipe is dropped; files are written."""
        for arguments, files in (
            (["run", self.scenario, "--write", "csv:-", "--write", "result:run.json"], ["run.json"]),
            (["run", self.scenario, "--json", "-o", "json.json"], ["json.json"]),
            (["report", self.scenario, "-o", "-"], []),
            (["compare", self.scenario, "--embedding", "standard,identity", "--write", "csv:-", "--write", "json:c.json"],
             ["c.json"]),
            (["sweep", self.scenario, "--seeds", "2", "--no-pictures", "--no-report", "-o", "out", "--csv", "-"], ["table.csv"]),
            (["collective", "scan", "--machine", "ring:4", "--bytes", "4", "--csv", "-", "--write", "result:s.json"],
             ["s.json"]),
            (["embed", "ring:8", "--embedding", "xor", "--write", "csv:-", "--write", "x.rankfile"], ["x.rankfile"]),
            (["search", "--machine", "ring:8", "--traffic", "ring:8", "--write", "result:-", "-o", "e.json"], ["e.json"]),
            (["list"], []),
        ):  # fmt: skip
            with self.subTest(arguments=arguments):
                read, write = os.pipe()
                os.close(read)
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=write, stderr=subprocess.PIPE, text=True,
                                      timeout=PATIENCE)  # fmt: skip
                os.close(write)
                self.assertEqual((done.returncode, SANITIZER_NOTE.sub("", done.stderr)), (0, ""))
                self.assertLessEqual(set(files), set(self.files()))


class Interrupts(Shell):
    def test_every_signal_that_asks_to_end_is_an_interrupt(self):
        name = self.write("slow.json", scenario(ring(16384), "random"))
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            for command in [["run", name, "--output", "result.json"],
                            ["compare", name, "--embedding", "standard,random", "--output", "out"]]:
                with self.subTest(signal=number.name, command=command):
                    process = self.start(*command)
                    self.assertTrue(wait_for(lambda process=process, number=number: catches(process, number)))
                    time.sleep(0.3)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=PATIENCE), 130)
                    self.assertNotIn("result.json", self.files())

    def test_a_pipe_of_which_nothing_comes_can_be_interrupted(self):
        """Whatever is read from it, and by whichever command."""
        place = ["place", "--machine", "ring:8", "--traffic", "ring:8"]
        commands = [
            ["search", "IN"], ["place", "IN"], ["search", self.scenario, "--embedding", "csv:IN"],
            ["search", "--machine", "ring:8", "--traffic", "csv:IN"], [*place, "--against", "csv:IN"],
            [*place, "--only", "IN"], [*place, "--pin", "IN"], [*place, "--avoid", "1", "--hosts", "IN"],
            ["embed", "ring:8", "--embedding", "csv:IN"], ["collective", "scan", "--machine", "ring:8", "--embedding", "csv:IN"],
        ]  # fmt: skip
        commands += [[command, "IN.json", "-o", f"{command}.html"] for command in ("run", "compare", "sweep", "report", "search")]
        started = []
        for number, command in enumerate(commands):
            os.mkfifo(self.folder / f"in-{number}")
            trace = {"schema_version": 1, "machine": "ring:8", "program": {"kind": "ti", "file": f"in-{number}"}}
            self.write(f"in-{number}.json", trace)
            command = [word.replace("IN", f"in-{number}") for word in command]
            started.append((command, self.folder / f"in-{number}", self.start(*command)))

        def opened_to_write(pipe):
            """Once somebody waits at its other end."""
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return None

        for command, pipe, process in started:
            with self.subTest(command=command):
                ends = []
                self.assertTrue(wait_for(lambda pipe=pipe, ends=ends: ends.append(opened_to_write(pipe)) or ends[-1]))
                process.send_signal(signal.SIGINT)
                try:
                    self.assertEqual(process.wait(timeout=10), 130)
                finally:
                    os.close(ends[-1])

    def test_nohup_keeps_a_command_running(self):
        process = subprocess.Popen(
            ["nohup", PROGRAM, "search", self.scenario, "--time-limit", "2s", "--output", "found.json"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
