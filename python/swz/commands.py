# SPDX-License-Identifier: Apache-2.0
"""The commands of swz as functions. Written by python/generate.py from `swz help -f json`; do not edit it.

Each function asks one command: arguments are positional, options are keywords, named as on the command line with _
for -. None leaves an option out, True gives a flag, a list gives an option that may be repeated, a tuple is one value:
tile=(128, 64) is --tile 128,64. Where a layout is asked for, whatever swz.layout takes will do; what it knows of shape
and type is said with it. A refusal is swz.Error; an answer that says no is false.
"""

from __future__ import annotations

from typing import Any

from ._answer import Answer, ask
from ._words import Value, hex_word

__all__ = [
    "arch",
    "banks",
    "choose",
    "decode",
    "desc",
    "diff",
    "encode_idesc",
    "encode_smem",
    "explain_swizzle",
    "find_swizzle",
    "frag",
    "identify",
    "kernel",
    "layout_expression",
    "lint_swizzle",
    "map",
    "narrow",
    "pair",
    "phase",
    "place",
    "sf_place",
    "sf_tmem",
    "sf_way",
    "sparse",
    "tiles",
    "tma_check",
    "tma_encode",
    "tma_place",
    "tma_plan",
    "tmem_a",
    "tmem_cp",
    "tmem_d",
    "tmem_plan",
    "translate",
    "verify",
    "verify_desc",
    "verify_layout",
    "verify_tile",
    "verify_tma",
]


def decode(
    *word: Value,
    as_: Value = None,
    kind: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """What a descriptor word says, and what is wrong with it.

    Reads 64-bit shared-memory descriptors (wgmma, tcgen05) and 32-bit tcgen05
    instruction descriptors. Shows every field with its bits, raw value and value
    with unit, and lints with a fix.

    Without --arch the format is taken from the word itself; if both formats fit,
    both are shown. Two words are also compared field by field.

    A word can be written as debuggers and source code print it: 0x4000, decimal,
    negative, 0b..., 16 digits without 0x, '$3 = 0x4000', a line of x/2gx, a mov.b64
    of PTX, '{lo = 66, hi = 64}', or its two 32-bit halves. The print of a struct is
    read by the names of its fields (start_address_, layout_type_, a_format_, ...).
    A text that names no word is refused; what of a text is not used is said. A word
    of 32 bits that is an instruction descriptor is read as one.

    Words that differ only in the start address may be the k loop of one operand.
    The answer names the major for which they are right, or the mistake that
    explains the advance, and the right advance.

    A tensor map (CUtensorMap) is read from its 128 bytes: 256 hexadecimal digits in
    memory order, what cuda-gdb prints for x/16gx, x/32wx or p map, or a list of its
    words ({0x7f…, 0x65…, …}), as one argument.

    --as tmem reads addresses of tensor memory, --as zero-mask the zero-column masks
    of tcgen05.mma.ws. The bytes that a word of tcgen05.cp names are the answer of
    'swz tmem cp --word'.

    @FILE reads a file (@- standard input): a tensor map; words, one per line, where
    # begins a comment; or a whole log, in which swz finds the descriptors and skips
    other numbers.

    Arguments:
        word: descriptor words as printed; a tensor map (256 digits, or x/16gx); or @FILE
        as_ (WHAT): type of the word: smem or zero-mask (64 bits), idesc or tmem, an address (32
            bits); one of smem, idesc, tmem, zero-mask (default: as the text or the word says)
        kind (KIND): tcgen05.mma kind of an instruction descriptor; one of tf32, f16, f8f6f4,
            i8, mxf8f6f4, mxf4, mxf4nvf4
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz decode 0x4000004000010042
        swz decode 0x4000404000010042 --arch sm_100a
        swz decode --as idesc --kind f16 0x08200490
        swz decode 0x4000004000010040 0x4000004000010050
        swz decode --as tmem 0x00450025
        swz decode @words.txt
    """
    return ask(
        "decode",
        {
            "as": as_,
            "kind": kind,
            "arch": arch,
            "strict": strict,
        },
        [hex_word(one) for one in word],
    )


def map(
    *word: Value,
    mma: Value = None,
    operand: Value = None,
    dtype: Any = None,
    major: Value = None,
    slots: bool = False,
    start: Value = None,
    against: Any = None,
    shape: Value = None,
    base: Value = None,
    block: Value = None,
    highlight: Value = None,
    at: Value = None,
    at_byte: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The bytes an MMA reads through a descriptor; exit 1 when a tile lies elsewhere.

    Shows the address, the line and the bank of every 16-byte chunk of one operand
    of an MMA, read through a 64-bit shared-memory descriptor. Bytes that are read
    twice and addresses beyond shared memory are lints.

    --against compares these bytes with the bytes where a tile or a layout puts the
    elements. It shows the first element that differs, how many differ, and which
    single mistake explains all of them (LBO and SBO swapped, bytes without >> 4,
    another mode, base offset, major, stacking order, block, a swizzle in the wrong
    unit, ...). A tile is written as one quoted argument that holds its options, a
    layout in CuTe's notation; --dtype, --major, --slots and --base also apply to
    it.

    Several words are taken as the k steps of one operand. The answer says whether
    their advance is right for this type and major, or which mistake explains it and
    which advance is right. With --against each word is compared with its own block.
    Their picture shows which of the MMAs reads each chunk; each MMA is a step of
    it, for --animate and the slider of -f html.

    Arguments:
        word: descriptor word as printed; several words: the steps of a k loop
        mma (SHAPE): m64n256k16, the name of an MMA, or rows and K of the operand, 64x16
            (default: 64 rows, on tcgen05 128)
        operand (a|b): which operand of the MMA: a has M rows, b has N; one of a, b
        dtype (TYPE): element type (default: f16)
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        start (ADDRESS): start address to use instead of the one in the word
        against (TILE|LAYOUT): compare with a tile (its options as one quoted argument) or a
            layout
        shape (RxC): shape of the array of a layout whose text does not say it
        base (ADDRESS): shared-memory address of --against (default: 0)
        block (ROW,K): first row and k of the block of --against (default: where the word
            points)
        highlight (WHAT): mark what the picture shows: 'rows 0-7; ks 0-7', 'chunks 0,2' or
            'bytes 0x400-0x40f'
        at (ROW,K): where this element lies; several with ';'
        at_byte (ADDRESS): which elements lie in this byte of shared memory
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz map 0x4000004000010042 --arch sm_90a --mma m64n16k16 --operand a
        swz map 0x4000004000010042 --against '--tile 128x64 --swizzle 128B --base 0x400'
        swz map 0x4000004000010040 0x4000004000010050 --dtype bf16
        swz map 0x4000004000000040 --against 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --mma 8x16 --base 0x400
    """
    return ask(
        "map",
        {
            "mma": mma,
            "operand": operand,
            "dtype": dtype,
            "major": major,
            "slots": slots,
            "start": start,
            "against": against,
            "shape": shape,
            "base": base,
            "block": block,
            "highlight": highlight,
            "at": at,
            "at_byte": at_byte,
            "arch": arch,
            "strict": strict,
        },
        [hex_word(one) for one in word],
        layouts=["against"],
        repeated=["at", "at_byte"],
    )


def phase(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The effect of a tile base that is not aligned to its swizzle pattern.

    The hardware swizzles absolute addresses. If the base of a tile is not a
    multiple of its swizzle pattern, TMA and an MMA with base offset 0 still agree,
    but code that computes offsets from the beginning of the tile accesses other
    bytes. swz shows how many, which base offset of the descriptor corrects data
    that was written that way, and the nearest aligned addresses.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz phase --swizzle 64B --base 0x680
        swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64
    """
    return ask(
        "phase",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "arch": arch,
            "strict": strict,
        },
    )


def desc(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    from_: Any = None,
    shape: Value = None,
    mma: Value = None,
    operand: Value = None,
    highlight: Value = None,
    emit: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The descriptors of a tile, or of a layout; exit 1 when there are none.

    Computes the 64-bit shared-memory descriptors (wgmma, tcgen05) through which
    MMAs read an operand tile: LBO and SBO with their derivation, and one word for
    each MMA. A tile is cut along K into the K steps of one MMA, and along M or N
    into blocks of its rows.

    --from takes a layout in any notation that swz translate reads, instead of a
    tile. Its swizzle selects the mode; a layout without a swizzle has mode none. If
    no word reads the layout, swz shows the reason, what each mode would require,
    and the nearest tile that has words; the exit code is then 1.

    --kind names the kind of tcgen05.mma: fp4 and fp6 lie packed or with gaps
    behind 16 elements, as it reads them. With --cta-group 2 --tile is the operand
    of both CTAs of a pair, and the words are those of the half that each holds.

    --emit cuda prints a device function that computes the words from the address of
    the tile.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0)
        cta_group (1|2): 2: a pair of CTAs; --tile is the operand of both, each holds half of
            its rows (default: 1)
        cta (0|1): which CTA of the pair (default: 0)
        from_ (LAYOUT): a layout (MN,K) in any notation of swz translate, instead of --tile
        shape (RxC): shape of the array of a layout whose text does not say it
        mma (SHAPE): m64n256k16, the name of an MMA, or rows and K of the operand, 64x16
            (default: M 64, 128 for tcgen05; N up to 256)
        operand (a|b): which operand of the MMA the tile is; one of a, b (default: a)
        highlight (WHAT): mark chunks: 'rows 0-7; ks 0-15', 'chunks 0,2' or 'bytes 0x400-0x47f'
        emit (cuda): print a device function that computes the words; one of cuda
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz desc --dtype f16 --tile 128x64 --major k --swizzle 128B --base 0x400
        swz desc --arch sm_100a --dtype bf16 --tile 256x64 --mma m128n256k16 --operand b
        swz desc --arch sm_103a --kind mxf4nvf4 --dtype e2m1 --tile 128x768 --mma m128n256k96
        swz desc --kind mxf8f6f4 --dtype e3m2 --tile 256x128 --cta-group 2 --operand b
        swz desc --dtype f16 --major mn --from '(16,64):(1,16)'
        swz desc --dtype f16 --tile 128x64 --emit cuda
    """
    return ask(
        "desc",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "cta_group": cta_group,
            "cta": cta,
            "from": from_,
            "shape": shape,
            "mma": mma,
            "operand": operand,
            "highlight": highlight,
            "emit": emit,
            "arch": arch,
            "strict": strict,
        },
        layouts=["from"],
    )


def choose(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The swizzle mode to take for a tile, and why not a larger one.

    Chooses the largest swizzle mode that the target can read and whose atom divides
    the tile; one line of the atom is what one GMEM request can fetch. For every
    mode it shows whether it fits, the bytes of one request, and how many copies a
    2-D tensor map needs when the atoms follow each other along MN (mn-first) or K
    (k-first).

    A TMA box is one atom wide and at most 256 lines high, and its lines follow
    each other in shared memory without a gap.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        cta_group (1|2): 2: a pair of CTAs; --tile is the operand of both, each holds half of
            its rows (default: 1)
        cta (0|1): which CTA of the pair (default: 0)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz choose --dtype bf16 --tile 64x32 --major k
        swz choose --kind mxf8f6f4 --dtype e2m1 --tile 128x128
        swz choose --dtype tf32 --tile 128x32 --major mn --arch sm_100a
    """
    return ask(
        "choose",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "cta_group": cta_group,
            "cta": cta,
            "arch": arch,
            "strict": strict,
        },
    )


def tiles(
    *,
    tile: Value = None,
    mma: Value = None,
    dtype: Any = None,
    highlight: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """How a CTA tile is cut into MMAs.

    Cuts the tile M x N x K of a CTA into the MMA tiles that one MMA reads and
    writes: how many MMAs there are, the bytes of A and B, how many such stages fit
    in shared memory, and a figure to scale of A, B and C. MMA tiles of A and B with
    the same k-step have the same colour; an MMA adds one of A times one of B to one
    of C.

    The shape must be one that the target has for the element type (default
    target: sm_90a): mma.sync, wgmma or tcgen05.mma.

    Arguments:
        tile (MxNxK): CTA tile in elements: 256x256x64
        mma (SHAPE): shape of one MMA, m128n256k16 or 128x256x16, or its name
        dtype (TYPE): element type of A and B (default: f16)
        highlight (WHAT): mark MMA tiles: 'm-block 0; n-blocks 0,1; k-steps 0-2'
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a
        swz tiles --tile 128x128x64 --mma m64n128k16 --highlight 'm-block 0; k-step 2'
    """
    return ask(
        "tiles",
        {
            "tile": tile,
            "mma": mma,
            "dtype": dtype,
            "highlight": highlight,
            "arch": arch,
            "strict": strict,
        },
    )


def encode_smem(
    *,
    swizzle: Value = None,
    start: Value = None,
    lbo: Value = None,
    sbo: Value = None,
    descriptor_version: Value = None,
    base_offset: Value = None,
    lbo_mode: Value = None,
    from_: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """A shared-memory descriptor from its fields.

    Builds a 64-bit shared-memory descriptor (wgmma, tcgen05) from its fields and
    prints it as swz decode does: the word, its fields and its lints.

    Addresses and strides are in bytes, the base offset is in lines of 128 bytes.
    Fields that are not given are 0 (the descriptor version of tcgen05: 1). A value
    that does not fit is an error, which names the range of the field and the
    nearest value.

    Arguments:
        swizzle (MODE): swizzle mode
        start (N): where the operand starts in shared memory
        lbo (N): leading-dimension byte offset (LBO), or an address
        sbo (N): stride-dimension byte offset (SBO)
        descriptor_version (N): constant 0b001
        base_offset (N): matrix base offset, in 128-byte lines
        lbo_mode (relative|absolute): meaning of LBO; absolute exists on sm_103a only
        from_ (FILE): JSON of swz decode (- for standard input); other options replace its
            fields
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz encode smem --start 0x420 --lbo 16 --sbo 1024 --swizzle 128B
        swz encode smem --arch sm_100a --start 0x400 --sbo 1024 --swizzle 128B
        swz decode 0x4000004000010042 -f json | swz encode smem --from - --sbo 2048
    """
    return ask(
        "encode smem",
        {
            "swizzle": swizzle,
            "start": start,
            "lbo": lbo,
            "sbo": sbo,
            "descriptor_version": descriptor_version,
            "base_offset": base_offset,
            "lbo_mode": lbo_mode,
            "from": from_,
            "arch": arch,
            "strict": strict,
        },
    )


def encode_idesc(
    *,
    kind: Value = None,
    d_type: Value = None,
    a_type: Any = None,
    b_type: Any = None,
    n: Value = None,
    m: Value = None,
    scale_type: Value = None,
    sparsity_selector: Value = None,
    sparse: bool = False,
    saturate: bool = False,
    negate_a: bool = False,
    negate_b: bool = False,
    transpose_a: bool = False,
    transpose_b: bool = False,
    max_shift: Value = None,
    scale_b_id: Value = None,
    scale_a_id: Value = None,
    k: Value = None,
    cta_group: Value = None,
    ws: bool = False,
    vec: Value = None,
    from_: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """A tcgen05 instruction descriptor from its fields.

    Builds a 32-bit instruction descriptor of tcgen05.mma from its fields and prints
    it as swz decode does: the word, its fields and its lints.

    M and N are elements of D, the shift for the reuse of B is in columns. Types
    must be given where the kind has several; other fields that are not given are 0.
    A field that the kind does not have is an error, as is a value that does not
    fit; the error names the range of the field and the nearest value.

    The word holds neither the cta_group, nor .ws, nor the size of scale vectors:
    with --cta-group, --ws or --vec an instruction that does not exist is an error.

    Arguments:
        kind (KIND): tcgen05.mma kind; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
            (default: that of --from)
        d_type (f16|f32|s32): type of D
        a_type (TYPE): type of A
        b_type (TYPE): type of B
        n (N): columns of D
        m (N): rows of D
        scale_type (ue4m3|ue8m0): type of the scale factors
        sparsity_selector (N): sparsity selector
        sparse: A is sparse
        saturate: saturate integer results
        negate_a: A is negated
        negate_b: B is negated
        transpose_a: A is M-major
        transpose_b: B is N-major
        max_shift (N): largest shift in columns for the reuse of B (.ws): 0, 8, 16 or 32
        scale_b_id (N): byte of the TMEM word that holds the scale of B
        scale_a_id (N): byte of the TMEM word that holds the scale of A
        k (N): K of one instruction: 64 dense, 128 sparse, 96 dense on sm_103a
        cta_group (1|2): of the instruction: whether it has this shape
        ws: the instruction is tcgen05.mma.ws: whether it has this shape
        vec (16|32): elements that share a scale factor: whether the ids fit
        from_ (FILE): JSON of swz decode (- for standard input); other options replace its
            fields
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz encode idesc --kind f16 --a-type bf16 --b-type bf16 --d-type f32 --m 128 --n 256
        swz encode idesc --kind mxf4nvf4 --scale-type ue4m3 --m 128 --n 256
    """
    return ask(
        "encode idesc",
        {
            "kind": kind,
            "d_type": d_type,
            "a_type": a_type,
            "b_type": b_type,
            "n": n,
            "m": m,
            "scale_type": scale_type,
            "sparsity_selector": sparsity_selector,
            "sparse": sparse,
            "saturate": saturate,
            "negate_a": negate_a,
            "negate_b": negate_b,
            "transpose_a": transpose_a,
            "transpose_b": transpose_b,
            "max_shift": max_shift,
            "scale_b_id": scale_b_id,
            "scale_a_id": scale_a_id,
            "k": k,
            "cta_group": cta_group,
            "ws": ws,
            "vec": vec,
            "from": from_,
            "arch": arch,
            "strict": strict,
        },
    )


def banks(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    layout: Any = None,
    shape: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    access: Value = None,
    tv: Any = None,
    tv_tile: Value = None,
    compare: Value = None,
    lanes: Value = None,
    active: Value = None,
    highlight: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The bank conflicts of an access pattern: wavefronts, ideal, colliding lanes.

    Counts the wavefronts that shared memory needs for every warp instruction that
    reads or writes an operand, next to the ideal: the number without collisions.
    The worst instruction is shown lane by lane, with its banks. Conflicts are
    lints: --strict makes the exit code 1.

    ldmatrix and stmatrix go through the operand as a loop of MMAs does. ld.shared,
    st.shared, cp.async and atomics (red.shared.add.u32) go by rows, by columns, in
    the order of GMEM (gmem), or by a layout (thread,value) -> row + k * rows
    (--tv); 'transpose' writes rows and reads columns. --access list shows all.

    --compare repeats the accesses in other placements: linear (line after line,
    without a swizzle), Sw<B,M,S> (that swizzle on the bytes of linear), 'pad N' (N
    bytes of padding after each line), a swizzle mode (none means core matrices), or
    a layout. Impossible placements are listed; the others are compared.

    --highlight marks cells of the picture by lane, wavefront and bank; the others
    turn faint.

    --lanes takes the byte addresses of one instruction instead of an operand.

    An atomic serves the lanes of one word one after the other; its ideal is what
    is left wherever the words are placed: the lanes of the word that most share.
    That is contention, which no swizzle mends; the answer says what is left where
    the warp combines its lanes first. ATOMS.POPC.INC.32, which ptxas takes to add
    the constant 1, serves them at once.

    The rule was measured on H200: it explains the profiler's counts of 2,750 of
    2,750 patterns. That of atomics was measured on H100, at 97 of 97 places.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0)
        layout (LAYOUT): any layout of rank 2 instead of a tile, in any notation of swz
            translate
        shape (RxC): shape of the array of a layout whose text does not say it
        cta_group (1|2): 2: a pair of CTAs; --tile is the operand of both, each holds half of
            its rows (default: 1)
        cta (0|1): which CTA of the pair (default: 0)
        access (ACCESS): access: 'st.shared.b128 rows', transpose, …; list shows all (default:
            ldmatrix.x4)
        tv (LAYOUT): layout (thread,value) -> row + k * rows, for ld and st
        tv_tile (MNxK): the tile of --tv, repeated over the operand (default: all of it)
        compare (VARIANTS): placements to compare with: 'linear;Sw<3,4,3>;pad 16;64B'
        lanes (ADDRESSES): raw addresses instead of an operand, lane 0 first: 0,16,32
        active (MASK): mask of the lanes that execute the instruction (default: those of
            --lanes)
        highlight (WHAT): mark cells of the picture: 'lanes 0-7; wavefronts 0; banks 4-7'
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz banks --dtype bf16 --tile 128x64 --swizzle 128B --access ldmatrix.x4 --compare 'linear;pad 16'
        swz banks --layout '(32,32):(32,1)' --dtype f32 --access transpose
        swz banks --layout '(16,8):(8,1)' --access ld.shared --tv '((4,8),(2,2)):((32,1),(16,8))'
        swz banks --access ld.shared.b128 --lanes 0,16,32,48,1024
    """
    return ask(
        "banks",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "layout": layout,
            "shape": shape,
            "cta_group": cta_group,
            "cta": cta,
            "access": access,
            "tv": tv,
            "tv_tile": tv_tile,
            "compare": compare,
            "lanes": lanes,
            "active": active,
            "highlight": highlight,
            "arch": arch,
            "strict": strict,
        },
        layouts=["layout", "tv"],
        repeated=["access"],
    )


def find_swizzle(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    layout: Any = None,
    shape: Value = None,
    reads: Value = None,
    writes: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The smallest swizzle that makes accesses conflict free; exit 1 when none does.

    Takes an operand that lies line after line, or any layout without a swizzle,
    and the accesses that must be conflict free over all of it; swz banks --access
    list names them. It tries every Swizzle<B,M,S> on bytes: fewest bits B first,
    then the largest M, then the smallest S. M is at least the widest access.

    If no swizzle suffices, it searches for any linear map over GF(2) from address
    bits to banks. If there is none, it shows why, the lanes that still collide, and
    the best swizzle. The smallest conflict-free padding of a line is shown as well,
    with its cost.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        layout (LAYOUT): any layout of rank 2 without a swizzle, instead of a tile
        shape (RxC): shape of the array of a layout whose text does not say it
        reads (ACCESS): an access that must be conflict free, as swz banks names it; can be
            repeated
        writes (ACCESS): an access that must be conflict free, as swz banks names it; can be
            repeated
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4 --writes 'st.shared.b128 rows'
        swz swizzle find --dtype f32 --tile 32x32 --writes 'st.shared.b32 rows' --reads 'ld.shared.b32 columns'
    """
    return ask(
        "swizzle find",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "layout": layout,
            "shape": shape,
            "reads": reads,
            "writes": writes,
            "arch": arch,
            "strict": strict,
        },
        layouts=["layout"],
        repeated=["reads", "writes"],
    )


def lint_swizzle(
    expr: Value,
    *,
    dtype: Any = None,
    bits: Value = None,
    bytes: Value = None,
    rows: Value = None,
    cols: Value = None,
    var: Value = None,
    row: Value = None,
    col: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Whether a C expression swizzles as the hardware does; exit 1 when inputs collide.

    Checks a C expression of an address over a whole period: whether two inputs
    collide, its period, whether 16-byte chunks stay whole, whether it is linear
    over GF(2), and which hardware mode it is equal to: none, 32B, 64B, 128B or
    128B_32B. If it is equal to none of them, the first address where the nearest
    mode differs is shown.

    An expression in addr maps bytes to bytes, or elements of --dtype to elements.
    An expression in row and col, with --rows and --cols, gives the index of an
    element; it is compared with the canonical tiles. Operators and precedence are
    those of C; numbers are unsigned with 64 bits.

    A whole function, lambda, macro or body with a return is read too: one parameter
    is the address, two are row and column. Casts, variables and assignments are
    read; loops, branches and calls are not.

    The exit code is 1 when two inputs collide, or when addresses leave their
    block; a layout of rows and columns may have gaps.

    Arguments:
        expr: a C expression in addr, or in row and col; or a whole function
        dtype (TYPE): addr counts elements of this type (default: bytes)
        bits (N): check 2^N addresses (default: a whole period)
        bytes (N): number of bytes to check
        rows (N): extent of row
        cols (N): extent of col
        var (NAME): name of the address in the expression (default: addr)
        row (NAME): name of the row in the expression (default: row)
        col (NAME): name of the column in the expression (default: col)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz swizzle lint 'addr ^ ((addr >> 3) & 0x70)'
        swz swizzle lint 'i ^ (((i >> 4) & 7) ^ ((i >> 7) & 7)) << 4' --var i
        swz swizzle lint 'row*64 + ((col/8 ^ row%8)*8 + col%8)' --rows 128 --cols 64 --dtype f16
    """
    return ask(
        "swizzle lint",
        {
            "dtype": dtype,
            "bits": bits,
            "bytes": bytes,
            "rows": rows,
            "cols": cols,
            "var": var,
            "row": row,
            "col": col,
            "arch": arch,
            "strict": strict,
        },
        [expr],
    )


def translate(
    text: Any = None,
    *,
    to: Value = None,
    map: bool = False,
    list: bool = False,
    from_: Value = None,
    shape: Value = None,
    dtype: Any = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """A layout in the notation of another project; exit 1 when it has none.

    Reads a layout in the notation of any project and writes it in that of all
    others, or says why a notation has no text for it and what comes nearest. The
    answer names the swizzle mode in which tensor cores read the array as it lies.

    The notation is recognised. Where several projects write the same text,
    --from says which one is meant, or its name before the text: 'triton: TEXT'. A
    text that does not say the shape of the array or its element type asks for
    --shape and --dtype.

    With --to, the exit code is 1 when that notation cannot express the layout; a
    layout that its own project refuses is an error (2). --to D --brief prints the
    text alone. Every command that takes a layout takes these notations as well,
    and swz diff compares two of them.

    Of a file of Triton IR (@kernel.ttgir) every encoding is translated, with the
    operations that use it.

    Arguments:
        text: a layout in any notation that swz reads, or @FILE with one; @- is standard input
        to (DIALECT): the notation to write (default: all)
        map: in JSON also the place of every element
        list: list the notations, with an example of each
        from_ (DIALECT): the notation, where several read the text (default: recognised)
        shape (RxC): shape of the array, where the text does not say it
        dtype (TYPE): element type, where the text does not say it
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz translate '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' --shape 128x32 --dtype f16
        swz translate 'Sw<3,3,3> o 0 o (64,64):(64,1)' --to triton --dtype bf16 --brief
        swz translate --list
    """
    return ask(
        "translate",
        {
            "to": to,
            "map": map,
            "list": list,
            "from": from_,
            "shape": shape,
            "dtype": dtype,
            "arch": arch,
            "strict": strict,
        },
        [text],
        layouts=["arguments"],
    )


def layout_expression(
    *expr: Any,
    map: bool = False,
    table: bool = False,
    nested: bool = False,
    highlight: Value = None,
    limit: Value = None,
    explain: bool = False,
    fit: Value = None,
    functions: bool = False,
    at: Value = None,
    at_byte: Value = None,
    from_: Value = None,
    shape: Value = None,
    dtype: Any = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The value, the properties and the table of a layout expression.

    Evaluates a layout in CuTe's notation, or an expression over layouts with
    CuTe's function names, and shows size, cosize, whether it is injective,
    bijective and contiguous, and its table. Rows of the table are mode 0, columns
    all other modes; heavier lines stand between the outer modes of a nested shape.

    Several expressions are compared. --explain shows each operation step by step,
    the innermost first: the rule, the layout after it, and where one is refused.

    --fit goes the other way: from offsets to the simplest layout that has them,
    with a swizzle where one is needed, as bases over GF(2), or with exceptions;
    exit 1 when no layout has them all. Of offsets at some coordinates it says the
    simplest layouts, and which coordinate would decide.

    A layout in the notation of another project (swz translate --list) is read as
    well; --shape and --dtype say what its text does not. Of registers it is the
    layout (thread, value) to the column-major index.

    Arguments:
        expr: layouts in any notation of swz translate, or expressions over CuTe's
        map: list every index, coordinate and offset
        table: draw the whole table, however large
        nested: headings for each level of nested modes
        highlight (WHAT): mark cells: 'rows 0-7; columns 0', 'offsets 0-63' or 'coordinates 5'
            (by index)
        limit (N): maximum number of coordinates to list or draw (default: 262144)
        explain: show step by step how the answer comes about
        fit (FILE): the simplest layout of these offsets: a JSON array, a .npy file of integers,
            an offset a line, or lines 'row col offset'; - is standard input
        functions: list the functions an expression can use
        at (COORDINATE): where this element lies; several with ';'
        at_byte (ADDRESS): which elements lie in this byte of shared memory
        from_ (DIALECT): the notation, where several read the text (default: recognised)
        shape (RxC): shape of the array, where the text does not say it
        dtype (TYPE): element type, where the text does not say it
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz layout '(8,64):(64,1)'
        swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'
        swz layout '((4,8),(2,2)):((32,1),(16,8))' --nested
        swz layout '((4,8),(2,2)):((32,1),(16,8))' --at '((1,2),3)'
        swz layout 'logical_divide(24:3, 4:2)' --explain
        printf '%s\n' '0 0 0' '1 0 64' '0 1 1' '9 63 639' | swz layout --fit -
        swz layout 'complement(4:2, 24)' -f json
    """
    return ask(
        "layout",
        {
            "map": map,
            "table": table,
            "nested": nested,
            "highlight": highlight,
            "limit": limit,
            "explain": explain,
            "fit": fit,
            "functions": functions,
            "at": at,
            "at_byte": at_byte,
            "from": from_,
            "shape": shape,
            "dtype": dtype,
            "arch": arch,
            "strict": strict,
        },
        [*expr],
        layouts=["arguments"],
        repeated=["at", "at_byte"],
    )


def diff(
    a: Any,
    b: Any,
    *,
    from_: Value = None,
    shape: Value = None,
    dtype: Any = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Whether two layouts are the same function; exit 1 when not.

    Compares two layouts coordinate by coordinate and shows the first one where
    they differ, with both values. Layouts that are equal after a change of units
    (bytes and elements) are recognised.

    Layouts in other notations (swz translate --list) are compared as functions of
    the array: its element (row, col) and the two offsets, or (thread, value) and
    the two elements. What one text does not say, shape and type, is taken from the
    other. 'triton: TEXT' names the notation of one side, --from that of both.

    Arguments:
        a: a layout in any notation of swz translate, or an expression over CuTe's
        b: the layout to compare it with, in the same or another notation
        from_ (DIALECT): the notation, where several read the text (default: recognised)
        shape (RxC): shape of the array, where the text does not say it
        dtype (TYPE): element type, where the text does not say it
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz diff '(8,8):(8,1)' '64:1'
        swz diff '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' 'Sw<2,3,3> o 0 o (128,32):(32,1)'
    """
    return ask(
        "diff",
        {
            "from": from_,
            "shape": shape,
            "dtype": dtype,
            "arch": arch,
            "strict": strict,
        },
        [a, b],
        layouts=["arguments"],
    )


def explain_swizzle(
    swizzle: Value,
    *,
    shape: Value = None,
    dtype: Any = None,
    elements: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Which bits a swizzle moves, in every form it is written.

    Shows a swizzle on bytes, on element indices and on 16-byte chunks, its
    period, its chunk table and the equal C expression. Of a layout, in any notation
    of swz translate, it is the swizzle that the layout has.

    Arguments:
        swizzle: 3,4,3 or Sw<3,4,3> on bytes, a mode (128B), or a layout with a swizzle
        shape (RxC): shape of the array of a layout whose text does not say it
        dtype (TYPE): element type: also show the form on its elements
        elements: SWIZZLE is the form on elements of --dtype, not on bytes
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz swizzle explain 3,4,3 --dtype tf32
    """
    return ask(
        "swizzle explain",
        {
            "shape": shape,
            "dtype": dtype,
            "elements": elements,
            "arch": arch,
            "strict": strict,
        },
        [swizzle],
    )


def frag(
    name: Value = None,
    *,
    dtype: Any = None,
    operand: Value = None,
    accumulator: Any = None,
    color_by: Value = None,
    highlight: Value = None,
    panels: Value = None,
    shape: Value = None,
    table: bool = False,
    list: bool = False,
    at: Value = None,
    at_thread: Value = None,
    thread: Value = None,
    register: Value = None,
    lane: Value = None,
    column: Value = None,
    split_offset: Value = None,
    of: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Which thread holds which element of a matrix, in which register.

    Shows the register fragment of ldmatrix, stmatrix, movmatrix, mma.sync, wgmma,
    tcgen05.ld or tcgen05.st: the matrix with the thread (T) and value (V) of each
    element, the registers of each thread with the row and column of each value,
    both as formulas and as CuTe's TV layout and its inverse.

    A register layout in another notation (swz translate --list) is shown as a TV
    layout, with the instruction whose fragment it is.

    NAME is the shape, the full name of the instruction in PTX, a whole line of PTX
    or SASS, or a CUTLASS atom. Without --operand all matrices that are in registers
    are shown: B above D, A to the left of D. With --arch, a target without the
    instruction is a lint.

    Of tcgen05.ld and st rows are lanes of tensor memory, from the address on, and
    columns have 32 bits. --of says which accumulator lies there, in the words of
    swz tmem d, and where in it the access begins: cta C, warp W, lane 0 or 16 of
    the warp's quarter, at COLUMN. Then registers show the elements of D.

    Arguments:
        name: instruction: mma.m16n8k16, a line of PTX or SASS, a CUTLASS atom
        dtype (TYPE): element type of A and B
        operand (a|b|c|d): show one operand; one of a, b, c, d (default: all that are in
            registers)
        accumulator (TYPE): element type of C and D (default: the widest)
        color_by (WHAT): meaning of the colours; one of thread, value, register, column
            (default: thread)
        highlight (WHAT): mark elements: 'lanes 0-3; rows 0-7; values 0,1' (also columns,
            threads, registers)
        panels (both|matrix|registers): which panels of one operand are drawn; one of both,
            matrix, registers (default: both; in a picture the registers of at most 16 values)
        shape (RxC): shape of the array of a register layout that is not an instruction
        table: draw large matrices in full, also in text
        list: list all names, or those of the family NAME
        at (ROW,COLUMN|T5,R1|T5): where this element lies, or what this register or thread
            holds; several with ';'
        at_thread (T[,R]): the same as --at T5,R1 and --at T5
        thread (T): tcgen05: what --register of this thread holds, or all of them, as --at T5,R1
        register (R): register of --thread
        lane (L): tcgen05: which register holds this lane and --column
        column (C): column of --lane, from the address on
        split_offset (N): immHalfSplitoff of 16x32bx2, in columns (default: right behind the
            first half)
        of (D): the accumulator that lies there: 'm 128 n 256 warp 1 at 64'
        map: tcgen05: in JSON also the cells of every register
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz frag ldmatrix.x4.trans
        swz frag mma.m16n8k16 --dtype bf16 --operand a
        swz frag mma.m16n8k8 --dtype bf16 -o frag.svg
        swz frag mma.m16n8k16 --dtype bf16 --at T5,R1
        swz frag mma.m16n8k32 --dtype e2m1 --operand a --at T22
        swz frag tcgen05.ld.16x256b.x4 --thread 13 --register 11
        swz frag tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 1'
        swz frag --list wgmma
    """
    return ask(
        "frag",
        {
            "dtype": dtype,
            "operand": operand,
            "accumulator": accumulator,
            "color_by": color_by,
            "highlight": highlight,
            "panels": panels,
            "shape": shape,
            "table": table,
            "list": list,
            "at": at,
            "at_thread": at_thread,
            "thread": thread,
            "register": register,
            "lane": lane,
            "column": column,
            "split_offset": split_offset,
            "of": of,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
        [name],
        repeated=["at", "at_thread"],
    )


def place(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    layout: Any = None,
    shape: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    at: Value = None,
    at_byte: Value = None,
    cells: Value = None,
    label: Value = None,
    color_by: Value = None,
    panels: Value = None,
    highlight: Value = None,
    beside: Any = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where every chunk of a tile or layout lies in shared memory, as a picture.

    Draws an operand by row and k, next to the lines of shared memory by bank, with
    the same numbers and colours. A chunk is 16 bytes; chunks are numbered in GMEM
    order: row by row when K-major, k by k when MN-major.

    --beside adds the same operand in another mode, in another layout, or 'linear'
    (line after line without a swizzle). --highlight marks rows and ks (their
    rectangle), chunks, or what lanes of ldmatrix read; it counts the wavefronts and
    crosses out chunks that share banks with another of their eight lanes.
    Rectangles are read 8 lines x 16 bytes at a time, chunks eight at a time in the
    order given, and lane j reads line j % 16 in chunk column j / 16. bytes, banks
    and lines mark places of shared memory, which no instruction reads together.

    4- and 6-bit elements with gaps (--kind f8f6f4 or mxf8f6f4) lie at the front of
    every 16 bytes; a cell of --cells element is then a byte of shared memory, and
    what holds no element is marked as a gap.

    A descriptor need not exist: any tile of whole atoms and any layout of rank 2
    that fits in shared memory can be placed.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0)
        layout (LAYOUT): any layout of rank 2 instead of a tile, in any notation of swz
            translate
        shape (RxC): shape of the array of a layout whose text does not say it
        cta_group (1|2): 2: a pair of CTAs; --tile is the operand of both, each holds half of
            its rows (default: 1)
        cta (0|1): which CTA of the pair (default: 0)
        at (ROW,K): where this element lies; several with ';'
        at_byte (ADDRESS): which elements lie in this byte of shared memory
        cells (chunk|element): what a cell is; one of chunk, element (default: chunk, 16 bytes)
        label (WHAT): the label of a cell; one of chunk, bank, byte, coordinate, offset, atom
            (default: chunk, its number in GMEM order)
        color_by (WHAT): meaning of the colours; one of chunk, bank, column, subtile (default:
            subtile, 8 lines x 16 bytes)
        panels (both|logical|smem): which panels are drawn; one of both, logical, smem (default:
            both; logical for --label bank)
        highlight (WHAT): mark cells: 'rows 0-7; ks 0-7', 'chunks 0,2,4', 'lanes 0-7' (of
            ldmatrix), 'banks 0-3' (also bytes, lines)
        beside (MODE|LAYOUT): also draw it in this mode or layout, or 'linear'; can be repeated
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz place --dtype bf16 --tile 8x64 --major k --swizzle 128B
        swz place --dtype bf16 --tile 8x16 --swizzle 32B --beside linear --highlight 'ks 0-7'
        swz place --layout '(64,64):(64,1)' --dtype bf16 --cells element --label bank --color-by bank
        swz place --dtype bf16 --tile 128x64 --swizzle 128B --at 37,20
        swz place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at 0,37
    """
    return ask(
        "place",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "layout": layout,
            "shape": shape,
            "cta_group": cta_group,
            "cta": cta,
            "at": at,
            "at_byte": at_byte,
            "cells": cells,
            "label": label,
            "color_by": color_by,
            "panels": panels,
            "highlight": highlight,
            "beside": beside,
            "arch": arch,
            "strict": strict,
        },
        layouts=["layout", "beside"],
        repeated=["at", "at_byte", "beside"],
    )


def tma_check(
    *,
    dtype: Any = None,
    dims: Value = None,
    strides: Value = None,
    box: Value = None,
    element_strides: Value = None,
    interleave: Value = None,
    swizzle: Value = None,
    l2: Value = None,
    oob: Value = None,
    address: Value = None,
    im2col: bool = False,
    lower: Value = None,
    upper: Value = None,
    channels: Value = None,
    pixels: Value = None,
    wide: Value = None,
    paste: Value = None,
    code: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Whether a tensor map is accepted, and every reason why not; exit 1 when refused.

    Judges the arguments of cuTensorMapEncodeTiled as the driver does, and also
    shows what the driver does not: every rule that is broken, the value and the
    bound, whether NVIDIA documents the rule or the driver was seen to apply it, and
    the nearest legal change. Values are names of the driver's enums, short names
    (f16, u8), or the numbers that dumps print.

    Arguments that the documents forbid and the driver accepts are remarks.

    --paste takes the arguments from the block that CUTLASS, TileLang, FlashInfer,
    TensorRT-LLM, ThunderKittens or DeepGEMM printed when the call failed, with the
    log around it, from a file or from standard input; or from the call in source
    code, with the arrays and constants above it; or the map itself, as swz decode
    takes it. --code, or the code in the block, tells whether the arguments made the
    call fail: only code 1 means that.

    --im2col takes the arguments of cuTensorMapEncodeIm2col, with --wide those of
    cuTensorMapEncodeIm2colWide, whose rules come from cuda.h and were not tested
    against a driver.

    Arguments:
        dtype (TYPE): data type: FLOAT16, f16, or the enum's number (default: f16)
        dims (N,N,...): globalDim: elements along each dimension, innermost first
        strides (BYTES,...): globalStrides: bytes, from dimension 1 on
        box (N,N,...): boxDim: elements along each dimension
        element_strides (N,N,...): elementStrides (default: 1 for each)
        interleave (none|16B|32B): interleave (default: none)
        swizzle (MODE): swizzle, by any of its names or the enum's number (default: none)
        l2 (none|64B|128B|256B): L2 promotion (default: none)
        oob (zero|nan): value of the elements outside the tensor (default: zero)
        address (ADDRESS): globalAddress (default: 0)
        im2col: check an im2col map: the arguments of cuTensorMapEncodeIm2col
        lower (N,...): pixelBoxLowerCorner: offsets along W, H, D
        upper (N,...): pixelBoxUpperCorner: offsets along W, H, D
        channels (N): channelsPerPixel
        pixels (N): pixelsPerColumn
        wide (w|w128): mode of cuTensorMapEncodeIm2colWide, whose corners have only W; one of w,
            w128
        paste (FILE): read the block that a program printed when the call failed, from a file or
            standard input
        code (CODE): code that the call returned: 715, or CUDA_ERROR_ILLEGAL_INSTRUCTION
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1
        swz tma check --dtype f32 --dims 4096,4096 --strides 16384 --box 256,230
        swz tma check --paste log.txt
        kernel 2>&1 | swz tma check --paste
        swz tma check --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128
    """
    return ask(
        "tma check",
        {
            "dtype": dtype,
            "dims": dims,
            "strides": strides,
            "box": box,
            "element_strides": element_strides,
            "interleave": interleave,
            "swizzle": swizzle,
            "l2": l2,
            "oob": oob,
            "address": address,
            "im2col": im2col,
            "lower": lower,
            "upper": upper,
            "channels": channels,
            "pixels": pixels,
            "wide": wide,
            "paste": paste,
            "code": code,
            "arch": arch,
            "strict": strict,
        },
    )


def tma_encode(
    *,
    dtype: Any = None,
    dims: Value = None,
    strides: Value = None,
    box: Value = None,
    element_strides: Value = None,
    interleave: Value = None,
    swizzle: Value = None,
    l2: Value = None,
    oob: Value = None,
    address: Value = None,
    paste: Value = None,
    emit: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The 128 bytes of a tensor map, as the driver writes them.

    Takes the arguments of cuTensorMapEncodeTiled and prints the words that the
    driver puts into the CUtensorMap. Arguments that the driver refuses are an
    error.

    --emit c prints the words as an array. --emit cuda prints a host function that
    calls cuTensorMapEncodeTiled with these arguments; its parameter is the address.

    Arguments:
        dtype (TYPE): data type: FLOAT16, f16, or the enum's number (default: f16)
        dims (N,N,...): globalDim: elements along each dimension, innermost first
        strides (BYTES,...): globalStrides: bytes, from dimension 1 on
        box (N,N,...): boxDim: elements along each dimension
        element_strides (N,N,...): elementStrides (default: 1 for each)
        interleave (none|16B|32B): interleave (default: none)
        swizzle (MODE): swizzle, by any of its names or the enum's number (default: none)
        l2 (none|64B|128B|256B): L2 promotion (default: none)
        oob (zero|nan): value of the elements outside the tensor (default: zero)
        address (ADDRESS): globalAddress (default: 0)
        paste (FILE): read the call in source code, or the block that a program printed, from a
            file or standard input
        emit (c|cuda): print source code: the words as an array (c), or the call with its arrays
            (cuda); one of c, cuda
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B
        swz tma encode --dtype f16 --dims 64,16,32 --strides 4096,128 --box 64,16,1 --emit cuda
    """
    return ask(
        "tma encode",
        {
            "dtype": dtype,
            "dims": dims,
            "strides": strides,
            "box": box,
            "element_strides": element_strides,
            "interleave": interleave,
            "swizzle": swizzle,
            "l2": l2,
            "oob": oob,
            "address": address,
            "paste": paste,
            "emit": emit,
            "arch": arch,
            "strict": strict,
        },
    )


def tma_place(
    *,
    dtype: Any = None,
    dims: Value = None,
    strides: Value = None,
    box: Value = None,
    element_strides: Value = None,
    interleave: Value = None,
    swizzle: Value = None,
    l2: Value = None,
    oob: Value = None,
    address: Value = None,
    start: Value = None,
    base: Value = None,
    major: Value = None,
    highlight: Value = None,
    at: Value = None,
    at_byte: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where one copy puts the bytes of a box.

    Takes the arguments of a tensor map (a box is enough) and shows the box with its
    chunks of 16 bytes, numbered as in the tensor, next to the lines of shared
    memory where the copy puts them: the distance between two rows, the bytes to
    allocate, the bytes that the mbarrier counts, the gaps that are not written,
    what is filled because it is outside the tensor, and whether an MMA reads the
    box by descriptor.

    The rule was measured on H200: 6,000 of 6,000 loads.

    Arguments:
        dtype (TYPE): data type: FLOAT16, f16, or the enum's number (default: f16)
        dims (N,N,...): globalDim, to number chunks and show what is filled (default: the box)
        strides (BYTES,...): globalStrides in bytes (default: no gap)
        box (N,N,...): boxDim: elements along each dimension
        element_strides (N,N,...): elementStrides (default: 1 for each)
        interleave (none|16B|32B): interleave (default: none)
        swizzle (MODE): swizzle, by any of its names or the enum's number (default: none)
        l2 (none|64B|128B|256B): L2 promotion (default: none)
        oob (zero|nan): value of the elements outside the tensor (default: zero)
        address (ADDRESS): globalAddress (default: 0)
        start (N,N,...): coordinates of the copy, innermost first (default: 0 for each)
        base (ADDRESS): shared-memory address of the box (default: 0)
        major (k|mn): how an MMA reads the box: k if dimension 0 is K, otherwise mn (default: k)
        highlight (WHAT): mark cells: 'rows 0-7; columns 0-63', 'chunks 0,2' or 'bytes
            0x400-0x40f'
        at (N,N,...): where this element lies; several with ';'
        at_byte (ADDRESS): which elements lie in this byte of shared memory
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tma place --dtype bf16 --box 32,8
        swz tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400
        swz tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96
    """
    return ask(
        "tma place",
        {
            "dtype": dtype,
            "dims": dims,
            "strides": strides,
            "box": box,
            "element_strides": element_strides,
            "interleave": interleave,
            "swizzle": swizzle,
            "l2": l2,
            "oob": oob,
            "address": address,
            "start": start,
            "base": base,
            "major": major,
            "highlight": highlight,
            "at": at,
            "at_byte": at_byte,
            "arch": arch,
            "strict": strict,
        },
        repeated=["at", "at_byte"],
    )


def tma_plan(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    layout: Any = None,
    shape: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    operand: Value = None,
    stride: Value = None,
    rank: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The TMA copies that fill a tile; exit 1 when there are none.

    Shows the tensor map and the copies that fill a tile or any layout: the box, the
    coordinate and the SMEM offset of each copy, how many bytes of global memory one
    line of a box requests, and why fewer copies are not enough. If a map of higher
    rank, which folds the operand into more dimensions, takes fewer copies, it is
    shown as well.

    For a layout it also shows whether an MMA reads the result by descriptor, and if
    not, the box that an MMA would read.

    Coordinates are those of a tile that begins at element (0, 0) of the operand;
    with --cta-group 2 those of one CTA, which copies its half of the rows.

    4- and 6-bit elements with gaps fill more shared memory than the mbarrier
    counts: in a stage both are shown.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0)
        layout (LAYOUT): any layout of rank 2 instead of a tile, in any notation of swz
            translate
        shape (RxC): shape of the array of a layout whose text does not say it
        cta_group (1|2): 2: a pair of CTAs; --tile is the operand of both, each holds half of
            its rows (default: 1)
        cta (0|1): which CTA of the pair (default: 0)
        operand (MNxK): extents of the operand in global memory (default: the tile's)
        stride (BYTES): bytes from one line of the operand to the next (default: no gap)
        rank (N): highest rank of the map (default: 2, or the lowest that suffices)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first
        swz tma plan --dtype bf16 --tile 128x64 --operand 8192x4096
        swz tma plan --kind mxf8f6f4 --dtype e2m1 --tile 256x128 --cta-group 2 --cta 1
        swz tma plan --dtype bf16 --layout '(8,32):(32,1)'
    """
    return ask(
        "tma plan",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "layout": layout,
            "shape": shape,
            "cta_group": cta_group,
            "cta": cta,
            "operand": operand,
            "stride": stride,
            "rank": rank,
            "arch": arch,
            "strict": strict,
        },
        layouts=["layout"],
    )


def tmem_d(
    *,
    m: Value = None,
    cta_group: Value = None,
    ws: bool = False,
    sparse: bool = False,
    n: Value = None,
    dtype: Any = None,
    kind: Value = None,
    at: Value = None,
    lane: Value = None,
    column: Value = None,
    cta: Value = None,
    cells: Value = None,
    highlight: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where tcgen05.mma puts the accumulator D in tensor memory.

    The data path (PTX's layouts A to G), the lane and column of an element, the
    element of a lane and column, and what each warp of a warpgroup reads. Lanes and
    columns count from the address that the MMA is given.

    Arguments:
        m (M): rows of D, of the whole MMA (default: 128)
        cta_group (1|2): how many CTAs execute it (default: 1)
        ws: tcgen05.mma.ws
        sparse: a sparse A
        n (N): columns of D (default: 256)
        dtype (TYPE): element type of D, which does not change the columns
        kind (KIND): kind of the MMA, which allows some M and N; one of tf32, f16, f8f6f4, i8,
            mxf8f6f4, mxf4, mxf4nvf4 (default: any)
        at (ROW,COL): where this element lies
        lane (LANE): which element lies in this lane and --column
        column (COLUMN): column of --lane, from the address of D (default: 0)
        cta (CTA): CTA of --lane (default: 0)
        cells (block|lane): what a cell of the picture is: a block of lanes, or 16 columns of a
            lane; one of block, lane (default: block)
        highlight (WHAT): mark elements: 'rows 0-15; cols 0-7' (also lanes, columns)
        map: in JSON also the place of every element, row by row
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tmem d --m 128 --n 256 --cta-group 2 --at 100,200
        swz tmem d --m 64 --n 128
    """
    return ask(
        "tmem d",
        {
            "m": m,
            "cta_group": cta_group,
            "ws": ws,
            "sparse": sparse,
            "n": n,
            "dtype": dtype,
            "kind": kind,
            "at": at,
            "lane": lane,
            "column": column,
            "cta": cta,
            "cells": cells,
            "highlight": highlight,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
    )


def tmem_a(
    *,
    m: Value = None,
    cta_group: Value = None,
    ws: bool = False,
    sparse: bool = False,
    dtype: Any = None,
    kind: Value = None,
    column: Value = None,
    at: Value = None,
    cell: Value = None,
    cta: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where A lies in tensor memory.

    The lanes, the column and the bits of an element of A, and the element of a lane
    and column. Where sources disagree, the answer is CUTLASS's; the others are
    named.

    Arguments:
        m (M): rows of D, of the whole MMA (default: 128)
        cta_group (1|2): how many CTAs execute it (default: 1)
        ws: tcgen05.mma.ws
        sparse: a sparse A
        dtype (TYPE): element type
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
            (default: the first that takes the type)
        column (COLUMN): column of A's address (default: 0)
        at (ROW,K): where this element lies; K counts on over the MMAs of a tile
        cell (LANE,COLUMN,BIT): which element has this bit
        cta (CTA): CTA of --cell (default: 0)
        map: in JSON also the place of every element of one MMA, row by row
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tmem a --m 128 --dtype f16 --column 128 --at 40,11
    """
    return ask(
        "tmem a",
        {
            "m": m,
            "cta_group": cta_group,
            "ws": ws,
            "sparse": sparse,
            "dtype": dtype,
            "kind": kind,
            "column": column,
            "at": at,
            "cell": cell,
            "cta": cta,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
    )


def tmem_cp(
    shape: Value,
    *,
    row: Value = None,
    element: Value = None,
    cell: Value = None,
    word: Value = None,
    byte: Value = None,
    base: Value = None,
    cta_group: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where tcgen05.cp puts the rows of shared memory.

    The lanes and columns of a source row, for every shape and multicast; with
    decompression the byte and bits of an element; the descriptors of a compact
    source. With --word, the descriptor that the copy is given, the bytes of shared
    memory that it reads and where each goes.

    Arguments:
        shape: 64x128b.warpx2::01_23, 128x256b.b8x16.b4x16_p64, …
        row (ROW): where this row of the source goes
        element (E): where this element of --row goes, with decompression
        cell (LANE,COLUMN): which row of the source lies there
        word (WORD): descriptor of the source: which bytes of shared memory it names
        byte (ADDRESS): where this byte of shared memory goes, by --word
        base (ADDRESS): shared-memory address of the source of the descriptors (default: 0)
        cta_group (1|2): each CTA copies from its own shared memory (default: 1)
        map: in JSON also the lanes of every row
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tmem cp 64x128b.warpx2::01_23 --row 40
        swz tmem cp 128x256b.b8x16.b4x16_p64 --row 3 --element 22
        swz tmem cp 32x128b.warpx4 --word 0x0000400800010040 --byte 0x4c8
    """
    return ask(
        "tmem cp",
        {
            "row": row,
            "element": element,
            "cell": cell,
            "word": word,
            "byte": byte,
            "base": base,
            "cta_group": cta_group,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
        [shape],
    )


def tmem_plan(
    *,
    kind: Value = None,
    m: Value = None,
    n: Value = None,
    k: Value = None,
    cta_group: Value = None,
    ws: bool = False,
    sparse: bool = False,
    stages: Value = None,
    stacking: Value = None,
    a_in: Value = None,
    a_stages: Value = None,
    dtype: Any = None,
    dtype_b: Any = None,
    dtype_d: Any = None,
    vec: Value = None,
    k96: bool = False,
    sf_stages: Value = None,
    metadata_stages: Value = None,
    allocate: Value = None,
    ctas_per_sm: Value = None,
    region: Value = None,
    read: Value = None,
    copy_sfb: Value = None,
    sfb_in: Value = None,
    expect_tx: Value = None,
    scale_layout: Value = None,
    scales_for: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Which columns of tensor memory a kernel needs; exit 1 when they do not fit.

    The columns of the accumulators, of A, of the scale factors and of the metadata,
    one after the other; the allocation that holds them; what does not fit, and of
    each option the nearest value that does.

    --region takes the columns as a kernel has them instead. D, A, SFA, SFB and
    metadata, with the number of a stage or without, are compared with what the MMA
    needs; other names are the kernel's own.

    --allocate, --read, --copy-sfb, --sfb-in, --expect-tx and --scale-layout say
    what the kernel does; what is wrong with it is a lint.

    Arguments:
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
            (default: f16)
        m (M): rows of D, of the whole MMA (default: 128)
        n (N): columns of D (default: 256)
        k (K): of a tile: of the scale factors, the metadata and A of one stage (default: four
            MMAs)
        cta_group (1|2): how many CTAs execute the MMA (default: 1)
        ws: tcgen05.mma.ws
        sparse: a sparse A, with metadata
        stages (S): accumulators (default: 1)
        stacking (interleaved|apart): of data paths F and C: two accumulators in the same
            columns, or none; one of interleaved, apart (default: interleaved where CuTe does so)
        a_in (smem|tmem): where the MMA takes A from; one of smem, tmem (default: smem)
        a_stages (S): tiles of A in tensor memory (default: 1)
        dtype (TYPE): element type of A (default: the first of the kind)
        dtype_b (TYPE): element type of B, for --expect-tx (default: that of A)
        dtype_d (TYPE): element type of D
        vec (16|32): elements of K that share a scale factor (default: 32)
        k96: MMAs of K 96 (sm_103a)
        sf_stages (S): tiles of scale factors in tensor memory (default: 1)
        metadata_stages (S): tiles of metadata in tensor memory (default: 1)
        allocate (COLUMNS): what the kernel allocates; several in order: 256,128
        ctas_per_sm (C): CTAs that share the 512 columns of one SM (default: 1)
        region (NAME=FIRST+COUNT): columns as the kernel has them: D0=0+256, SFA=256+16; @16:
            lanes 16-31
        read (WARP:LANES): lanes that a warp reads or writes: 1:32-63
        copy_sfb (SHAPE): the tcgen05.cp that brings the factors of B: 32x128b.warpx4
        sfb_in (one|both): which CTAs of a pair hold the factors of all of N; one of one, both
        expect_tx (BYTES): what the mbarrier of a stage expects
        scale_layout (LAYOUT): how the factors lie in global memory; one of 128x4, 8x4, linear,
            deepgemm
        scales_for (kernel|cublas): who takes them from there; one of kernel, cublas (default:
            kernel)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz tmem plan --kind mxf8f6f4 --n 256 --stages 2
        swz tmem plan --n 128 --region S=0+128 --region P=64+64 --region O=256+128 --allocate 512
        swz tmem plan --kind mxf4 --cta-group 2 --copy-sfb 32x128b.warpx4
    """
    return ask(
        "tmem plan",
        {
            "kind": kind,
            "m": m,
            "n": n,
            "k": k,
            "cta_group": cta_group,
            "ws": ws,
            "sparse": sparse,
            "stages": stages,
            "stacking": stacking,
            "a_in": a_in,
            "a_stages": a_stages,
            "dtype": dtype,
            "dtype_b": dtype_b,
            "dtype_d": dtype_d,
            "vec": vec,
            "k96": k96,
            "sf_stages": sf_stages,
            "metadata_stages": metadata_stages,
            "allocate": allocate,
            "ctas_per_sm": ctas_per_sm,
            "region": region,
            "read": read,
            "copy_sfb": copy_sfb,
            "sfb_in": sfb_in,
            "expect_tx": expect_tx,
            "scale_layout": scale_layout,
            "scales_for": scales_for,
            "arch": arch,
            "strict": strict,
        },
        repeated=["region", "read"],
    )


def pair(
    *,
    m: Value = None,
    n: Value = None,
    k: Value = None,
    dtype: Any = None,
    dtype_b: Any = None,
    kind: Value = None,
    vec: Value = None,
    cta: Value = None,
    sparse: bool = False,
    at: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """What each CTA of a pair holds of A, B, D and the scale factors.

    With cta_group::2 the rows of A and D and the columns of B are split over two
    CTAs; the scale factors of B are not. With --k or a type also the bytes of a
    stage in shared memory, and what an mbarrier counts.

    Arguments:
        m (M): rows of D, of both CTAs (default: 256)
        n (N): columns of D (default: 256)
        k (K): of a stage, whose bytes are said (default: four MMAs, where a type is given)
        dtype (TYPE): element type of A and B of the stage (default: f16, with --k)
        dtype_b (TYPE): element type of B (default: that of A)
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
            (default: the first that takes the type)
        vec (16|32): elements of K that share a scale factor (default: 32)
        cta (0|1): which CTA of the pair (default: 0)
        sparse: a sparse A
        at (M,N): which CTA computes this element of D, and which has its B
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz pair --m 256 --n 192 --cta 1
        swz pair --m 256 --n 192 --k 64 --dtype bf16
    """
    return ask(
        "pair",
        {
            "m": m,
            "n": n,
            "k": k,
            "dtype": dtype,
            "dtype_b": dtype_b,
            "kind": kind,
            "vec": vec,
            "cta": cta,
            "sparse": sparse,
            "at": at,
            "arch": arch,
            "strict": strict,
        },
    )


def sparse(
    *,
    kind: Value = None,
    at: Value = None,
    cell: Value = None,
    m: Value = None,
    cta_group: Value = None,
    ws: bool = False,
    cta: Value = None,
    mma: Value = None,
    rows: Value = None,
    selector: Value = None,
    map: bool = False,
    metadata: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where the metadata of a sparse MMA lies, and what a word of it says.

    The lane, column and bits of the nibble of a chunk in tensor memory, the address
    column and the sparsity selector that name it; its place in global memory and in
    the registers of wgmma.sp and mma.sp. Rows are those of the whole A, also of a
    pair. --metadata reads a word of 32, 16 or 8 bits nibble by nibble.

    Arguments:
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        at (ROW,K): row of A, of both CTAs; logical k of the MMA
        cell (LANE,COLUMN,BIT): which chunk this bit is about
        m (M): rows of D, of the whole MMA (default: 128)
        cta_group (1|2): how many CTAs execute it (default: 1)
        ws: tcgen05.mma.ws: a copy for each part of N
        cta (CTA): CTA of --cell (default: 0)
        mma (J): which MMA of the tile (default: 0)
        rows (M): rows of the whole A in global memory (default: those of the MMA, at least 128)
        selector (0|1): sparsity selector of wgmma.sp and mma.sp, of 16 and 32 bits; one of 0, 1
            (default: 0)
        map: in JSON also lane, column and first bit of every chunk of one MMA
        metadata (WORD): which elements a word of 32, 16 or 8 bits keeps; its digits say which
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz sparse --kind f16 --at 13,20 --mma 3
        swz sparse --kind f16 --metadata 0x44e49c84
    """
    return ask(
        "sparse",
        {
            "kind": kind,
            "at": at,
            "cell": cell,
            "m": m,
            "cta_group": cta_group,
            "ws": ws,
            "cta": cta,
            "mma": mma,
            "rows": rows,
            "selector": selector,
            "map": map,
            "metadata": metadata,
            "arch": arch,
            "strict": strict,
        },
    )


def sf_place(
    *,
    layout: Value = None,
    vec: Value = None,
    shape: Value = None,
    at: Value = None,
    offset: Value = None,
    memory: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where a scale factor lies in global or shared memory.

    The offset of the factor of an element, and the bytes of all of them with the
    padding: 128x4 tiles as cuBLAS and CUTLASS have them, 8x4, linear, DeepGEMM's.

    Arguments:
        layout (LAYOUT): 128x4 (cuBLAS, CUTLASS), 8x4 (FlashInfer), linear, deepgemm; one of
            128x4, 8x4, linear, deepgemm (default: 128x4)
        vec (16|32): elements of K that share a factor; one of 16, 32 (default: 32)
        shape (ROWSxK): rows and K of the operand, in elements
        at (ROW,K): where the factor of this element lies
        offset (BYTE): which factor lies in this byte
        memory (gmem|smem): smem: the stage of one CTA, whose rows are --shape's; one of gmem,
            smem (default: gmem)
        map: in JSON also the offset of every factor, row by row
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz sf place --vec 16 --shape 256x1024 --at 200,1000
    """
    return ask(
        "sf place",
        {
            "layout": layout,
            "vec": vec,
            "shape": shape,
            "at": at,
            "offset": offset,
            "memory": memory,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
    )


def sf_tmem(
    *,
    kind: Value = None,
    vec: Value = None,
    at: Value = None,
    operand: Value = None,
    m: Value = None,
    n: Value = None,
    cta_group: Value = None,
    k96: bool = False,
    row: Value = None,
    kb: Value = None,
    cell: Value = None,
    cta: Value = None,
    column: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where the MMA takes a scale factor from in tensor memory.

    The lanes, column and byte of a factor, the MMA of the tile that takes it, and
    the address column and sf_id that name it.

    Arguments:
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        vec (16|32): elements of K that share a factor; one of 16, 32 (default: 32)
        at (ROW,K): where the factor of this element lies; k from the tile's first
        operand (a|b): whose factors; one of a, b (default: a)
        m (M): of the whole MMA (default: 128)
        n (N): of the whole MMA (default: 128)
        cta_group (1|2): how many CTAs execute it (default: 1)
        k96: MMAs of K 96 (sm_103a)
        row (ROW): where the factor of this row of the operand lies, of both CTAs
        kb (KB): which factor of the row, from the tile's first k (default: 0)
        cell (LANE,COLUMN,BYTE): which factor lies there
        cta (CTA): CTA of --cell (default: 0)
        column (COLUMN): column of the scale address (default: 0)
        map: in JSON also lane, column and byte of every factor of the first MMA, at least four
            of a row
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --at 200,96 --column 80
    """
    return ask(
        "sf tmem",
        {
            "kind": kind,
            "vec": vec,
            "at": at,
            "operand": operand,
            "m": m,
            "n": n,
            "cta_group": cta_group,
            "k96": k96,
            "row": row,
            "kb": kb,
            "cell": cell,
            "cta": cta,
            "column": column,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
    )


def sf_way(
    *,
    kind: Value = None,
    at: Value = None,
    vec: Value = None,
    k96: bool = False,
    operand: Value = None,
    m: Value = None,
    n: Value = None,
    k: Value = None,
    cta_group: Value = None,
    cta: Value = None,
    shape: Value = None,
    origin: Value = None,
    column: Value = None,
    base: Value = None,
    row: Value = None,
    kb: Value = None,
    dtype: Any = None,
    dtype_b: Any = None,
    scale_type: Any = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The way of scale factors, from global memory to their sf_id.

    The tiles of a CTA's stage, the copy that brings each to tensor memory with its
    descriptor, and for each MMA of the tile the address column, the sf_id and the
    instruction descriptor. With --at the whole way of one factor.

    Arguments:
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        at (ROW,K): where the factor of this element lies; k from the tile's first
        vec (16|32): elements of K that share a factor (default: 32)
        k96: MMAs of K 96 (sm_103a)
        operand (a|b): whose factors; one of a, b (default: a)
        m (M): of the whole MMA (default: 128)
        n (N): of the whole MMA (default: 128)
        k (K): of a tile (default: four MMAs)
        cta_group (1|2): how many CTAs execute it (default: 1)
        cta (0|1): which CTA of a pair; --row is then a row of it (default: that of --row, else
            0)
        shape (ROWSxK): rows and K of the whole operand in global memory (default: those of the
            tile)
        origin (ROWxK): first row and k of the tile in it
        column (COLUMN): column of the scale address (default: 0)
        base (ADDRESS): shared-memory address of the stage (default: 0)
        row (ROW): the way of one factor of this row of the tile, of both CTAs
        kb (KB): which factor of the row, from the tile's first k (default: 0)
        dtype (TYPE): element type of A (default: the first of the kind)
        dtype_b (TYPE): element type of B (default: that of A)
        scale_type (TYPE): type of the factors (default: ue4m3 for 16 elements, else ue8m0)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --at 200,96
        swz sf way --kind mxf8f6f4 --m 256 --cta-group 2
    """
    return ask(
        "sf way",
        {
            "kind": kind,
            "at": at,
            "vec": vec,
            "k96": k96,
            "operand": operand,
            "m": m,
            "n": n,
            "k": k,
            "cta_group": cta_group,
            "cta": cta,
            "shape": shape,
            "origin": origin,
            "column": column,
            "base": base,
            "row": row,
            "kb": kb,
            "dtype": dtype,
            "dtype_b": dtype_b,
            "scale_type": scale_type,
            "arch": arch,
            "strict": strict,
        },
    )


def narrow(
    *,
    kind: Value = None,
    dtype: Any = None,
    at: Value = None,
    k: Value = None,
    gmem: Value = None,
    smem: Value = None,
    tmem: Value = None,
    map: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Where an element of 4, 6 or 8 bits lies in global, shared and tensor memory.

    Byte and bits of an element along the contiguous dimension, the bytes that an
    mbarrier counts, and the data type of the tensor map.

    Arguments:
        kind (KIND): kind of the MMA; one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        dtype (TYPE): element type
        at (K): which element along the contiguous dimension (default: 0)
        k (K): the same as --at
        gmem (BYTE): which elements lie in this byte of global memory
        smem (BYTE): which elements lie in this byte of shared memory
        tmem (COLUMN): which elements lie in this column of A
        map: in JSON also the first bits of 128 elements
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz narrow --kind mxf8f6f4 --dtype e2m1 --at 37
    """
    return ask(
        "narrow",
        {
            "kind": kind,
            "dtype": dtype,
            "at": at,
            "k": k,
            "gmem": gmem,
            "smem": smem,
            "tmem": tmem,
            "map": map,
            "arch": arch,
            "strict": strict,
        },
    )


def kernel(
    *file: Value,
    entry: Value = None,
    only: Value = None,
    threads: Value = None,
    set: Value = None,
    line: Value = None,
    annotate: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """What a compiled kernel's PTX decides: MMAs, banks, copies, contradictions.

    Reads PTX and says, without running it, which MMAs it has, by which descriptors
    and from which bytes; how many wavefronts each access to shared memory takes;
    the bulk copies and the accesses to tensor memory; and what contradicts what.

    What is said holds in every execution that comes to the place. A count whose
    proof is "all" holds for every warp and pass of its loop. One that is "sampled"
    is the mean over the passes that were followed, or holds for all lanes where a
    bound decides which execute it, or ptxas may change it.
    What is not known is said with the instruction that made it so: --threads and
    --set tell what the PTX does not say.

    Text joins sites that repeat and shows the worst accesses; -f json has an entry
    for each site. --strict ends with 1 where something contradicts, and where a
    count or an operand is not known or not proven.

    Arguments:
        file: PTX: of nvcc -ptx or -keep, cuobjdump -ptx, Triton's cache; - is standard input
        entry (NAME): one kernel of several
        only (KINDS): mma, smem, tma, tmem, with commas between: these sites alone
        threads (N): threads of a block: N or X,Y,Z (default: what the PTX says)
        set (REG=N): what a register holds wherever it is read: %r12=3
        line (LINE): all about the site in this line of the PTX, with its picture
        annotate: the PTX with what is known behind its lines
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz kernel @kernel.ptx
        swz kernel @kernel.ptx --line 82
    """
    return ask(
        "kernel",
        {
            "entry": entry,
            "only": only,
            "threads": threads,
            "set": set,
            "line": line,
            "annotate": annotate,
            "arch": arch,
            "strict": strict,
        },
        [*file],
        repeated=["set"],
    )


def identify(
    dump: Value = None,
    *,
    dtype: Any = None,
    tile: Value = None,
    slots: bool = False,
    expect: Value = None,
    address: Value = None,
    as_: Value = None,
    number_bits: Value = None,
    make: Value = None,
    of: Value = None,
    operand: Value = None,
    threads: Value = None,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The tile or fragment in a dump, or the mistake made; exit 1 when not exact.

    Finds where in a dump a tile lies, and how: swizzle mode, major, stacking order
    and the byte at which it begins; its layout from the dump's first byte, the
    descriptor words that read it, the TMA box that makes it. Without --expect the
    elements may hold the number i of the element, as bits or as a value that the
    type rounds, an arange of any start and step, or codes of row and k; the answer
    says which, and names all that explain the dump. Values may repeat: what they
    leave open is listed.

    If no canonical tile has every element in place, the answer is the nearest one,
    the first element that differs, and the mistake that explains all of them:
    tile-relative-swizzle, other-mode, other-unit, pitch, transposed,
    strides-exchanged, chunk-order, stale, byte-order or wrong-lane.

    With --of, DUMP is registers by thread: 'thread 5: 0x00010000 0x00090008', or
    '5 1 17' (thread, register, value), JSON, .npy of threads x registers, or with
    --threads words of 32 bits. The answer is the fragment that they hold, as 'swz
    frag' names it, or what tensor memory holds ('swz tmem d'). Numbers may be
    values as %f prints them, one for each element. --of NAME says which one is
    meant; its mistakes are transposed, register-order, element-order, warp-order,
    other-fragment, wrong-lane, wrong-warp and stale.

    The dump's first byte lies on a multiple of 1,024 B unless --address or the text
    says otherwise. -f svg and the other picture formats draw the tile.

    Arguments:
        dump: a file, @- for standard input: bytes, .npy, hexadecimal, gdb's x/ and print,
            numbers
        dtype (TYPE): element type (default: f16)
        tile (MNxK): rows and K of the tile
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        expect (FILE|iota|values|codes): what the tile holds, row after row: element i is i as
            bits, or as a value, or i in several passes; or the bytes of FILE (default: bits and
            values of i, of an arange, of row and k: whatever explains the dump)
        address (BYTES): shared-memory address of the dump's first byte (default: what the text
            says, else a multiple of 1,024)
        as_ (FORM): the form of DUMP; one of bytes, npy, gdb, hex, numbers (default: recognised)
        number_bits (BITS): the width of a number that does not show it (default: that of an
            element)
        make (cuda): print a source that fills a tile so that one dump decides, and writes the
            dump; one of cuda
        of (fragment|tmem|NAME): DUMP is registers by thread: name the fragment, what tensor
            memory holds, or the mistake where NAME is meant (default: shared memory)
        operand (a|b|c|d): of NAME, which is meant; one of a, b, c, d
        threads (N): DUMP is words of 32 bits, thread after thread, of so many threads (default:
            those that DUMP names)
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz identify @dump.txt --dtype bf16 --tile 8x64
        swz identify @registers.txt --of fragment --dtype bf16 --tile 16x16
        swz identify --make cuda --dtype e4m3 --tile 128x128
    """
    return ask(
        "identify",
        {
            "dtype": dtype,
            "tile": tile,
            "slots": slots,
            "expect": expect,
            "address": address,
            "as": as_,
            "number_bits": number_bits,
            "make": make,
            "of": of,
            "operand": operand,
            "threads": threads,
            "arch": arch,
            "strict": strict,
        },
        [dump],
    )


def verify(
    *,
    only: Value = None,
    quick: bool = False,
    all: bool = False,
    seed: Value = None,
    cases: Value = None,
    record: Value = None,
    replay: Value = None,
    resume: Value = None,
    planted: Value = None,
    device: Value = None,
    emit_kernel: bool = False,
    compile_only: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Compare what the GPU does with what swz predicts; exit 1 when it differs.

    Launches small kernels, each of which runs one instruction on position codes,
    and compares the place that every element came from with what swz predicts.
    --only list shows the probes, what each one asks, and the wrong models that it
    detects.

    Needs an NVIDIA driver and NVRTC, in the usual places or in the files that
    SWZ_LIBCUDA and SWZ_NVRTC name. If one is missing, swz names it and exits with
    3. --replay compares a recording instead; --compile-only and --emit-kernel need
    no GPU.

    A probe that cannot fail proves nothing: --planted NAME replaces the model of
    swz by a wrong one, which must not be confirmed.

    Arguments:
        only (PROBES): run only these probes, separated by commas: wgmma,tma; list shows them;
            one of wavefront, matrix, mma, wgmma, tcgen05, tma, tile, tensor-map, layout, tmem-
            access, tmem-copy, tx-bytes, tmem-mma, tmem-shift
        quick: a tenth of the cases: a few seconds
        all: ten times the cases
        seed (N): draw other cases (default: 1)
        cases (N): number of cases per probe; for the probe layout, of layouts
        record (FILE): write the observations to a file, for --replay
        replay (FILE): compare a recording instead of asking a GPU
        resume (FILE): go on with a run that ended early: what FILE recorded is not asked again
        planted (NAME): use a model with this mistake, which must not be confirmed; one of
            strides-swapped, base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
            wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, pairs-at-any-
            distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, one-stride-
            off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, split-in-
            registers, lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer,
            nibbles-exchanged, container-elsewhere, shift-of-one-quarter, shift-upwards, shift-
            across-quarters, shift-of-aligned-columns, padding-counted, outside-not-counted, halves-
            exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63,
            pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves,
            scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-
            lanes-0-63, metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-
            columns-by-2, a-n-step-16, scale-b-by-32-rows, scale-words-whole, ptx-swizzles, reduced-
            over-both-halves
        device (N): index of the GPU, in the order of the driver (default: 0)
        emit_kernel: print the CUDA source that would run
        compile_only: compile for --arch with NVRTC; needs no GPU
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz verify
        swz verify --only list
        swz verify --quick --only wgmma
        swz verify --replay tests/data/h200.jsonl
        swz verify --compile-only --arch sm_90a
    """
    return ask(
        "verify",
        {
            "only": only,
            "quick": quick,
            "all": all,
            "seed": seed,
            "cases": cases,
            "record": record,
            "replay": replay,
            "resume": resume,
            "planted": planted,
            "device": device,
            "emit_kernel": emit_kernel,
            "compile_only": compile_only,
            "arch": arch,
            "strict": strict,
        },
    )


def verify_tma(
    *,
    quick: bool = False,
    all: bool = False,
    seed: Value = None,
    cases: Value = None,
    record: Value = None,
    replay: Value = None,
    resume: Value = None,
    planted: Value = None,
    device: Value = None,
    emit_kernel: bool = False,
    compile_only: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Check on the GPU where boxes land, what is refused, and the 128 bytes.

    Runs the probes tma and tensor-map of swz verify: random boxes of rank 1 to 5
    are loaded and compared byte for byte with swz tma place, fills and gaps
    included; random arguments are passed to cuTensorMapEncodeTiled, and its
    verdicts and bytes are compared with swz tma check and swz tma encode.

    Arguments:
        quick: a tenth of the cases: a few seconds
        all: ten times the cases
        seed (N): draw other cases (default: 1)
        cases (N): number of cases per probe; for the probe layout, of layouts
        record (FILE): write the observations to a file, for --replay
        replay (FILE): compare a recording instead of asking a GPU
        resume (FILE): go on with a run that ended early: what FILE recorded is not asked again
        planted (NAME): use a model with this mistake, which must not be confirmed; one of
            strides-swapped, base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
            wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, pairs-at-any-
            distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, one-stride-
            off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, split-in-
            registers, lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer,
            nibbles-exchanged, container-elsewhere, shift-of-one-quarter, shift-upwards, shift-
            across-quarters, shift-of-aligned-columns, padding-counted, outside-not-counted, halves-
            exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63,
            pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves,
            scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-
            lanes-0-63, metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-
            columns-by-2, a-n-step-16, scale-b-by-32-rows, scale-words-whole, ptx-swizzles, reduced-
            over-both-halves
        device (N): index of the GPU, in the order of the driver (default: 0)
        emit_kernel: print the CUDA source that would run
        compile_only: compile for --arch with NVRTC; needs no GPU
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz verify tma
        swz verify tma --seed 2 --all
    """
    return ask(
        "verify tma",
        {
            "quick": quick,
            "all": all,
            "seed": seed,
            "cases": cases,
            "record": record,
            "replay": replay,
            "resume": resume,
            "planted": planted,
            "device": device,
            "emit_kernel": emit_kernel,
            "compile_only": compile_only,
            "arch": arch,
            "strict": strict,
        },
    )


def verify_tile(
    *,
    dtype: Any = None,
    tile: Value = None,
    major: Value = None,
    slots: bool = False,
    kind: Value = None,
    swizzle: Value = None,
    order: Value = None,
    base: Value = None,
    via: Value = None,
    record: Value = None,
    replay: Value = None,
    resume: Value = None,
    planted: Value = None,
    device: Value = None,
    emit_kernel: bool = False,
    compile_only: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Check one tile on the GPU, end to end; exit 1 when it differs.

    Writes a tile into shared memory, by the TMA boxes of swz tma plan or at the
    addresses of swz place, has wgmma read it through the words of swz desc, and
    checks that every element is where it should be. Needs an sm_90 GPU.

    On a mismatch a figure shows the elements that came from elsewhere.

    Arguments:
        dtype (TYPE): element type (default: f16)
        tile (MNxK): extents in elements, rows of M or N first, then K: 128x64
        major (k|mn): contiguous dimension (default: k)
        slots: 4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them
        kind (KIND): kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps;
            one of tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4
        swizzle (MODE): swizzle mode by any of its names, or auto (default: 128B)
        order (mn-first|k-first): the direction in which the atoms follow each other; one of mn-
            first, k-first (default: mn-first)
        base (ADDRESS): shared-memory address of the tile (default: 0x400)
        via (tma|store): how the elements are written to shared memory; one of tma, store
            (default: tma)
        record (FILE): write the observations to a file, for --replay
        replay (FILE): compare a recording instead of asking a GPU
        resume (FILE): go on with a run that ended early: what FILE recorded is not asked again
        planted (NAME): use a model with this mistake, which must not be confirmed; one of
            strides-swapped, base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
            wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, pairs-at-any-
            distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, one-stride-
            off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, split-in-
            registers, lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer,
            nibbles-exchanged, container-elsewhere, shift-of-one-quarter, shift-upwards, shift-
            across-quarters, shift-of-aligned-columns, padding-counted, outside-not-counted, halves-
            exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63,
            pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves,
            scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-
            lanes-0-63, metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-
            columns-by-2, a-n-step-16, scale-b-by-32-rows, scale-words-whole, ptx-swizzles, reduced-
            over-both-halves
        device (N): index of the GPU, in the order of the driver (default: 0)
        emit_kernel: print the CUDA source that would run
        compile_only: compile for --arch with NVRTC; needs no GPU
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B
        swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store
    """
    return ask(
        "verify tile",
        {
            "dtype": dtype,
            "tile": tile,
            "major": major,
            "slots": slots,
            "kind": kind,
            "swizzle": swizzle,
            "order": order,
            "base": base,
            "via": via,
            "record": record,
            "replay": replay,
            "resume": resume,
            "planted": planted,
            "device": device,
            "emit_kernel": emit_kernel,
            "compile_only": compile_only,
            "arch": arch,
            "strict": strict,
        },
    )


def verify_desc(
    word: Value,
    *,
    mma: Value = None,
    operand: Value = None,
    dtype: Any = None,
    major: Value = None,
    record: Value = None,
    replay: Value = None,
    resume: Value = None,
    planted: Value = None,
    device: Value = None,
    emit_kernel: bool = False,
    compile_only: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """What a word really reads on the GPU; exit 1 when swz map differs.

    Fills shared memory with position codes, has wgmma read one operand through the
    word, and shows the bytes that every element came from, as swz map does.
    Needs an sm_90 GPU.

    Arguments:
        word: descriptor word of wgmma: 0x…, 0b… or decimal
        mma (SHAPE): m64n256k16, the name of an MMA, or rows and K of the operand, 64x16
            (default: 64 rows)
        operand (a|b): which operand of the MMA; one of a, b (default: a)
        dtype (TYPE): element type (default: f16)
        major (k|mn): contiguous dimension (default: k)
        record (FILE): write the observations to a file, for --replay
        replay (FILE): compare a recording instead of asking a GPU
        resume (FILE): go on with a run that ended early: what FILE recorded is not asked again
        planted (NAME): use a model with this mistake, which must not be confirmed; one of
            strides-swapped, base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
            wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, pairs-at-any-
            distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, one-stride-
            off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, split-in-
            registers, lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer,
            nibbles-exchanged, container-elsewhere, shift-of-one-quarter, shift-upwards, shift-
            across-quarters, shift-of-aligned-columns, padding-counted, outside-not-counted, halves-
            exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63,
            pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves,
            scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-
            lanes-0-63, metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-
            columns-by-2, a-n-step-16, scale-b-by-32-rows, scale-words-whole, ptx-swizzles, reduced-
            over-both-halves
        device (N): index of the GPU, in the order of the driver (default: 0)
        emit_kernel: print the CUDA source that would run
        compile_only: compile for --arch with NVRTC; needs no GPU
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k
    """
    return ask(
        "verify desc",
        {
            "mma": mma,
            "operand": operand,
            "dtype": dtype,
            "major": major,
            "record": record,
            "replay": replay,
            "resume": resume,
            "planted": planted,
            "device": device,
            "emit_kernel": emit_kernel,
            "compile_only": compile_only,
            "arch": arch,
            "strict": strict,
        },
        [hex_word(word)],
    )


def verify_layout(
    layout: Any,
    *,
    shape: Value = None,
    dtype: Any = None,
    major: Value = None,
    base: Value = None,
    access: Value = None,
    record: Value = None,
    replay: Value = None,
    resume: Value = None,
    planted: Value = None,
    device: Value = None,
    emit_kernel: bool = False,
    compile_only: bool = False,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """Check on the GPU where the elements of a layout lie; exit 1 when it differs.

    Checks a layout of rank 2 in every way that applies to it, and names the ways
    that do not. The TMA boxes of swz tma plan --layout write its elements into
    shared memory, wgmma reads them through the words of swz desc --from, and
    ld.shared, st.shared, ldmatrix, stmatrix and cp.async access them at the
    addresses of swz banks. Each element must lie where the layout says, and each
    access must take as many wavefronts as swz banks counts, by the clock of the SM.

    TMA and wgmma need an sm_90 GPU, the accesses any GPU from sm_75 on. On a
    mismatch a figure shows the elements that lie elsewhere. swz verify --only
    layout checks random layouts.

    Arguments:
        layout: a layout of rank 2, (MN,K), in any notation of swz translate
        shape (RxC): shape of the array of a layout whose text does not say it
        dtype (TYPE): element type (default: f16)
        major (k|mn): contiguous dimension (default: that of the layout)
        base (ADDRESS): shared-memory address of index 0 (default: 0x800)
        access (ACCESS): only these accesses, and TMA and wgmma: 'ld.shared.b32 columns'
            (default: every instruction)
        record (FILE): write the observations to a file, for --replay
        replay (FILE): compare a recording instead of asking a GPU
        resume (FILE): go on with a run that ended early: what FILE recorded is not asked again
        planted (NAME): use a model with this mistake, which must not be confirmed; one of
            strides-swapped, base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
            wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, pairs-at-any-
            distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, one-stride-
            off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, split-in-
            registers, lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer,
            nibbles-exchanged, container-elsewhere, shift-of-one-quarter, shift-upwards, shift-
            across-quarters, shift-of-aligned-columns, padding-counted, outside-not-counted, halves-
            exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63,
            pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves,
            scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-
            lanes-0-63, metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-
            columns-by-2, a-n-step-16, scale-b-by-32-rows, scale-words-whole, ptx-swizzles, reduced-
            over-both-halves
        device (N): index of the GPU, in the order of the driver (default: 0)
        emit_kernel: print the CUDA source that would run
        compile_only: compile for --arch with NVRTC; needs no GPU
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz verify layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)'
        swz verify layout '(32,33):(33,1)' --dtype f32 --access 'ld.shared.b32 columns'
    """
    return ask(
        "verify layout",
        {
            "shape": shape,
            "dtype": dtype,
            "major": major,
            "base": base,
            "access": access,
            "record": record,
            "replay": replay,
            "resume": resume,
            "planted": planted,
            "device": device,
            "emit_kernel": emit_kernel,
            "compile_only": compile_only,
            "arch": arch,
            "strict": strict,
        },
        [layout],
        layouts=["arguments"],
        repeated=["access"],
    )


def arch(
    topic: Value = None,
    *,
    arch: Value = None,
    strict: bool = False,
) -> Answer:
    """The facts behind the answers: types, targets, swizzle modes, formats.

    Prints what swz knows about the hardware, each row with its source and how far
    it can be trusted.

    Arguments:
        topic: print one table only
        arch (SM): target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the
            command decides)
        strict: exit with 1 when the verdict is not clean: there are lints, or what decides it
            is not known

    Examples of the command line:
        swz arch
    """
    return ask(
        "arch",
        {
            "arch": arch,
            "strict": strict,
        },
        [topic],
    )
