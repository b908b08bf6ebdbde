# SPDX-License-Identifier: Apache-2.0
"""Writes what the page shows before its module is there, as the command for this machine says it.

    python3 page/start.py build/dev/swz build/page

  start.js   const swzStart = {version, help, questions, elsewhere}, the answer to swz --page
  cards.js   const swzCards = {line: picture}, an SVG for each question, which follows the scheme of its element

tests/page/check.py compares both with what the module answers.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

PICTURE = ("-f", "svg", "--theme", "auto", "--no-title", "--no-caption", "--no-legend", "--width", "560px")


def main(swz, folder):
    def answer(*words):
        done = subprocess.run([swz, *words], stdout=subprocess.PIPE, check=False)
        if done.returncode > 1:  # 1 is an answer, too: no
            raise SystemExit(f"page/start.py: exit {done.returncode}: swz {shlex.join(words)}")
        return done.stdout.decode()

    start = answer("--page").strip()
    cards = {one["line"]: answer(*shlex.split(one["line"]), *PICTURE) for one in json.loads(start)["questions"]}
    head = "// Made by page/start.py.\n"
    Path(folder, "start.js").write_text(f"{head}const swzStart = {start};\n")
    Path(folder, "cards.js").write_text(f"{head}const swzCards = {json.dumps(cards, ensure_ascii=False)};\n")


main(*sys.argv[1:])
