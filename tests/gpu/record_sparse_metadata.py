# SPDX-License-Identifier: Apache-2.0
"""Asks a GPU which bits of the metadata of mma.sp are which row and chunk of A, for every form, lane and selector.

    python3 tests/gpu/record_sparse_metadata.py > tests/data/sparse_metadata.txt       (needs CuPy and sm_89 or later)

Nothing is assumed of the metadata. All nibbles of e are 0100 (the first elements of a chunk are kept), then one nibble
of one lane is 1110 (the last ones), and what changes in D names its row and its chunk: B has a chunk's number, one bit
in each column, at the last elements of the chunk. Then each value of a nibble is asked which elements it keeps.

A line is    FORM TYPE selector S | LANE ROW.CHUNK … | …    the eight nibbles of a lane from the lowest bits on; lanes that
                                                            have no effect are left out
or           FORM TYPE nibble V: the places of what is kept, in the order of A
"""
import cupy as cp
import numpy as np

# type: bits, elements of a chunk, 1.0, accumulator, its letter in asm
TYPES = {"f16": (16, 4, 0x3C00, "f32", "f"), "bf16": (16, 4, 0x3F80, "f32", "f"),
         "tf32": (32, 2, 0x3F800000, "f32", "f"), "s8": (8, 4, 1, "s32", "r"), "e4m3": (8, 4, 0x38, "f32", "f"),
         "s4": (4, 8, 1, "s32", "r")}
FORMS = [("f16", 16, 4), ("f16", 32, 2), ("bf16", 16, 4), ("bf16", 32, 2), ("tf32", 8, 4), ("tf32", 16, 2),
         ("s8", 32, 2), ("s8", 64, 1), ("e4m3", 64, 1), ("s4", 64, 2), ("s4", 128, 1)]  # with K and the selectors
L = np.arange(32)


def words(count, bits, value_of):
    """The registers of an operand: value_of(lane / 4, register, k within it) of each element."""
    each = 32 // bits
    out = np.zeros((32, count), np.uint32)
    for r in range(count):
        for i in range(each):
            out[:, r] |= np.array([value_of(g, r, each * t + i) for g, t in zip(L // 4, L % 4)], np.uint32) << bits * i
    return cp.array(out)


for name, k, selectors in FORMS:
    bits, of, one, acc, letter = TYPES[name]
    na = nb = k * bits // 128
    span = 128 // bits
    for s in range(selectors):
        def regs(first, n):
            return "{" + ",".join(f"%{first + i}" for i in range(n)) + "}"
        asm = (f"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col.{acc}.{name}.{name}.{acc} {regs(0, 4)},"
               f"{regs(4, na)},{regs(4 + na, nb)},{regs(0, 4)},%{4 + na + nb},{s};")
        kind = "float" if letter == "f" else "int"
        inputs = [f'"r"(a[l*{na}+{i}])' for i in range(na)] + [f'"r"(b[l*{nb}+{i}])' for i in range(nb)]
        source = (f'extern "C" __global__ void f(unsigned*a,unsigned*b,unsigned*e,{kind}*d){{int l=threadIdx.x,'
                  f'q=blockIdx.x*32+l;{kind} c[4]={{0,0,0,0}};asm volatile("{asm}":'
                  + ",".join(f'"+{letter}"(c[{i}])' for i in range(4)) + ":" + ",".join(inputs)
                  + ',"r"(e[q]));for(int i=0;i<4;++i)d[q*4+i]=c[i];}')
        kernel = cp.RawKernel(source, "f")

        def run(a, b, e):
            d = cp.zeros((len(e), 32, 4), np.float32 if letter == "f" else np.int32)
            kernel((len(e),), (32,), (a, b, cp.array(e), d))
            full = np.zeros((len(e), 16, 8))
            for r in range(4):
                full[:, L // 4 + r // 2 * 8, L % 4 * 2 + r % 2] = d.get()[:, :, r]
            return full

        b = words(nb, bits, lambda n, r, x: one * ((x + span * r) % of >= of // 2
                                                   and (x + span * r) // of + 1 >> n & 1))
        e = np.full((257, 32), 0x44444444, np.uint32)
        for q in range(256):
            e[q, q // 8] ^= 0xA << 4 * (q % 8)
        d = run(words(na, bits, lambda g, r, x: one), b, e)
        lanes = []
        for lane in range(32):
            places = []
            for nibble in range(8):
                changed = d[lane * 8 + nibble] != d[256]
                rows = np.flatnonzero(changed.any(1))
                assert len(rows) <= 1
                places.append(f"{rows[0]}.{(changed[rows[0]] << np.arange(8)).sum() - 1}" if len(rows) else "-")
            if set(places) != {"-"}:
                lanes.append(f"{lane} {' '.join(places)}")
        print(f"m16n8k{k} {name} selector {s} | " + " | ".join(lanes))
    pair = 2 if of == 8 else 1
    kept = 1 if of == 2 else 2
    b = words(nb, bits, lambda n, r, x: one * ((x + span * r) % of == n))
    for value in ((0x4, 0xE) if of == 2 else (0x4, 0x8, 0x9, 0xC, 0xD, 0xE)):
        e = np.full((1, 32), 0x11111111 * value, np.uint32)
        found = [np.flatnonzero(run(words(na, bits, lambda g, r, x: one * (x // pair % kept == j)), b, e)[0, 0])
                 for j in range(kept)]
        print(f"m16n8k{k} {name} nibble {value:x}: " + " ".join(str(x) for places in found for x in places))
