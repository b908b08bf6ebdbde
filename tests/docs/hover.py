# SPDX-License-Identifier: Apache-2.0
"""What a page says of a cell is what --at says of its first element.

    python3 tests/docs/hover.py --swz build/default/swz --browser chromium

Of each figure below a script points at every cell in headless Chromium and reads what the page then says. The words
before each number name it; --at of the coordinate, through swz batch, has to give the same numbers under its keys, and
no others.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import ANSWER, answer_of

FIGURES = [shlex.split(line) for line in """
place --tile 8x64 --dtype bf16 --swizzle 128B
place --tile 64x8 --dtype bf16 --major mn --swizzle 128B --base 0x480
place --tile 16x32 --dtype e4m3 --swizzle 32B --order k-first
place --tile 8x64 --dtype e2m1 --swizzle 32B
place --tile 8x16 --dtype bf16 --swizzle 32B --cells element --label byte
place --layout (8,32):(32,1) --dtype e2m1 --cells element
place --layout (8,16):(16,1) --dtype f64 --cells element
map 0x4000004000010042 --arch sm_90a --mma 16x16
map 0x4000004000010040 --arch sm_90a --mma 64x16 --major mn
map 0xc000004000010040 --mma 8x32 --dtype e4m3
map 0x4000004000010040 --mma 8x16 --against '--tile 8x64 --swizzle 64B --base 0x400'
frag mma.m16n8k16 --dtype bf16
frag mma.m16n8k32 --dtype s8 --operand a
frag wgmma.m64n16k16 --operand d --full
frag ldmatrix.x4.trans
tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96
tma place --dtype f32 --box 8,3,2 --dims 64,5,4 --start 4,1,2
tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400
layout ((4,8),(2,2)):((32,1),(16,8)) --nested --full
layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'
layout (4,8,3):(1,4,32) --full
""".strip().splitlines()]
SCRIPT = """<script>
const out = [];
for (const rect of document.querySelectorAll('rect[data-says]')) {
  rect.dispatchEvent(new Event('pointerover', {bubbles: true}));
  out.push(said.textContent);
}
answer(out);
</script>"""
# What a page calls a number, and the key that --at has for it.
NAMES = {"index": "index", "offset": "offset", "byte": "byte", "line": "line", "bank": "bank", "chunk": "chunk",
         "thread": "thread", "value": "value", "register": "register", "bit": "bit", "address lane": "address_lane",
         "reads": "reads", "lies at": "lies_at"}
AXES = ["row", "k", "column", *(f"dim {d}" for d in range(5))]
NUMBER = re.compile(rf"\b({'|'.join(sorted([*NAMES, *AXES], key=len, reverse=True))})s? (?:0x[0-9a-f]+ = )?(-?\d+)")


def read(says):
    """(the coordinate for --at, its operand or None, {key: number}) of what a page says."""
    of = re.match(r"([a-d]): ", says)
    nested = re.match(r"(\(.*?\)), index", says)
    at, numbers = [], {}
    for name, number in NUMBER.findall(says):
        if name in AXES:
            at.append(number)
        else:
            numbers["register_bit" if name == "bit" and "register" in numbers else NAMES[name]] = int(number)
    return nested[1] if nested else ",".join(at), of and of[1], numbers


def without_pictures(words):
    return [word for word in words if word not in ("--full", "--nested", "--cells", "element", "--label", "byte")]


def faults_of(swz, words, browser, folder):
    page = folder / "page.html"
    subprocess.run([swz, *words, "-o", page], check=False, stdout=subprocess.DEVNULL)  # 1 is an answer as well
    with page.open("a") as file:
        file.write(ANSWER + SCRIPT)
    cells = [read(says) for says in answer_of(page, browser) or []]
    name = shlex.join(words)
    if len(cells) < 16:
        yield f"{name}: the page has {len(cells)} cells"
    lines = "".join(json.dumps([*without_pictures(words), "--at", at]) + "\n" for at, _, _ in cells)
    answers = subprocess.run([swz, "batch", "-"], input=lines, capture_output=True, text=True, check=False).stdout.splitlines()
    if len(answers) != len(cells):
        yield f"{name}: {len(answers)} answers for {len(cells)} cells"
    for (at, of, numbers), line in zip(cells, answers):
        answer = json.loads(line)
        points = [point for point in answer.get("result", {}).get("points", []) if of is None or point["of"] == of]
        if len(points) != 1:
            yield f"{name}: --at {at} gives {line}"
            return
        point = {key: number for key, number in points[0].items() if key not in ("at", "of", "element", "filled")}
        point.pop("bits", None)  # "3:0": the bit, and how many an element has
        if "bit" not in numbers and point.get("bit") == 0:
            del point["bit"]  # a cell of whole bytes
        if point != numbers:
            yield f"{name}: --at {at} says {point}, the page {numbers}"
            return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swz", required=True)
    parser.add_argument("--browser", required=True)
    options = parser.parse_args()
    swz = str(Path(options.swz).resolve())
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        for words in FIGURES:
            faults += faults_of(swz, words, options.browser, Path(scratch))
    for fault in faults:
        print(fault)
    print(f"{len(FIGURES)} figures, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
