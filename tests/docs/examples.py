# SPDX-License-Identifier: Apache-2.0
"""Every example of the help shows what its sentence says.

    python3 tests/docs/examples.py --swz build/dev/swz

A row of ROWS: the example's line, how it ends, and what its output has to contain. The rows are written from the sentence
and the fact sheets, not from the output: "a k step that advances wrongly" has to name the mistake of the advance. An
example without a row, a row without an example and a fragment that is not there are faults. Files that an example names
are those of `files`, as a user would have them. What asks a GPU has no row: NEEDS says why.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "tests/data/ptx/matmul_bf16_small_sm90.ptx"

# Lines that this machine cannot answer.
NEEDS = {
    "swz verify": "a GPU",
    "swz verify --quick --only wgmma": "a GPU",
    "swz verify --compile-only --arch sm_90a": "NVRTC; probe/nvrtc compiles all",
    "swz verify tma": "a GPU",
    "swz verify tma --seed 2 --all": "a GPU",
    "swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B": "a GPU",
    "swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store": "a GPU",
    "swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k": "a GPU",
    "swz verify layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)'": "a GPU",
    "swz verify layout '(32,33):(33,1)' --dtype f32 --access 'ld.shared.b32 columns'": "a GPU",
    "swz gdb": "an installed package; install/gdb asks it",
    "swz lsp --arch sm_100a": "an editor; cmd/lsp and tests/editor ask it",
    "swz page --where": "an installed package",
    "swz skills install --dest ~/.claude/skills": "a home folder; cmd/skills writes elsewhere",
}

# Line, exit code, and what the output contains.
ROWS = [
    ("swz decode 0x4000004000010042", 0, ["wgmma-smem on sm_90a", "start_address", "no lints"]),
    ("swz decode 0x4000404000010042 --arch sm_100a", 0, ["tcgen05-smem on sm_100a", "no lints"]),
    # f32 of f16 x ... of M 128: 8 << 24, N 128: 16 << 17, bf16 is 1, f32 is 1
    ("swz decode --as idesc --kind f16 0x08200490", 0, ["tcgen05-idesc, kind::f16", "128", "bf16", "f32"]),
    ("swz decode 0x4000004000010040 0x4000004000010050", 0, ["the start advances by 256 B per step where 32 B is right", "+256 B"]),
    # rubin.md, section 3: start 0x50000; with 14 bits it is 0x10000.
    ("swz decode 0x4000404000015000 --arch sm_100a --against sm_107a", 0, ["65536 B  327680 B", "bits 14"]),
    ("swz decode --as tmem 0x00450025", 0, ["0x00450025    69      37"]),
    ("swz decode @words.txt", 0, ["0x4000004000010040", "0x4000004000010042"]),
    ("swz map 0x4000004000010042 --arch sm_90a --mma m64n16k16 --operand a", 0,
     ["f16 64x16 K-major, operand a on sm_90a", "2048 B in 128 chunks"]),
    ("swz map 0x4000004000010042 --against '--tile 128x64 --swizzle 128B --base 0x400'", 0,
     ["all 1024 elements are read from their places", "k 16 to 31"]),
    ("swz map 0x4000004000010040 0x4000004000010050 --dtype bf16", 0, ["the start advances by 256 B per step where 32 B is right"]),
    # 16 elements of 2 B are 32 B, 2 in the field; the words begin at 0x40 * 16, 0x42 * 16, …
    ("swz map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --dtype bf16", 0,
     ["advance +32 B is right", "0x400", "0x420", "0x440", "0x460"]),
    ("swz map 0x4000004000000040 --against 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --mma 8x16 --base 0x400", 0,
     ["all 128 elements are read from their places"]),
    ("swz stage --tile 128x128x64 --epilogue 33792", 0, ["6 of 32768 B beside 33792 B", "StageCountAutoCarveout<33792> is 6"]),
    ("swz stage --tile 256x128x64 --cta-group 2 --arch sm_100a --expect-tx 24576", 0,
     ["49152 B at the barrier of the leader", "lint[expect-one-cta]", "expect_tx 49152"]),
    ("swz stage --tile 256x256x256 --kind mxf4nvf4 --cta-group 2 --arch sm_100a", 0, ["5 of 38912 B", "77824 B"]),
    ("swz cost --tile 128x256x64 --dtype bf16", 0, ["the tensor core, 1024 cycles", "8 MMAs * 128"]),
    ("swz cost --tile 256x256x64 --dtype bf16 --mma m256n256k16 --arch sm_100a", 0,
     ["copies from L2, 565 cycles", "the tensor core, 512 (91 %)"]),
    ("swz cost --tile 128x64x64 --mma m128n64k16 --arch sm_100a --a-in tmem --a-made-here", 0,
     ["copies from L2, 141 cycles", "A in tensor memory and made by the kernel"]),
    ("swz cost --tile 128x128x32 --mma m16n8k16 --warp-tile 64x64 --gpu 'rtx 5090'", 0,
     ["the tensor core, 2048 cycles", "4 warps * 8192 + 16384 written"]),
    ("swz phase --swizzle 64B --base 0x680", 0, ["128 B after the beginning of the pattern"]),
    ("swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64", 0, ["128 B after the beginning", "counting lines from 0x480 instead of 0x400 misses"]),
    ("swz desc --dtype f16 --tile 128x64 --major k --swizzle 128B --base 0x400", 0,
     [f"0x{0x4000004000010040 + 0x200 * m + 2 * k:016x}" for m in range(2) for k in range(4)]),
    ("swz desc --arch sm_100a --dtype bf16 --tile 256x64 --mma m128n256k16 --operand b", 0,
     ["bf16 256x64", *(f"0x{0x4000404000010000 + 2 * k:016x}" for k in range(4))]),
    ("swz desc --arch sm_103a --kind mxf4nvf4 --dtype e2m1 --tile 128x768 --mma m128n256k96", 0, ["k step +48 B"]),
    ("swz desc --kind mxf8f6f4 --dtype e3m2 --tile 256x128 --cta-group 2 --operand b", 0, ["e3m2 128x128", "k step +32 B"]),
    ("swz desc --dtype f16 --major mn --from '(16,64):(1,16)'", 1, ["no descriptor: steps of k are 32 B apart; mode none needs 16 B"]),
    ("swz desc --dtype f16 --tile 128x64 --emit cuda", 0, ["#ifdef __CUDACC_RTC__", "__device__"]),
    ("swz choose --dtype bf16 --tile 64x32 --major k", 0, ["take  64B:", "K 32 is 64 B"]),
    ("swz choose --kind mxf8f6f4 --dtype e2m1 --tile 128x128", 0, ["take  128B:"]),
    ("swz choose --dtype tf32 --tile 128x32 --major mn --arch sm_100a", 0,
     ["take  128B_32B:", "tcgen05 reads MN-major tf32 with mode 128B_32B only"]),
    ("swz tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a", 0, ["MMAs    8", "64 KiB per stage"]),
    ("swz tiles --tile 128x128x64 --mma m64n128k16 --highlight 'm-block 0; k-step 2'", 0, ["2 along M, 1 along N, 4 along K"]),
    # 37 * 8192 + 168 bytes; line 37 of the second 16 KiB, chunk 2 ^ 5.
    ("swz cluster --shape 2x4 --tile 128x128x64 --rank 5", 0, ["5 at (1, 2)", "0xaa", "0x30", "32768 B"]),
    ("swz cluster --shape 4x2 --cta-group 2 --tile 256x128x64", 0, ["leader", "49152 B", "0x3f"]),
    ("swz cluster 0x0033 --shape 4x4", 1, ["no mask of this cluster"]),
    ("swz cluster --address 0x05000400 --rank 0", 0, ["rank 5", "0x400", "0x00000400"]),
    ("swz cluster --response 0x7,0x20001,0x1,0", 0, ["(7, 1, 2)"]),
    ("swz story --arch sm_100a --dtype bf16 --tile 128x128 --tensor 8192x4096 --mma m128n256k16 --at 37,84", 0,
     ["2 TMA copies, 8 MMAs: every element", "0x4a0a8", "box 1, row 37, k 20", "0x52f8", "0x4000404000010402", "lane 37"]),
    ("swz story --arch sm_90a --dtype bf16 --tile 128x64 --mma m64n128k16", 0, ["1 TMA copy, 8 MMAs"]),
    ("swz story --arch sm_80 --dtype f16 --tile 64x64", 0, ["512 cp.async, 16 MMAs"]),
    ("swz story --dtype bf16 --tile 64x64 --read-as '--swizzle 64B'", 1,
     ["lint[other-mode]: the copies write mode 128B, the MMAs read mode 64B"]),
    ("swz story --arch sm_100a --kind mxf4nvf4 --dtype e2m1 --tile 128x256 --at 37,84", 0,
     ["factor 5 of row 37: byte 0x255 of its stage, lanes 5, 37, 69, 101, column 133, byte 1, sf_id 0"]),
    ("swz story --kernel kernel.ptx --line 220", 0, ["1 TMA copy, 2 MMAs", "line 220 of matmul"]),
    ("swz encode smem --start 0x420 --lbo 16 --sbo 1024 --swizzle 128B", 0, ["0x4000004000010042  wgmma-smem"]),
    ("swz encode smem --arch sm_100a --start 0x400 --sbo 1024 --swizzle 128B", 0, ["0x4000404000000040  tcgen05-smem"]),
    ("swz decode 0x4000004000010042 -f json | swz encode smem --from - --sbo 2048", 0, ["0x4000008000010042"]),
    ("swz encode idesc --kind f16 --a-type bf16 --b-type bf16 --d-type f32 --m 128 --n 256", 0,
     [f"0x{8 << 24 | 32 << 17 | 1 << 10 | 1 << 7 | 1 << 4:08x}"]),
    ("swz encode idesc --kind mxf4nvf4 --scale-type ue4m3 --m 128 --n 256", 0,
     [f"0x{1 << 27 | 32 << 17 | 1 << 10 | 1 << 7:08x}", "ue4m3"]),
    # 32 ldmatrix.x4 of 4 rounds; a row of 128 B puts 8 rows into the same banks, 8 times as many; 144 B do not
    ("swz banks --dtype bf16 --tile 128x64 --swizzle 128B --access ldmatrix.x4 --compare 'linear;pad 16'", 0,
     ["mode 128B  ldmatrix.x4         128    128", "linear     ldmatrix.x4        1024    128", "pad 16 B   ldmatrix.x4         128    128"]),
    ("swz banks --layout '(32,32):(32,1)' --dtype f32 --access transpose", 0,
     ["st.shared.b32 rows               32          32     32       0", "ld.shared.b32 columns            32        1024     32     992"]),
    ("swz banks --layout '(16,8):(8,1)' --access ld.shared --tv '((4,8),(2,2)):((32,1),(16,8))'", 0,
     ["wavefronts  2, the ideal: no bank conflict"]),
    ("swz banks --access ld.shared.b128 --lanes 0,16,32,48,1024", 0, ["5 active lanes", "2 where 1 would do"]),
    ("swz swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4 --writes 'st.shared.b128 rows'", 0,
     ["mode 128B ends every bank conflict"]),
    ("swz swizzle find --dtype f32 --tile 32x32 --writes 'st.shared.b32 rows' --reads 'ld.shared.b32 columns'", 0,
     ["Sw<5,2,5>", "1056 wavefronts become 64"]),
    ("swz swizzle lint 'addr ^ ((addr >> 3) & 0x70)'", 0, ["the expression is mode 128B on every address"]),
    ("swz swizzle lint 'i ^ (((i >> 4) & 7) ^ ((i >> 7) & 7)) << 4' --var i", 1,
     ["not a permutation: 0x0 and 0x10 both become 0x0"]),
    ("swz swizzle lint 'row*64 + ((col/8 ^ row%8)*8 + col%8)' --rows 128 --cols 64 --dtype f16", 0,
     ["the expression is mode 128B K-major on all 8192 f16 elements"]),
    ("swz translate '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' --shape 128x32 --dtype f16", 0,
     ["swizzle mode  64B", "Sw<2,3,3> o 0 o (128,32):(32,1)", "0x8000002000010000 on sm_90a"]),
    ("swz translate 'Sw<3,3,3> o 0 o (64,64):(64,1)' --to triton --dtype bf16 --brief", 0,
     ["#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"]),
    ("swz translate --list", 0, ["cute", "triton", "gluon", "tilelang", "mosaic", "thunderkittens", "mojo"]),
    ("swz layout '(8,64):(64,1)'", 0, ["size    512, cosize 512", "bijective"]),
    ("swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", 0, ["Sw<3,3,3> o 0 o (8,64):(64,1)", "1 │  72  73"]),
    ("swz layout '((4,8),(2,2)):((32,1),(16,8))' --nested", 0, ["│ (_,0)", "(_,0) 0 │   0  16"]),
    # 1 * 32 + 2 * 1 + 1 * 16 + 1 * 8
    ("swz layout '((4,8),(2,2)):((32,1),(16,8))' --at '((1,2),3)'", 0, ["offset  58"]),
    ("swz layout 'logical_divide(24:3, 4:2)' --explain", 0, ["complement(4:2, 24)", "((4),(2,3)):((6),(3,24))|(4,(2,3)):(6,(3,24))"]),
    ("printf '%s\\n' '0 0 0' '1 0 64' '0 1 1' '9 63 639' | swz layout --fit -", 0, ["layout  (10,64):(64,1)"]),
    ("swz layout 'complement(4:2, 24)' -f json", 0, ['"layout":"(2,3):(1,8)"']),
    ("swz diff '(8,8):(8,1)' '64:1'", 1, ["first at       index 1: A(1,0) = 8"]),
    ("swz diff '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' 'Sw<2,3,3> o 0 o (128,32):(32,1)'",
     0, ["same function    yes"]),
    ("swz swizzle explain 3,4,3 --dtype tf32", 0, ["on tf32 elements   Sw<3,2,3>"]),
    ("swz frag ldmatrix.x4.trans", 0, ["address|supplies"]),
    ("swz frag mma.m16n8k16 --dtype bf16 --operand a", 0, ["A (M x K), 16 x 16", "((4,8),(2,2,2)):((32,1),(16,8,128))"]),
    ("swz frag mma.m16n8k8 --dtype bf16 -o frag.svg", 0, []),
    # thread 5 is group 1, in it 1: rows 1 and 9, columns 2 and 3
    ("swz frag mma.m16n8k16 --dtype bf16 --at T5,R1", 0, ["a     9       2       5", "a     9       3       5", "d     1       3"]),
    # Lane 12 has A (11, 37), lane 15 with thread-id 1 the scale factor of row 11, block 2.
    ("swz frag mma.m16n8k64 --kind mxf4nvf4 --scale-vec 4X --sfa-ids 0,1 --at 11,37", 0,
     ["thread        12", "bits          20-23", "scale thread  15", "scale bits    16-23"]),
    ("swz frag mma.m16n8k32 --dtype e2m1 --operand a --at T22", 0, ["5       8      22      0         0    2-5"]),
    # 16x256b: matrices of 8 rows, thread / 4 is the row: register 11 is of the second half, columns 16 to 23
    ("swz frag tcgen05.ld.16x256b.x4 --thread 13 --register 11", 0, ["lane 11, column 19"]),
    ("swz frag tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 1'", 0, ["warp 1 of D of 64 x 128, data path F"]),
    ("swz frag --list wgmma", 0, ["wgmma.m64nNk16", "wgmma.m64nNk32", "wgmma.m64nNk256"]),
    ("swz place --dtype bf16 --tile 8x64 --major k --swizzle 128B", 0, ["1024 B on 8 lines of 128 B"]),
    ("swz place --dtype bf16 --tile 8x16 --swizzle 32B --beside linear --highlight 'ks 0-7'", 0, ["mode 32B and linear", "wavefront"]),
    ("swz place --layout '(64,64):(64,1)' --dtype bf16 --cells element --label bank --color-by bank", 0, ["0 │  0  0  1  1  2  2"]),
    # line 37 of 128 B, chunk 20 / 8 = 2 XOR 37 % 8 = 7, 4 elements on
    ("swz place --dtype bf16 --tile 128x64 --swizzle 128B --at 37,20", 0, [f"0x{37 * 128 + 7 * 16 + 8:x}", "bank    30"]),
    # 16 elements in 8 bytes, 8 of padding
    ("swz place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at 0,37", 0, [f"0x{37 // 16 * 16 + 37 % 16 // 2:x} = 34", "bits      4-7"]),
    ("swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1", 1, ["refused on sm_90a", "stride"]),
    ("swz tma check --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B", 0, ["accepted on sm_90a"]),
    ("swz tma check --dtype f32 --dims 4096,4096 --strides 16384 --box 256,230", 1, ["refused on sm_90a", "box"]),
    ("swz tma check --paste log.txt", 0, ["accepted on sm_90a"]),
    ("kernel 2>&1 | swz tma check --paste", 0, ["accepted on sm_90a"]),
    ("swz tma check --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128", 0,
     ["accepted on sm_90a", "cuTensorMapEncodeIm2col"]),
    ("swz tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B", 0, ["boxDim          64, 128"]),
    ("swz tma encode --dtype f16 --dims 64,16,32 --strides 4096,128 --box 64,16,1 --emit cuda", 0, ["cuTensorMapEncodeTiled", "-lcuda"]),
    ("swz tma place --dtype bf16 --box 32,8", 0, ["8 of 64 B, 64 B apart", "lint[tma-none-is-not-mma-none]"]),
    ("swz tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400", 0, ["8 of 32 B, 64 B apart"]),
    ("swz tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96", 0, ["box at (64, 96) of (100, 100)"]),
    # clusters_tma.md, 3.3: with offsets (2, 0) rows 4 to 6 are pixels 1 to 3, 7 rows are filled.
    ("swz tma place --dtype f16 --dims 64,4,4,1 --im2col --lower -1,-1 --upper -1,-1 --channels 64 --pixels 16 --swizzle 128B "
     "--offsets 2,0", 0, ["rows      16 of 128 B", "1,0,0", "448 of 1024 elements lie outside"]),
    ("swz tma place --dtype bf16 --dims 256,1000 --box 64,1 --swizzle 128B --gather 7,3,3,1000 --start 64 --arch sm_100a", 0,
     ["expects 512 B", "64 elements lie outside", "no Blackwell GPU was available"]),
    ("swz tma conv --input 8,56,56,64 --filter 3,3 --pad 1", 0,
     ["lower     (-1, -1)", "upper     (-1, -1)", "(56, 56) in each image"]),
    ("swz tma conv --input 8,56,56,64 --filter 3,3 --pad 1 --stride 2 --row 128 --entry 0,2", 0,
     ["(28, 28) in each image", "(0, 31, 7, 0) for row 128", "(2, 0)  (2, 0)"]),
    # dgrad: lower = 1 - 2, upper = -1 + 16 - 16
    ("swz tma conv --input 2,8,16,16,64 --filter 3,3,3 --pad 1 --op dgrad", 0,
     ["lower     (-1, -1, -1)", "upper     (-1, -1, -1)", "(0, 0, 0)  (2, 2, 2)"]),
    ("swz tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", 0, ["16 copies of (16, 8)", "1 copy of (16, 8, 2, 8)"]),
    ("swz tma plan --dtype bf16 --tile 128x64 --operand 8192x4096", 0, ["1 copy of (64, 128)", "(4096, 8192)", "(8192)  B"]),
    ("swz tma plan --kind mxf8f6f4 --dtype e2m1 --tile 256x128 --cta-group 2 --cta 1", 0, ["e2m1 128x128", "16U4_ALIGN16B", "128"]),
    ("swz tma plan --dtype bf16 --layout '(8,32):(32,1)'", 0, ["1 copy of (32, 8)", "MMA  no descriptor reads it"]),
    # CTA 0 has rows 0 to 127 of columns; M 128 of a pair: 64 rows each, N in two halves of the lanes
    ("swz tmem d --m 128 --n 256 --cta-group 2 --at 100,200", 0, ["CTA 1, lane 100, column 72"]),
    ("swz tmem d --m 64 --n 128", 0, ["data path  F", "0     0-15    0-15"]),
    # 32 bits a column: 2 of f16
    ("swz tmem a --m 128 --dtype f16 --column 128 --at 40,11", 0, ["lane      40", f"column    {128 + 11 // 2}", "16-31"]),
    ("swz tmem cp 64x128b.warpx2::01_23 --row 40", 0, ["72, 104"]),
    ("swz tmem cp 128x256b.b8x16.b4x16_p64 --row 3 --element 22", 0, [f"column    {22 // 4}", f"byte      {22 % 4}"]),
    ("swz tmem cp 32x128b.warpx4 --word 0x0000400800010040 --byte 0x4c8", 0, ["source row  12, byte 8", "12, 44, 76, 108", "column      2"]),
    ("swz tmem plan --kind mxf8f6f4 --n 256 --stages 2", 1, ["fits        no: 524 columns, 12 more than there are"]),
    ("swz tmem plan --n 128 --region S=0+128 --region P=64+64 --region O=256+128 --allocate 512", 0, ["fits        yes: 256 of 512"]),
    ("swz tmem plan --kind mxf4 --cta-group 2 --copy-sfb 32x128b.warpx4", 0, ["fits        yes"]),
    ("swz pair --m 256 --n 192 --cta 1", 0, ["128-255 of M", "96-191 of N"]),
    ("swz pair --m 256 --n 192 --k 64 --dtype bf16", 0, [f"A {128 * 64 * 2} B, B {96 * 64 * 2} B: {224 * 128} B"]),
    ("swz sparse --kind f16 --at 13,20 --mma 3", 0, ["row 13, k 20-23 of MMA 3"]),
    ("swz sparse --kind f16 --metadata 0x44e49c84", 0, ["chunk 0", "0100  0100  1110  0100  1001  1100  1000  0100"]),
    # 128x4: tiles of 512 B along k first, in one 32 rows of 16 B, rows 32 apart 4 B on
    ("swz sf place --vec 16 --shape 256x1024 --at 200,1000", 0,
     [f"{(200 // 128 * 16 + 62 // 4) * 512 + 200 % 32 * 16 + 200 % 128 // 32 * 4 + 62 % 4} B"]),
    ("swz sf place --layout to_blocked --shape 172x256 --groups 5,130,37 --at 5,160", 0, ["1, from byte 1024 on", "1537 B"]),
    ("swz sf list", 0, ["to_blocked", "512 * ceil(C / 4)"]),
    ("swz sf list --shape 256x1024 --vec 16", 0, ["16384"]),
    # K 640 has 20 factors: 5 tiles of 4, which 128x4_k8 pads to 6. The second 128 rows begin at 5 or 6 tiles.
    ("swz sf diff 128x4 128x4_k8 --shape 256x640", 1, ["row 128, factor 0", "at byte 2560", "at byte 3072"]),
    # Factor 1 of row 0 is byte 1 in both; factor 4 is byte 4, or the second tile; byte 4 has factor 4 of row 0.
    ("swz sf diff linear 128x4 --shape 256x256 --vec 16", 1, ["row 0, factor 4", "at byte 4", "at byte 512"]),
    ("swz sf identify @scales.bin --shape 200x704", 0, ["128x4; 128x4_k8: the same function", "1744 B, all 0"]),
    ("swz sf identify --make python --shape 200x704", 0, ["torch.arange(200)", "torch.arange(22)"]),
    ("swz sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --at 200,96 --column 80", 0, ["factor    6 of row 200", "8, 40, 72, 104"]),
    ("swz sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --at 200,96", 0, ["row 200, factor 6", "byte 0xa8a"]),
    # mma_block_scale.md, section 8: row 73, second K step: byte 664, lane 5 of warps 0 and 4.
    ("swz sf way --arch sm_120a --kind mxf4nvf4 --vec 16 --at 73,64", 0, ["byte 0x298", "0, 4, atom 1", "5, 7"]),
    # Row 256 + 70, kb (512 + 130) / 128 = 5: 4 * (5 * 4096 + 326).
    ("swz sf way --vec 128 --shape 4096x7168 --origin 256x512 --k 256 --at 70,130", 0, ["byte 0x14518", "lanes 24-27 of warp 0", "4-7 of the tile"]),
    ("swz sf way --kind mxf8f6f4 --m 256 --cta-group 2", 0, ["512 B of shared memory in each CTA"]),
    ("swz narrow --kind mxf8f6f4 --dtype e2m1 --at 37", 0, ["byte 18, bits 7:4", "byte 34, bits 7:4"]),
    # tests/data/ptx/matmul_bf16_small_sm90.ptx, whose line 82 is a cp.async
    ("swz kernel @kernel.ptx", 0, ["2 x wgmma m64n64k16 bf16", "8 x cp.async.16, 8 x st.shared.b128"]),
    ("swz kernel new.ptx --against old.ptx", 0, ["better: 4 accesses", "32/1"]),
    ("swz kernel pages.csv --threads 256", 0, ["as predicted 18", "by warps"]),
    ("swz kernel @kernel.ptx --line 82", 0, ["line 82", "cp.async.16"]),
    ("swz kernel libfoo.so --arch sm_90a", 0, ["8 kernels", "one_array", "sm_90a"]),
    ("swz identify @dump.txt --dtype bf16 --tile 8x64", 0, ["128B", "512 of 512"]),
    ("swz identify @registers.txt --of fragment --dtype bf16 --tile 16x16", 0, ["mma.m16n8k16"]),
    ("swz identify --make cuda --dtype e4m3 --tile 128x128", 0, ["swz_code(", "swz identify dump.bin --dtype e4m3 --tile 128x128"]),
    ("echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | swz mcp decode", 0,
     ['"name":"ask"', '"name":"help"', '"name":"decode"']),
    ("swz skills install", 0, ["skill  .agents/skills/swz/SKILL.md", "state  written"]),
    ("swz verify --only list", 0, ["wavefront", "halves-exchanged"]),
    ("swz verify --replay tests/data/h200.jsonl", 0, ["H200"]),
    ("swz arch", 0, ["element types", "e4m3", "128B_32B", "sm_90a"]),
    ("swz tma encode --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128 --swizzle 128B", 0,
     ["64, 56, 56, 8", "pixelBoxLowerCorner  -1, -1"]),
    # A 16384, B 16384, SFA 2048 and SFB 4096 of two CTAs
    ("swz cluster --shape 2x1 --cta-group 2 --tile 256x256x256 --kind mxf4nvf4", 0, ["77824 B", "SFB 4096"]),
    ("swz facts", 0, ["dtypes", "tensor_map_rules", "open"]),
    ("swz facts gather4", 0, ["gather4", "sm_100a"]),
    # Four claims, all of which hold; tests/cmd/test_batch.cpp has the report.
    ("swz batch --strict layouts.swz --junit layouts.xml", 0, ['"same":true', '"accepted":true', '"wavefronts":128,"ideal":128']),
    ("printf '%s\\n' \"layout '(8,64):(64,1)'\" 'decode 0x42' | swz batch", 0, ['"layout":"(8,64):(64,1)"', '"word":"0x0000000000000042"']),
]


def files(folder):
    """What the examples name, as the user has it."""
    (folder / "words.txt").write_text("desc_a = 0x4000004000010040\ndesc_a = 0x4000004000010042\n")
    (folder / "log.txt").write_text(
        "TMA Desc Addr:   0x7ffe5f4a0d40\nformat         9\ndim            2\ngmem_address   0x7f1c00000000\n"
        "globalDim      (4096,8192,1,1,1)\nglobalStrides  (2,8192,0,0,0)\nboxDim         (64,128,1,1,1)\n"
        "elementStrides (1,1,1,1,1)\ninterleave     0\nswizzle        3\nl2Promotion    2\noobFill        0\n")
    # A bf16 tile of 8 x 64 under mode 128B: element i has the code i.
    places = [(i // 64 * 64 + (i % 64 // 8 ^ i // 64 % 8) * 8 + i % 8) for i in range(512)]
    memory = [0] * 512
    for i, place in enumerate(places):
        memory[place] = i
    (folder / "dump.txt").write_text("\n".join(" ".join(f"0x{x:04x}" for x in memory[i:i + 8]) for i in range(0, 512, 8)))
    lines = []
    for lane in range(32):
        words = []
        for register in range(4):
            row, column = lane // 4 + 8 * (register % 2), lane % 4 * 2 + 8 * (register // 2)
            words.append(f"0x{(row * 16 + column + 1) << 16 | (row * 16 + column):08x}")
        lines.append(f"lane {lane}: " + " ".join(words))
    (folder / "registers.txt").write_text("\n".join(lines) + "\n")
    # The codes of swz sf identify --make, of 200 rows x 22 factors, in 128x4 tiles: two rows of six.
    scales = bytearray(2 * 6 * 512)
    for row in range(200):
        for kb in range(22):
            tile = (row // 128 * 6 + kb // 4) * 512
            scales[tile + row % 32 * 16 + row % 128 // 32 * 4 + kb % 4] = (
                73 * row + 29 * (row // 8) + 151 * kb + 57 * (kb // 4)) % 251
    (folder / "scales.bin").write_bytes(scales)


def examples(swz):
    commands = json.loads(subprocess.check_output([swz, "help", "-f", "json"]))["commands"]
    return {one["line"]: one["says"] for command in commands for one in command["examples"]}


def faults_of(swz, rows, shown, folder):
    """Yields a sentence for each fault."""
    for line in shown:
        if line not in NEEDS and line not in {row[0] for row in rows}:
            yield f"the example has no row: {line}"
    for line in NEEDS:
        if line not in shown:
            yield f"no such example: {line}"
    for line, code, fragments in rows:
        if line not in shown:
            yield f"no such example: {line}"
            continue
        ran = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120,
                             env={**os.environ, "SWZ_NVDISASM": "none", "PATH": f"{folder}:{os.environ['PATH']}"})
        if ran.returncode != code:
            yield f"{line}\n  exits {ran.returncode}, not {code}: {ran.stderr.strip()[:300]}"
        for fragment in fragments:
            if not any(one in ran.stdout for one in fragment.split("|")):
                yield f"{line}\n  says: {shown[line]}\n  does not show: {fragment}\n  shows: {ran.stdout[:600]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, type=Path)
    swz = parser.parse_args().swz.resolve()
    shown = examples(swz)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files(folder)
        (folder / "swz").symlink_to(swz)
        (folder / "kernel").write_text("#!/bin/sh\ncat log.txt >&2\n")
        (folder / "kernel").chmod(0o755)
        (folder / "libfoo.so").symlink_to(ROOT / "tests/data/binary/libboth.so")
        for name, build in (("new", "_right"), ("old", "")):
            (folder / f"{name}.ptx").symlink_to(ROOT / f"tests/ptx/mistakes/unpadded_transposition{build}.ptx")
        (folder / "pages.csv").symlink_to(ROOT / "tests/data/ncu/exclusive_sum.csv")
        (folder / "kernel.ptx").symlink_to(ROOT / KERNEL)
        (folder / "layouts.swz").symlink_to(ROOT / "docs/ci/layouts.swz")
        (folder / "tests").symlink_to(ROOT / "tests")
        found = list(faults_of(swz, ROWS, shown, folder))
        # A test that cannot fail tests nothing: each row once with another exit code, or another word.
        planted = [(ROWS[0][0], 1, []), (ROWS[0][0], 0, ["no such word"])]
        if len([f for f in faults_of(swz, planted, {ROWS[0][0]: ""}, folder) if f.startswith(ROWS[0][0])]) != 2:
            found.append("two planted faults were not seen")
    for fault in found:
        print(fault)
    print(f"{len(ROWS)} examples shown and compared, {len(NEEDS)} need more than this machine has, {len(found)} faults")
    return 1 if found or len(ROWS) < 90 else 0


if __name__ == "__main__":
    sys.exit(main())
