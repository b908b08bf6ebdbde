"""What `swz kernel` predicts against what a GPU counted (tests/gpu/wavefronts.py), site by site.

    python3 -B tests/gpu/compare_wavefronts.py --swz build/release/swz FOLDER

FOLDER has wavefronts.jsonl and ptx/. A site is equal where its wavefronts for each execution by a warp, as counted, are those
predicted. It prints every site that differs, with its line of PTX and the instructions of the GPU, and exits 1 if there is one.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

TOLERANCE = 1e-6


def predicted(swz, ptx, entry):
    """{line: what swz says of the access there}."""
    done = subprocess.run([swz, "kernel", str(ptx), "--entry", entry, "-f", "json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{ptx.name}: {done.stderr.strip()[:300]}")
    kernel, = json.loads(done.stdout)["kernels"]
    return {site["line"]: site for site in kernel["smem"]}


def verdict(site, said):
    """equal, unknown, missing, not executed or different."""
    if not site["executed"]:
        return "not executed"
    if said is None:
        return "missing"
    if said["wavefronts"] is None:
        return "unknown"
    return "equal" if abs(site["wavefronts"] / site["executed"] - said["wavefronts"]) < TOLERANCE else "different"


def main():
    parser = argparse.ArgumentParser(description="compare predicted wavefronts with counted ones")
    parser.add_argument("--swz", required=True)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    whole = collections.Counter()
    for kernel in map(json.loads, (options.folder / "wavefronts.jsonl").read_text().splitlines()):
        ptx = options.folder / "ptx" / kernel["ptx"]
        lines, said = ptx.read_text().splitlines(), predicted(options.swz, ptx, kernel["entry"])
        seen = collections.Counter()
        for site in kernel["sites"]:
            answer = said.get(site["line"])
            what = verdict(site, answer)
            seen[what] += 1
            if what in ("different", "missing"):
                print(f"{kernel['name']} line {site['line']}: counted {site['wavefronts']}/{site['executed']}, predicted "
                      f"{answer and answer['wavefronts']} ({answer and answer['proof']}): {lines[site['line'] - 1].strip()}  {site['sass']}")
        print(f"{kernel['name']}: " + ", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
        whole += seen
    print("all: " + ", ".join(f"{count} {what}" for what, count in sorted(whole.items())))
    return 1 if whole["different"] or whole["missing"] or not whole else 0


if __name__ == "__main__":
    sys.exit(main())
