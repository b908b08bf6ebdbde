# SPDX-License-Identifier: Apache-2.0
"""Every line of the skill (skills/swz/SKILL.md) is answered, and llms.txt and AGENTS.md lead to what there is.

    python3 tests/docs/skill.py --swz build/dev/swz

  lines      what the skill shows as code and begins with swz is run, with the files of the examples (examples.py); its
             verdict is one that the table NO names, or clean or incomplete. A line with a word in capitals is a form
  coverage   the skill names a command of every question of `swz help`, but those of SYSTEM
  llms.txt   names every document of docs/; its links, and those of AGENTS.md, exist
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import examples

ROOT = Path(__file__).resolve().parents[2]
SKILL = ROOT / "skills/swz/SKILL.md"
MOST_LINES, LEAST_COMMANDS = 100, 30
# Lines whose answer is no, or has lints; the sentence beside them asks what is wrong.
NO = {
    "swz diff '(8,8):(8,1)' '64:1'",
    "swz diff '(8,8):(8,1)' '64:1' -f json",
    "swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1",
    "swz sf diff linear 128x4 --shape 256x256 --vec 16",
    "swz tmem plan --kind mxf8f6f4 --n 256 --stages 2",
}
SYSTEM = {"Is that so on my GPU?"}


def lines_of(text):
    """The command lines: in backquotes, or indented by four blanks."""
    found = re.findall(r"`(swz [^`]*)`", text) + [line[4:] for line in text.splitlines() if line.startswith("    swz ")]
    return [line for line in found if not re.search(r"\b(TEXT|FILE|COMMAND)\b", line)]


def ask(swz, line, folder):
    asks_json = "-f json" not in line and " help" not in line and "--help" not in line and line != "swz batch"
    done = subprocess.run(["sh", "-c", line + (" -f json" if asks_json else "")], cwd=folder, capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, env={"PATH": f"{folder}:/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def faults_of_lines(swz, lines, folder):
    for line in lines:
        code, out, err = ask(swz, line, folder)
        if code > 1:
            yield f"{line}: exit code {code}: {err.strip()}"
            continue
        verdict = json.loads(out)["verdict"] if out.startswith('{"verdict"') else "clean"
        if (verdict == "error") != (line in NO):
            yield f"{line}: the verdict is {verdict}"


def faults_of_coverage(swz, lines):
    help_text = subprocess.run([swz, "help", "-f", "json"], capture_output=True, text=True, check=True).stdout
    for question in json.loads(help_text)["questions"]:
        if question["question"] not in SYSTEM and not any(
                line.startswith(f"swz {command}") for command in question["commands"] for line in lines):
            yield f"the skill has no command for: {question['question']}"


def faults_of_links(root):
    llms = (root / "llms.txt").read_text(encoding="utf-8")
    for path in sorted((root / "docs").glob("*.md")):
        if f"(docs/{path.name})" not in llms:
            yield f"llms.txt does not name docs/{path.name}"
    for name in ("llms.txt", "AGENTS.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", (root / name).read_text(encoding="utf-8")):
            if not (root / link).exists():
                yield f"{name}: no file {link}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, help="the built program")
    swz = str(Path(parser.parse_args().swz).resolve())
    text = SKILL.read_text(encoding="utf-8")
    lines = lines_of(text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples.files(folder)
        (folder / "swz").symlink_to(swz)
        (folder / "kernel.ptx").symlink_to(ROOT / examples.KERNEL)
        wrong = list(faults_of_lines(swz, lines, folder))
    wrong += [*faults_of_coverage(swz, lines), *faults_of_links(ROOT)]
    if len(lines) < LEAST_COMMANDS:
        wrong.append(f"only {len(lines)} command lines")
    if len(text.splitlines()) > MOST_LINES:
        wrong.append(f"the skill has {len(text.splitlines())} lines, more than {MOST_LINES}")
    for line in wrong:
        print(line)
    print(f"{len(lines)} lines of the skill: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
