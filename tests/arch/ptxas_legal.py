# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas once more what the recordings say that it takes, and the program what it says of each target.

    python3 tests/arch/ptxas_legal.py --swz build/dev/swz --ptxas "$(sh scripts/ptxas)"

The recordings are tests/data/ptxas_*.txt, which test_ptxas*.cpp compare with the tables, legal and illegal forms alike. Of each target a change asks every 16th form, another 16th for each; SWZ_WHOLE_SWEEPS=1
asks all. The limit of .shared arrays is that of `swz arch targets`: it assembles, a byte more does not.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
sys.path.insert(0, str(DATA))
import ptxas_matrix  # noqa: E402
import ptxas_mma  # noqa: E402
import ptxas_scaled  # noqa: E402
import ptxas_syntax  # noqa: E402
import ptxas_tcgen05  # noqa: E402
import ptxas_tma  # noqa: E402

STEP = 1 if os.environ.get("SWZ_WHOLE_SWEEPS") else 16
ARRAY = """.version 9.5
.target {}
.address_size 64
.visible .entry k() {{
.shared .align 16 .b8 s[{}];
.reg .b32 %r<2>;
mov.u32 %r0, s;
st.shared.u32 [%r0], %r0;
ret;
}}
"""


def differences(module):
    """The forms whose verdict is not that of the recording, as text; and how many were asked.

    A form with several texts (e2m1 packed or in bytes) is taken if one of them is.
    """
    taken = ptxas_mma.recorded(DATA / f"{module.__name__}.txt")
    forms = {}
    for key, value, text in module.questions():
        forms.setdefault((*map(str, key), str(value)), []).append(text)
    wrong, count = [], 0
    for number, target in enumerate(ptxas_mma.TARGETS):
        asked = [(form, text) for form in list(forms)[number % STEP :: STEP] for text in forms[form]]
        refused = ptxas_mma.refused(target, [text for _, text in asked])
        is_taken = {}
        for i, (form, _) in enumerate(asked):
            is_taken[form] = is_taken.get(form, False) or i not in refused
        count += len(is_taken)
        for form, now in is_taken.items():
            if now != (target in taken.get(form, ())):
                wrong.append(f"{target} {'takes' if now else 'refuses'} what it did not: {forms[form][0]}")
    return wrong, count


def of_syntax():
    """The texts of ptxas_syntax.txt of which ptxas says something else now, and how many were asked."""
    lines = (DATA / "ptxas_syntax.txt").read_text(encoding="utf-8").splitlines()[1::STEP]
    wrong = []
    for line in lines:
        verdict, kind, text = line.split(" ", 2)
        if ptxas_syntax.verdict((kind, text)) != verdict:
            wrong.append(f"no longer {verdict}: {text}")
    return wrong, len(lines)


def takes(target, source):
    done = subprocess.run(["ptxas", "-arch", target, str(source), "-o", "/dev/null"], capture_output=True, check=False)
    return done.returncode == 0


def takes_array(target, size):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(ARRAY.format(target, size))
        return takes(target, source)


def of_targets(rows):
    """What is wrong with the rows of the shared memory of the targets."""
    wrong = []
    if [row["name"] for row in rows] != ptxas_mma.TARGETS:
        wrong.append("the targets are not those that ptxas was asked about")
    for row in rows:
        most = row["static_smem"]
        if not takes_array(row["name"], most) or takes_array(row["name"], most + 1):
            wrong.append(f"{row['name']}: {most} B is not the limit of .shared arrays")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swz", required=True)
    parser.add_argument("--ptxas", required=True, help="the directory of ptxas")
    options = parser.parse_args()
    os.environ["PATH"] = f"{options.ptxas}:{os.environ['PATH']}"
    answer = subprocess.run([options.swz, "arch", "targets", "-f", "json"], capture_output=True, check=True)
    wrong = of_targets(json.loads(answer.stdout)["shared_memory"])
    if not takes("sm_107a", DATA.parent / "ptx/targets/rubin.ptx"):  # tests/ptx/test_words_by_target.cpp
        wrong.append("tests/ptx/targets/rubin.ptx is not taken for sm_107a")
    for module in (ptxas_mma, ptxas_matrix, ptxas_scaled, ptxas_tma, ptxas_tcgen05):
        found, count = differences(module)
        print(f"{module.__name__}: {count} forms asked, {len(found)} differ")
        wrong += found
    found, count = of_syntax()
    print(f"ptxas_syntax: {count} texts asked, {len(found)} differ")
    wrong += found
    for line in wrong[:40]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
