#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/pasted/records.jsonl: tensor maps as debuggers print them, logs that hold descriptors between other numbers,
instruction descriptors by name, and spellings of descriptor structs. 'pasted_records.py --check' compares the file.

Every word is put together here from its fields: PTX ISA 9.7.15.5.1.2.2 (wgmma), tables 40, 42, 43 and 44 (tcgen05); the words of a
tensor map as docs/tma.md has them, stored less one, strides in units of 16 B.
"""
import json
import pathlib
import sys

rows = []


def row(source, words, expect, text=None, log=None):
    given = {"text": text} if log is None else {"input": log}
    rows.append({"from": source, "command": ["decode", *words, *([] if log is None else ["@-"])], **given, "expect": expect})


def refused(source, words, part, text=None, log=None):
    given = {"text": text} if log is None else {"input": log}
    rows.append({"from": source, "command": ["decode", *words, *([] if log is None else ["@-"])], **given, "refused": part})


def hex64(word):
    return f"0x{word:016x}"


def signed(word, bits=64):
    return word - (1 << bits) if word >> (bits - 1) else word


def halves(word):
    return word & 0xFFFFFFFF, word >> 32


def wgmma(start, lbo, sbo, mode, base=0):
    return start >> 4 | lbo >> 4 << 16 | sbo >> 4 << 32 | base << 49 | {"none": 0, "128B": 1, "64B": 2, "32B": 3}[mode] << 62


def tcgen05(start, lbo, sbo, mode, base=0):
    code = {"none": 0, "128B_32B": 1, "128B": 2, "64B": 4, "32B": 6}[mode]
    return start >> 4 | lbo >> 4 << 16 | sbo >> 4 << 32 | 1 << 46 | base << 49 | code << 61


def idesc(m, n, a, b, d, saturate=0, na=0, nb=0, ta=0, tb=0):
    return saturate << 3 | d << 4 | a << 7 | b << 10 | na << 13 | nb << 14 | ta << 15 | tb << 16 | n // 8 << 17 | m // 16 << 24


def scaled(m, n, a, b, scale, sfa=0, sfb=0, ta=0, tb=0):
    return sfb << 4 | a << 7 | b << 10 | ta << 15 | tb << 16 | n // 8 << 17 | scale << 23 | m // 128 << 27 | sfa << 29


# ---- tensor maps

TYPES = {"u8": (0, 8), "f16": (6, 16), "f32": (7, 32), "bf16": (10, 16)}


def tensor_map(dtype, dims, strides, box, swizzle, address, l2="none", oob="zero", steps=None):
    code, bits = TYPES[dtype]
    rank = len(dims)
    steps = steps or [1] * rank
    mode = ["none", "32B", "64B", "128B"].index(swizzle)
    w = [0] * 16
    w[0] = address
    w[1] = (rank - 1) << 4 | code << 7 | mode << 13 | (oob == "nan") << 15 | ["none", "64B", "128B", "256B"].index(l2) << 17
    places = ((1, 32), (2, 0), (2, 32), (3, 0))
    for i, stride in enumerate(strides):
        unit = stride // 16
        w[places[i][0]] |= (unit & 0xFFFFFFFF) << places[i][1]
        w[3] |= (unit >> 32) << (32 + 4 * i)
    for i in range(rank):
        w[4 + i // 2] |= (dims[i] - 1) << (32 * (i % 2))
        w[6] |= (steps[i] - 1) << (32 + 3 * i)
        if i == 0:
            w[6] |= (box[0] - 1) << 56
        else:
            w[7] |= (box[i] - 1) << (8 * (i - 1))
    w[8] = bits // 8
    for i in range(rank):
        w[8] *= box[i] // steps[i]
    w[9] = [16, 256, 512, 1024][mode]
    expect = {"dtype": dtype, "rank": rank, "address": address, "dims": dims, "strides": strides, "box": box, "element_strides": steps,
              "swizzle": swizzle, "l2": l2, "oob": oob, "interleave": "none", "problems": [], "verdict": "clean"}
    return w, expect


maps = [
    tensor_map("bf16", [4096, 8192], [8192], [64, 128], "128B", 0x7FFFC7A00000),
    tensor_map("f16", [64, 16, 32], [4096, 128], [32, 8, 2], "64B", 0x7F3A40000000, "128B", "nan"),
    tensor_map("u8", [7168, 4096, 8], [7168, 7168 * 4096], [128, 128, 1], "128B", 0x400540000000, "256B"),
    tensor_map("f32", [1000, 77, 5, 3], [4000, 308000, 1540000], [8, 16, 2, 1], "32B", 0x302000400, "64B", steps=[1, 2, 1, 1]),
    tensor_map("f16", [128, 512, 4, 3, 2], [256, 1 << 37, 1 << 38, 1 << 39], [64, 64, 1, 1, 1], "none", 0x7F0000000000),
]


def dump(values, digits, in_line, size, label=""):
    lines = []
    for i in range(0, len(values), in_line):
        name = f" <{label}+{i * size}>" if label and i else f" <{label}>" if label else ""
        lines.append(f"0x{0x7fffe0000a00 + i * size:x}{name}:\t" + "\t".join(f"0x{v:0{digits}x}" for v in values[i:i + in_line]))
    return "\n".join(lines)


def repeated(texts):
    """As gdb writes it after 'set print repeats 5': more than so many equal elements are one, 0 <repeats 6 times>."""
    out, i = [], 0
    while i < len(texts):
        n = 1
        while i + n < len(texts) and texts[i + n] == texts[i]:
            n += 1
        out += [f"{texts[i]} <repeats {n} times>"] if n >= 6 else [texts[i]] * n
        i += n
    return ", ".join(out)


for w, e in maps:
    data = b"".join(x.to_bytes(8, "little") for x in w)
    half = [int.from_bytes(data[i:i + 4], "little") for i in range(0, 128, 4)]
    opaque, hexadecimal = repeated([str(x) for x in w]), repeated([hex(x) for x in w])
    row("cuda-gdb, x/16gx of a CUtensorMap", [], e, dump(w, 16, 2, 8))
    row("cuda-gdb, x/16gx of a CUtensorMap below what was typed", [], e, "(cuda-gdb) x/16gx &map\n" + dump(w, 16, 2, 8))
    row("cuda-gdb, x/16gx of a CUtensorMap with its symbol", [], e, log=dump(w, 16, 2, 8, "tma_load_a") + "\n")
    row("cuda-gdb, x/32wx of a CUtensorMap", [], e, dump(half, 8, 4, 4))
    row("cuda-gdb, x/128bx of a CUtensorMap", [], e, log=dump(list(data), 2, 8, 1) + "\n")
    row("cuda-gdb, p map after set print repeats 5", [], e, f"$1 = {{opaque = {{{opaque}}}}}")
    row("cuda-gdb, p/x map after set print repeats 5, in a session", [], e, log=f"(cuda-gdb) p/x map\n$7 = {{opaque = {{{hexadecimal}}}}}\n(cuda-gdb) continue\n")
    row("cuda-gdb, p *map of a pointer to a map", [], e, "$3 = (CUtensorMap) {opaque = {" + ", ".join(map(str, w)) + "}}")
    row("hexdump of a kernel's parameter", [], e, data.hex(" "))
    whole = [f"0x{x:016x}" for x in w]
    for source, text in (("C, an array of a name", "tensor_map[16] = {" + ", ".join(map(hex, w)) + "}"),
                         ("C, an array with its type", "uint64_t desc[16] = {" + ", ".join(whole) + "};"),
                         ("C, an array over lines", "alignas(64) static const uint64_t m[16] = {\n    " + ",\n    ".join(whole) + ",\n};"),
                         ("C, an array of 32-bit words", "uint32_t map[32] = {" + ", ".join(map(hex, half)) + "};"),
                         ("opaque without its struct", "opaque = {" + ", ".join(map(str, w)) + "}"),
                         ("opaque, a line for each", "\n".join(f"opaque[{i}] = {hex(x)}" for i, x in enumerate(w))),
                         ("gdb, set print array-indexes on", "$1 = {opaque = {" + ", ".join(f"[{i}] = {x}" for i, x in enumerate(w)) + "}}"),
                         ("gdb, a std::array", "$1 = {_M_elems = {" + ", ".join(map(str, w)) + "}}"),
                         ("gdb, a struct with a map", "$1 = {tma_load_a = {tma_desc_ = {opaque = {" + opaque + "}}, aux = 3}}"),
                         ("Python, a list", str(w)), ("Python, a list of hex()", str(list(map(hex, w)))),
                         ("NumPy, an array", "array([" + ", ".join(map(str, w)) + "], dtype=uint64)"),
                         ("torch, signed numbers", "tensor([" + ", ".join(str(signed(x)) for x in w) + "], dtype=torch.int64)"),
                         ("printf of %llx", "CUtensorMap " + ", ".join(map(hex, w))),
                         ("printf of %016llx", " ".join(f"{x:016x}" for x in w)), ("printf of %08x", " ".join(f"{x:08x}" for x in half))):
        row(source, [], e, text)
        row(source + ", in a file", [], e, log=text + "\n")
    for text in ("tensor_map[16] = {" + ", ".join(map(hex, w)) + "}", dump(w, 16, 2, 8)):
        rows.append({"from": "the words of a map, to tma check", "command": ["tma", "check", "--paste", "-"], "input": text + "\n",
                     "expect": {k: e[k] for k in ("dtype", "dims", "strides", "box", "swizzle")} | {"accepted": True, "paste.program": "128 bytes"}})
first = maps[0][0]
wrong = list(first)
wrong[8] += 2
row("cuda-gdb, x/16gx of a damaged map", [], {"problems.0.word": 8, "problems.0.message": {"contains": "is 16386; the driver writes 16384"}, "problems.1": {"absent": True}}, dump(wrong, 16, 2, 8))
wrong = list(first)
wrong[12] = 5
row("cuda-gdb, x/16gx of a map with a reserved word", [], {"problems.0.word": 12, "problems.0.message": {"contains": "0x5"}, "problems.1": {"absent": True}}, dump(wrong, 16, 2, 8))
for w, _ in maps[:3]:
    halved = [v >> s & 0xFFFFFFFF for v in w for s in (0, 32)]
    for part, size in ((dump(w[:14], 16, 2, 8), "14 words of 64 bits, 112 bytes; a tensor map has 128"),
                       (dump([*w, 0, 1], 16, 2, 8), "18 words of 64 bits, 144 bytes; a tensor map has 128"),
                       (dump(halved[:28], 8, 4, 4), "28 words of 32 bits, 112 bytes; a tensor map has 128")):
        refused("cuda-gdb, a part of a map or more than one", [], size, log=part + "\n")
        refused("cuda-gdb, a part of a map or more than one", [], size, part)
refused("cuda-gdb, x/18gx of a map: which words are one", [], "words 1 to 16 are a whole tensor map", dump([*first, 0, 1], 16, 2, 8))
refused("cuda-gdb, x/18gx two words before a map", [], "words 3 to 18 are a whole tensor map", dump([0, 1, *first], 16, 2, 8))
refused("C, an array of nine words", [], "the list after 'tensor_map' holds 9 numbers, not 16", "tensor_map = {" + ", ".join(map(str, first[:9])) + "}")
refused("C, two arrays", [], "more than one tensor map", 2 * ("tensor_map[16] = {" + ", ".join(map(hex, first)) + "};\n"))
for prose in ("feed the cafe a decade of faded facades, a dead beef added a face and bade a cab fade; each decade added",
              "feed the cafe a decade of faded facades\na dead beef added a face and bade a cab fade\n"):
    refused("prose with the letters of hexadecimal digits", [], "holds no number", prose)
    refused("prose with the letters of hexadecimal digits", [], "holds no descriptor word", log=prose)
refused("cuda-gdb, p map, cut off", [], "not 16", "$1 = {opaque = {" + ", ".join(map(str, first[:9])) + "}}")

# ---- words of descriptors: spellings and structs

WORDS = [wgmma(1056, 16, 1024, "128B"), wgmma(2048, 16, 512, "64B"), wgmma(0x8000, 16, 256, "32B"), wgmma(4096, 1024, 128, "none")]
TWORDS = [tcgen05(1024, 16, 1024, "128B"), tcgen05(0x4000, 16, 512, "64B"), tcgen05(0x1C000, 4096, 512, "128B_32B")]
for word in (*WORDS, *TWORDS):
    kind = "tcgen05-smem" if word in TWORDS else "wgmma-smem"
    is_new = {"word": hex64(word), "kind": kind}
    lo, hi = halves(word)
    row("printf of %lld", [], is_new, f"desc_a = {signed(word)}")
    row("cuda-gdb, p/t", [], is_new, f"$4 = {word:b}")
    row("Python, bin()", [], is_new, f"0b{word:064b}")
    row("MLIR, a constant", [], is_new, f"%5 = llvm.mlir.constant({signed(word)} : i64) : i64")
    row("NumPy, one element", [], is_new, f"array([{word}], dtype=uint64)")
    row("SASS, two UMOV", [], is_new, f"UMOV UR4, 0x{lo:x} ;\nUMOV UR5, 0x{hi:x} ;")
    row("PTX, a 64-bit immediate", [], is_new, f"mov.u64 \t%rd14, {signed(word)};")
    row("cuda-gdb, reg16_", [], {"word": hex64(word)}, f"reg16_ = {{{lo & 0xffff}, {lo >> 16}, {hi & 0xffff}, {hi >> 16}}}")

# Halves as %08x and %d print them, and as PTX moves them; a word of mode 2 or 3 is negative.
for word in WORDS:
    lo, hi = halves(word)
    is_word = {"word": hex64(word)}
    low, high = f"{lo:08x}", f"{hi:08x}"
    for source, text in (("registers, %08x", f"R4={low} R5={high}"), ("registers of two lines, %08x", f"R4: {low}\nR5: {high}"),
                         ("uniform registers, %08x", f"UR4 {low}\nUR5 {high}"), ("halves, %08x", f"lo={low} hi={high}"),
                         ("halves, %08x and 0x", f"desc_lo={low} desc_hi=0x{high}"),
                         ("reg32_, %d", f"reg32_ = {{{lo}, {signed(hi, 32)}}}"), ("halves, %d", f"lo = {lo}, hi = {signed(hi, 32)}"),
                         ("uint2, %d", f"{{x = {lo}, y = {signed(hi, 32)}}}"), ("registers, %d", f"R4 = {lo}, R5 = {signed(hi, 32)}"),
                         ("PTX, two moves and their joint", f"mov.b32 %r1, {lo}; mov.b32 %r2, {hi}; mov.b64 %rd1, {{%r1, %r2}};"),
                         ("PTX, signed moves", f"mov.u32 \t%r11, {lo};\nmov.u32 \t%r12, {signed(hi, 32)};\nmov.b64 \t%rd4, {{%r11, %r12}};")):
        row(source, [], is_word, text)
refused("one register decimal, one %08x", [], "are a hexadecimal number without 0x and a decimal one", "R4=00010042 R5=64")
for low, high in (("0x10042", "40000040"), ("0x00010042", "80000020"), ("00010042", "0x40000040")):
    word = hex64(int(high, 16) << 32 | int(low, 16))
    for form in ("lo={} hi={}", "R4={} R5={}", "desc_lo = {}\ndesc_hi = {}", "hi={1} lo={0}"):
        row("one half without 0x, of eight digits", [], {"word": word}, form.format(low, high))
row("one half hexadecimal, one decimal of ten digits", [], {"word": hex64(WORDS[0])}, "lo = 0x10042, hi = 1073741888")
row("registers, the high one first", [], {"word": hex64(WORDS[0])}, "R5 = 0x40000040, R4 = 0x10042")
for text in ("desc: 00010042 40000040", "desc = 0x10042 0x40000040", "desc: 65602 1073741888", "desc 0x10042 0x40000040", "a_desc=00010042 40000040 k=0"):
    row("a name and two halves", [], {"word": hex64(WORDS[0])}, text)
row("two names, each with two halves", [], {"words.0.word": hex64(WORDS[0]), "words.1.word": hex64(WORDS[1]), "words.2": {"absent": True}},
    "desc_a: {:08x} {:08x} desc_b: {:08x} {:08x}".format(*halves(WORDS[0]), *halves(WORDS[1])))
refused("digits in groups", [], "is not a decimal number", "4000:0040:0001:0042")
refused("a word and what is added", [], "'0x4000004000010042 + k' is an expression", "smem_desc = 0x4000004000010042 + k * 2")
refused("one half hexadecimal, one of two digits", [], "'hi = 64' may be decimal or hexadecimal", "lo=0x10042 hi=64")
refused("one half hexadecimal, one of five digits", [], "'lo = 65602' may be decimal or hexadecimal", "lo=65602 hi=0x40000040")
for text, of in (("0x42 | 0x4000004000010000", "0x42 | 0x4000004000010000"), ("0x4000004000010000 | 0x42", "0x4000004000010000 | 0x42"),
                 ("desc = 0x42 | 0x4000004000010000", "0x42 | 0x4000004000010000"), ("desc |= 0x4000004000010000;", "desc |= 0x4000004000010000"),
                 ("desc = base | 0x4000004000000000;", "base | 0x4000004000000000"), ("0x4000004000010042 + 2", "0x4000004000010042 + 2"),
                 ("(uint64_t)0x42 | (uint64_t)0x4000004000010000", "0x42 | (uint64_t)0x4000004000010000"),
                 ("desc_a - desc_b = 0x400", "desc_a - desc_b = 0x400"), ("or.b64 %rd7, %rd6, 4611686293313683456;", "or.b64 %rd7, %rd6, 4611686293313683456")):
    refused("a part of an expression", [], f"'{of}' is an expression", text)
row("columns of a table", [], {"words.0.word": hex64(WORDS[0]), "words.1.word": hex64(WORDS[0] + 2)}, f"| {hex64(WORDS[0])} | {hex64(WORDS[0] + 2)} |")
row("columns of a log", [], {"word": hex64(WORDS[0]), "read_as": {"contains": "not used: k = 0 and 132"}}, f"k=0 | desc={hex64(WORDS[0])} | 132 CTAs")
row("a time of day before a word", [], {"word": hex64(WORDS[0])}, f"[2026-01-02 12:00:01] loss 1.25e+03 desc={hex64(WORDS[0])}")
refused("gdb, a value that is not there", [], "holds no number", "desc = <optimized out>")
ENCODED = "        /*0130*/                   ULDC.64 UR4, c[0x0][0x208] ;                     /* 0x0000820000047ab9 */\n" \
          "                                                                                    /* 0x003fde0000000a00 */\n"
COMPUTED = "        /*0140*/                   ULOP3.LUT UR4, UR4, 0x10042, URZ, 0xfc, !UPT ;\n" \
           "        /*0150*/                   ULOP3.LUT UR5, UR5, 0x40000040, URZ, 0xfc, !UPT ;\n"
for listing in (ENCODED, "/*0130*/ ULDC.64 UR4, c[0x0][0x208] ; /* 0x0000820000047ab9 */", COMPUTED, "        code for sm_90a\n                Function : k\n" + ENCODED + COMPUTED):
    refused("cuobjdump -sass", [], "encodings of instructions, not descriptors", listing)
    refused("cuobjdump -sass, in a file", [], "encodings of instructions, not descriptors", log=listing)
    rows.append({"from": "cuobjdump -sass, to swz itself", "command": ["-f", "text"], "text": listing, "refused": "encodings of instructions, not descriptors"})
row("cuobjdump -sass with the UMOV of a word", [], {"words.0.word": hex64(WORDS[0]), "words.1": {"absent": True}},
    log=ENCODED + "        /*0140*/                   UMOV UR4, 0x10042 ;                              /* 0x0001004200047882 */\n"
    "        /*0150*/                   UMOV UR5, 0x40000040 ;                           /* 0x4000004000057882 */\n")
refused("a register of seven digits", [], "'R4 = 0010042' is not a number", "R4=0010042 R5=40000040")
refused("a half that is too negative", [], "has more than 32 bits", "lo = 65602, hi = -2147483649")
refused("PTX, one register without a value", [], "moves registers", "mov.b32 %r1, 65602; mov.b64 %rd1, {%r1, %r2};")
refused("an expression of shifts", [], "'0x1 << 16' is an expression, and a word is a number", "matrix_descriptor_encode: 0x42 | 0x1 << 16 | 0x40 << 32 | 1 << 62")
refused("C++, only the mode", [], "'(1ull) << 62' is an expression", "desc |= (1ull) << 62;")

MODES = {"none": (0, 0, 0), "128B": (1, 2, 3), "64B": (2, 4, 2), "32B": (3, 6, 1)}
for start, lbo, sbo, mode in ((1024, 16, 1024, "128B"), (0x2400, 16, 512, "64B"), (512, 2048, 256, "32B"), (0, 1024, 128, "none")):
    gmma, umma, _ = MODES[mode]
    s, l, b = start // 16, lbo // 16, sbo // 16
    old, new = hex64(wgmma(start, lbo, sbo, mode)), hex64(tcgen05(start, lbo, sbo, mode))
    row("DeepGEMM, make_smem_desc of sm90, its fields", [], {"word": old, "kind": "wgmma-smem"},
        f"desc.bitfield.start_address_ = {s}\ndesc.bitfield.leading_byte_offset_ = {l}\ndesc.bitfield.stride_byte_offset_ = {b}\n"
        f"desc.bitfield.base_offset_ = 0\ndesc.bitfield.layout_type_ = {gmma}")
    row("DeepGEMM, UMMA::SmemDescriptor of sm100", [], {"word": new, "kind": "tcgen05-smem"},
        f"desc.version_ = 1, desc.lbo_mode_ = 0, desc.base_offset_ = 0, desc.layout_type_ = {umma}, desc.start_address_ = {s}, "
        f"desc.stride_byte_offset_ = {b}, desc.leading_byte_offset_ = {l}")
    row("Triton, SMEMDescriptor in gdb", [], {"word": old, "kind": "wgmma-smem"},
        f"$2 = {{descriptor = {int(old, 16)}, {{baseAddress = {s}, leadDimensionBaseOffset = {l}, strideDimensionBaseOffset = {b}, "
        f"matrixBaseOffset = 0, swizzlingMode = {gmma}}}}}")
    row("MLIR, the operands of nvvm.tcgen05.mma_smem_desc", [], {"word": new, "kind": "tcgen05-smem"},
        f"{{startAddr = {s}, leadingDimOffset = {l}, strideDimOffset = {b}, baseOffset = 0, leadingDimMode = 0, swizzleMode = {umma}}}")
    mlir = f"{{startAddr = {s}, leadingDimOffset = {l}, strideDimOffset = {b}, baseOffset = 0, swizzleMode = {umma}}}"
    row("MLIR, the operands without their mode", [], {"word": new, "kind": "tcgen05-smem"}, mlir)
    row("MLIR, a mode that is false", [], {"word": new, "kind": "tcgen05-smem"}, mlir.replace("swizzle", "leadingDimMode = false, swizzle"))
    row("MLIR, a mode that is true", [], {"word": hex64(int(new, 16) | 1 << 52), "kind": "tcgen05-smem"}, mlir.replace("swizzle", "leadingDimMode = true, swizzle"))
    row("MLIR, one operand twice and the same", [], {"word": new}, mlir.replace("}", f", swizzleMode = {umma}}}"))
    refused("MLIR, one operand twice", [], f"swizzle is {umma}, but 'swizzleMode = 1'", mlir.replace("}", ", swizzleMode = 1}"))
    row("TensorRT-LLM XQA, MatDesc in gdb", [], {"word": old, "kind": "wgmma-smem"},
        f"$1 = {{addr = {s}, dimKOffset = {l}, dimMNOffset = {b}, baseOffset = 0, swizzle = {gmma}}}")
    row("CUTLASS, layout_type_ by its name", [], {"word": old},
        f"{{start_address_ = {s}, leading_byte_offset_ = {l}, stride_byte_offset_ = {b}, base_offset_ = 0, layout_type_ = "
        f"cute::SM90::GMMA::LayoutType::{'INTERLEAVE' if mode == 'none' else 'B' + mode[:-1]}}}")
    names = ("start_address_", "leading_byte_offset_", "stride_byte_offset_", "base_offset_", "layout_type_")
    values = (s, l, b, 0, gmma)
    for source, form, joint in (("a struct as JSON", '"{}": {}', ", "), ("designated initializers of C++", ".{} = {}", ", "), ("p/x of the fields", "{} = 0x{:x}", ", "),
                                ("p/t of the fields", "{} = 0b{:b}", ", "), ("assignments through a pointer", "desc->bitfield.{} = {};", " "), ("one field a line", "{}: {}", "\n")):
        row(source, [], {"word": old, "kind": "wgmma-smem"}, joint.join(form.format(*pair) for pair in zip(names, values)))

# ---- instruction descriptors

PLAIN = "sparse_id2_ = 0, sparse_flag_ = 0, saturate_ = {s}, c_format_ = {d}, a_format_ = {a}, b_format_ = {b}, a_negate_ = 0, b_negate_ = 0, " \
        "a_major_ = {ta}, b_major_ = {tb}, n_dim_ = {n}, m_dim_ = {m}, max_shift_ = 0"
SCALED = "sparse_id2_ = 0, sparse_flag_ = 0, b_sf_id_ = {sfb}, a_format_ = {a}, b_format_ = {b}, a_negate_ = 0, b_negate_ = 0, a_major_ = {ta}, " \
         "b_major_ = {tb}, n_dim_ = {n}, scale_format_ = {sc}, m_dim_ = {m}, a_sf_id_ = {sfa}, k_size_ = 0"
words = []
for kind, m, n, a, b, d, s, ta, tb in (("f16", 128, 256, 1, 1, 1, 0, 0, 0), ("f16", 64, 64, 0, 0, 0, 0, 1, 1), ("f16", 256, 128, 0, 0, 1, 0, 0, 1),
                                       ("tf32", 128, 64, 2, 2, 1, 0, 0, 0), ("f8f6f4", 128, 128, 0, 1, 1, 0, 0, 0),
                                       ("f8f6f4", 256, 256, 5, 3, 0, 0, 0, 0), ("i8", 128, 256, 1, 0, 2, 1, 0, 0)):
    word = idesc(m, n, a, b, d, s, 0, 0, ta, tb)
    words.append((kind, word))
    e = {"word": f"0x{word:08x}", "kind": "tcgen05-idesc", "kind_qualifier": kind, "summary": {"contains": f"M {m}, N {n}"}}
    fields = PLAIN.format(s=s, d=d, a=a, b=b, ta=ta, tb=tb, n=n // 8, m=m // 16)
    row("cuda-gdb, UMMA::InstrDescriptor, pretty", ["--kind", kind], e, "$2 = {\n  desc_ = " + str(word) + ",\n  {\n    " + fields.replace(", ", ",\n    ") + "\n  }\n}")
    row("Triton, TCGen5InstructionDescriptor", ["--kind", kind], e if s == 0 else {"kind": "tcgen05-idesc", "word": f"0x{word - 8:08x}"},
        f"{{sparsitySelector = 0, sparsity = 0, dType = {d}, aType = {a}, bType = {b}, negateA = 0, negateB = 0, transposeA = {ta}, "
        f"transposeB = {tb}, N = {n // 8}, M = {m // 16}, shift = 0}}")
    row("printf of an idesc", ["--kind", kind, "--as", "idesc"], {"word": f"0x{word:08x}", "kind_qualifier": kind}, f"idesc: 0x{word:x}")
F16, F8, S8 = ({0: "F16", 1: "BF16", 2: "TF32"}, {0: "E4M3", 1: "E5M2", 3: "E2M3", 4: "E3M2", 5: "E2M1"}, {0: "UINT8", 1: "INT8"})
ENUMS = {"f16": ("F16F32Format", F16), "tf32": ("F16F32Format", F16), "f8f6f4": ("MXF8F6F4Format", F8), "i8": ("S8Format", S8)}
NAMED = PLAIN.replace("a_negate_ = 0, b_negate_ = 0", "a_negate_ = {neg}, b_negate_ = {neg}").replace("max_shift_ = 0", "max_shift_ = {shift}")
for kind, m, n, a, b, d, s, ta, tb in (("f16", 128, 256, 1, 1, 1, 0, 0, 0), ("f16", 64, 64, 0, 0, 0, 0, 1, 1), ("tf32", 128, 64, 2, 2, 1, 0, 0, 1),
                                       ("f8f6f4", 256, 256, 5, 3, 0, 0, 0, 0), ("f8f6f4", 128, 32, 0, 4, 1, 0, 0, 0), ("i8", 128, 256, 1, 0, 2, 1, 0, 0)):
    word = idesc(m, n, a, b, d, s, 0, 0, ta, tb)
    enum, names = ENUMS[kind]
    for source, form in (("by its name", "cute::UMMA::{0}::{1}"), ("in parentheses", "(cute::UMMA::{0}::{1})"), ("name and number", "{1} = {2}"), ("number after it in parentheses", "{1} ({2})"),
                         ("Python's repr", "<{0}.{1}: {2}>"), ("Python's str", "{0}.{1}"), ("name after the number", "{2} ({1})"), ("name and number in parentheses", "({1} = {2})")):
        value = lambda of, name, code: form.format(of, name, code)
        text = NAMED.format(s=s, d=value("CFormat", {0: "F16", 1: "F32", 2: "S32"}[d], d), a=value(enum, names[a], a), b=value(enum, names[b], b), ta=value("Major", "K" if ta == 0 else "MN", ta),
                            tb=value("Major", "K" if tb == 0 else "MN", tb), neg=value("ScaleIn", "One", 0), shift=value("MaxShift", "NoShift", 0), n=n // 8, m=m // 16)
        row("CUTLASS, enumerators of an idesc, " + source, ["--kind", kind], {"word": f"0x{word:08x}", "kind": "tcgen05-idesc", "kind_qualifier": kind}, "{" + text + "}")
BF16 = "c_format_ = {d}, a_format_ = {a}, b_format_ = BF16, a_major_ = K, b_major_ = K, n_dim_ = 32, m_dim_ = 8"
refused("a name that is not an enumerator", ["--kind", "f16"], "'c_format_ = F64' is not a value", BF16.format(d="CFormat::F64", a="BF16"))
refused("an enumerator and another number", ["--kind", "f16"], "contradicts itself", "{" + BF16.format(d="F32 = 2", a="BF16") + "}")
refused("a number and another enumerator", ["--kind", "f16"], "contradicts itself", BF16.format(d="1", a="1 (F16)"))
refused("a type of integers in a field of D", ["--kind", "f16"], "is not a value", BF16.format(d="E4M3", a="BF16"))
E2M1 = "{{b_sf_id_ = 0, a_format_ = {0}E2M1, b_format_ = {0}E2M1, a_major_ = K, b_major_ = K, n_dim_ = 32, scale_format_ = UE8M0, m_dim_ = 8, a_sf_id_ = 0}}"
refused("E2M1 of a block-scaled word, which has two codes", [], "is 5 in kind mxf8f6f4 and 1 in kinds mxf4 and mxf4nvf4", E2M1.format(""))
row("E2M1 of MXF4Format", ["--kind", "mxf4"], {"word": f"0x{scaled(128, 256, 1, 1, 1):08x}"}, E2M1.format("cute::UMMA::MXF4Format::"))
row("E2M1 of MXF8F6F4Format", [], {"word": f"0x{scaled(128, 256, 5, 5, 1):08x}", "kind_qualifier": "mxf8f6f4"}, E2M1.format("cute::UMMA::MXF8F6F4Format::"))
for kind, m, n, a, b, scale, sfa, sfb, ta, tb in (("mxf8f6f4", 128, 128, 0, 0, 1, 0, 0, 0, 0), ("mxf8f6f4", 256, 256, 0, 1, 1, 3, 2, 0, 1),
                                                  ("mxf8f6f4", 128, 64, 5, 4, 1, 1, 1, 0, 0), ("mxf4", 128, 256, 1, 1, 1, 0, 2, 0, 0),
                                                  ("mxf4nvf4", 256, 128, 1, 1, 0, 0, 0, 0, 0), ("mxf4nvf4", 128, 192, 1, 1, 0, 0, 0, 0, 0)):
    word = scaled(m, n, a, b, scale, sfa, sfb, ta, tb)
    e = {"word": f"0x{word:08x}", "kind": "tcgen05-idesc", "kind_qualifier": kind, "summary": {"contains": f"M {m}, N {n}"}, "lints": []}
    fields = SCALED.format(sfb=sfb, a=a, b=b, ta=ta, tb=tb, n=n // 8, sc=scale, m=m // 16, sfa=sfa)
    row("cuda-gdb, UMMA::InstrDescriptorBlockScaled", ["--kind", kind], e, f"$1 = {{desc_ = {word}, {{{fields}}}}}")
    row("UMMA::InstrDescriptorBlockScaled, only the fields", ["--kind", kind], e, "{" + fields + "}")
    triton = f"{{sparsitySelector = 0, sparsity = 0, BScaleFactor = {sfb}, aType = {a}, bType = {b}, negateA = 0, negateB = 0, " \
             f"transposeA = {ta}, transposeB = {tb}, N = {n // 8}, scaleType = {scale}, M = {m // 16}, AScaleFactor = {sfa}}}"
    row("Triton, TCGen5InstructionDescriptor of a block-scaled kind", ["--kind", kind], e, triton)
    refused("Triton, M >> 7 in place of M >> 4", ["--kind", kind], f"'M = {m // 128}' sets bits that are reserved",
            triton.replace(f"M = {m // 16},", f"M = {m // 128},"))
    row("printf of a block-scaled idesc", ["--kind", kind, "--as", "idesc"], e, f"idesc = {word}")
    refused("UMMA::InstrDescriptorBlockScaled, another N in the word", ["--kind", kind], "contradicts itself",
            f"$1 = {{desc_ = {word ^ 1 << 19}, {{{fields}}}}}")

# ---- logs

a, b, c = WORDS[0], wgmma(1088, 16, 1024, "128B"), wgmma(0x8000, 16, 256, "32B")
t, u = TWORDS[0], tcgen05(1056, 16, 1024, "128B")


def found(*pairs):
    e = {}
    for i, (word, line) in enumerate(pairs):
        e |= {f"words.{i}.word": hex64(word), f"log.words.{i}.line": line}
    return e | {f"words.{len(pairs)}": {"absent": True}}


row("printf of a kernel between times and pointers", [], found((a, 2), (b, 3)),
    log=f"start clock 18446744073 smem 0x400\nk=0 a={hex64(a)} ptr 0x7fffc7a00000 t=3.5\nk=1 a={signed(b)} acc=1.25e+03\ndone 132 CTAs in 17 us\n")
row("a session of cuda-gdb", [], {**found((t, 4), (u, 6)), "log.addresses.0.text": "0x7fffe0000b00"},
    log=f"(cuda-gdb) p idx\n$1 = 132\n(cuda-gdb) p/x smem_desc_a\n$2 = {hex64(t)}\n(cuda-gdb) x/1gx &desc_b\n0x7fffe0000b00:\t{hex64(u)}\n")
low, high = halves(c)
row("a session of cuda-gdb, info registers", [], {"words.0.word": hex64(c), "words.1": {"absent": True}},
    log=f"(cuda-gdb) info registers R4 R5\n\nR4             0x{low:x}            {low}\nR5             0x{high:x}          {high}\n")
row("PTX with immediates", [], found((a, 2), (c, 3)),
    log=f"ld.param.u64 \t%rd1, [gemm_param_0];\nmov.u64 \t%rd7, {a};\nmov.b64 \t%rd8, {signed(c)};\nadd.s64 \t%rd9, %rd8, 2;\n")
row("SASS with two descriptors", [], {"words.0.word": hex64(a), "words.1.word": hex64(b), "words.2": {"absent": True}},
    log="".join(f"UMOV UR{i}, 0x{v:x} ;\n" for i, v in zip((4, 5, 6, 7), (*halves(a), *halves(b)))) + "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24 ;\n")
row("a log with the print of CuTe", [], {"words.0.word": hex64(a)},
    log=f"tile 3 of 132\nGmmaDescriptor: {hex64(a)}\n  start_addr :  0x0042\n  leading_off:  0x0001 (1)\n  stride_off :  0x0040 (64)\n"
        "  base_offset:  0x0\n  layout_type:  0x1 (B128)\nmma done, 4096 cycles\n")
row("a log with fields by name", [], {"words.0.word": hex64(a), "words.1": {"absent": True}},
    log="iteration 7\n{start_address_ = 66, leading_byte_offset_ = 1, stride_byte_offset_ = 64, base_offset_ = 0, layout_type_ = 1}\nloss 2.31\n")
kind, word = words[0]
row("a log with instruction descriptors", ["--as", "idesc", "--kind", kind],
    {"words.0.word": f"0x{word:08x}", "words.0.kind_qualifier": kind, "log.words.0.line": 2, "words.1": {"absent": True}},
    log=f"launch 132 x 256\nissue idesc=0x{word:08x} a=0x7fffc7a00000\n4096 cycles\n")
for name in ("idesc=", "idesc: ", "instr_desc = ", "idesc "):
    row("a log with both descriptors", [], {"words.0.word": hex64(t), "log.words.0.line": 1, "words.1.word": f"0x{word:08x}", "log.words.1.line": 1, "words.2.word": hex64(u), "log.words.2.line": 2, "words.3": {"absent": True}},
        log=f"k=0 desc={hex64(t)} {name}0x{word:08x}\nk=1 desc={hex64(u)} {name}0x{word:08x}\n")
row("a log with both descriptors, only of operands", ["--as", "smem"], found((t, 1)) | {"words.0.word": hex64(t)}, log=f"k=0 desc={hex64(t)} idesc=0x{word:08x}\n")
low, high = halves(a)
for first_line, second_line in ((f"lo=0x{low:x}", f"hi=0x{high:x}"), (f"desc_lo = {low}", f"desc_hi = {high}"), (f"hi: 0x{high:x}", f"lo: 0x{low:x}"), (f"R4 0x{low:x}", f"R5 0x{high:x}"),
                                (f"desc = {{lo = {low},", f"hi = {high}}}")):
    row("a log with halves on two lines", [], found((a, 2)), log=f"k=0\n{first_line}\n{second_line}\ndone 132 CTAs\n")
row("a log with a half that has none", [], found((a, 3)), log=f"k=0\nlo=0x99\nlo=0x{low:x}\nhi=0x{high:x}\n")
row("cuda-gdb, x/2i", [], found((a, 1)), log=f"=> 0x7fffd8f5b130 <kernel+304>:\tUMOV UR4, 0x{low:x}\n   0x7fffd8f5b140 <kernel+320>:\tUMOV UR5, 0x{high:x}\n")
row("PTX with an operand of or.b64", [], found((a, 1)) | {"log.addresses.0.line": 2, "log.addresses.0.why": {"contains": "an operand of 'or.b64 %rd8, %rd7"}},
    log=f"mov.b64 %rd7, {a};\nor.b64 %rd8, %rd7, {b - 4};\n")
refused("a log with a part of a word", [], "holds no descriptor word", log=f"desc |= {hex64(a)};\ndesc = base | {hex64(b)};\n")
for text in ("epoch 3, loss 2.31\nptr 0x7fffc7a00000\n", "R4 0x7f 127\nR5 0x0 0\n", "tile 128x256x64, 4 stages, 132 CTAs\n"):
    refused("a log without descriptors", [], "holds no descriptor word", log=text)

# ---- what is half a record, or two that differ

whole = "start_address_ = 66, leading_byte_offset_ = 1, stride_byte_offset_ = 64, base_offset_ = 0, layout_type_ = "
refused("the union and a field that differ", [], "contradicts itself", f"{{desc_ = {a}, bitfield = {{{whole}2}}}}")
refused("the union and its quarters that differ", [], "contradicts itself", f"{{desc_ = {a}, reg16_ = {{66, 1, 65, 16384}}}}")
refused("one field twice", [], "start_address is 66, but 'start_address_ = 67'", "{" + whole + "1, start_address_ = 67}")
refused("half a struct", [], "does not give stride_byte_offset and swizzle", "{start_address_ = 66, leading_byte_offset_ = 1")
refused("only the mode", [], "does not give start_address", "{layout_type_ = 1}")
refused("half a struct of Triton", [], "does not give stride_byte_offset and swizzle", "{baseAddress = 66, leadDimensionBaseOffset = 1}")
refused("only the low half", [], "the high half is missing", "{lo = 66}")
refused("only the high half", [], "the low half is missing", "hi = 64")
refused("one half of reg32_", [], "a word has 2", "reg32_ = {65602}")
refused("three quarters of reg16_", [], "a word has 4", "reg16_ = {66, 1, 64}")
refused("half an instruction descriptor", [], "does not give m", "{a_format_ = 1, b_format_ = 1, c_format_ = 1, n_dim_ = 32}")
refused("an instruction descriptor and its types that differ", ["--kind", "f16"], "contradicts itself",
        f"{{desc_ = {idesc(128, 256, 1, 1, 1)}, {{c_format_ = 1, a_format_ = 1, b_format_ = 0, n_dim_ = 32, m_dim_ = 8}}}}")
refused("names of fields that may count bytes", [], "may count bytes or units of 16 bytes",
        "SmemDescriptor(start_address=66, leading_byte_offset=1, stride_byte_offset=64, layout_type=2)")
refused("PTX, registers without values", [], "moves registers", "mov.b64 %rd7, {%r1, %r2};")
refused("a field below 0", [], "does not fit in the 3 bits", "{" + whole.replace("base_offset_ = 0", "base_offset_ = -1") + "1}")
refused("a mode that has no number", [], "does not fit in the 2 bits", "{" + whole + "4}")
refused("too many digits", [], "has 17 digits", "0x04000004000010042")

out = pathlib.Path(__file__).resolve().parent.parent / "data" / "pasted" / "records.jsonl"
text = "".join(json.dumps(r) + "\n" for r in rows)
if sys.argv[1:] == ["--check"]:
    sys.exit(0 if out.read_text() == text else f"{out.name} is not what this script writes")
out.write_text(text)
print(len(rows))
