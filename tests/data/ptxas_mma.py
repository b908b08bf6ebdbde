# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which shapes, types and accumulators of mma and wgmma it takes for which target.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_mma.py > tests/data/ptxas_mma.txt

A line is  family m k dtype accumulator | N ... | target ...  Every combination that has whole registers is asked, so
what is not in the file was refused. ptxas 13 no longer knows sm_70.
"""
import re
import subprocess
import tempfile
from pathlib import Path

TARGETS = ("sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90a sm_100a sm_100f sm_103a sm_103f sm_107a sm_107f sm_110a sm_110f "
           "sm_120a sm_120f sm_121a sm_121f").split()
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "e2m3": 8, "e3m2": 8, "e2m1": 8, "s8": 8, "u8": 8,
        "s4": 4, "u4": 4, "b1": 1, "f64": 64, "f32": 32}
ACCUMULATORS = {"f16": 16, "bf16": 16, "f32": 32, "s32": 32, "f64": 64}
REFUSED_ANYWAY = "mma.nonsense;"  # ptxas then stops after it has read the instructions
HEAD = """.version 9.5
.target {}
.address_size 64
.visible .entry k() {{
.reg .b32 %r<300>; .reg .f32 %f<300>; .reg .b64 %rd<300>; .reg .f64 %d<300>; .reg .pred %p<4>; .reg .b16 %h<4>;
"""


def refused(target, instructions):
    """The indices of the instructions with an error."""
    bad = set()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        while True:
            asked = [i for i in range(len(instructions)) if i not in bad]
            head = HEAD.format(target)
            source.write_text(head + "\n".join([instructions[i] for i in asked] + [REFUSED_ANYWAY, "ret;", "}"]))
            done = subprocess.run(["ptxas", "-arch", target, str(source), "-o", "/dev/null"], capture_output=True,
                                  text=True, check=False)
            lines = {int(n) - head.count("\n") - 1 for n in re.findall(r"line (\d+); error", done.stderr)}
            assert len(asked) in lines, done.stderr[:2000]
            lines = {n for n in lines if 0 <= n < len(asked)}
            if not lines:
                return bad
            bad |= {asked[n] for n in lines}


def registers(kind, count):
    return "{" + ",".join(f"%{kind}{i}" for i in range(count)) + "}"


def register_kind(dtype):
    return {"f64": "d", "f32": "f"}.get(dtype, "r")


def wgmma():
    for dtype, k in {"tf32": 8, "f16": 16, "bf16": 16, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}.items():
        for accumulator in ("f16", "bf16", "f32", "s32"):
            for n in range(8, 265, 8):
                d = registers(register_kind(accumulator), n * ACCUMULATORS[accumulator] // 64)
                tail = {"tf32": ", 1, 1", "f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "e4m3": ", 1, 1",
                        "e5m2": ", 1, 1"}.get(dtype, "")
                operation = ".and.popc" if dtype == "b1" else ""
                yield (("wgmma", 64, k, dtype, accumulator), n,
                       f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{accumulator}.{dtype}.{dtype}{operation} "
                       f"{d}, %rd0, %rd1, %p1{tail};")


def mma():
    for m in (8, 16):
        for k in (4, 8, 16, 32, 64, 128, 256):
            for dtype, bits in [*BITS.items(), ("e2m1", 4)]:
                for accumulator, d_bits in ACCUMULATORS.items():
                    mmas = 4 if m == 8 and bits == 16 else 1
                    counts = [m * k * bits * mmas // (32 * max(32, bits)), 8 * k * bits * mmas // (32 * max(32, bits)),
                              m * 8 * d_bits * mmas // (32 * max(32, d_bits))]
                    if 0 in counts:
                        continue
                    a, b = (registers("d" if dtype == "f64" else "r", count) for count in counts[:2])
                    d = registers(register_kind(accumulator), counts[2])
                    key = ("mma", m, k, dtype, accumulator)
                    if bits == 4 and dtype == "e2m1":
                        yield key, 8, (f"mma.sync.aligned.m{m}n8k{k}.row.col.kind::mxf4.block_scale.scale_vec::2X."
                                       f"{accumulator}.e2m1.e2m1.{accumulator}.ue8m0 {d},{a},{b},{d},"
                                       "%r0,{0,0},%r1,{0,0};")
                        continue
                    kind = ".kind::f8f6f4" if dtype in ("e2m3", "e3m2", "e2m1") else ""
                    operation = ".xor.popc" if dtype == "b1" else ""
                    yield key, 8, (f"mma.sync.aligned.m{m}n8k{k}.row.col{kind}.{accumulator}.{dtype}.{dtype}."
                                   f"{accumulator}{operation} {d},{a},{b},{d};")


def questions():
    yield from mma()
    yield from wgmma()


def record(script, asked, heads=False):
    """Prints what ptxas takes of the questions (key, value, text): a line for each key and set of targets."""
    taken = {}  # key -> value -> targets
    for target in TARGETS:
        bad = refused(target, [text for _, _, text in asked])
        for i, (key, value, _) in enumerate(asked):
            if i not in bad:
                taken.setdefault(key, {}).setdefault(value, []).append(target)
    version = subprocess.run(["ptxas", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    print(f"# What ptxas takes ({version}); written by tests/data/{Path(script).name}")
    if heads:
        print("targets", *TARGETS)
        for name in dict.fromkeys(key[0] for key, _, _ in asked):
            print("asked", name, sum(key[0] == name for key, _, _ in asked))
    for key, by_value in taken.items():
        for targets in sorted({tuple(t) for t in by_value.values()}):
            print(*key, "|", *[v for v in by_value if tuple(by_value[v]) == targets], "|", *targets)


def recorded(path):
    """The targets that took each form of such a file: (key words, value) -> set."""
    taken = {}
    for line in Path(path).read_text().splitlines():
        if line.startswith(("#", "targets ", "asked ")):
            continue
        key, values, targets = (part.split() for part in line.split("|"))
        for value in values:
            taken.setdefault((*key, value), set()).update(targets)
    return taken


if __name__ == "__main__":
    record(__file__, list(questions()))
