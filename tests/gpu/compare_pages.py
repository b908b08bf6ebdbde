# SPDX-License-Identifier: Apache-2.0
"""What `swz kernel` says of torch's own kernels against what Nsight Compute counted on an H100, from its source pages alone.

    python3 -B tests/gpu/compare_pages.py --swz build/dev/swz [--every 5] [--least 7000] tests/data/torch.tar.xz

The recording has pages of ncu 2025.3.1 (driver 580.159): kernels of torch 2.11 that its eager operators launch
(tests/gpu/programs/torch_operators.py), FlashAttention and memory-efficient attention among them, and pages.jsonl, the block of
each. swz reads the code and the counts of a page and judges each access. Every access that differs is printed; the exit code is
1 if there is one, or if fewer are equal than --least. Of accesses to global memory the sectors are judged in the same way.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--swz", required=True)
    parser.add_argument("--every", type=int, default=1, help="one page of so many; SWZ_WHOLE_SWEEPS=1 takes all")
    parser.add_argument("--least", type=int, default=0, help="how many must be equal, of all pages")
    parser.add_argument("recording")
    options = parser.parse_args()
    every = 1 if os.environ.get("SWZ_WHOLE_SWEEPS") else options.every
    counts = {"smem": collections.Counter(), "gmem": collections.Counter()}
    with tempfile.TemporaryDirectory() as folder, tarfile.open(options.recording) as archive:
        archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        for line in (Path(folder) / "pages.jsonl").read_text().splitlines()[::every]:
            page = json.loads(line)
            done = subprocess.run(
                [options.swz, "kernel", str(Path(folder) / page["page"]), "--threads", ",".join(map(str, page["threads"])), "-f", "json"],
                capture_output=True, text=True, check=True)
            for kernel in json.loads(done.stdout)["kernels"]:
                for kind, seen in counts.items():
                    for site in kernel[kind]:
                        verdict = site["counted"]["verdict"] if site["counted"] else "not-counted"
                        seen[verdict] += 1
                        if verdict == "differs":
                            print(f"DIFFERS {page['page']} {page['call']} {site['offset']:#06x} {site['instruction']}: {site}")
    for kind, seen in counts.items():
        print(kind, dict(seen.most_common()))
    smem = counts["smem"]
    executed = sum(smem.values()) - smem["not-executed"] - smem["not-counted"]
    print(f"{100 * (1 - smem['not-stated'] / executed):.2f} % of {executed} executed accesses to shared memory are stated")
    few = smem["equal"] < options.least // every * (1 if every == 1 else 0.7)
    if few:
        print(f"only {smem['equal']} are equal")
    return 1 if few or counts["smem"]["differs"] or counts["gmem"]["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
