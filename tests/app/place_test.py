"""dcube place: a map for the user's machine, what it saves, and why."""

import json
import unittest

from program import ProgramTest, machine, ring, scenario

TORUS = {"kind": "torus", "shape": [4, 4]}
RING = "from,to,bytes\n" + "".join(f"{i},{(i + 1) % 12},100\n" for i in range(12))


class Place(ProgramTest):
    def setUp(self):
        super().setUp()
        document = machine(TORUS, node={"slots": 2})
        document["link"] = {"latency": "1us", "bandwidth": "1GBps"}
        self.write("m.json", document)
        self.write("t.csv", RING)

    def place(self, *arguments):
        return ("place", "--machine", "m.json", "--traffic", "t.csv", "--effort", "5000", *arguments)

    def test_it_says_slots_map_saving_gap_and_file(self):
        self.output("embed", "m.json", "--embedding", "random", "--traffic", "t.csv", "--write", "old.rankfile")
        text = self.output(*self.place("--against", "old.rankfile", "--export", "x.rankfile", "--avoid", "3,5-6"))
        self.assertIn("13 of 16 nodes of 2 slots: 26 slots for 12 processes", text)
        self.assertRegex(text, r"old\.rankfile +[\d.]+ +[\d.]+")
        self.assertRegex(text, r"saved: [\d.]+ % of old.rankfile; \d+ of 12 processes move")
        self.assertRegex(text, r"gap:   (none, an optimum|[\d.]+ %)")
        self.assertRegex(text, r"busiest link: \d+ to \d+ with \d+ bytes, [\d.]+ ns \(before: ")
        self.assertTrue(text.endswith("wrote x.rankfile\n"), text)
        placed = self.json("embed", "m.json", "--embedding", "x.rankfile", "--traffic", "t.csv", "--json")
        self.assertFalse({3, 5, 6} & set(placed["map"]))
        result = self.json(*self.place("--against", "old.rankfile", "--avoid", "3,5-6", "--json"))
        self.assertEqual(result["map"], placed["map"])
        self.assertEqual(result["found"]["cost"], placed["hop_bytes"])
        old = self.json("embed", "m.json", "--embedding", "old.rankfile", "--traffic", "t.csv", "--json")
        self.assertEqual(result["place"]["earlier"]["cost"], old["hop_bytes"])
        self.assertAlmostEqual(result["place"]["saving"], 1 - placed["hop_bytes"] / old["hop_bytes"])
        self.assertEqual(result["place"]["slots"], 26)
        self.assertEqual(result["place"]["moved"], sum(a != b for a, b in zip(old["map"], placed["map"])))

    def test_it_finds_what_search_finds(self):
        searched = self.json("search", *self.place("--seed", "3", "--json")[1:])
        placed = self.json(*self.place("--seed", "3", "--json"))
        self.assertEqual(placed["map"], searched["map"])
        self.assertEqual(placed["place"]["earlier"]["map"], [i // 2 for i in range(12)])
        self.assertEqual(placed["place"]["earlier"]["name"], "nodes in order")

    def test_a_scenario_is_held_against_its_own_map(self):
        self.write("s.json", scenario(ring(8), "standard"))
        result = self.json("place", "s.json", "--objective", "makespan", "--effort", "24", "--json")
        run = self.json("run", "s.json", "--json")
        self.assertEqual(result["place"]["earlier"]["cost"], run["makespan_ps"])
        self.assertEqual(result["place"]["earlier"]["name"], "standard")
        text = self.output("place", "s.json", "--objective", "makespan", "--effort", "24", "--against", "xor")
        self.assertIn("saved: nothing of xor", text)
        self.assertIn("bound: ", text)
        self.assertNotIn("multiple", text)

    def test_a_map_from_before_a_failure_says_so(self):
        self.output("embed", "m.json", "--embedding", "block", "--traffic", "t.csv", "--write", "old.json.map", "--write",
                    "csv:old.csv")
        self.write("m.json", {**machine(TORUS, node={"slots": 2}), "failed": {"nodes": [2]}})
        text = self.output(*self.place("--against", "old.csv", "--avoid", "1"))
        self.assertIn("old.csv cannot run: 2 processes on nodes that have failed, 2 on nodes that are left out now", text)
        result = self.json(*self.place("--against", "old.csv", "--avoid", "1", "--json"))
        self.assertIsNone(result["place"]["saving"])
        self.assertEqual(result["place"]["earlier"]["processes_on_failed_nodes"], 2)
        self.assertEqual(result["place"]["earlier"]["processes_on_left_out_nodes"], 2)
        self.assertFalse({1, 2} & set(result["map"]))

    def test_after_a_failure_it_says_what_mending_costs(self):
        self.output("embed", "m.json", "--embedding", "block", "--traffic", "t.csv", "--write", "csv:old.csv")
        healthy = self.json("embed", "m.json", "--embedding", "old.csv", "--traffic", "t.csv", "--json")
        self.write("m.json", {**machine(TORUS, node={"slots": 2}), "failed": {"nodes": [2]}})
        place = self.json(*self.place("--against", "old.csv", "--json"))
        earlier = place["place"]["earlier"]
        self.assertEqual(earlier["healthy_cost"], healthy["hop_bytes"])
        self.assertGreaterEqual(earlier["mended_cost"], place["found"]["cost"])
        self.assertAlmostEqual(place["place"]["saving_of_mended"], 1 - place["found"]["cost"] / earlier["mended_cost"])
        text = self.output(*self.place("--against", "old.csv"))
        self.assertRegex(text, r"old.csv, before the failure +[\d.]+")
        self.assertRegex(text, r"old.csv, repaired +[\d.]+")
        self.assertRegex(text, r"(saved|lost): .* old.csv, repaired \(its processes on the nearest free nodes\)")

    def test_links_that_have_failed_took_their_time_before(self):
        self.write("pair.csv", "from,to,bytes\n0,1,5\n1,2,3\n")
        self.write("ring.json", {**machine({"kind": "ring", "nodes": 5}, link={"latency": "1us", "per_byte": "3ps"}), "failed": {"nodes": [1]}})
        self.write("old.json", {"kind": "explicit", "map": [0, 1, 2]})
        for objective, cost in (("link-time", 15), ("link-time+2*link-load", 25)):
            found = self.json("place", "--machine", "ring.json", "--traffic", "pair.csv", "--objective", objective,
                              "--against", "old.json", "--json")
            self.assertEqual(found["place"]["earlier"]["healthy_cost"], cost, objective)

    def test_times_have_units(self):
        text = self.output(*self.place("--objective", "link-time"))
        self.assertRegex(text, r"map +slowest link +to bound")
        self.assertRegex(text, r"found +[\d.]+ [mun]?s ")

    def test_rules_place_processes_on_the_nodes_that_are_left(self):
        """As `run` does; a rule that does not fit any more is that from before the failure."""
        document = scenario(TORUS, "block", kind="pattern", guest="torus:2x4", phases=[{"exchange": 100}])
        document["machine"].update(node={"slots": 2}, failed={"nodes": [2]})
        self.write("s.json", document)
        self.write("m.json", document["machine"])
        for rule in ("block", "cyclic", "identity"):
            run = self.json("embed", "m.json", "--guest", "torus:2x4", "--embedding", rule, "--json")
            for arguments in (["s.json"], ["--machine", "m.json", "--traffic", "torus:2x4"]):
                result = self.json("place", *arguments, "--against", rule, "--effort", "100", "--json")
                self.assertEqual(result["place"]["earlier"]["map"], run["map"], rule)
                self.assertIsNotNone(result["place"]["saving"], rule)
        text = self.output("place", "--machine", "m.json", "--traffic", "cube:4", "--against", "gray", "--effort", "100")
        self.assertIn("gray cannot run: 1 process on nodes that have failed", text)

    def test_failed_nodes_are_not_left_out_ones(self):
        self.write("old.csv", "process,node\n" + "".join(f"{i},{i // 2}\n" for i in range(12)))
        self.write("m.json", {**machine(TORUS, node={"slots": 2}), "failed": {"nodes": [2]}})
        earlier = self.json(*self.place("--against", "old.csv", "--json"))["place"]["earlier"]
        self.assertEqual((earlier["processes_on_failed_nodes"], earlier["processes_on_left_out_nodes"]), (2, 0))

    def test_it_starts_from_todays_map_and_is_never_worse(self):
        best = self.json("search", "--machine", "m.json", "--traffic", "t.csv", "--effort", "30000", "--output", "best.json",
                         "--json")
        result = self.json("place", "--machine", "m.json", "--traffic", "t.csv", "--against", "best.json", "--effort", "10",
                           "--json")
        self.assertLessEqual(result["found"]["cost"], best["found"]["cost"])
        self.assertIn("best.json", [start["embedding"] for start in result["starts"]])
        scotch = self.json("place", "--machine", "m.json", "--traffic", "t.csv", "--against", "best.json", "--method", "scotch",
                           "--json")
        self.assertLessEqual(scotch["found"]["cost"], best["found"]["cost"])
        left_out = best["map"][3]
        mended = self.json("place", "--machine", "m.json", "--traffic", "t.csv", "--against", "best.json", "--effort", "1",
                           "--avoid", left_out, "--json")
        names = {start["embedding"]: start["cost"] for start in mended["starts"]}
        self.assertLessEqual(mended["found"]["cost"], names["best.json, repaired"])

    def test_hosts_are_called_by_their_names(self):
        self.write("hosts", "".join(f"n{i:02}\n" for i in range(16)))
        self.write("allocation", "n[04-09]\n")
        self.write("old.rankfile", "".join(f"rank {i}=n{i // 2:02} slot={i % 2}\n" for i in range(12)))
        text = self.output(
            *self.place("--hosts", "hosts", "--only", "allocation", "--pin", "0=n09", "--against", "old.rankfile",
                        "--export", "x.hostfile", "--export", "x.rankfile")
        )
        self.assertIn("6 of 16 nodes of 2 slots: 12 slots for 12 processes", text)
        self.assertIn("8 processes on nodes that are left out now", text)
        self.assertIn("rank 0=n09 slot=", (self.folder / "x.rankfile").read_text())
        self.assertEqual(self.files().count("x.hostfile"), 1)

    def test_todays_map_alone_may_name_hosts(self):
        self.write("old.rankfile", "".join(f"rank {i}=n{i:02} slot=0\n" for i in range(12)))
        self.assertIn("old.rankfile ", self.output(*self.place("--hosts", "n{:02}", "--against", "old.rankfile")))
        self.assert_refused(self.place("--hosts", "n{:02}", "--against", "identity"), "--hosts", "no map file is read")
        self.assert_refused(self.place("--hosts", "n{:02}", "--write", "x.jax"), "--hosts", "no map file is read")

    def test_why_names_links_pairs_and_bounds(self):
        text = self.output(*self.place("--why", "--pin", "0=0,1=10"))
        self.assertIn("busiest link", text)
        self.assertIn("costliest pair", text)
        self.assertIn("no map has less (", text)
        self.assertIn("no map has less than", self.output("search", "--machine", "torus:4x4", "--traffic", "tree:15", "--why"))
        result = self.json(*self.place("--why", "--pin", "0=0,1=10", "--json"))
        embedding = {"kind": "explicit", "map": result["map"]}
        self.write("found.json", embedding)
        embedded = self.json("embed", "m.json", "--embedding", "found.json", "--traffic", "t.csv", "--why", "--json")
        self.assertEqual(embedded["why"]["busiest_links"], result["why"]["busiest_links"])
        self.assertEqual(embedded["why"]["busiest_links"][0]["bytes"], embedded["link_bytes"]["max"])
        self.assertEqual(embedded["why"]["busiest_links"][0]["time_s"], embedded["link_bytes"]["max"] / 1e9)
        costs = {bound["objective"]: bound for bound in embedded["why"]["bounds"]}
        self.assertEqual(costs["hop-bytes"]["cost"], embedded["hop_bytes"])
        self.assertEqual(costs["longest-dilation"]["cost"], embedded["dilation"]["longest"])
        self.assertEqual(costs["link-load"]["cost"], embedded["link_bytes"]["max"])
        for bound in costs.values():
            self.assertLessEqual(bound["bound"], bound["cost"])
        pair = embedded["why"]["costly_pairs"][0]
        self.assertEqual((pair["processes"], pair["nodes"], pair["hops"]), ([0, 1], [0, 10], 4))
        self.assertEqual(sum(hops * count for hops, count in enumerate(embedded["why"]["bytes_by_hops"])),
                         embedded["hop_bytes"])

    def test_pictures_and_a_folder_of_everything(self):
        self.output(*self.place("--output", "all/", "--write", "links:l.svg", "--write", "picture:p.pdf"))
        self.assertEqual(self.files(), sorted([
            "embedding.json", "gap.png", "index.html", "l.svg", "links.png", "m.json", "p.pdf", "result.json", "t.csv"
        ]))  # fmt: skip
        result = json.loads((self.folder / "all/result.json").read_text())
        self.assertEqual(json.loads((self.folder / "all/embedding.json").read_text())["map"], result["map"])
        self.output("search", *self.place("--output", "all/")[1:])
        self.output("embed", "torus:4x4", "--embedding", "xor", "--write", "links:e.png")
        self.assertEqual((self.folder / "e.png").read_bytes()[:4], b"\x89PNG")

    def test_it_says_which_other_objectives_are_at_their_bounds(self):
        ask = ["--machine", "torus:8x8", "--traffic", "cube:6", "--effort", "2000"]
        for command in ("place", "search"):
            self.assertIn("\nalso:  no map has less link-load (3 bytes on the busiest link)\n", self.output(command, *ask))
            (also,) = self.json(command, *ask, "--json")["also_least"]
            self.assertEqual((also["objective"], also["cost"]), ("link-load", 3))
        # What is said is what a search for it proves.
        other = self.json("search", *ask, "--objective", "link-load", "--json")
        self.assertEqual((other["bound"]["cost"], other["bound"]["source"]), (also["cost"], also["source"]))
        self.assertEqual(self.json("place", *ask, "--json", "--why")["also_least"], [also])
        self.assertNotIn("also:", self.output("place", "--machine", "ring:32", "--traffic", "cube:4", "--effort", "2000"))

    def test_what_is_refused_leaves_no_folder(self):
        self.assert_refused(list(self.place("--output", "all/", "--avoid", "99")), "99")
        self.assert_refused(["search", *self.place("--output", "all/", "--objective", "makespan")[1:]], "makespan")
        self.assertFalse((self.folder / "all").exists())

    def test_unusable_options_are_refused(self):
        self.assert_refused(["place"], "place", "SCENARIO")
        self.assert_refused(["place", "--machine", "m.json"], "--traffic")
        self.assert_refused(self.place("--against", "gone.rankfile"), "gone.rankfile")
        self.assert_refused(self.place("--against", "stadnard"), "--against", "standard")
        self.assert_refused(self.place("--against", "gray"), "dcube: --against: gray does not fit")
        self.write("short.csv", "process,node\n0,1\n")
        self.assert_refused(self.place("--against", "short.csv"), "short.csv", "12")
        self.assert_refused(self.place("--export", "x.unknown"), "--export", "rankfile")
        self.assert_refused(self.place("--export", "rankfiel:x"), "--export", "`rankfile`")
        self.assert_refused(self.place("--write", "picture:x.gif"), "--write", ".png")
        self.assert_refused(self.place("--write", "links:x"), "--write", ".png")
        self.assert_refused(self.place("--only", "0-4"), "--only", "10 slots on 5 nodes", "12 processes")
        self.assert_refused(self.place("--export", "t.csv"), "t.csv is read")
        self.assert_refused(["embed", "ring:8", "torus:4x2", "--embedding", "xor", "--why"], "--why", "one machine")
        self.write("random.json", {**machine(TORUS), "routing": {"kind": "random_order", "seed": 1}})
        self.assert_refused(
            ["place", "--machine", "random.json", "--traffic", "t.csv", "--write", "links:x.png"], "--write", "unknown"
        )
        text = self.output("place", "--machine", "random.json", "--traffic", "t.csv", "--effort", "100", "--why")
        self.assertIn("which links are busiest is unknown", text)


if __name__ == "__main__":
    unittest.main()
