# SPDX-License-Identifier: Apache-2.0
"""The answers of thousands of command lines, recorded before a change that must not change them.

    python3 -B tests/answers/answers.py lines --swz build/dev/swz --generator build/dev/tests/fuzz/swz_lines LINES
    python3 -B tests/answers/answers.py record --swz build/dev/swz LINES OUT    OUT.jsonl.xz: an answer of each line and format
    python3 -B tests/answers/answers.py compare --swz build/dev/swz OUT         prints each answer that differs; exits 1

`lines` collects the examples of the help, what the documents show, the pasted texts of tests/data, a sample of the
questions of tests/meta, and generated lines with every command and every option. A line is a JSON array of words, as
`swz batch` reads it. Each is asked as text, as JSON and as SVG; an answer is its exit code and both streams.

The record is some 30 MB before it is compressed, so it is not in git: it is made of the commit that a change begins from.
"""

import argparse
import collections
import concurrent.futures
import difflib
import itertools
import json
import lzma
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/docs"), str(ROOT / "tests/meta")]

import questions  # noqa: E402
from check import Step, read_document  # noqa: E402

FORMATS = ("text", "json", "svg")
SECONDS = 60
# What asks a GPU, converses, or depends on where it is installed.
NOT_ASKED = {"verify", "batch", "gdb", "page", "mcp", "skills", "lsp"}
REFUSED = re.compile(r"-o|--output|--record|--save|-f|--format|@|.*\0", re.S)


# ---- the lines

def of_help(swz):
    table = json.loads(subprocess.run([swz, "help", "-f", "json"], capture_output=True, text=True, check=True).stdout)
    for command in table["commands"]:
        yield ["help", *command["name"].split()]
        for example in command["examples"]:
            yield shlex.split(example["line"])[1:]


def of_documents():
    """The commands of console blocks, each up to its pipe."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for piece in read_document(path.read_text(encoding="utf-8"), path.name):
            for step in piece:
                if isinstance(step, Step) and step.command().startswith("swz "):
                    words = shlex.shlex(step.command().replace("\\\n", " "), posix=True, punctuation_chars=True)
                    words.whitespace_split = True
                    words.commenters = ""
                    yield list(itertools.takewhile(lambda word: not set(word) <= set(words.punctuation_chars), words))[1:]


def of_pasted_texts():
    for path in sorted((ROOT / "tests/data/pasted").glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if "text" in row:  # the others are files
                yield [*row["command"], row["text"]]
                yield [row["text"]]


def of_questions(swz, scale):
    """What tests/meta asks when it asks that share; without those of files, which are gone afterwards."""
    kept, ask = [], questions.ask

    def noting(program, lines):
        kept.extend([str(word) for word in line] for line in lines)
        return ask(program, lines)

    questions.ask = noting
    with tempfile.TemporaryDirectory() as folder:
        questions.run_all(swz, {name: questions.Run(name, scale, Path(folder)) for name in questions.PROPERTIES})
        return [words for words in kept if not any(folder in word for word in words)]


def of_generator(generator, count, seed):
    made = subprocess.run([generator, str(count), str(seed), "print"], capture_output=True, check=True).stdout
    for line in made.decode("utf-8", "replace").splitlines():
        try:
            words = json.loads(line)
        except ValueError:
            continue
        if "�" not in line and sum(map(len, words)) < 2000:
            yield words


def is_asked(words):
    """Neither what has files, nor what says its format: each line is asked in all."""
    return words and words[0] not in NOT_ASKED and not any(REFUSED.match(word) for word in words)


def collect(options):
    seen, counts = {}, collections.Counter()
    for name, lines in (("help", of_help(options.swz)), ("documents", of_documents()), ("pasted", of_pasted_texts()),
                        ("questions", of_questions(options.swz, options.scale)), ("generated", of_generator(options.generator, options.count, 29))):
        for words in lines:
            if words[:1] == ["swz"]:
                words = words[1:]
            if is_asked(words) and seen.setdefault(tuple(words), name) == name:
                counts[name] += 1
    options.lines.write_text("".join(json.dumps(list(words)) + "\n" for words in seen), encoding="utf-8")
    print(f"{len(seen)} lines: " + ", ".join(f"{count} of {name}" for name, count in counts.items()))


# ---- the answers

def answer(swz, words, form):
    environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run([swz, *words, "-f", form], capture_output=True, stdin=subprocess.DEVNULL, cwd=ROOT, env=environment,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return [None, "", ""]
    return [done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]


def answers(swz, lines):
    def ask(words):
        return {"words": words, **{form: answer(swz, words, form) for form in FORMATS}}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(ask, lines)


def record(options):
    lines = [json.loads(line) for line in options.lines.read_text(encoding="utf-8").splitlines()]
    exits = collections.Counter()
    with lzma.open(options.out, "wt", preset=1, encoding="utf-8") as file:
        for row in answers(options.swz, lines):
            exits[row["text"][0]] += 1
            file.write(json.dumps(row) + "\n")
    print(f"{len(lines)} lines; exit codes " + ", ".join(f"{code}: {count}" for code, count in sorted(exits.items(), key=str)))


def first_difference(before, now, most):
    parts = []
    for part, old, new in zip(("exit", "stdout", "stderr"), before, now):
        if old == new:
            continue
        changed = [line for line in difflib.unified_diff(str(old).splitlines(), str(new).splitlines(), lineterm="", n=0)
                   if not line.startswith(("---", "+++", "@@"))]
        parts += [f"  {part}"] + [f"    {line[:200]}" for line in changed[:most]]
    return "\n".join(parts)


def compare(options):
    with lzma.open(options.out, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    differ = collections.Counter()
    for before, now in zip(rows, answers(options.swz, [row["words"] for row in rows])):
        for form in FORMATS:
            if before[form] != now[form]:
                differ[form] += 1
                if sum(differ.values()) <= options.show:
                    print(f"{form}: swz {shlex.join(before['words'])[:300]}\n{first_difference(before[form], now[form], options.most)}")
    print(f"{len(rows)} lines as text, JSON and SVG: " + (", ".join(f"{n} differ as {f}" for f, n in differ.items()) or "all equal"))
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(description="record the answers of many lines, and compare with them")
    parser.add_argument("what", choices=("lines", "record", "compare"))
    parser.add_argument("--swz", required=True)
    parser.add_argument("--generator", help="swz_lines of the fuzz tests, for lines")
    parser.add_argument("--count", type=int, default=5000, help="generated lines")
    parser.add_argument("--scale", type=float, default=0.04, help="share of the questions of tests/meta")
    parser.add_argument("--show", type=int, default=20, help="differing answers that are shown")
    parser.add_argument("--most", type=int, default=6, help="lines shown of each")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    options.swz = str(Path(options.swz).resolve())
    options.out = options.files[-1]
    options.lines = options.files[0]
    return {"lines": collect, "record": record, "compare": compare}[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
