"""dcube search: the nodes that may host processes, and what they are called."""

import unittest

from program import ProgramTest, machine, scenario


class SearchedNodes(ProgramTest):
    RING = "from,to,bytes\n" + "".join(f"{i},{(i + 1) % 8},{10 + i}\n" for i in range(8))

    def test_nodes_are_avoided_and_processes_pinned(self):
        self.write("t.csv", "0,1,5\n1,2,4\n2,3,9\n3,0,1\n")
        self.write("hosts.txt", "node-[1-4,8-8] slots=4\n9\n10-12 # and\nnode-13\n")
        self.write("pins.csv", "process,node\n0,8\n3,node-1\n")
        command = ("search", "--machine", "torus:4x4", "--traffic", "t.csv", "--json", "--effort", "3000")
        for method in ("auto", "annealing", "scotch"):
            effort = () if method == "scotch" else ("--effort", "3000")
            result = self.json(
                *command[:-2], *effort, "--method", method, "--only", "hosts.txt", "--only", "0-12", "--avoid", "2-2,11-12",
                "--avoid", "node-4", "--avoid", "3", "--pin", "pins.csv", "--pin", "1=9",
            )  # fmt: skip
            self.assertEqual([result["map"][process] for process in (0, 3, 1)], [8, 1, 9])
            self.assertLessEqual(set(result["map"]), {1, 8, 9, 10})

    def test_too_few_nodes_are_refused_where_they_are_left_out(self):
        self.write("t.csv", self.RING)
        torus = ["search", "--machine", "torus:4x4", "--traffic", "t.csv"]
        self.write("empty.txt", "# nothing\n")
        self.write("list.json", [1, 2, "node-3", "5-6"])
        self.write("bad.json", [1, 2.5])
        self.write("cut.json", "[1, 2")
        self.write("pins.csv", "process,node\n9,1\n")
        self.write("half.csv", "1\n")
        self.assert_refused([*torus, "--only", "0-6"], "--only", "7 nodes", "8 processes")
        self.assert_refused([*torus, "--only", "list.json"], "--only", "5 nodes")
        self.assert_refused([*torus, "--avoid", "0-15"], "--avoid", "no node")
        self.assert_refused([*torus, "--avoid", "7-16"], "--avoid", "16 is not a node", "0 to 15")
        self.assert_refused([*torus, "--avoid", "7-3"], "--avoid", "downwards")
        self.assert_refused([*torus, "--avoid", "pc7"], "--avoid", "pc7", "--hosts")
        self.assert_refused([*torus, "--avoid", "n[1-"], "--avoid", "bracket")
        self.assert_refused([*torus, "--avoid", "n[0-999999][0-999999]"], "--avoid", "more than")
        self.assert_refused([*torus, "--avoid", "n[0-4294967295]"], "--avoid", "range")
        self.assert_refused([*torus, "--only", "gone.txt"], "gone.txt")
        self.assert_refused([*torus, "--only", "empty.txt"], "empty.txt", "names no node")
        self.assert_refused([*torus, "--only", "bad.json"], "bad.json", "2.5")
        self.assert_refused([*torus, "--only", "cut.json"], "cut.json: line 1, column 6: syntax error")
        self.assert_refused([*torus, "--pin", "0=99"], "--pin", "99 is not a node")
        self.assert_refused([*torus, "--pin", "8=1"], "--pin", "8 is not a process")
        self.assert_refused([*torus, "--pin", "0=1,0=2"], "--pin", "already")
        self.assert_refused([*torus, "--pin", "0=1,1=1"], "--pin", "2 processes")
        self.assert_refused([*torus, "--pin", "0=1", "--avoid", "1"], "--pin", "node 1", "host no process")
        self.assert_refused([*torus, "--pin", "pins.csv"], "pins.csv: line 2", "9 is not a process")
        self.assert_refused([*torus, "--pin", "half.csv"], "half.csv: line 1", "process,node")
        self.assert_refused([*torus, "--pin", "0=1", "--method", "constant-distances"], "pins")
        self.write("failed.json", {**machine({"kind": "ring", "nodes": 9}), "failed": {"nodes": [4]}})
        self.assert_refused(
            ["search", "--machine", "failed.json", "--traffic", "t.csv", "--avoid", "4"], "--avoid", "node 4 has failed"
        )
        self.assert_refused([*torus, "--only", "0-7", "--avoid", "0"], "--only: with --avoid leaves 7 nodes for 8 processes")
        tree = ["search", "--machine", "fat_tree:2,2/1,2", "--traffic", "ring:3"]
        for name in ("4", "node-4"):
            for option in ("--avoid", "--only"):
                self.assert_refused([*tree, option, name], f"{option}: ", "is switch 0 of level 1, which hosts nothing")

    def test_random_lists_of_nodes_are_read_or_refused_in_one_line(self):
        self.write("t.csv", "0,1,5\n1,0,2\n")
        random = __import__("random").Random(3)
        pieces = ["3", "-", "15", ",", "node-", "[", "]", "=", " ", "0", "\x1b", "\u202e", "99999999999", "#", "{", "a"]
        for option in ("--avoid", "--only", "--pin"):
            for _ in range(60):
                text = "".join(random.choice(pieces) for _ in range(random.randrange(1, 7)))
                done = self.dcube(
                    "search", "--machine", "torus:4x4", "--traffic", "t.csv", "--effort", "10", "--quiet", option + "=" + text
                )
                self.assertIn(done.returncode, (0, 2), text)
                self.assertEqual(done.stderr.count("\n"), 0 if done.returncode == 0 else 1, (text, done.stderr))

    def test_hosts_name_nodes(self):
        self.write("names.txt", "\n".join(f"rack{i // 4}-{i % 4}" for i in range(16)) + "\n")
        self.write("t.csv", self.RING)
        self.write("nodes.txt", "rack[1-2]-[0-3]\n")
        result = self.json(
            "search", "--machine", "torus:4x4", "--traffic", "t.csv", "--hosts", "names.txt", "--only", "nodes.txt",
            "--pin", "2=rack2-3", "--effort", "2000", "--json", "--write", "x.rankfile",
        )  # fmt: skip
        self.assertEqual(sorted(result["map"]), list(range(4, 12)))
        self.assertEqual(result["map"][2], 11)
        self.assertIn("rank 2=rack2-3 slot=0", (self.folder / "x.rankfile").read_text())

    def test_only_takes_a_list_of_hosts_in_place_of_a_file(self):
        search = ["search", "--machine", "torus:4x4", "--traffic", "ring:3", "--hosts", "cn{}", "--effort", "100"]
        for text in ("cn[4-6]", "cn4,cn5,cn6", "4,cn[5-6]", "4-5 cn6"):
            self.assertEqual(sorted(self.json(*search, "--json", "--only", text)["map"]), [4, 5, 6], text)
        self.write("cn[0-9]", "1-3\n")  # a file comes first
        self.assertEqual(sorted(self.json(*search, "--json", "--only", "cn[0-9]")["map"]), [1, 2, 3])
        neither = "is neither a node (0 to 15) nor one of the hosts (cn{}), and no file is called "
        for text, word in (("gone.txt", "gone.txt"), ("cn[1-2],pc7", "pc7")):
            self.assert_refused([*search, "--only", text], f'--only: "{word}" {neither}"{text}"; --hosts gives their names')
        self.assert_refused([*search, "--only", "7-3"], '--only: "7-3" counts downwards')
        self.assert_refused([*search, "--only", "cn[1-"], "--only: ", "bracket")
        self.assert_refused([*search, "--only", "gone/cn1"], "dcube: gone/cn1: cannot be read")

    def test_names_that_are_numbers_win_over_numbers(self):
        self.write("from1.txt", "".join(f"{i:02}\n" for i in range(1, 17)))
        self.write("list.json", "[4, 5, 6]")
        self.write("names.json", '["05", "06-07"]')
        search = ["search", "--machine", "torus:4x4", "--traffic", "ring:3", "--effort", "100", "--hosts"]
        for only in ("05-07", "0[5-7]", "05,06-07", "list.json", "names.json"):
            found = self.json(*search, "from1.txt", "--json", "--only", only, "--pin", "1=06")
            self.assertEqual((sorted(found["map"]), found["map"][1]), ([4, 5, 6], 5), only)
        for option, value in (("--only", "00-06"), ("--avoid", "5"), ("--pin", "1=7")):
            self.assert_refused([*search, "from1.txt", option, value],
                                f"dcube: {option}: {value[-1] if option != '--only' else '00'} is none of the hosts (from1.txt), whose names are numbers")  # fmt: skip
        # Numbers of nodes stay what they are where no other node is called so.
        for hosts in ("cn{}", "{}", "{:03}", "10{}"):
            self.assertEqual(sorted(self.json(*search, hosts, "--json", "--only", "4-6")["map"]), [4, 5, 6], hosts)
        self.write("cabinets.txt", "".join(f"{i // 4}-{i % 4}\n" for i in range(16)))
        found = self.json(*search, "cabinets.txt", "--json", "--only", "1-0,1-3,3-3")
        self.assertEqual(sorted(found["map"]), [4, 7, 15])

    def test_what_names_nothing_is_refused(self):
        search = ["search", "--machine", "torus:4x4", "--traffic", "ring:3", "--effort", "100"]
        self.assert_refused([*search, "--avoid", ","], "dcube: --avoid: names no node\n")
        self.assert_refused([*search, "--only", ","], "dcube: --only: names no node\n")
        for option in ("--avoid", "--only"):
            for nodes in ("1,,2-4", "1,2-4,", ",1,2-4", "1, ,2-4"):
                self.assert_refused([*search, option, nodes], f'dcube: {option}: "{nodes}" has an empty entry (leave out a comma)\n')
            self.assertTrue(self.output(*search, option, "1, 2-4"))
        for nothing in ("# nobody\n", "process,node\n"):
            self.write("empty.csv", nothing)
            self.assert_refused([*search, "--pin", "empty.csv"], "dcube: empty.csv: pins no process (its lines are `process,node`)\n")

    def test_changes_of_a_scenario_need_one(self):
        for option, value, pointer in (("--ignore", "x", "/program/ignore"), ("--jitter", "0.1", "/jitter"), ("--set", "/seed=1", "/seed")):
            self.assert_refused(["search", "--machine", "torus:4x4", "--traffic", "ring:3", option, value],
                                f"dcube: --set: {pointer} needs a SCENARIO, in which it is replaced\n")  # fmt: skip

    def test_scenarios_keep_to_the_nodes_in_simulations_too(self):
        self.write("s.json", scenario({"kind": "mesh", "shape": [4, 4]}, dimensions=3))
        command = ("search", "s.json", "--avoid", "0,5,10", "--pin", "3=15", "--json", "--effort", "24")
        for objective in ("makespan", "hop-bytes"):
            result = self.json(*command, "--objective", objective, "--output", "found.json")
            self.assertFalse({0, 5, 10} & set(result["map"]))
            self.assertEqual(result["map"][3], 15)
        makespan = self.json(*command, "--objective", "makespan", "--output", "found.json")
        run = self.json("run", "s.json", "--embedding", "found.json", "--json")
        self.assertEqual(run["makespan_ps"], makespan["found"]["cost"])


if __name__ == "__main__":
    unittest.main()
