# SPDX-License-Identifier: Apache-2.0
"""Where things lie, by the formulas of PTX, CuTe and cuBLAS, without swz: what tests/meta/questions.py compares its answers with.

Bytes and bits count from 0. A fragment is (thread, register, bit of the register).
"""

import re
import struct

MODES = {"none": (16, 0), "32B": (32, 1), "64B": (64, 2), "128B": (128, 3)}  # bytes of a line, bits of the XOR


def xor(address, bits, base=4):
    """Bits 7 and up of an address onto its chunk; base 5 of the mode 128B_32B."""
    return address ^ ((address >> 7 & ((1 << bits) - 1)) << base)


class Tile:
    """An operand in shared memory: atoms of 8 lines in sequence."""

    def __init__(self, rows, cols, bits, mode, major, order, base=0):
        self.rows, self.cols, self.bits, self.mode, self.major, self.order, self.base = rows, cols, bits, mode, major, order, base
        self.lines, self.xor_base = (4, 5) if mode == "128B_32B" else (8, 4)
        self.width, self.xor_bits = (128, 2) if mode == "128B_32B" else MODES[mode]
        self.along = cols if major == "k" else rows      # the extent that is contiguous
        self.across = rows if major == "k" else cols
        self.atoms_along = self.along * bits // 8 // self.width
        self.atoms_across = self.across // self.lines

    def linear_bit(self, row, k):
        """Before the XOR."""
        along, across = (k, row) if self.major == "k" else (row, k)
        in_line = along * self.bits
        atom_along, atom_across = in_line // (8 * self.width), across // self.lines
        # mn-first: atoms follow each other along M or N.
        is_along_first = (self.order == "mn-first") == (self.major == "mn")
        atom = atom_across * self.atoms_along + atom_along if is_along_first else atom_along * self.atoms_across + atom_across
        line = atom * self.lines + across % self.lines
        return 8 * (self.base + line * self.width) + in_line % (8 * self.width)

    def bit(self, row, k):
        linear = self.linear_bit(row, k)
        return 8 * xor(linear // 8, self.xor_bits, self.xor_base) + linear % 8

    def byte(self, row, k):
        return self.bit(row, k) // 8

    def fill(self, values, size=None):
        """The bytes, where element (row, k) holds the integer values[row * cols + k] of whole bytes."""
        step = self.bits // 8
        out = bytearray(size or self.rows * self.cols * step)
        for row in range(self.rows):
            for k in range(self.cols):
                at = self.byte(row, k) - self.base
                out[at:at + step] = values[row * self.cols + k].to_bytes(step, "little")
        return bytes(out)


# ---- CuTe's notation

def tuple_of(text):
    return eval(re.sub(r"_(\d+)", r"\1", text), {"__builtins__": {}})  # digits, commas and parentheses: checked by the caller


def flat(value):
    return [one for part in value for one in flat(part)] if isinstance(value, tuple) else [value]


def strided(shape, stride, index):
    """What mode `shape`:`stride` gives for a number, colexicographically."""
    out = 0
    for extent, step in zip(flat(shape), flat(stride)):
        out += index % extent * step
        index //= extent
    return out


class CuteLayout:
    """'Sw<3,3,3> o 0 o (8,64):(64,1)', 'Sw<3,4,3> o smem_ptr[16b](unset) o …' or a bare layout, of rank 2."""

    def __init__(self, text, element_bits=16):
        match = re.fullmatch(r"(?:Sw?<(\d+),(\d+),(\d+)> o (?:(\d+)|smem_ptr\[(\d+)b\]\(unset\)) o )?([\d(),]+):([\d(),]+)", text)
        if not match:
            raise ValueError(f"not a layout of rank 2: {text}")
        self.swizzle = tuple(map(int, match.group(1, 2, 3))) if match[1] else (0, 0, 0)
        self.offset = int(match[4] or 0)
        self.is_pointer = match[5] is not None
        self.bits = int(match[5] or element_bits)
        self.shape, self.stride = tuple_of(match[6]), tuple_of(match[7])
        if len(self.shape) != 2:
            raise ValueError(f"not of rank 2: {text}")

    def extent(self, mode):
        out = 1
        for one in flat(self.shape[mode]):
            out *= one
        return out

    def __call__(self, row, col):
        """The offset in elements."""
        at = self.offset + strided(self.shape[0], self.stride[0], row) + strided(self.shape[1], self.stride[1], col)
        bits, base, shift = self.swizzle
        unit = self.bits // 8 if self.is_pointer else 1  # on bytes of the address, or on the offset
        at *= unit
        at ^= (at >> base + shift & (1 << bits) - 1) << base
        return at // unit


# ---- registers

def mma_a(row, k, bits):
    """mma.m16n8kK, A: a register holds 32 / bits elements of a row, four threads a row."""
    each = 32 // bits
    return (row % 8 * 4 + k // each % 4, row // 8 + k // (4 * each) * 2, k % each * bits)


def mma_b(k, n, bits):
    each = 32 // bits
    return (n * 4 + k // each % 4, k // (4 * each), k % each * bits)


def mma_d(row, n):
    return (row % 8 * 4 + n // 2 % 4, row // 8 * 2 + n % 2 + n // 8 * 4, 0)


def wgmma_d(row, n):
    thread, register, bit = mma_d(row % 16, n)
    return (row // 16 * 32 + thread, register, bit)


def wgmma_a(row, k, bits):
    thread, register, bit = mma_a(row % 16, k, bits)
    return (row // 16 * 32 + thread, register, bit)


def ldmatrix(row, col, is_transposed):
    """Matrices of 8 rows of 16 bytes, one register each, one below the other."""
    first, second = (col, row % 8) if is_transposed else (row % 8, col)
    return (first * 4 + second // 2, row // 8, second % 2 * 16)


# ---- tensor memory

def accumulator(row, col, m, n, pair, ws):
    """(CTA, lane, column) of D."""
    cta, half = 0, n // 2
    if pair == 2:
        cta, row = divmod(row, m // 2)
        return (cta, row, col) if m == 256 else (cta, row + 64 * (col // half), col % half)
    if m == 128:
        return 0, row, col
    if not ws:
        return 0, row % 16 + row // 16 * 32, col
    parts = 2 if m == 64 else 4
    return 0, row + 128 // parts * (col // (n // parts)), col % (n // parts)


COPIES = {  # tcgen05.cp: which lanes row r of the source comes to, and how many columns it takes
    "128x256b": (lambda r: [r], 128, 8),
    "128x128b": (lambda r: [r], 128, 4),
    "64x128b.warpx2::01_23": (lambda r: [r // 32 * 64 + r % 32, r // 32 * 64 + r % 32 + 32], 64, 4),
    "64x128b.warpx2::02_13": (lambda r: [r, r + 64], 64, 4),
    "32x128b.warpx4": (lambda r: [r, r + 32, r + 64, r + 96], 32, 4),
}


def scale_in_memory(layout, row, kb, rows, kbs):
    """Byte of the scale factor of block kb of a row."""
    def up(a, b):
        return -(-a // b)
    if layout == "128x4":
        return (row // 128 * up(kbs, 4) + kb // 4) * 512 + row % 32 * 16 + row % 128 // 32 * 4 + kb % 4
    if layout == "8x4":
        return (row // 8 * up(kbs, 4) + kb // 4) * 32 + row % 8 * 4 + kb % 4
    if layout == "linear":
        return row * kbs + kb
    return (kb // 4 * up(rows, 4) * 4 + row) * 4 + kb % 4  # DeepGEMM: words of four, rows contiguous


def scale_in_tmem(row, kb, rows, column):
    """(lanes, column, byte); four factors of a row are a word, 32 rows are the lanes of a column."""
    lane = row % 32
    return [lane, lane + 32, lane + 64, lane + 96], column + kb // 4 * (-(-rows // 128) * 4) + row // 32, kb % 4


def metadata_f16(row, k, mma):
    """(lane, column, first bit) of the four bits about elements k to k + 3: the chunks of row r and r + 8 share two lanes."""
    chunk = k // 4
    return row // 16 * 16 + row % 8 + chunk // 4 * 8, mma, chunk % 4 * 4 + row // 8 % 2 * 16


# ---- descriptors

def smem_word(start, lbo, sbo, mode, base_offset, is_tcgen05):
    codes = {"none": 0, "128B": 1, "64B": 2, "32B": 3} if not is_tcgen05 else {"none": 0, "128B_32B": 1, "128B": 2, "64B": 4, "32B": 6}
    word = start // 16 | lbo // 16 << 16 | sbo // 16 << 32 | base_offset << 49
    return word | codes[mode] << 61 | 1 << 46 if is_tcgen05 else word | codes[mode] << 62


def instruction_word(fields):
    """kind::f16 of tcgen05.mma."""
    types = {"f16": 0, "bf16": 1}
    return ({"f16": 0, "f32": 1}[fields["d"]] << 4 | types[fields["a"]] << 7 | types[fields["b"]] << 10 | fields["negate_a"] << 13 |
            fields["negate_b"] << 14 | fields["transpose_a"] << 15 | fields["transpose_b"] << 16 | fields["n"] // 8 << 17 |
            fields["m"] // 16 << 24)


def word_reads(word, rows, ks, bits, major, mode):
    """Bytes from which an MMA reads (row, k), row by row, through a wgmma or tcgen05 word."""
    width, xor_bits = MODES[mode]
    start, lbo, sbo = (word & 0x3fff) * 16, (word >> 16 & 0x3fff) * 16, (word >> 32 & 0x3fff) * 16
    out = []
    for row in range(rows):
        for k in range(ks):
            along, across = (k, row) if major == "k" else (row, k)
            byte = along * bits // 8
            is_k_major = major == "k"
            next_along, next_across = (lbo, sbo) if is_k_major or mode != "none" else (sbo, lbo)
            at = start + byte % width + byte // width * next_along + across % 8 * width + across // 8 * next_across
            out.append(xor(at, xor_bits))
    return out


def float_bits(value, dtype):
    """The nearest number of the type, ties to even."""
    if dtype == "f32":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if dtype == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    word = struct.unpack("<I", struct.pack("<f", value))[0]
    return (word + 0x7fff + (word >> 16 & 1)) >> 16  # bf16
