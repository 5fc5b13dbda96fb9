#!/usr/bin/env python3
"""Predicts the measured times of this folder under each network model, with values fitted under that model.

    by_model.py DCUBE                   print the table of docs/validation/README.md
    by_model.py DCUBE --write PAGE.md   put it into the page, between its two markers
    by_model.py DCUBE --check PAGE.md   exit status 1 unless it is what the page says, also in its own words
    by_model.py DCUBE --fit             fit all values anew, into by_model.json; takes a minute or two
    by_model.py DCUBE --answers FOLDER  write what `dcube fit --json` says of each machine under its best model

A value is fitted to one table of a machine and used for the others. The median error of those stands in the table,
and in brackets what 9 of 10 errors are within.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VALUES = HERE / "by_model.json"
BEGIN = "<!-- made by validation/reality/by_model.py -->"
END = "<!-- end of what is made -->"
MODELS = {
    "store and forward": ["/machine/switching=store_and_forward"],
    "cut-through": [],
    "packets": ["/machine/link/packet={packet}"],
    "packets in turn": ["/machine/link/packet={packet}", "/machine/link/service=round_robin"],
    "fluid": ["/machine/network=fluid"],
}
# What is fitted, to which table; the tables to predict; the size of packets; the model of pictures.
MACHINES = {
    "fugaku": {
        "called": "Fugaku, 64 nodes",
        "vary": "/link/bandwidth,/endpoint/send,/endpoint/receive,/endpoint/call,/endpoint/call_per_port,"
                "/endpoint/combine,/endpoint/combine_per_byte,/endpoint/copy_per_byte,/endpoint/several_ports/combine_per_byte",
        "fitted": "whole-2x2x2.tsv", "others": ["whole-4x4x4.tsv"], "packet": "64KiB", "best": "cut-through",
    },
    "epiphany": {
        "called": "Epiphany, 16 cores",
        "vary": "/link/latency,/link/bandwidth,/endpoint/send,/endpoint/larger/0/send",
        "fitted": "epiphany-fitted.tsv", "others": ["epiphany-others.tsv", "epiphany-shared.tsv"], "packet": "8",
        "best": "packets in turn",
    },
    "mi250x": {
        "called": "MI250X, 8 dies",
        "vary": "/link/latency,/link/bandwidth,/node/injection/bandwidth,/endpoint/send",
        "fitted": "mi250x-fitted.tsv", "others": ["mi250x-others.tsv"], "packet": "1MiB", "best": "cut-through",
    },
}  # fmt: skip
DIFFERENT = 1.1  # measured times of which it is asked which is less
# Label, and the groups of rows it stands for: what their names contain.
KINDS = {
    "fugaku": {"collectives": "", "of these, broadcasts by trees": "broadcast bine_latency"},
    "epiphany": {"4 bytes, 1 to 6 hops": "hops", "8 B to 12 KiB": "bytes", "links shared": "contention"},
    "mi250x": {"latency, direct": "latency, direct", "latency, others": "latency, not direct",
               "bandwidth, direct": "bandwidth, direct", "bandwidth, others": "bandwidth, not direct"},
}  # fmt: skip
ORDERS = {"mi250x": {"pairs by latency": "latency", "pairs by bandwidth": "bandwidth"}}


def fit(program, folder, machine, model, *words):
    """The answer about one machine under a model."""
    settings = [word.format(packet=MACHINES[machine]["packet"]) for word in MODELS[model]]
    command = [program, "fit", HERE / f"{machine}.json", *words, "--json"]
    command += [part for setting in settings for part in ("--set", setting)]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)


def make_tables(folder):
    for machine in MACHINES:
        subprocess.run([sys.executable, HERE / f"{machine}.py", folder], check=True, stdout=subprocess.DEVNULL)
    # Of Fugaku those that are not cut into segments, of which there are too many for a fluid network.
    for shape in ("2x2x2", "4x4x4"):
        with open(f"{folder}/utofu-{shape}.tsv", encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        segment = header.split("\t").index("segment")
        whole = [row for row in rows if not row.split("\t")[segment]]
        pathlib.Path(folder, f"whole-{shape}.tsv").write_text("\n".join([header, *whole]) + "\n", encoding="utf-8")


def fitted_values(program, folder):
    """[machine][model][pointer]: the value as text."""
    return {
        machine: {
            model: {value["pointer"]: value["text"]
                    for value in fit(program, folder, machine, model, "--measured", about["fitted"], "--vary",
                                     about["vary"])["values"]}
            for model in MODELS
        }
        for machine, about in MACHINES.items()
    }  # fmt: skip


def predict(program, folder, values, machine, model):
    words = ["--measured", ",".join(MACHINES[machine]["others"])]
    for pointer, text in values[machine][model].items():
        words += ["--set", f"/machine{pointer}={text}"]
    return fit(program, folder, machine, model, *words)


def of_groups(answer, part):
    return [row for row in answer["rows"] if part in row["group"] and row["error"] is not None]


def errors(rows):
    """Relative to the measured time: the median, and what 9 of 10 are within."""
    found = sorted(abs(row["error"]) for row in rows)
    return f"{100 * statistics.median(found):.1f} % ({100 * found[-(-9 * len(found) // 10) - 1]:.0f} %)"


def in_order(rows):
    """How many pairs whose measured times differ are simulated in the same order."""
    pairs = [(a, b) for a in rows for b in rows if a["measured_s"] > DIFFERENT * b["measured_s"]]
    right = sum(a["simulated_s"] > b["simulated_s"] for a, b in pairs)
    return f"{100 * right / len(pairs):.0f} % of {len(pairs):,}"


def table(answers):
    """Lines of cells. `answers` are by machine and model."""
    yield ["how long", "times", *MODELS]
    for machine, about in MACHINES.items():
        for label, part in KINDS[machine].items():
            rows = [of_groups(answers[machine][model], part) for model in MODELS]
            yield [f"{about['called']}: {label}", str(len(rows[0])), *map(errors, rows)]
    yield ["**which is faster**", "", *["" for _ in MODELS]]
    for machine, about in MACHINES.items():
        rankings = [answers[machine][model]["ranking"] for model in MODELS]
        if rankings[0]["cases"]:
            yield [f"{about['called']}: the fastest algorithm, or within 10 %", str(rankings[0]["cases"]),
                   *(f"{ranking['right']} of {ranking['cases']}" for ranking in rankings)]  # fmt: skip
            yield [f"{about['called']}: pairs of algorithms in the right order", str(rankings[0]["pairs"]),
                   *(f"{100 * ranking['pairs_right'] / ranking['pairs']:.0f} %" for ranking in rankings)]  # fmt: skip
        for label, part in ORDERS.get(machine, {}).items():
            rows = [of_groups(answers[machine][model], part) for model in MODELS]
            yield [f"{about['called']}: {label}", str(len(rows[0])), *map(in_order, rows)]


def sentences(answers):
    """What the page says of the table in its own words."""

    def percents(machine, model, part, digits=0):
        found = [abs(row["error"]) for row in of_groups(answers[machine][model], part)]
        return [f"{100 * value:.{digits}f}" for value in (statistics.median(found), max(found))]

    fugaku = answers["fugaku"]["cut-through"]
    yield f"in {fugaku['ranking']['right']} of {fugaku['ranking']['cases']} cases"
    median, ninth = (round(100 * fugaku["errors"][key]) for key in ("median", "ninth_tenth"))
    yield f"{median} % off in the median, {ninth} % in 9 of 10"
    dies = answers["mi250x"]["cut-through"]
    yield f"in {in_order(of_groups(dies, 'bandwidth'))} comparisons, by latency in {in_order(of_groups(dies, 'latency'))}"
    yield f"{percents('mi250x', 'cut-through', 'bandwidth', 1)[0]} %; {percents('mi250x', 'cut-through', 'latency')[0]} %"
    alone = [abs(row["error"]) for part in ("hops", "bytes")
             for row in of_groups(answers["epiphany"]["packets in turn"], part)]  # fmt: skip
    yield f"{100 * statistics.median(alone):.1f} %, at most {100 * max(alone):.1f} %"
    packets, fluid, whole = (percents("epiphany", model, "contention") for model in ("packets", "fluid", "cut-through"))
    median = percents("epiphany", "packets", "contention", 1)[0]
    yield f"{median} %, at most {packets[1]} and {fluid[1]} %; {whole[0]} %, at most {whole[1]} %"


def text_of(lines):
    rows = list(lines)
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], rule, *rows[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="DCUBE")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", metavar="PAGE", type=pathlib.Path)
    action.add_argument("--check", metavar="PAGE", type=pathlib.Path)
    action.add_argument("--answers", metavar="FOLDER", type=pathlib.Path)
    action.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        make_tables(folder)
        if options.fit:
            VALUES.write_text(json.dumps(fitted_values(program, folder), indent=1) + "\n", encoding="utf-8")
            return 0
        values = json.loads(VALUES.read_text(encoding="utf-8"))
        if options.answers:
            for machine, about in MACHINES.items():
                answer = predict(program, folder, values, machine, about["best"])
                (options.answers / f"{machine}.json").write_text(json.dumps(answer), encoding="utf-8")
            return 0
        answers = {
            machine: {model: predict(program, folder, values, machine, model) for model in MODELS}
            for machine in MACHINES
        }
    made = text_of(table(answers))
    page = options.write or options.check
    if not page:
        print(made)
        return 0
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    said, after = rest.split(END)
    lacking = [text for text in sentences(answers) if text not in before]
    for text in lacking:
        print(f"the page should say: {text}")
    if options.write:
        page.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")
        return 1 if lacking else 0
    wrong = [(old, new) for old, new in zip(said.strip().splitlines(), made.splitlines(), strict=True) if old != new]
    for old, new in wrong:
        print(f"the page says {old}\n          now {new}")
    return 1 if wrong or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
