# SPDX-License-Identifier: Apache-2.0
"""What `swz kernel` says of the instructions of SASS against what an H100 counted, instruction by instruction.

    python3 -B tests/gpu/compare_sass.py --swz build/dev/swz [--every 3] [--least 33000] tests/data/sass.tar.xz

The recording has sass/, what `nvdisasm -c` prints of the kernels of tests/data/{programs,wavefronts,hand_written}.tar.xz, assembled
by ptxas 13.0.88, and sass.jsonl: for each kernel the block that was launched and, for each access to shared memory, its offset, its
opcode, how often a warp executed it, with how many threads in all, and the wavefronts that Nsight Compute counted. An access is
equal where the wavefronts are those predicted times the warps that executed it; of one that a predicate lets some warps execute
without any thread, the number of warps lies between two bounds. It prints every access that differs and exits 1 if there is one,
or if fewer are equal than --least. Counted apart are

    cp.async     one that took another count: the lanes' global addresses matter too, and one that copies nothing takes none
    at most      fewer than what swz says that all lanes take
    in a loop    an atomic that is tried until it succeeds: its turns depend on time
    not stated   swz says why
"""

import argparse
import collections
import json
import os
import sys
import tarfile
import tempfile
from pathlib import Path

from compare_wavefronts import TOLERANCE, predicted

MOST_UNSTATED = 0.05


def verdict(said, opcode, executed, threads, wavefronts, loops):
    if executed == 0:
        return "not executed"
    if said is None:
        return "MISSING"
    count = said["wavefronts"]
    if count is None:
        # A warp without a thread that executes it takes no wavefront.
        return "not stated" if threads or "no warp" not in said["why"] else "equal"
    fewest = -(-threads // 32)
    if count * fewest - TOLERANCE <= wavefronts <= count * executed + TOLERANCE:
        return "equal"
    if said["at_most"] and wavefronts <= count * executed:
        return "at most"
    if opcode.startswith("LDGSTS"):
        return "cp.async"
    return "in a loop" if loops else "DIFFERS"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--swz", required=True)
    parser.add_argument("--every", type=int, default=1, help="one kernel of so many; SWZ_WHOLE_SWEEPS=1 takes all")
    parser.add_argument("--least", type=int, default=0, help="how many must be equal, of all kernels")
    parser.add_argument("recording")
    options = parser.parse_args()
    every = 1 if os.environ.get("SWZ_WHOLE_SWEEPS") else options.every
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, tarfile.open(options.recording) as archive:
        archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        kernels = [json.loads(line) for line in (Path(folder) / "sass.jsonl").read_text().splitlines()]
        for kernel in kernels[::every]:
            said = predicted(options.swz, Path(folder) / "sass" / kernel["sass"], kernel["entry"], kernel["threads"],
                             "offset")
            loops = any("SPIN" in opcode for _, opcode, *_ in kernel["sites"])
            for offset, opcode, executed, threads, wavefronts in kernel["sites"]:
                if offset in said and said[offset]["instruction"] != opcode:
                    raise RuntimeError(f"{kernel['sass']}: {offset:#x} is {said[offset]['instruction']}, recorded is {opcode}")
                found = verdict(said.get(offset), opcode, executed, threads, wavefronts, loops)
                counts[found] += 1
                if found.isupper():
                    print(f"{found} {kernel['name']} {kernel['sass']} {offset:#06x} {opcode}: {wavefronts} wavefronts of {executed} "
                          f"warps with {threads} threads; said is {said.get(offset)}")
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    executed = sum(counts.values()) - counts["not executed"]
    stated = 1 - counts["not stated"] / executed
    print(f"{100 * stated:.2f} % of {executed} executed accesses are stated")
    wrong = counts["DIFFERS"] + counts["MISSING"]
    few = counts["equal"] < options.least // every - (0 if every == 1 else options.least // every // 4)
    if few:
        print(f"only {counts['equal']} are equal")
    return 1 if wrong or few or stated < 1 - MOST_UNSTATED else 0


if __name__ == "__main__":
    sys.exit(main())
