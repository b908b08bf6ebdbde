# SPDX-License-Identifier: Apache-2.0
"""Keeps a part of a recording of `swz verify`, so that runs on several GPUs fit into the repository.

    python3 tests/data/thin.py < run.jsonl > tests/data/h100.jsonl

Of the cases of one probe that ask the same form the first is kept, and then each STEP-th. The form is the value of the
first key, as the access or the element type; of wgmma its types and the operand, so that every N comes up; of a layout
its type and the way it is accessed; of a cluster what it asks. All of mma is kept: it asks A, B, C and D of each instruction once. A case that was
recorded whole is kept as it is. The head says how many cases the run had: "of".
"""

import collections
import json
import sys

STEP = {"wavefront": 4, "matrix": 4, "mma": 1, "wgmma": 4, "tma": 4, "tile": 2, "tensor_map": 10, "layout": 8,
        "im2col": 8, "interleave": 8, "reduce": 8, "cluster": 8}


def main():
    lines = [line for line in sys.stdin.read().splitlines() if line]
    head = json.loads(lines[0])
    head["of"] = len(lines) - 1
    print(json.dumps(head, separators=(",", ":")))
    seen = collections.Counter()
    for line in lines[1:]:
        case = json.loads(line)
        probe, form = next(iter(case.items()))
        if probe == "wgmma":
            form = form.split(".", 1)[1], case["of"]
        if probe == "reduce":
            form = form, case["op"]
        if probe == "cluster":
            form = case["asks"]
        if probe == "layout":
            form = case["by"], case["dtype"], "asks" in case
        if seen[probe, form] % STEP[probe] == 0:
            print(line)
        seen[probe, form] += 1


if __name__ == "__main__":
    main()
