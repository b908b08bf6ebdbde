# SPDX-License-Identifier: Apache-2.0
"""What `swz kernel` predicts against what a GPU counted (tests/gpu/wavefronts.py), site by site.

    python3 -B tests/gpu/compare_wavefronts.py --swz build/dev/swz tests/data/wavefronts.tar.xz

The recording is a folder, or an archive, with wavefronts.jsonl and ptx/. A site is equal where the wavefronts counted are those
predicted, times the warps that execute it. The GPU counts a warp even if its predicate holds for no thread: of a site that
threads left out, the number of warps lies between two bounds. It prints every site that differs, with its line of PTX and the
GPU's instructions, and exits 1 if there is one. Counted apart are

    in a loop      an atomic that the GPU tries until it succeeds: its turns depend on time
    cp.async       one that took another count: its lanes' global addresses matter too (wavefronts/asynchronous.cu says how)
    within a bound fewer than what swz says that all lanes take
    other passes   a loop: swz sampled its first pass, the GPU counted all
    joined         an access that ptxas joined with its neighbours, as swz said that it may
    wider          one that it joined without that
"""

import argparse
import collections
import json
import math
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOLERANCE = 1e-6
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def predicted(swz, text, entry, threads, place="line"):
    """{place: what swz says of the access there}, for a block of the shape that was launched. place: line or offset."""
    block = ",".join(map(str, threads))
    done = subprocess.run([swz, "kernel", str(text), "--entry", entry, "--threads", block, "-f", "json"], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{text.name}: {done.stderr.strip()[:300]}")
    kernel, = json.loads(done.stdout)["kernels"]
    return {site[place]: site for site in kernel["smem"]}


def warps(site):
    """The fewest and the most executions by a warp that had a thread to run."""
    return sum(-(-threads // 32) for _, _, threads, _, _ in site["sass"]), site["executed"]


def width(instruction):
    """The bytes of a lane: LDS.U8, STS, LDS.128."""
    return next((WIDTHS[part] for part in instruction.split(".") if part in WIDTHS), 4)


def verdict(site, said, threads):
    if not site["executed"]:
        return "not executed"
    if any("SPIN" in instruction for instruction, *_ in site["sass"]):
        return "in a loop"
    if said is None:
        return "missing"
    if said["wavefronts"] is None:
        return "different" if "no warp" in said["why"] else "unknown"
    if said["wavefronts"] == 0:
        return "equal" if site["wavefronts"] == 0 else "different"
    times = site["wavefronts"] / said["wavefronts"]
    fewest, most = warps(site)
    if abs(times - round(times)) < TOLERANCE and fewest <= round(times) <= most:
        return "equal"
    if all(instruction.startswith("LDGSTS") for instruction, *_ in site["sass"]):
        return "cp.async"
    bytes_of_lane = max(width(instruction) for instruction, *_ in site["sass"])
    if said["access"].startswith(("ld.", "st.")) and bytes_of_lane > int(said["access"].rpartition(".b")[2]) // 8:
        return "joined" if said["may_join"] else "wider"
    if said["at_most"] and times < most:
        return "within a bound"
    if said["proof"] == "sampled" and site["executed"] > -(-threads // 32):
        return "other passes"
    return "different"


def compare(swz, folder):
    """How many sites have which verdict."""
    whole = collections.Counter()
    for kernel in map(json.loads, (folder / "wavefronts.jsonl").read_text().splitlines()):
        ptx = folder / "ptx" / kernel["ptx"]
        lines, said = ptx.read_text().splitlines(), predicted(swz, ptx, kernel["entry"], kernel["threads"])
        seen = collections.Counter()
        for site in kernel["sites"]:
            answer = said.get(site["line"])
            what = verdict(site, answer, math.prod(kernel["threads"]))
            seen[what] += 1
            if what in ("different", "missing"):
                print(f"{kernel['name']} line {site['line']}: counted {site['wavefronts']}/{site['executed']}, predicted "
                      f"{answer and answer['wavefronts']} ({answer and answer['proof']}): {lines[site['line'] - 1].strip()}  "
                      f"{site['sass']}")
        print(f"{kernel['name']}: " + ", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
        whole += seen
    return whole


def main():
    parser = argparse.ArgumentParser(description="compare predicted wavefronts with counted ones")
    parser.add_argument("--swz", required=True)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--least", type=int, default=1, help="sites that must be equal: what is not known is no agreement")
    options = parser.parse_args()
    if options.recording.is_dir():
        whole = compare(options.swz, options.recording)
    else:
        with tempfile.TemporaryDirectory() as folder, tarfile.open(options.recording) as archive:
            archive.extractall(folder)
            whole = compare(options.swz, Path(folder))
    print("all: " + ", ".join(f"{count} {what}" for what, count in sorted(whole.items())))
    return 1 if whole["different"] or whole["missing"] or whole["equal"] < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
