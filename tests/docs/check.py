# SPDX-License-Identifier: Apache-2.0
"""What the documents show as output is what the commands print.

    python3 tests/docs/check.py --swz build/default/swz [FILE...]           compare; exits 1 when one is stale
    python3 tests/docs/check.py --swz build/default/swz --write [FILE...]   rewrite the outputs, in place

Without FILE: README.md and docs/*.md. Checked is every block that opens with ```console and runs swz:

    ```console
    $ swz diff '(2,3)' '(2,3):(3,1)' \\
    >   --format text
    ...what it prints...
    [exit 1]
    $ echo 0x4000004000010042 | swz batch -
    ...
    ```

A command runs in the repository root through sh, with swz on the PATH, NO_COLOR set and COLUMNS=100; output is
what it prints to both streams, compared byte for byte. An exit status other than 0 is only right where the block
states it with a last line [exit N]; --write never adds that line, a person decides that a command should fail.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPEN, CLOSE = "```console", "```"
RUNS_SWZ = re.compile(r"(^|[|;&(]\s*)swz(\s|$)")
EXIT = re.compile(r"\[exit (\d+)\]")


class Failure(Exception):
    """A document that cannot be read, or a command that did not do what the document says."""


@dataclass
class Step:
    """One command of a block with the output that the document shows."""

    line: int  # of the command in its document, from 1
    prompt: list = field(default_factory=list)  # as written: "$ ..." and "> ..." lines
    output: list = field(default_factory=list)
    exit_status: int = 0

    def command(self):
        return "\n".join(line[2:] for line in self.prompt)

    def text(self):
        stated = [f"[exit {self.exit_status}]"] if self.exit_status else []
        return self.prompt + self.output + stated


def read_steps(lines, first_line, where):
    """The steps of one block. lines are those between the fences."""
    steps = []
    for number, line in enumerate(lines, first_line):
        if line.startswith("$ "):
            steps.append(Step(number, [line]))
        elif not steps:
            raise Failure(f"{where}:{number}: a console block begins with a command: '$ swz ...'")
        elif line.startswith("> ") and not steps[-1].output and steps[-1].prompt[-1].endswith("\\"):
            steps[-1].prompt.append(line)
        else:
            steps[-1].output.append(line)
    for step in steps:
        stated = step.output and EXIT.fullmatch(step.output[-1])
        if stated:
            step.exit_status = int(stated[1])
            step.output.pop()
    return steps


def read_document(text, where):
    """The document in pieces: lists of lines to keep, and lists of Steps to run."""
    pieces, lines, at = [[]], text.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith(OPEN) and line.rstrip() != OPEN:
            raise Failure(f"{where}:{at + 1}: {OPEN} must be at the beginning of its line")
        pieces[-1].append(line)
        at += 1
        if line.rstrip() != OPEN:
            continue
        end = next((i for i in range(at, len(lines)) if lines[i].rstrip() == CLOSE), None)
        if end is None:
            raise Failure(f"{where}:{at}: this block is not closed")
        block = lines[at:end]
        if any(b.startswith("$ ") and RUNS_SWZ.search(b[2:]) for b in block):
            pieces += [read_steps(block, at + 1, where), []]
        else:
            pieces[-1] += block
        at = end
    return pieces


def run(step, program, where):
    """The lines that the command prints."""
    folder = str(Path(program).resolve().parent)
    environment = {
        "PATH": os.pathsep.join([folder, os.environ.get("PATH", os.defpath)]),
        "HOME": os.environ.get("HOME", "/"),
        # What a machine happens to have does not change a document.
        "SWZ_NVDISASM": "none",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    place = f"{where}:{step.line}: {step.command()}"
    done = subprocess.run(["sh", "-c", step.command()], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    printed = done.stdout.decode("utf-8")
    if done.returncode != step.exit_status:
        raise Failure(f"{place}\n  exit status {done.returncode}, the document says {step.exit_status}\n{printed}")
    if printed and not printed.endswith("\n"):
        raise Failure(f"{place}\n  the output does not end with a newline")
    lines = printed.split("\n")[:-1]
    if any(line.startswith(("$ ", CLOSE)) or EXIT.fullmatch(line) for line in lines):
        raise Failure(f"{place}\n  prints a line that a document cannot show: '$ ...', '{CLOSE}' or '[exit N]'")
    return lines


def renew(path, program):
    """Runs every command of a document. Returns its text, the text as it should be, and how many commands ran."""
    text = path.read_text(encoding="utf-8")
    where = os.path.relpath(path, ROOT)
    lines, count = [], 0
    for piece in read_document(text, where):
        for part in piece:
            if isinstance(part, Step):
                part.output = run(part, program, where)
                lines += part.text()
                count += 1
            else:
                lines.append(part)
    return text, "\n".join(lines), count


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, help="the built program")
    parser.add_argument("--write", action="store_true", help="rewrite the outputs, in place")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    if not os.access(options.swz, os.X_OK) or Path(options.swz).name != "swz":
        parser.error(f"{options.swz} is no program named swz")
    files = options.files or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

    commands = failures = 0
    for path in files:
        try:
            shown, printed, count = renew(path.resolve(), options.swz)
        except (Failure, OSError, UnicodeDecodeError) as e:
            print(e)
            failures += 1
            continue
        commands += count
        if shown != printed and options.write:
            path.write_text(printed, encoding="utf-8")
            print(f"{path}: rewritten")
        elif shown != printed:
            failures += 1
            print("".join(difflib.unified_diff(shown.splitlines(True), printed.splitlines(True),
                                               f"{path} (shown)", f"{path} (printed)")))
            print(f"{path}: stale; `sh scripts/docs` rewrites it")
    print(f"{commands} commands in {len(files)} documents, {failures} documents failed")
    if commands == 0:
        print("no document shows a command: a console block opens with ```console and has a line '$ swz ...'")
    return 1 if failures or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
