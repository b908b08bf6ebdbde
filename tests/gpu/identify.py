# SPDX-License-Identifier: Apache-2.0
"""What `swz identify` says of tiles that a GPU wrote (tests/gpu/identify.cu), against what they are.

    python3 tests/gpu/identify.py --swz build/dev/swz FOLDER

A dump that leaves more than one answer has the right one among its candidates; it is counted apart.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

KEYS = ("swizzle", "major", "order", "base")


def is_same(case, said):
    # If atoms are in only one direction, both orders are the same.
    return all(said[key] == case[key] or (key == "order" and case[key] is None) for key in KEYS)


def main():
    parser = argparse.ArgumentParser(description="identify recorded dumps")
    parser.add_argument("--swz", required=True)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    seen, wrong = collections.Counter(), 0
    for case in map(json.loads, (options.folder / "cases.jsonl").read_text().splitlines()):
        words = ["identify", str(options.folder / case["file"]), "--as", "bytes", "--dtype", case["dtype"], "--tile", case["tile"],
                 "-f", "json"]
        done = subprocess.run([options.swz, *words], capture_output=True, text=True, check=False)
        said = json.loads(done.stdout or "{}")
        candidates = said.get("candidates", [])
        if done.returncode == 0 and said.get("exact") and any(is_same(case, one) for one in candidates or [said]):
            seen[f"{case['by']} {case['swizzle']}", "one of several" if candidates else "alone"] += 1
        else:
            wrong += 1
            print(case, done.stdout[:600], done.stderr[:300])
    for (kind, how), count in sorted(seen.items()):
        print(f"{kind}: {count} {how}")
    print(f"{sum(seen.values())} right, {wrong} wrong")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
