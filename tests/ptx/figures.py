# SPDX-License-Identifier: Apache-2.0
"""How much `swz kernel` knows of real kernels, a line a kernel.

    python3 -B tests/ptx/figures.py --swz build/release/swz build/ptx/triton/*.ptx build/ptx/cutlass/*.ptx

Each line counts: operands of MMAs in shared memory, and of how many LBO, SBO, mode and base offset are known, and the start has
its symbol and alignment; instruction descriptors, and of how many M and N are known; accesses to shared memory, and how many have
a count; findings, notes left out; seconds of the whole process. It exits 1 where a kernel has less than all of the first two, or
less than 95 % of the accesses.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

WORD = ("leading_byte_offset", "stride_byte_offset", "base_offset", "swizzle")
ENOUGH = 0.95


def is_known(operand):
    start = operand["start"]
    return all(operand[key] is not None for key in WORD) and bool(start and start["symbol"] and start["alignment"])


def figures(kernel):
    operands = [site[side] for site in kernel["mma"] for side in ("a", "b") if site[side] and site[side]["in"] == "smem"]
    # mma.sync has only registers; a descriptor's word is what the operand of wgmma and tcgen05 has.
    instruction = [site["idesc"] for site in kernel["mma"] if site["instruction"].startswith("tcgen05.mma")]
    found = kernel["findings"] + [finding for site in kernel["mma"] for finding in site["findings"]]
    return {"operands": [sum(map(is_known, operands)), len(operands)],
            "idesc": [sum(bool(x and x["m"] and x["n"]) for x in instruction), len(instruction)],
            "accesses": [sum(site["wavefronts"] is not None for site in kernel["smem"]), len(kernel["smem"])],
            "findings": sum(finding["severity"] != "note" for finding in found)}


def is_enough(row):
    known, whole = row["accesses"]
    return row["operands"][0] == row["operands"][1] and row["idesc"][0] == row["idesc"][1] and known >= ENOUGH * whole


def main():
    parser = argparse.ArgumentParser(description="how much swz kernel knows")
    parser.add_argument("--swz", required=True)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    short, count = 0, 0
    for file in options.files:
        begun = time.monotonic()
        done = subprocess.run([options.swz, "kernel", str(file), "-f", "json"], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begun
        if done.returncode not in (0, 1) or not done.stdout:
            short += 1
            print(f"{file.stem}: {done.stderr.strip()[:300]}")
            continue
        for kernel in json.loads(done.stdout)["kernels"]:
            row = figures(kernel)
            count += 1
            short += not is_enough(row)
            words = [f"{name} {row[name][0]}/{row[name][1]}" for name in ("operands", "idesc", "accesses") if row[name][1]]
            print(f"{file.stem} {kernel['name'][:40]}: {', '.join(words) or 'nothing'}, findings {row['findings']}, {seconds:.2f} s"
                  + ("" if is_enough(row) else "  <-- not enough"))
    print(f"{count} kernels, {short} not enough")
    return 1 if short or not count else 0


if __name__ == "__main__":
    sys.exit(main())
