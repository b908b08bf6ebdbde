#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the CUDA source of the measurements of rates on sm_90a: tests/data/rates/h100.jsonl is what they printed.

    python3 make.py FOLDER        wgmma_0.cu ... wgmma_15.cu, rates.cu, rates.hpp; then
    for f in FOLDER/*.cu; nvcc -gencode=arch=compute_90a,code=sm_90a -O2 -c $f; nvcc *.o -o rates; ./rates

The interval of an instruction is (cycles of 40 of them - cycles of 8) / 32, each a straight line of instructions that
accumulate in the same registers, in one commit group: what starting and waiting cost is in both.
"""
import pathlib
import sys

PARTS = 16
UNROLLED = (8, 40)
ALL_N = range(8, 257, 8)
# Of integers PTX has fewer.
INTEGER_N = [8, 16, 24, 32, *range(48, 257, 16)]

# name: K, types of PTX, type of a register of D, values of D in a register, what follows the operands
KINDS = {
    "f16": (16, "f32.f16.f16", "float", 1, ", 1, 1"),
    "f16-f16": (16, "f16.f16.f16", "unsigned", 2, ", 1, 1"),
    "e4m3": (32, "f32.e4m3.e4m3", "float", 1, ", 1, 1"),
    "tf32": (8, "f32.tf32.tf32", "float", 1, ", 1, 1"),
    "s8": (32, "s32.s8.s8", "int", 1, ""),
}

# The layouts of the operands in shared memory: descriptor without the address, and whether B has N contiguous.
LAYOUTS = {
    "k-none": ((128 >> 4) << 16 | (256 >> 4) << 32, 0),
    "k-128B": (1 << 16 | (1024 >> 4) << 32 | 1 << 62, 0),
    "mn-128B": ((2048 >> 4) << 16 | (1024 >> 4) << 32 | 1 << 62, 1),
}


def cases():
    """(kind, n, where A is, layout, sparse)"""
    for n in ALL_N:
        for a in ("smem", "registers"):
            for kind in ("f16", "e4m3", "tf32"):
                yield kind, n, a, "k-128B", False
        yield "f16", n, "smem", "k-none", False
        yield "f16", n, "smem", "mn-128B", False
        yield "f16-f16", n, "smem", "k-128B", False
    for n in INTEGER_N:
        for a in ("smem", "registers"):
            yield "s8", n, a, "k-128B", False
    for n in ALL_N:
        for a in ("smem", "registers"):
            yield "f16", n, a, "k-128B", True
            yield "e4m3", n, a, "k-128B", True


def kernel(name, case, count):
    kind, n, a, layout, sparse = case
    k, types, register, packed, scales = KINDS[kind]
    flags, b_is_mn = LAYOUTS[layout]
    registers = n // 2 // packed
    letter = "f" if register == "float" else "r"
    d = ", ".join(f"%{i}" for i in range(registers))
    at = registers
    a_operand = f"%{at}" if a == "smem" else "{" + ", ".join(f"%{at + i}" for i in range(4)) + "}"
    at += 1 if a == "smem" else 4
    b_operand = f"%{at}"
    transposed = ""
    if kind.startswith("f16"):
        transposed = f", 0, {b_is_mn}" if a == "smem" else f", {b_is_mn}"
    metadata = f", %{at + 1}, 0" if sparse else ""
    suffix = ".sp" if sparse else ""
    shape = f"m64n{n}k{2 * k if sparse else k}"
    line = (f"wgmma.mma_async{suffix}.sync.aligned.{shape}.{types} "
            f"{{{d}}}, {a_operand}, {b_operand}{metadata}, p{scales}{transposed};\\n")
    outputs = ", ".join(f'"+{letter}"(d[{i}])' for i in range(registers))
    inputs = ['"l"(a)'] if a == "smem" else [f'"r"(r{i})' for i in range(4)]
    inputs.append('"l"(b)')
    if sparse:
        inputs.append('"r"(0x44444444u)')
    return f"""
__global__ void __launch_bounds__(256) {name}(long long* cycles) {{
  extern __shared__ __align__(1024) unsigned char smem[];
  fill(smem);
  const unsigned long long a = {flags}ULL | (address(smem) >> 4), b = {flags}ULL | (address(smem + 16384) >> 4);
  const unsigned r0 = threadIdx.x, r1 = r0 * 3, r2 = r0 * 5, r3 = r0 * 7;
  {register} d[{registers}];
  for (int i = 0; i < {registers}; ++i) d[i] = 0;
  __syncthreads();
  const long long begin = clock64();
  asm volatile(
      "{{\\n.reg .pred p;\\nsetp.ne.b32 p, 1, 0;\\nwgmma.fence.sync.aligned;\\n"
      {(chr(10) + "      ").join('"' + line + '"' for _ in range(count))}
      "wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;\\n}}"
      : {outputs}
      : {", ".join(inputs)});
  const long long end = clock64();
  {register} sum = 0;
  for (int i = 0; i < {registers}; ++i) sum += d[i];
  report(cycles, end - begin, sum == 12345);
  (void)a; (void)r0; (void)r1; (void)r2; (void)r3;
}}
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    here = pathlib.Path(__file__).parent
    for name in ("rates.hpp", "rates.cu"):
        (folder / name).write_text((here / name).read_text())
    parts = [['// Made by make.py.\n#include "rates.hpp"\n'] for _ in range(PARTS)]
    rows = [[] for _ in range(PARTS)]
    for i, case in enumerate(cases()):
        part = i % PARTS
        names = [f"wgmma_{i}_{count}" for count in UNROLLED]
        for name, count in zip(names, UNROLLED):
            parts[part].append(kernel(name, case, count))
        kind, n, a, layout, sparse = case
        rows[part].append(f'{{"{kind}", {n}, "{a}", "{layout}", {int(sparse)}, {names[0]}, {names[1]}}}')
    for part in range(PARTS):
        parts[part].append(f"std::vector<Case> cases_{part}() {{ return {{" + ",\n  ".join(rows[part]) + "}; }\n")
        (folder / f"wgmma_{part}.cu").write_text("".join(parts[part]))


if __name__ == "__main__":
    main()
