# SPDX-License-Identifier: Apache-2.0
"""docs/evidence.md, docs/dialects.md and the tables in docs/tma.md and docs/verify.md are what swz and the recordings say.

    python3 tests/docs/evidence.py --swz build/default/swz            compare; exits 1 when it is stale
    python3 tests/docs/evidence.py --swz build/default/swz --write    rewrite them

Every fact comes from `swz arch`, `swz frag --list`, `swz banks --access list`, and `swz verify --replay` of the
recordings in tests/data; what a recording covers is counted from its lines. Only the words between are here.

In the other pages a table is between the lines "<!-- table: NAME -->" and "<!-- end -->", with a NAME of TMA_TABLES
or VERIFY_TABLES.
"""

import argparse
import collections
import difflib
import json
import subprocess
import sys
from pathlib import Path

import dialects

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence.md"
TMA_PAGE = ROOT / "docs" / "tma.md"
VERIFY_PAGE = ROOT / "docs" / "verify.md"
DIALECT_PAGE = ROOT / "docs" / "dialects.md"

# Strongest first, as src/base/finding.hpp has them.
KINDS = {
    "measured": "observed on a GPU, byte for byte",
    "reported": "others ran it on a GPU, and the test or the sentence is named; not by us",
    "documented": "the vendor's document says so",
    "header": "NVIDIA's own public headers and tools do it this way",
    "derived": "follows by arithmetic from rows above it",
    "claimed": "public, unverified",
}

# Which keys name a row of a table; name or rule where none is given.
NAMES = {
    "strides": ("major", "modes"),
    "type_codes": ("role", "dtype"),
    "shapes": ("group", "m", "n", "kinds"),
    "tensor_map_fields": ("name", "word", "bits"),
    "scale_kinds": ("kind", "vec", "factors"),
    "scale_qualifiers": ("name", "kinds"),
    "narrow_forms": ("dtypes", "kinds"),
    "sparse_forms": ("kinds",),
    "fragments": ("name", "dtypes"),
    "cluster_limits": ("target",),
    "mma_rates": ("gpu", "class"),
}
FORMATS = ("wgmma_smem", "tcgen05_smem", "plain_idesc", "mxf8f6f4_idesc", "mxf4_idesc")
APART = ("questions", "cute")  # shown whole, each in its own section


class Failure(Exception):
    """A command that did not answer."""


def ask(swz, *words):
    done = subprocess.run([swz, *words, "-f", "json"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"swz {' '.join(words)}: exit {done.returncode}\n{done.stdout[:500]}{done.stderr[:500]}")
    return json.loads(done.stdout)


def thousands(number):
    return f"{number:,}"


def plain(value):
    """A value of a row in words: lists with blanks, nothing as a dash."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return thousands(value)
    if isinstance(value, list):
        return " ".join(str(v) for v in value)
    return str(value).replace("|", "\\|")


def name_of(table, row):
    if table in FORMATS or table == "tensor_map_fields":
        low, high = row["bits"]
        word = f"word {row['word']} " if "word" in row else ""
        return f"{row['name']} ({word}{low}-{high})" if high != low else f"{row['name']} ({word}{low})"
    keys = NAMES.get(table) or (("name",) if "name" in row else ("rule",))
    return " ".join(plain(row[key]) for key in keys)


def markdown_table(head, rows):
    """Cells that begin with a digit are aligned to the right."""
    is_number = [all(row[i][:1].isdigit() for row in rows) for i in range(len(head))]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("--:" if n else "---" for n in is_number) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def summary(tables):
    rows = []
    for table, entries in tables.items():
        counts = collections.Counter(row["evidence"] for row in entries)
        rows.append([f"`{table}`", *(str(counts[kind] or "0") for kind in KINDS)])
    total = collections.Counter(row["evidence"] for entries in tables.values() for row in entries)
    rows.append(["all", *(thousands(total[kind]) for kind in KINDS)])
    return markdown_table(["table", *KINDS], rows)


def rows_of_kind(tables, kind):
    grouped = {}
    for table, entries in tables.items():
        for row in entries:
            if row["evidence"] == kind:
                grouped.setdefault((table, row["source"]), []).append(name_of(table, row))
    return markdown_table(["table", "rows", "source"],
                          [[f"`{table}`", ", ".join(dict.fromkeys(names)), plain(source)]
                           for (table, source), names in grouped.items()])


# What a recording covers.


def recorded(path):
    """The head of a recording, and its cases."""
    head, *cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return head, cases


def wgmma_coverage(cases):
    heads = ["operand type", "A by word", "B by word", "A in registers", "MN-major", "start ≥ 128 KB", "base offset"]
    counts = collections.defaultdict(collections.Counter)
    kernels = collections.defaultdict(set)
    for case in cases:
        _, _, a_type, b_type, *_ = case["wgmma"].split(".")
        of = case["of"]
        row = counts[a_type if of == "a" else b_type]
        kernels[a_type if of == "a" else b_type].add(case["wgmma"])
        if "word" not in case:
            row["A in registers"] += 1
            continue
        word = int(case["word"], 16)
        row[f"{of.upper()} by word"] += 1
        row["MN-major"] += case["major"] == "MN"
        row["start ≥ 128 KB"] += (word & 0x3FFF) * 16 >= 128 * 1024
        row["base offset"] += (word >> 49) & 7 != 0
    return markdown_table([*heads, "instructions"],
                          [[dtype, *(thousands(row[head]) for head in heads[1:]), thousands(len(kernels[dtype]))]
                           for dtype, row in sorted(counts.items())])


def tma_coverage(cases):
    heads = ["rank", "loads", "NONE", "32B", "64B", "128B", "element strides", "NaN fill", "start not 0"]
    counts = collections.defaultdict(collections.Counter)
    for case in cases:
        _, swizzle, _, fill = case.get("modes", [0, 0, 0, 0])
        row = counts[case.get("rank", len(case["dims"]))]
        row["loads"] += 1
        row[heads[2 + swizzle]] += 1
        row["element strides"] += "steps" in case
        row["NaN fill"] += fill == 1
        row["start not 0"] += any(case["start"])
    return markdown_table(heads, [[str(rank), *(thousands(row[head]) for head in heads[1:])]
                                  for rank, row in sorted(counts.items())])


def form_coverage(cases, probe):
    counts = collections.Counter(case[probe] for case in cases)
    return [", ".join(f"{name} {thousands(count)}" for name, count in sorted(counts.items()))]


def mma_coverage(cases):
    shapes = collections.defaultdict(set)
    for case in cases:
        shape, _, _, _, a_type, *_ = case["mma"].split(".")
        shapes[shape].add(a_type)
    return [", ".join(f"{shape} ({' '.join(sorted(types))})" for shape, types in sorted(shapes.items()))]


def tile_coverage(cases):
    counts = collections.Counter(f"{case['tile']} {case['major']}-major {case['swizzle']}, via {case['via']}"
                                 for case in cases)
    return [", ".join(f"{name}: {thousands(count)}" for name, count in sorted(counts.items()))]


def layout_coverage(cases):
    """Of each way the layouts of each type; timed, as many again."""
    dtypes = sorted({case["dtype"] for case in cases})
    counts = collections.defaultdict(collections.Counter)
    for case in cases:
        row = counts[case["by"].split(" ")[0]]
        row["timed" if "asks" in case else case["dtype"]] += 1
    return markdown_table(["by", *dtypes, "timed"],
                          [[f"`{by}`", *(thousands(row[dtype]) for dtype in dtypes), thousands(row["timed"])]
                           for by, row in sorted(counts.items())])


COVERAGE = {
    "wavefront": ("Wavefronts, by instruction", lambda cases: form_coverage(cases, "wavefront")),
    "matrix": ("Matrix loads and stores, by form", lambda cases: form_coverage(cases, "matrix")),
    "mma": ("mma.sync: A, B, C and D of every shape and type", mma_coverage),
    "wgmma": ("wgmma", wgmma_coverage),
    "tma": ("TMA loads", tma_coverage),
    "tile": ("Whole tiles", tile_coverage),
    "layout": ("Layouts, by element type", layout_coverage),
}


def recording_section(swz, path):
    name = path.relative_to(ROOT)
    report = ask(swz, "verify", "--replay", str(name))
    if report["confirmed"] != report["cases"]:
        raise Failure(f"{name}: {report['cases'] - report['confirmed']} cases are not as swz predicts")
    out = [f"### {report['gpu']} ({report['target']}), driver {report['driver']}, NVRTC {report['nvrtc']}", ""]
    head, cases = recorded(path)
    kept = f" Kept of a run of {thousands(head['of'])} cases, by tests/data/thin.py." if "of" in head else ""
    out += [f"`{name}`, seed {report['seed']}: {thousands(report['confirmed'])} of {thousands(report['cases'])} "
            f"cases as predicted.{kept}", ""]
    out += markdown_table(["probe", "kernels", "cases", "confirmed"],
                          [[part["probe"], *(thousands(part[key]) for key in ("kernels", "cases", "confirmed"))]
                           for part in report["probes"]])
    for probe, (title, coverage) in COVERAGE.items():
        of_probe = [case for case in cases if probe in case]
        if of_probe:
            out += ["", f"{title}:", "", *coverage(of_probe)]
    return out


def recordings_table(paths):
    """Which GPU was asked by which probe: the cases that are kept."""
    counts = {}
    for path in paths:
        head, cases = recorded(path)
        counts[path] = (head["gpu"], collections.Counter(next(iter(case)).replace("_", "-") for case in cases))
    probes = list(dict.fromkeys(probe for _, count in counts.values() for probe in count))
    return markdown_table(["recording", "GPU", *probes],
                          [[f"`{path.name}`", gpu, *(thousands(count[probe]) for probe in probes)]
                           for path, (gpu, count) in counts.items()])


def question_section(questions, state):
    rows = [[plain(q["question"]), plain(q["tried"]), plain(q["cases"]), plain(q["result"]),
             f"{q['source']} ({q['evidence']})"] for q in questions if q["state"] == state]
    return markdown_table(["question", "tried", "cases", "what came out", "swz goes by"], rows)


def page(swz):
    tables = ask(swz, "arch")
    tables.pop("verdict")
    questions, cute = (tables.pop(key) for key in APART)
    tables["fragments"] = ask(swz, "frag", "--list")["fragments"]
    tables["accesses"] = ask(swz, "banks", "--access", "list")["instructions"]
    gpus = sorted({q["gpu"] for q in questions if q["gpu"]})
    out = ["# Evidence", "",
           "Written by `sh scripts/evidence` from the tables of `swz arch`, `swz frag --list` and `swz banks --access",
           "list` and from the recordings in tests/data. Do not edit: the test `docs/evidence` compares.",
           "[verify.md](verify.md) says how the hardware was asked.", "",
           "Every row of a table has a source and one of six kinds of evidence:", ""]
    out += [f"* **{kind}**: {meaning}" for kind, meaning in KINDS.items()]
    out += ["", "How many rows rest on what:", "", *summary(tables)]
    out += ["", "## Recorded", ""]
    recordings = sorted((ROOT / "tests" / "data").glob("*.jsonl"))
    if not recordings:
        raise Failure("tests/data holds no recording")
    out += [*recordings_table(recordings), ""]
    for path in recordings:
        out += [*recording_section(swz, path), ""]
    out += ["## Asked and answered", "",
            "Questions beyond the rows of the tables, as `swz arch observations` lists them. Asked of: "
            f"{', '.join(gpus)}.",
            "", *question_section(questions, "answered")]
    out += ["", "## Unknown", "", "What was tried does not decide it:", "", *question_section(questions, "partly"),
            "", "Not known:", "", *question_section(questions, "open")]
    out += ["", "## Agrees with CuTe", "",
            "Compared on the host with CuTe's own headers by tests/cute, which fails at a difference.", "",
            *markdown_table(["what", "the same", "", "where they differ", "test"],
                            [[plain(c["what"]), plain(c["cases"]), c["unit"], plain(c["apart"]), f"`{c['test']}`"]
                             for c in cute])]
    for kind, meaning in KINDS.items():
        out += ["", f"## Rows that are {kind}", "", f"{meaning[0].upper()}{meaning[1:]}.", ""]
        out += rows_of_kind(tables, kind)
    return "\n".join(out) + "\n"


# The tables of docs/tma.md.


def rule_table(tables, wanted, *columns):
    heads = {"argument": "argument", "text": "cuda.h of CUDA 13.0", "what": "the driver", "both": "both say",
             "documented": "cuda.h says", "rule": "rule"}
    rows = [row for row in tables["tensor_map_rules"] if wanted(row)]
    return markdown_table([heads[c] for c in columns],
                          [[f"`{row['rule']}`" if c == "rule" else plain(row.get(c, row["what"])) for c in columns]
                           for row in rows])


def field_table(tables):
    rows = []
    for field in tables["tensor_map_fields"]:
        low, high = field["bits"]
        rows.append([str(field["word"]), f"{low}-{high}" if high != low else str(low), plain(field["name"])])
    return markdown_table(["word", "bits", "field"], sorted(rows, key=lambda r: (int(r[0]), int(r[1].split("-")[0]))))


TMA_TABLES = {
    "rules that differ": lambda tables: rule_table(tables, lambda row: row["text"], "argument", "text", "what", "rule"),
    "rules that agree": lambda tables: rule_table(
        tables, lambda row: not row["text"] and row["basis"] == "documented and observed", "argument", "both", "rule"),
    "rules not measured": lambda tables: rule_table(
        tables, lambda row: not row["text"] and row["basis"] == "documented", "argument", "documented", "rule"),
    "im2col rules": lambda tables: markdown_table(
        ["argument", "rule", "basis", "name"],
        [[plain(row["argument"]), plain(row["what"]), row["basis"], f"`{row['rule']}`"] for row in tables["im2col_rules"]
         if row["rule"].startswith("im2col-") and row["refused"]]),
    "fields": field_table,
}


def mistake_rows(tables):
    return markdown_table(["name", "a model in which", "caught by"],
                          [[f"`{row['name']}`", plain(row["what"]), ", ".join(row["probes"])]
                           for row in tables["mistakes"]])


def probe_rows(tables):
    most = max(len(row["targets"]) for row in tables["probes"])
    return markdown_table(["probe", "asks", "targets"],
                          [[f"`{row['probe']}`", plain(row["asks"]),
                            "all" if len(row["targets"]) == most else plain(row["targets"])] for row in tables["probes"]])


VERIFY_TABLES = {"probes": probe_rows, "mistakes": mistake_rows}


def filled_page(path, tables, makers, shown):
    out, lines, used = [], iter(shown.splitlines()), set()
    for line in lines:
        out.append(line)
        if not line.startswith("<!-- table: "):
            continue
        name = line[len("<!-- table: "):-len(" -->")]
        if name not in makers:
            raise Failure(f"{path.name}: no table is called '{name}'")
        used.add(name)
        out += [*makers[name](tables), "<!-- end -->"]
        if "<!-- end -->" not in lines:  # reads up to it
            raise Failure(f"{path.name}: the table '{name}' has no end")
    if used != set(makers):
        raise Failure(f"{path.name} lacks the tables {sorted(set(makers) - used)}")
    return "\n".join(out) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, help="the program")
    parser.add_argument("--write", action="store_true", help="rewrite the pages")
    options = parser.parse_args(arguments)
    swz = str(Path(options.swz).resolve())
    shown = {path: path.read_text(encoding="utf-8") if path.exists() else "" 
             for path in (PAGE, TMA_PAGE, VERIFY_PAGE, DIALECT_PAGE)}
    try:
        texts = {PAGE: page(swz),
                 DIALECT_PAGE: dialects.page(ask(swz, "translate", "--list")),
                 TMA_PAGE: filled_page(TMA_PAGE, ask(swz, "arch", "tma"), TMA_TABLES, shown[TMA_PAGE]),
                 VERIFY_PAGE: filled_page(VERIFY_PAGE, ask(swz, "verify", "--only", "list"), VERIFY_TABLES,
                                          shown[VERIFY_PAGE])}
    except (Failure, KeyError, ValueError, subprocess.TimeoutExpired) as failure:
        print(f"the pages cannot be written: {failure!r}" if isinstance(failure, (KeyError, ValueError)) else failure)
        return 1
    stale = 0
    for path, text in texts.items():
        name = path.relative_to(ROOT)
        if shown[path] == text:
            print(f"{name} is what the tables and the recordings say")
        elif options.write:
            path.write_text(text, encoding="utf-8")
            print(f"{name}: rewritten")
        else:
            stale += 1
            print("".join(difflib.unified_diff(shown[path].splitlines(True), text.splitlines(True),
                                               f"{name} (shown)", f"{name} (from the tables)")))
            print(f"{name}: stale; `sh scripts/evidence` rewrites it")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
