# SPDX-License-Identifier: Apache-2.0
"""The JSON that swz writes is the JSON that docs/json.md declares; declared.py writes docs/swz.schema.json from it.

    /usr/bin/python3 tests/docs/schema.py --swz build/default/swz

Needs Debian's python3-jsonschema, which belongs to /usr/bin/python3. Three things are checked:

  answers   every command of the table below gives an answer of the kind that the table names, and has the same exit
            code as text
  faults    a copy of an answer with a key missing, a value of another type or a key that nobody documented is
            refused, at every place of every answer; so the schema cannot become one that accepts anything
  optional  every key that may be left out is in the answer to one of the commands, and missing in that to another
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
RECORDING = str(ROOT / "tests/data/h200.jsonl")
ONE_IN = 20  # of its cases are replayed: the answer has the same keys for all of them
PASTED = str(ROOT / "tests/data/tma_failures")
DUMPS = str(ROOT / "tests/data/dumps") + "/"
PTX = str(ROOT / "tests") + "/"
OFFSETS = str(ROOT / "tests/data/offsets") + "/"
LOG = str(ROOT / "tests/data/cuda_gdb.log")
RECORDED_TILE = str(ROOT / "tests/data/verify/tile.jsonl")
CANONICAL = "Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)"
RECORDED_LAYOUT = str(ROOT / "tests/data/verify/layout.jsonl")
RECORDED_WORD = str(ROOT / "tests/data/verify/desc.jsonl")
TILE = "--tile 128x64 --swizzle 128B --base 0x400"
IM2COL = ["--im2col", "--dims", "64,56,8", "--strides", "128,7168", "--upper", "-1", "--channels", "60", "--pixels", "8",
          "--swizzle", "128B"]
TENSOR_MAP = ("0000000000000000106500000002000000000000000000000000000000000000ff0f0000ff1f0000"
              "0000000000000000000000000000003f7f0000000000000000400000000000000004").ljust(256, "0")
TRITON = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>"
TRITON_MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>"
STAGED = "(64,64,3):(64,1,4096)"
SWIZZLED = "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"

# (kind of answer, exit code, words). An answer with exit code 2 is read from standard error.
COMMANDS = [
    ("tmem_d", 0, ["tmem", "d", "--m", "64", "--n", "128"]),
    ("tmem_d", 0, ["tmem", "d", "--m", "128", "--n", "32", "--cta-group", "2", "--map"]),
    ("tmem_d", 0, ["tmem", "d", "--m", "128", "--cta-group", "2", "--sparse"]),
    ("tmem_d_place", 0, ["tmem", "d", "--m", "128", "--n", "256", "--cta-group", "2", "--at", "100,200"]),
    ("tmem_d_place", 0, ["tmem", "d", "--m", "128", "--cta-group", "2", "--lane", "100", "--column", "72", "--cta", "1"]),
    ("error_answer", 2, ["tmem", "d", "--m", "64", "--cta-group", "2"]),
    ("tmem_a", 0, ["tmem", "a", "--dtype", "e2m1"]),
    ("tmem_a_place", 0, ["tmem", "a", "--m", "128", "--dtype", "f16", "--column", "128", "--at", "40,11"]),
    ("tmem_a_place", 0, ["tmem", "a", "--m", "64", "--dtype", "f16", "--at", "40,11"]),
    ("tmem_a", 0, ["tmem", "a", "--dtype", "f16", "--m", "64", "--map"]),
    ("tmem_a_element", 0, ["tmem", "a", "--dtype", "f16", "--cell", "40,5,16"]),
    ("tmem_cp", 0, ["tmem", "cp", "32x128b.warpx4"]),
    ("tmem_cp_cell", 0, ["tmem", "cp", "64x128b.warpx2::01_23", "--cell", "72,1"]),
    ("tmem_cp", 0, ["tmem", "cp", "4x256b", "--map"]),
    ("tmem_cp", 0, ["tmem", "cp", "4x256b", "--arch", "sm_90a"]),
    ("tmem_cp_row", 0, ["tmem", "cp", "64x128b.warpx2::01_23", "--row", "40"]),
    ("tmem_cp_element", 0, ["tmem", "cp", "128x256b.b8x16.b4x16_p64", "--row", "3", "--element", "22"]),
    ("tmem_cp_word", 0, ["tmem", "cp", "128x256b", "--word", "0x0000401000080040"]),
    ("tmem_cp_word", 0, ["tmem", "cp", "128x256b", "--word", "0x0000400800080040", "--cta-group", "2"]),
    ("tmem_cp_byte", 0, ["tmem", "cp", "32x128b.warpx4", "--word", "0x0000400800010040", "--byte", "0x4c8"]),
    ("tmem_cp_byte", 0, ["tmem", "cp", "128x256b.b8x16.b6x16_p32", "--word", "0x0000401000080000", "--byte", "0x4c8"]),
    ("tmem_cp_row", 0, ["tmem", "cp", "128x256b", "--word", "0x4000404000010000", "--row", "3"]),
    ("tmem_cp_cell", 0, ["tmem", "cp", "128x256b.b8x16.b4x16_p64", "--word", "0x0000401000080000", "--cell", "3,1"]),
    ("tmem_cp_element", 0, ["tmem", "cp", "128x256b.b8x16.b6x16_p32", "--word", "0x0000401000080000", "--row", "3",
                            "--element", "22"]),
    ("tmem_addresses", 0, ["decode", "--as", "tmem", "0x00450025", "0x80450025"]),
    ("tmem_addresses", 0, ["decode", "--as", "tmem", "0xffffffff"]),
    ("zero_masks", 0, ["decode", "--as", "zero-mask", "0x0003038000000000", "0xff03030000000000"]),
    ("cta_pair", 0, ["pair", "--k", "64", "--dtype", "bf16"]),
    ("metadata", 0, ["sparse", "--kind", "f8f6f4", "--m", "256", "--cta-group", "2", "--at", "200,4"]),
    ("metadata_word", 0, ["sparse", "--kind", "f16", "--metadata", "0x9E4D"]),
    ("fragment", 0, ["frag", "mma.m16n8k32", "--dtype", "e2m1", "--operand", "a"]),
    ("scale_at", 0, ["sf", "tmem", "--kind", "mxf4", "--m", "256", "--cta-group", "2", "--cell", "3,1,0", "--cta", "1"]),
    ("tmem_plan", 1, ["tmem", "plan", "--kind", "mxf8f6f4", "--n", "256", "--stages", "2"]),
    ("tmem_plan", 1, ["tmem", "plan", "--m", "64", "--n", "256", "--stages", "3", "--a-in", "tmem"]),
    ("tmem_plan", 1, ["tmem", "plan", "--m", "64", "--n", "256", "--stages", "3"]),
    ("tmem_plan", 0, ["tmem", "plan", "--m", "64", "--stacking", "interleaved", "--stages", "3", "--region", "D=0+400",
                      "--region", "P=0+64", "--allocate", "512"]),
    ("tmem_plan", 0, ["tmem", "plan", "--kind", "mxf4", "--sparse", "--copy-sfb", "64x128b.warpx2::01_23"]),
    ("error_answer", 2, ["tmem", "plan", "--n", "250"]),
    ("scale_way", 0, ["sf", "way", "--kind", "mxf4nvf4", "--vec", "16", "--operand", "b", "--n", "256", "--k", "256"]),
    ("scale_way", 0, ["sf", "way", "--kind", "mxf8f6f4", "--cta-group", "2", "--cta", "1"]),
    ("scale_way_factor", 0, ["sf", "way", "--kind", "mxf4", "--k96", "--row", "5", "--kb", "4"]),
    ("warp_scale_way", 0, ["sf", "way", "--arch", "sm_120a", "--kind", "mxf8f6f4", "--operand", "b"]),
    ("warp_scale_factor", 0, ["sf", "way", "--arch", "sm_120a", "--kind", "mxf4nvf4", "--vec", "16", "--at", "73,64"]),
    ("scale_way", 0, ["sf", "way", "--kind", "mxf4", "--sparse", "--arch", "sm_90a"]),
    ("blockwise_way", 0, ["sf", "way", "--vec", "128"]),
    ("blockwise_factor", 0, ["sf", "way", "--vec", "128", "--at", "70,0"]),
    ("blockwise_factor", 0, ["sf", "way", "--vec", "128", "--operand", "b", "--at", "70,0", "--arch", "sm_100a"]),
    ("scale_layout", 0, ["sf", "place", "--vec", "16", "--shape", "256x1024", "--at", "200,1000"]),
    ("scale_layout", 0, ["sf", "place", "--layout", "8x4", "--shape", "16x256", "--map"]),
    ("scale_layout_at", 0, ["sf", "place", "--vec", "16", "--shape", "256x1024", "--offset", "16010"]),
    ("scale_layout_at", 0, ["sf", "place", "--layout", "ggml_mxfp4", "--shape", "4x64", "--offset", "5"]),
    ("scale_layout_at", 0, ["sf", "place", "--shape", "172x256", "--groups", "5,130,37", "--offset", "5"]),
    ("scale_layout", 0, ["sf", "place", "--shape", "172x256", "--groups", "5,130,37", "--at", "5,160"]),
    ("scale_layout", 0, ["sf", "place", "--shape", "256x256", "--batches", "3", "--order", "gated,shuffle32"]),
    ("scale_list", 0, ["sf", "list"]),
    ("scale_list", 0, ["sf", "list", "--shape", "200x704"]),
    ("scale_diff", 1, ["sf", "diff", "linear", "128x4", "--shape", "256x256", "--vec", "16"]),
    ("scale_diff", 1, ["sf", "diff", "8x4", "128x4_k8", "--shape", "200x96"]),
    ("scale_diff", 0, ["sf", "diff", "to_blocked", "128x4", "--shape", "256x256"]),
    ("scale_identity", 1, ["sf", "identify", f"@{ROOT}/LICENSE", "--as", "bytes", "--shape", "100x32"]),
    ("scale_tmem", 0, ["sf", "tmem", "--kind", "mxf4"]),
    ("scale_tmem", 0, ["sf", "tmem", "--kind", "mxf4", "--map"]),
    ("scale_tmem", 0, ["sf", "tmem", "--kind", "mxf4", "--k128", "--sfa-layout", "128-lane"]),
    ("scale_place", 0, ["sf", "tmem", "--kind", "mxf4", "--k128", "--sfa-layout", "128-lane", "--at", "70,96"]),
    ("scale_at", 0, ["sf", "tmem", "--kind", "mxf4", "--cell", "40,1,2"]),
    ("scale_place", 0, ["sf", "tmem", "--kind", "mxf4nvf4", "--vec", "16", "--operand", "b", "--n", "256", "--row", "200",
                        "--kb", "6", "--column", "80"]),
    ("scale_place", 0, ["sf", "tmem", "--kind", "mxf4", "--cta-group", "2", "--row", "3"]),
    ("narrow", 0, ["narrow", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--k", "37"]),
    ("narrow", 0, ["narrow", "--kind", "mxf4", "--dtype", "e2m1"]),
    ("narrow", 0, ["narrow", "--kind", "mxf4", "--dtype", "e2m1", "--k", "2147483647"]),
    ("narrow", 0, ["narrow", "--kind", "mxf4", "--dtype", "e2m1", "--map"]),
    ("narrow_elements", 0, ["narrow", "--kind", "f8f6f4", "--dtype", "e2m3", "--smem", "35"]),
    ("metadata", 0, ["sparse", "--kind", "f16", "--at", "13,20", "--mma", "3"]),
    ("metadata", 0, ["sparse", "--kind", "mxf4", "--map"]),
    ("metadata", 0, ["sparse", "--kind", "mxf4", "--at", "5,36", "--sparsity-version", "1"]),
    ("metadata_chunk", 0, ["sparse", "--kind", "tf32", "--cell", "13,3,20"]),
    ("metadata_word", 0, ["sparse", "--kind", "f16", "--metadata", "0x44e49c80"]),
    ("cta_pair", 0, ["pair", "--m", "256", "--n", "192", "--cta", "1"]),
    ("cta_pair_element", 0, ["pair", "--at", "200,100"]),
    ("smem_reading", 0, ["decode", "0x4000004000010042"]),
    ("smem_reading", 0, ["decode", "0x4000004000010042", "--arch", "sm_90a"]),
    ("smem_reading", 0, ["decode", "0x4000404000010042"]),
    ("smem_reading", 0, ["decode", "0x4000004000010042", "--arch", "sm_100a"]),
    ("smem_reading", 0, ["decode", "0x4010404000010040", "--arch", "sm_103a"]),
    ("smem_reading", 0, ["decode", "0x6000404000010040", "--arch", "sm_100a"]),
    ("smem_reading", 1, ["decode", "0x4000040000100040", "--strict"]),
    ("smem_reading", 0, ["decode", "0"]),
    ("readings", 0, ["decode", "0x2000004000010040"]),
    ("readings", 0, ["decode", "2000004000010040"]),
    ("smem_reading", 0, ["decode", "4000004000010042"]),
    ("readings", 0, ["decode", "--as", "idesc", "0x08200490"]),
    ("readings", 0, ["decode", "0x08200490"]),
    ("idesc_reading", 0, ["decode", "--as", "idesc", "--kind", "f16", "0x08200490"]),
    ("idesc_reading", 0, ["decode", "--kind", "tf32", "0x080003b0"]),
    ("idesc_reading", 0, ["decode", "--kind", "f16", "{c_format_ = F32, a_format_ = BF16, b_format_ = BF16, "
                          "a_major_ = K, b_major_ = K, n_dim_ = 32, m_dim_ = 8}"]),
    ("idesc_reading", 0, ["decode", "--kind", "i8", "0x08200490"]),
    ("idesc_reading", 0, ["decode", "--kind", "mxf8f6f4", "0x08200490"]),
    ("idesc_reading", 0, ["decode", "--kind", "mxf4nvf4", "0x08200490"]),
    ("decoded_words", 0, ["decode", "0x4000004000010040", "0x4000004000010042", "0x2000004000010040"]),
    ("decoded_words", 0, ["decode", "0x4000004000010042", "0x4000404000010042"]),
    ("decoded_words", 0, ["decode", "--kind", "f16", "0x08200490", "0x08200491"]),
    ("decoded_words", 0, ["decode", "0x42", "0x42"]),
    ("decoded_words", 0, ["decode", *[f"0x40000040000100{start}" for start in ("40", "42", "44", "46")]]),
    ("decoded_words", 1, ["decode", *[f"0x40000040000100{start}" for start in ("40", "50", "60")], "--strict"]),
    ("decoded_words", 0, ["decode", "0x4000004000010040", "0x4000004000010240"]),
    ("decoded_words", 0, ["decode", f"@{LOG}"]),
    ("decoded_words", 0, ["decode", "--as", "idesc", f"@{LOG}"]),
    ("smem_reading", 0, ["decode", "$3 = -4611685743549480896"]),
    ("smem_reading", 0, ["decode", "0x00010042", "0x40000040"]),
    ("smem_reading", 0, ["encode", "smem", "--start", "0x400", "--sbo", "1024", "--swizzle", "128B"]),
    ("idesc_reading", 0, ["encode", "idesc", "--kind", "mxf4nvf4", "--scale-type", "ue4m3", "--m", "128", "--n", "256"]),
    ("error_answer", 2, ["encode", "smem", "--sbo", "1000", "--swizzle", "128B"]),
    ("desc", 0, ["desc", "--tile", "128x64", "--base", "0x400"]),
    ("desc", 0, ["desc", "--tile", "64x64", "--base", "0x410"]),
    ("desc", 0, ["desc", "--arch", "sm_100a", "--dtype", "bf16", "--tile", "256x64", "--mma", "m256n128k16"]),
    ("desc", 0, ["desc", "--dtype", "f16", "--major", "mn", "--tile", "64x32", "--emit", "cuda"]),
    ("desc", 0, ["desc", "--from", SWIZZLED.replace("(8,64)", "(64,64)")]),
    ("desc", 0, ["desc", "--from", f"Sw<3,4,3> o smem_ptr[16b](unset) o {STAGED}"]),
    ("desc", 0, ["desc", "--arch", "sm_103a", "--kind", "mxf4", "--dtype", "e2m1", "--tile", "128x768", "--mma", "128x96"]),
    ("desc", 0, ["desc", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--tile", "256x128", "--major", "mn", "--cta-group", "2"]),
    ("no_descriptor", 1, ["desc", "--kind", "mxf8f6f4", "--dtype", "e3m2", "--from", "(20,128):(128,1)"]),
    ("no_descriptor", 1, ["desc", "--major", "mn", "--from", "(16,64):(1,16)"]),
    ("no_descriptor", 1, ["desc", "--dtype", "e4m3", "--major", "mn", "--from", "(64,64):(1,64)"]),
    ("no_descriptor", 1, ["desc", "--from", "(20,64):(64,1)"]),
    ("no_descriptor", 1, ["desc", "--from", "(20,64,3):(64,1,4096)"]),
    ("no_descriptor", 1, ["desc", "--from", TRITON.replace("8", "4", 1), "--shape", "64x64", "--dtype", "f16"]),
    ("layout", 0, ["layout", "(8,64):(64,1)"]),
    ("fit", 0, ["layout", "--fit", OFFSETS + "xor_rows.txt"]),
    ("fit", 1, ["layout", "--fit", OFFSETS + "one_wrong.txt"]),
    ("fit", 0, ["layout", "--fit", OFFSETS + "some.txt"]),
    ("layout", 0, ["layout", "8:1", "--map"]),
    ("layout", 0, ["layout", "(4,2):(1,2)", "--map"]),
    ("layout", 0, ["layout", "(4,8):(-8,1)", "--map"]),
    ("layout", 0, ["layout", SWIZZLED]),
    ("layout", 0, ["layout", "zipped_divide(24:3, 4:2)", "--explain"]),
    ("layout_refused", 1, ["layout", "(4,6,8):(2,3,5) o 6:3", "--explain"]),
    ("layout", 0, ["layout", "(8,64):(64,1)(_,3)"]),
    ("layout", 0, ["layout", f"({SWIZZLED})(_,25)"]),
    ("value", 0, ["layout", "size((4,8))"]),
    ("value", 0, ["layout", "tmem_d(128,256,2)(36,200)"]),
    ("value", 0, ["layout", "(4,(2,4))"]),
    ("value", 0, ["layout", "Sw<3,4,3>"]),
    ("value", 0, ["layout", "2", "--explain"]),
    ("value", 0, ["layout", "<4:1,_>"]),
    ("value", 0, ["layout", "(4,8):(1@0,1@1)"]),
    ("layout", 0, ["layout", "GMMA::DescriptorIterator o (_1,_1,_4):(_0,_0,_2)"]),
    ("layouts", 0, ["layout", "(8,8):(8,1)", SWIZZLED]),
    ("layouts", 0, ["layout", "64:1", "(8,8):(1,8)", "--map"]),
    ("layouts", 0, ["layout", "64:1", "size(8)"]),
    ("functions", 0, ["layout", "--functions"]),
    ("difference", 0, ["diff", SWIZZLED, "Sw<3,3,3> o 0 o (8,64):(64,1)"]),
    ("difference", 1, ["diff", SWIZZLED, "Sw<3,4,3> o 0 o (8,64):(64,1)"]),
    ("difference", 1, ["diff", "8:1", "4:1"]),
    ("difference", 1, ["diff", TRITON, "(128,32):(32,1)"]),
    ("difference", 0, ["diff", TRITON_MMA, "((4,8),(2,2)):((32,1),(16,8))", "--shape", "16x8"]),
    ("translation", 0, ["translate", "Sw<2,3,3> o 0 o (128,32):(32,1)", "--dtype", "f16"]),
    ("translation", 0, ["translate", TRITON, "--shape", "8x32", "--dtype", "f16", "--map"]),
    ("translation", 0, ["translate", "S<3,4,3> o 0 o (8,64):(64,1)", "--dtype", "f16"]),
    ("error_answer", 2, ["translate", TRITON]),
    ("triton_ir", 0, ["translate", f"@{ROOT}/tests/data/triton/matmul_sm90.ttgir"]),
    ("triton_ir", 0, ["translate", f"@{ROOT}/tests/docs/encodings.ttgir"]),
    ("triton_ir", 0, ["translate", f"@{ROOT}/tests/docs/encodings.ttgir", "--map"]),
    ("dialects", 0, ["translate", "--list"]),
    ("register_layout", 0, ["frag", TRITON_MMA, "--shape", "16x8"]),
    ("layout", 0, ["layout", TRITON, "--shape", "8x32"]),
    ("swizzle", 0, ["swizzle", "explain", TRITON, "--shape", "8x32", "--dtype", "f16"]),
    ("placement", 0, ["place", "--dtype", "bf16", "--tile", "8x64"]),
    ("placement", 0, ["place", "--dtype", "e4m3", "--tile", "64x16", "--major", "mn", "--swizzle", "64B", "--arch",
                      "sm_90a", "--base", "0x480"]),
    ("placement", 0, ["place", "--tile", "8x16", "--swizzle", "32B", "--beside", "linear", "--highlight", "ks 0-7"]),
    ("placement", 0, ["place", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--tile", "16x128", "--cta-group", "2"]),
    ("placement", 0, ["place", "--layout", "(4,8):(16,2)", "--beside", "(4,8):(8,1)", "--highlight", "rows 0"]),
    ("placement", 0, ["place", "--layout", SWIZZLED, "--highlight", "lanes 0-15"]),
    ("placement", 0, ["place", "--layout", STAGED]),
    ("banks", 0, ["banks", "--tile", "64x64", "--compare", "linear;none;Sw<3,4,3>;pad 16"]),
    ("banks", 0, ["banks", "--dtype", "f32", "--layout", "(32,32):(32,1)", "--access", "transpose", "--arch", "sm_80"]),
    ("banks", 1, ["banks", "--tile", "64x64", "--swizzle", "none", "--access", "st.shared gmem", "--strict"]),
    ("banks", 0, ["banks", "--access", "ld.shared.b128", "--lanes", "64,64,128"]),
    ("banks", 0, ["banks", "--access", "ld.shared.b32", "--lanes", "0", "--active", "0"]),
    ("banks", 0, ["banks", "--dtype", "e2m1", "--tile", "64x128", "--kind", "f8f6f4"]),
    ("banks", 0, ["banks", "--access", "atom.shared.add.u32", "--lanes", "0,0,4,128"]),
    ("banks", 0, ["banks", "--tile", "64x64", "--compare", "pad 249;pad 16"]),
    ("banks", 0, ["banks", "--layout", STAGED, "--dtype", "f16"]),
    ("banks", 0, ["banks", "--kind", "mxf8f6f4", "--dtype", "e4m3", "--tile", "256x128", "--cta-group", "2"]),
    ("access_list", 0, ["banks", "--access", "list"]),
    ("choice", 0, ["choose", "--dtype", "bf16", "--tile", "64x32", "--major", "k"]),
    ("choice", 0, ["choose", "--dtype", "e2m1", "--tile", "128x64", "--slots", "--arch", "sm_100a"]),
    ("choice", 0, ["choose", "--dtype", "e3m2", "--kind", "f8f6f4", "--tile", "256x128", "--cta-group", "2"]),
    ("choice", 0, ["choose", "--tile", "64x64", "--arch", "sm_80"]),
    ("swizzle", 0, ["swizzle", "explain", "3,4,3"]),
    ("swizzle", 0, ["swizzle", "explain", "3,4,3", "--dtype", "tf32"]),
    ("swizzle", 0, ["swizzle", "explain", "3,0,3", "--dtype", "bf16"]),
    ("swizzle", 0, ["swizzle", "explain", "128B_32B"]),
    ("swizzle", 0, ["swizzle", "explain", "0,4,3"]),
    ("swizzle", 0, ["swizzle", "explain", "2,4,-3"]),
    ("fragment", 0, ["frag", "ldmatrix.x1"]),
    ("fragment", 0, ["frag", "LDSM.16.MT88.4"]),
    ("fragments", 0, ["frag", "SM80_16x8x16_F32BF16BF16F32_TN"]),
    ("tmem_fragment", 0, ["frag", "SM100_TMEM_LOAD_16dp256b4x"]),
    ("points", 0, ["frag", "LDSM.16.M88.4", "--at-thread", "5,1"]),
    ("tmem_register", 0, ["frag", "LDTM.16dp256bit.x4", "--thread", "13", "--register", "11"]),
    ("tmem_cell", 0, ["frag", "LDTM.16dp256bit.x4", "--lane", "11", "--column", "19"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "uint32_t f(uint32_t a) { return a ^ ((a >> 3) & 0x70); }"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "int f(int row, int col) { return row * 64 + (col ^ (row & 7) << 3); }",
                         "--rows", "64", "--cols", "64", "--dtype", "bf16"]),
    ("fragment", 0, ["frag", "ldmatrix.m8n16.x1.b8x16.b4x16_p64", "--arch", "sm_100a"]),
    ("fragment", 0, ["frag", "mma.m16n8k8", "--dtype", "bf16", "--operand", "b"]),
    ("fragment", 0, ["frag", "mma.m8n8k4", "--dtype", "f16", "--operand", "a"]),
    ("fragment", 1, ["frag", "wgmma.m64n8k8", "--operand", "d", "--arch", "sm_100a", "--strict"]),
    ("tmem_fragment", 0, ["frag", "tcgen05.ld.16x256b.x4"]),
    ("tmem_fragment", 1, ["frag", "tcgen05.st.32x32b.x8.unpack::16b", "--map", "--arch", "sm_90a", "--strict"]),
    ("tmem_fragment", 0, ["frag", "tcgen05.ld.red.16x32bx2.x4.max.f32", "--split-offset", "100"]),
    ("tmem_fragment", 0, ["frag", "tcgen05.ld.32x32b.x8", "--of", "m 64 n 128 warp 1", "--map"]),
    ("tmem_register", 0, ["frag", "tcgen05.ld.16x256b.x4", "--thread", "13", "--register", "11"]),
    ("tmem_packed_register", 0, ["frag", "SM100_TMEM_LOAD_32dp32b8x_16b", "--thread", "5", "--register", "3"]),
    ("tmem_packed_register", 0, ["frag", "tcgen05.ld.32x32b.x8.pack::16b", "--thread", "5", "--register", "3",
                                 "--of", "m 64"]),
    ("tmem_register", 0, ["frag", "tcgen05.ld.32x32b.x8", "--thread", "20", "--register", "3", "--of", "m 64", "--map"]),
    ("tmem_cell", 0, ["frag", "tcgen05.ld.16x256b.x4", "--lane", "11", "--column", "19", "--of", "at 8"]),
    ("tmem_cell", 0, ["frag", "tcgen05.ld.16x32bx2.x4", "--split-offset", "3", "--lane", "2", "--column", "3"]),
    ("points", 0, ["frag", "tcgen05.ld.16x256b.x4", "--at", "11,19", "--of", "m 64"]),
    ("fragment", 0, ["frag", "mma.m16n8k64", "--kind", "mxf4nvf4", "--scale-vec", "4X", "--operand", "sfa", "--sfa-ids", "0,1"]),
    ("fragment", 0, ["frag", "wgmma.sp.m64n8k32", "--dtype", "f16", "--operand", "e", "--selector", "1"]),
    ("fragments", 0, ["frag", "mma.sp::ordered_metadata.m16n8k64", "--kind", "mxf8f6f4", "--dtype", "e2m1"]),
    ("points", 0, ["frag", "mma.m16n8k64", "--kind", "mxf4", "--at", "11,37", "--sfa-ids", "2,1"]),
    ("points", 0, ["frag", "mma.sp.m16n8k32", "--dtype", "f16", "--operand", "e", "--at", "9,3"]),
    ("fragments", 0, ["frag", "movmatrix.trans"]),
    ("fragments", 0, ["frag", "mma.m8n8k4", "--dtype", "f64", "--arch", "sm_75"]),
    ("points", 0, ["place", "--tile", "8x64", "--beside", "linear", "--at", "3,9"]),
    ("points", 0, ["place", "--tile", "8x64", "--dtype", "e2m1", "--swizzle", "32B", "--at", "3,9"]),
    ("points", 0, ["place", "--tile", "8x64", "--at-byte", "0x4000"]),
    ("points", 0, ["place", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--tile", "16x128", "--cta-group", "2",
                   "--at", "0,0"]),
    ("points", 0, ["place", "--tile", "8x128", "--dtype", "e3m2", "--at", "3,9"]),
    ("points", 0, ["tma", "place", "--dtype", "b4x16_p64", "--arch", "sm_100a", "--box", "128,8", "--at", "37,1"]),
    ("points", 1, ["map", "0x4000004000010040", "--mma", "8x16", "--against", "--tile 8x64 --swizzle 64B --base 0x400", "--at",
                   "4,0"]),
    ("points", 0, ["map", "0", "--arch", "sm_90a", "--mma", "8x16", "--at", "4,0"]),
    ("points", 0, ["frag", "ldmatrix.x4", "--at-thread", "5,1"]),
    ("points", 0, ["frag", "mma.m16n8k16", "--dtype", "bf16", "--at", "5,1", "--arch", "sm_75"]),
    ("points", 0, ["tma", "place", "--dtype", "bf16", "--box", "64,8", "--dims", "100,100", "--start", "64,96", "--at",
                   "0,0; 63,7"]),
    ("points", 0, ["layout", "((4,8),(2,2)):((32,1),(16,8))", "--at", "((1,2),3)"]),
    ("points", 0, ["layout", SWIZZLED, "64:1", "--at", "5"]),
    ("fragment_list", 0, ["frag", "--list"]),
    ("fragment_list", 0, ["frag", "--list", "wgmma"]),
    ("fragment_list", 0, ["frag", "--list", "tcgen05"]),
    ("mma_tiling", 0, ["tiles", "--tile", "256x256x64", "--mma", "m128n256k16", "--arch", "sm_100a"]),
    ("mma_tiling", 0, ["tiles", "--tile", "256x64x32", "--mma", "m256n64k16", "--arch", "sm_100a"]),
    ("mma_tiling", 0, ["tiles", "--tile", "128x64x32", "--mma", "m64n64k16"]),
    ("cluster", 0, ["cluster", "--shape", "2x4", "--tile", "128x128x64", "--rank", "5"]),
    ("cluster", 0, ["cluster", "--shape", "4x2", "--cta-group", "2"]),
    ("cluster", 0, ["cluster", "--shape", "2x1", "--cta-group", "2", "--tile", "256x256x256", "--kind", "mxf4nvf4"]),
    ("cluster", 1, ["cluster", "--shape", "3x2", "--tile", "128x128x64"]),
    ("cluster_mask", 0, ["cluster", "0x33", "--shape", "4x2"]),
    ("cluster_mask", 1, ["cluster", "0x7", "--shape", "4x2"]),
    ("cluster_mask", 0, ["cluster", "0x11"]),
    ("cluster_address", 0, ["cluster", "--address", "0x05000400", "--rank", "0"]),
    ("cluster_address", 0, ["cluster", "--address", "0x05000400"]),
    ("launch_control", 0, ["cluster", "--response", "0x7,0x20001,0x1,0"]),
    ("launch_control", 0, ["cluster", "--response", "0,0"]),
    ("story", 0, ["story", "--arch", "sm_100a", "--dtype", "bf16", "--tile", "128x128", "--at", "37,84"]),
    ("story", 0, ["story", "--arch", "sm_80", "--tile", "64x64"]),
    ("story", 1, ["story", "--tile", "64x64", "--read-as", "--swizzle 64B", "--expect", "4096"]),
    ("story", 1, ["story", "--tile", "64x64", "--stride", "1000"]),
    ("story", 1, ["story", "--tile", "64x64", "--words", ",".join(["0x4000004000010000"] * 4)]),
    ("map", 0, ["map", "4000004000010042"]),
    ("map", 0, ["map", "0x4000004000010042", "--arch", "sm_90a", "--mma", "m64n16k16", "--operand", "a"]),
    ("map", 0, ["map", "0x0000000800800040", "--mma", "8x16", "--major", "mn"]),
    ("map_loop", 0, ["map", "0x4000004000010040", "0x4000004000010042", "--operand", "a"]),
    ("map_loop", 0, ["map", "0x4000004000010040", "0x4000004000010040", "--arch", "sm_90a"]),
    ("map_loop", 1, ["map", "0x4000004000010040", "0x4000004000010050", "--against", "--tile 64x64 --base 0x400"]),
    ("map", 0, ["map", "0", "--arch", "sm_90a", "--mma", "8x16"]),
    ("map", 1, ["map", "0", "--arch", "sm_90a", "--mma", "8x16", "--strict"]),
    ("map", 0, ["map", "0x4000004000010042", "--mma", "8x16", "--against", TILE]),
    ("map", 1, ["map", "0x4000040000010040", "--mma", "16x16", "--against", TILE]),
    ("map", 1, ["map", "0x4000004000010040", "--mma", "8x16", "--against", "(8,64):(64,1)", "--base", "0x400"]),
    ("map", 1, ["map", "0x4000004000010040", "--mma", "8x16", "--against", STAGED, "--base", "0x400"]),
    ("map_loop", 1, ["map", "0x4000004000010040", "0x4000004000010042", "--against", STAGED, "--base", "0x400"]),
    ("kernel", 0, ["kernel", PTX + "data/ptx/matmul_desc_f16_k16_sm100.ptx"]),
    ("kernel", 0, ["kernel", PTX + "data/ptx/gather_columns_sm90.ptx", PTX + "ptx/mistakes/wrong_mode.ptx"]),
    ("kernel", 0, ["kernel", PTX + "data/binary/new_sm_90a_lines.cubin", "--entry", "several_arrays"]),
    ("kernel", 0, ["kernel", PTX + "data/sass/matmul_desc_f16_k16_sm90.sass"]),
    ("kernel", 0, ["kernel", PTX + "data/sass/transpose_b16_sm90.sass", "--threads", "128"]),
    ("kernel", 0, ["kernel", PTX + "data/ncu/exclusive_sum.csv", "--threads", "256"]),
    ("kernel_source", 0, ["kernel", PTX + "data/ncu/exclusive_sum.csv", "--sarif"]),
    ("kernel_list", 0, ["kernel", PTX + "data/binary/default.fatbin"]),
    ("kernel_list", 0, ["kernel", PTX + "data/binary/new_sm_90a_relocatable.cubin", "--entry", "one_array"]),
    ("kernel_changes", 0, ["kernel", PTX + "ptx/mistakes/unpadded_transposition_right.ptx", "--against",
                           PTX + "ptx/mistakes/unpadded_transposition.ptx"]),
    ("kernel_changes", 1, ["kernel", PTX + "ptx/mistakes/unpadded_transposition.ptx", "--against",
                           PTX + "ptx/mistakes/unpadded_transposition_right.ptx"]),
    ("kernel_site", 0, ["kernel", PTX + "ptx/mistakes/unpadded_transposition.ptx", "--line", "78"]),
    ("kernel", 0, ["kernel", PTX + "ptx/mistakes/accumulator_outside.ptx"]),
    ("kernel_source", 0, ["kernel", PTX + "ptx/mistakes/unpadded_transposition.ptx", "--annotate"]),
    ("error_answer", 2, ["kernel", PTX + "ptx/mistakes/unpadded_transposition.ptx", "--line", "1"]),
    ("identify", 0, ["identify", DUMPS + "tile.bin", "--dtype", "bf16", "--tile", "64x64"]),
    ("identify", 1, ["identify", DUMPS + "relative.bin", "--dtype", "bf16", "--tile", "64x64"]),
    ("identify", 1, ["identify", DUMPS + "tile.bin", "--dtype", "u8", "--tile", "128x64"]),
    ("identify_registers", 0, ["identify", DUMPS + "registers.txt", "--of", "fragment", "--dtype", "bf16", "--tile", "16x16"]),
    ("identify_registers", 1, ["identify", DUMPS + "registers_swapped.txt", "--of", "mma.m16n8k16", "--operand", "a", "--dtype", "bf16", "--tile", "16x16"]),
    ("identify_source", 0, ["identify", "--make", "cuda", "--dtype", "u8", "--tile", "128x64"]),
    ("stage", 0, ["stage", "--tile", "128x128x64", "--epilogue", "33792"]),
    ("stage", 0, ["stage", "--tile", "256x128x64", "--cta-group", "2", "--arch", "sm_100a", "--expect-tx", "24576"]),
    ("stage", 0, ["stage", "--tile", "256x256x256", "--kind", "mxf4nvf4", "--cta-group", "2", "--arch", "sm_100a"]),
    ("stage", 0, ["stage", "--tile", "128x128x128", "--kind", "f8f6f4", "--dtype", "e2m1", "--arch", "sm_100a", "--sparse"]),
    ("stage", 0, ["stage", "--tile", "64x64x32", "--arch", "sm_80"]),
    ("cost", 0, ["cost", "--tile", "128x256x64"]),
    ("cost", 0, ["cost", "--tile", "256x256x64", "--mma", "m256n256k16", "--arch", "sm_100a"]),
    ("cost", 0, ["cost", "--tile", "64x64x64", "--dtype", "s4"]),
    ("cost", 0, ["cost", "--tile", "128x128x64", "--arch", "sm_80", "--warp-tile", "64x64"]),
    ("cost", 0, ["cost", "--tile", "64x64x64", "--arch", "sm_86", "--warp-tile", "32x32"]),
    ("phase", 0, ["phase", "--swizzle", "64B", "--base", "0x680"]),
    ("tma_check", 0, ["tma", "check", "--dims", "64,64", "--strides", "128", "--box", "64,64", "--oob", "nan"]),
    ("tma_check", 0, ["tma", "check", "--dims", "128,64", "--strides", "64", "--box", "128,64", "--dtype", "b4x16_p64",
                      "--arch", "sm_100a"]),
    ("tma_check", 1, ["tma", "check", "--dims", "64,0", "--strides", "-128", "--box", "64,300", "--dtype", "99"]),
    ("tma_check", 0, ["tma", "check", "--dims", "64,64", "--strides", "128", "--box", "64,64", "--code", "1234"]),
    ("tma_check", 0, ["tma", "check", "--paste", f"{PASTED}/vllm_13961.txt"]),
    ("tma_check", 1, ["tma", "check", "--paste", f"{PASTED}/sglang_13775.txt"]),
    ("tma_check", 1, ["tma", "check", "--paste", f"{PASTED}/deepgemm.txt"]),
    ("tma_check_im2col", 1, ["tma", "check", "--paste", f"{PASTED}/tilelang_im2col.txt"]),
    ("tma_check_im2col", 0, ["tma", "check", *IM2COL, "--arch", "sm_100a", "--wide", "w", "--lower", "-1"]),
    ("tma_check_im2col", 0, ["tma", "check", *IM2COL, "--arch", "sm_100a", "--wide", "w128", "--lower", "0"]),
    ("tma_check_im2col", 1, ["tma", "check", *IM2COL, "--lower", "-40000", "--code", "700"]),
    ("tensor_map", 0, ["decode", TENSOR_MAP]),
    ("tensor_map", 0, ["decode", TENSOR_MAP.replace("1065", "906f")]),
    ("tma_encode", 0, ["tma", "encode", "--dims", "64,64", "--strides", "128", "--box", "64,64", "--l2", "256B"]),
    ("tma_encode", 0, ["tma", "encode", "--dims", "64,64", "--strides", "128", "--box", "64,64", "--emit", "cuda"]),
    ("tma_plan", 0, ["tma", "plan", "--tile", "64x32", "--swizzle", "32B", "--order", "k-first"]),
    ("tma_plan", 0, ["tma", "plan", "--tile", "64x64"]),
    ("tma_plan", 0, ["tma", "plan", "--kind", "f8f6f4", "--dtype", "e3m2", "--tile", "256x128", "--cta-group", "2"]),
    ("tma_plan", 1, ["tma", "plan", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--tile", "64x64", "--swizzle", "64B"]),
    ("tma_plan", 0, ["tma", "plan", "--dtype", "bf16", "--layout", "(8,32):(32,1)"]),
    ("tma_plan", 0, ["tma", "plan", "--layout", STAGED]),
    ("tma_place", 0, ["tma", "place", "--dtype", "bf16", "--box", "32,8"]),
    ("tma_place", 0, ["tma", "place", "--dims", "64,9,9,2", "--im2col", "--lower", "-1,-1", "--upper", "-1,-1",
                      "--channels", "64", "--pixels", "32", "--swizzle", "128B", "--offsets", "2,0"]),
    ("tma_place", 0, ["tma", "place", "--dims", "64,9,9,2", "--im2col", "--lower", "0", "--upper", "0", "--channels",
                      "64", "--swizzle", "128B", "--wide", "w128", "--halo", "2", "--arch", "sm_100a"]),
    ("tma_place", 0, ["tma", "place", "--dims", "256,1000", "--box", "64,1", "--gather", "7,3,3,1000", "--start", "64",
                      "--arch", "sm_100a"]),
    ("tma_conv", 0, ["tma", "conv", "--input", "8,56,56,64", "--filter", "3,3", "--pad", "1", "--stride", "2"]),
    ("tma_conv", 0, ["tma", "conv", "--input", "2,8,16,16,64", "--filter", "3,3,3", "--pad", "1", "--op", "dgrad"]),
    ("tma_place", 0, ["tma", "place", "--dtype", "bf16", "--box", "48,8", "--swizzle", "96B", "--arch", "sm_103a"]),
    ("tma_place", 0, ["tma", "place", "--dtype", "f64", "--box", "2,8", "--swizzle", "32B", "--base", "0x80"]),
    ("tma_place", 0, ["tma", "place", "--dtype", "b6x16_p32", "--box", "128,8", "--arch", "sm_100a"]),
    ("tma_place", 0, ["tma", "place", "--dtype", "16U4_ALIGN8B", "--box", "32,8", "--dims", "64,4", "--arch", "sm_100a"]),
    ("tma_plan", 1, ["tma", "plan", "--tile", "64x64", "--base", "0x410"]),
    ("phase", 0, ["phase", "--swizzle", "128B", "--base", "0x400", "--tile", "64x64"]),
    ("phase", 0, ["phase", "--swizzle", "128B", "--base", "0x490", "--tile", "64x64", "--dtype", "bf16"]),
    ("phase", 0, ["phase", "--swizzle", "none", "--base", "0x30"]),
    ("swizzle_find", 0, ["swizzle", "find", "--tile", "64x64", "--reads", "ldmatrix.x4", "--writes", "st.shared.b128 rows"]),
    ("swizzle_find", 0, ["swizzle", "find", "--layout", "((4,2),64):((64,1024),1)", "--reads", "ldmatrix.x4"]),
    ("swizzle_find", 1, ["swizzle", "find", "--dtype", "f32", "--tile", "32x32", "--writes", "st.shared.b128 rows",
                         "--reads", "ld.shared.b32 columns"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "addr", "--dtype", "b1"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "row*128 + ((col*2) ^ ((row & 7) << 4))", "--rows", "64", "--cols", "64",
                         "--dtype", "bf16"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "addr ^ ((addr >> 3) & 0x70)"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "addr ^ ((addr >> 3) & 0x38)"]),
    ("swizzle_lint", 1, ["swizzle", "lint", "addr ^ (((addr >> 4) & 7) ^ ((addr >> 7) & 7)) << 4"]),
    ("swizzle_lint", 1, ["swizzle", "lint", "addr + 8"]),
    ("swizzle_lint", 0, ["swizzle", "lint", "row*40 + col", "--rows", "16", "--cols", "32", "--dtype", "f16"]),
    ("verify", 0, ["verify", "--replay", RECORDING]),
    ("verify", 0, ["verify", "--replay", RECORDING, "--only", "mma"]),
    ("verify", 0, ["verify", "tma", "--replay", RECORDING]),
    ("verify", 1, ["verify", "--replay", RECORDING, "--only", "mma", "--planted", "wrong-fragment"]),
    ("kernel_sources", 0, ["verify", "--emit-kernel", "--cases", "1", "--arch", "sm_90a"]),
    ("kernel_sources", 0, ["verify", "--emit-kernel", "--only", "mma", "--cases", "1", "--arch", "sm_80"]),
    ("error_answer", 2, ["verify", "--replay", "/"]),
    ("error_answer", 2, ["tma", "check", "--paste", "/"]),
    ("error_answer", 2, ["tma", "check", "--paste", f"{PASTED}/cppmega_half.txt"]),
    ("error_answer", 2, ["decode", "@/"]),
    ("verify_tile", 0, ["verify", "tile", "--dtype", "bf16", "--tile", "16x32", "--swizzle", "32B", "--replay", RECORDED_TILE]),
    ("verify_layout", 0, ["verify", "layout", CANONICAL, "--replay", RECORDED_LAYOUT]),
    ("verify_layout", 1, ["verify", "layout", CANONICAL, "--replay", RECORDED_LAYOUT, "--planted", "wrong-swizzle"]),
    ("verify_probes", 0, ["verify", "--only", "list"]),
    ("verify_desc", 0, ["verify", "desc", "0x4000004000010048", "--mma", "64x16", "--replay", RECORDED_WORD]),
    ("arch", 0, ["arch"]),
    *[("arch", 0, ["arch", topic])
      for topic in ("dtype", "targets", "swizzle", "descriptor", "idesc", "kinds", "shapes", "lints", "tma",
                    "tcgen05", "tmem", "scales", "narrow", "sparse", "clusters", "gpus", "observations", "open")],
    ("facts", 0, ["facts"]),
    ("facts", 0, ["facts", "gather4"]),
    ("facts", 0, ["facts", "e5m2", "float_e5m2_t"]),
    ("gdb", 1, ["gdb"]),
    ("page", 1, ["page", "--where"]),
    ("link", 0, ["decode", "0x42", "--link"]),
    ("link", 0, ["decode", "@words.txt", "--link"]),
    ("skill", 0, ["skills", "install", "--where", "--dest", "/nonexistent"]),
    ("version", 0, ["--version"]),
    ("commands", 0, ["help"]),
    ("commands", 0, ["swizzle", "--help"]),
    ("commands", 0, ["help", "commands"]),
    ("commands", 0, ["help", "conflicts"]),
    ("help_options", 0, ["help", "pictures"]),
    ("door", 0, ["0x4000004000010042"]),
    ("door", 0, ["(8,64):(64,1)"]),
    ("help", 0, ["decode", "--help"]),
    ("help", 0, ["layout", "--help"]),
    ("help", 0, ["batch", "--help"]),
    ("error_answer", 2, ["layout", "(8,64):(64)"]),
    ("error_answer", 2, ["layout"]),
    ("error_answer", 2, ["decode", "0x1ffffffffffffffff"]),
    ("error_answer", 2, ["decode", "0x42", "--arch", "sm_1"]),
    ("error_answer", 2, ["place", "--tile", "8x64", "--highlight", "rows 9"]),
    ("error_answer", 2, ["banks", "--access", "ld.shared.b128", "--lanes", "8"]),
    ("error_answer", 2, ["choose", "--dtype", "e4m3", "--tile", "64x64", "--major", "mn"]),
    ("error_answer", 2, ["frag", "mma.m16n8k16"]),
    ("error_answer", 2, ["frag", "ldmatrix.x1", "--highlight", "rows 8"]),
    ("error_answer", 2, ["tiles", "--tile", "256x256x64", "--mma", "m128n256k16"]),
    ("error_answer", 2, ["dekode", "0x42"]),
    ("error_answer", 2, ["desc", "--dtype", "e4m3", "--major", "mn", "--tile", "128x128"]),
    ("error_answer", 2, ["layout", "8", "--fomat"]),
    ("error_answer", 2, ["swizzle", "lint", "adr ^ 1"]),
    ("error_answer", 2, ["swizzle", "find", "--tile", "64x64"]),
]

# Answers that need a program which may not be there. They are asked when it is.
COMPILE = ("compiled_probes", 0, ["verify", "--compile-only", "--only", "tma", "--cases", "1", "--arch", "sm_90a"])

# Keys that need a GPU or an installed package.
NOT_ASKED = {"verify.compile_seconds", "verify.probes.seconds", "gdb.source"}

# Lines of swz batch, each answered with one batch_line. The commands above are asked in a batch as well.
BATCH = ["layout '(8,64):(64,1)'", '["decode", "0x42"]', "diff 8:1 8:2", "layout '(8'", "layout 'unclosed", "swizzle",
         "[1]", "batch -", "dekode 1", '{"id": 7, "words": ["diff", "8:1", "8:2"]}', '{"id": 8, "words": ["layout", "(8"]}']

# What of the caller's environment the command sees.
KEPT = {name: os.environ[name] for name in ("SWZ_NVRTC", "LSAN_OPTIONS") if name in os.environ} | {"SWZ_NVDISASM": "none"}

# Far fewer would mean that the faults are not planted where they should be.
MIN_FAULTS = 3000


def ask(swz, words, text=None, form="json"):
    done = subprocess.run([swz, "-f", form, *words], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, encoding="utf-8",
                          env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", **KEPT})
    return done.returncode, done.stdout, done.stderr


def one_in(count, recording):
    """The recording with its first line and every count-th case."""
    first, *cases = Path(recording).read_text(encoding="utf-8").splitlines(keepends=True)
    return first + "".join(cases[::count])


def kinds_of(schema):
    """The schema of each kind of answer."""
    answers = {one["$ref"].rpartition("/")[2] for one in schema["$defs"]["answer"]["anyOf"]}
    # A kind of answer may be a part of another one as well: there it has no verdict.
    verdict = {"required": ["verdict"]}
    return {kind: {"$ref": f"#/$defs/{kind}", **(verdict if kind in answers else {})} for kind in schema["$defs"]}


def places(value, path=()):
    """The paths to every object and value inside, of arrays the first and the last item."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list) and value:
        for index in sorted({0, len(value) - 1}):
            yield from places(value[index], (*path, index))


def shortened(value):
    """The same with the first and the last item of each array: what places() visits, in a twentieth of the time."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in (value if len(value) < 3 else [value[0], value[-1]])]
    return value


def at(value, path):
    for step in path:
        value = value[step]
    return value


def may_be_both(answer, path):
    """A field's value is a number or a name where it has no unit."""
    return path[-1] == "value" and at(answer, path[:-1]).get("unit") is None


def faults(answer):
    """(what, answer with that fault): a wrong type at every place, and a key too much in every object."""
    for path in places(answer):
        value = at(answer, path)
        wrong_types = [{"of": "another type"}]
        if isinstance(value, int) and not may_be_both(answer, path):
            wrong_types.append(str(value))
        if isinstance(value, str) and not may_be_both(answer, path):
            wrong_types.append(0)
        for other in wrong_types if path else []:
            broken = copy.deepcopy(answer)
            at(broken, path[:-1])[path[-1]] = other
            yield f"{other!r} instead of {str(value)[:40]!r} at {path}", broken
        if isinstance(value, dict):
            broken = copy.deepcopy(answer)
            at(broken, path)["undocumented"] = 1
            yield f"a key too much at {path}", broken


def objects(defs, node, value, path=(), name="", needed=frozenset()):
    """(path, name, the keys that may be left out by themselves) of every declared object in a value of node."""
    needed = needed | set(node.get("required", ()))
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        yield from objects(defs, defs[name], value, path, name, needed)
    for part in node.get("anyOf", ()):
        yield from objects(defs, part, value, path, name, needed)
    if isinstance(value, list) and "items" in node:
        for index, item in enumerate(value):
            yield from objects(defs, node["items"], item, (*path, index), name)
    keys = node.get("properties", {})
    if isinstance(value, dict) and keys and needed <= set(value) <= set(keys):
        is_least = len(value) <= node.get("minProperties", 0)
        yield path, name, set() if is_least else set(keys) - needed - set(node.get("dependentRequired", ()))
        for key, inner in value.items():
            yield from objects(defs, keys[key], inner, (*path, key), f"{name}.{key}")


def without_key(defs, node, answer):
    """(path, answer without that key, whether it is an answer then) for every key of every declared object."""
    may = {}
    for path, _, free in objects(defs, node, answer):
        for key in at(answer, path):
            may[(*path, key)] = may.get((*path, key), False) or key in free
    for path, is_optional in may.items():
        broken = copy.deepcopy(answer)
        del at(broken, path[:-1])[path[-1]]
        yield path, broken, is_optional


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, help="the built program")
    parser.add_argument("--answers-only", action="store_true", help="plant no faults, which say nothing of the program")
    parser.add_argument("--schema", type=Path, default=ROOT / "docs/swz.schema.json")
    options = parser.parse_args()

    schema = json.loads(options.schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    defs, nodes = schema["$defs"], kinds_of(schema)
    check = {kind: jsonschema.Draft202012Validator({"$defs": defs, **node}) for kind, node in nodes.items()}
    wrong = []

    def expect(kind, answer, what):
        error = jsonschema.exceptions.best_match(check[kind].iter_errors(answer))
        if error:
            wrong.append(f"{what}: is no {kind}: at {list(error.absolute_path)}: {error.message[:300]}")
        return error is None

    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False, encoding="utf-8") as short:
        short.write(one_in(ONE_IN, RECORDING))
    commands = [(kind, status, [short.name if word == RECORDING else word for word in words])
                for kind, status, words in COMMANDS]
    has_nvrtc = ask(options.swz, COMPILE[2])[0] != 3
    if has_nvrtc:
        commands.append(COMPILE)

    answers, seen = [], {}
    for kind, status, words in commands:
        what = "swz " + " ".join(words)
        code, out, err = ask(options.swz, words)
        if code != status:
            wrong.append(f"{what}: exit code {code}, expected {status}")
            continue
        in_text = ask(options.swz, words, form="text")[0]
        if in_text != status:
            wrong.append(f"{what}: exit code {in_text} as text, {status} as JSON")
        try:
            answer = json.loads(err if status == 2 else out)
        except ValueError:
            wrong.append(f"{what}: is no JSON: {(err if status == 2 else out)[:100]!r}")
            continue
        if (out if status == 2 else err) != "":
            wrong.append(f"{what}: wrote to both standard output and standard error")
        if expect(kind, answer, what):
            answers.append((kind, answer, what))
            for path, name, free in objects(defs, nodes[kind], answer):
                for key in free - {"verdict"}:
                    seen.setdefault(f"{name}.{key}", set()).add(key in at(answer, path))

    lines = BATCH + [json.dumps(words) for _, _, words in commands]
    code, out, _ = ask(options.swz, ["batch", "-"], "\n".join(lines) + "\n")
    replies = [json.loads(line) for line in out.splitlines()]
    if code != 0 or len(replies) != len(lines):
        wrong.append(f"swz batch: exit code {code}, {len(replies)} answers to {len(lines)} lines")
    for line, reply in zip(lines, replies):
        if expect("batch_line", reply, f"batch: {line}") and line in BATCH:
            answers.append(("batch_line", reply, f"batch: {line}"))
    for (kind, status, words), reply in zip(commands, replies[len(BATCH):]):
        if reply["exit"] != status:
            wrong.append(f"batch: {words}: exit {reply['exit']}, expected {status}")
        expect("error" if status == 2 else kind, reply["error" if status == 2 else "result"], f"batch: {words}")

    os.remove(short.name)

    planted = 0
    for kind, whole, what in () if options.answers_only else answers:
        short = shortened(whole)
        answer = short if check[kind].is_valid(short) else whole
        for fault, broken in faults(answer):
            planted += 1
            if check[kind].is_valid(broken):
                wrong.append(f"{what}: the schema accepts {fault}")
        for path, broken, may in without_key(defs, nodes[kind], answer):
            planted += 1
            if check[kind].is_valid(broken) != may:
                wrong.append(f"{what}: the schema {'needs' if may else 'accepts an answer without'} {path}")
    if planted < MIN_FAULTS and not options.answers_only:
        wrong.append(f"only {planted} faults were planted")

    kinds = {kind for kind, _, _ in (*COMMANDS, COMPILE)} | {"batch_line"}
    for kind in sorted(ref["$ref"].rsplit("/", 1)[1] for ref in defs["answer"]["anyOf"]):
        if kind not in kinds:
            wrong.append(f"no command of the table has an answer of kind {kind}")

    for name in sorted(name for name, times in seen.items() if len(times) < 2 and name not in NOT_ASKED):
        wrong.append(f"docs/json.md: `{name}?` is in {'every' if True in seen[name] else 'no'} answer of the table")

    for line in wrong:
        print(line)
    print("" if has_nvrtc else "no NVRTC here: the answer of swz verify --compile-only was not checked\n", end="")
    print(f"{len(commands)} commands, {len(replies)} batch lines, {planted} planted faults: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
