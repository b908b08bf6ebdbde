// SPDX-License-Identifier: Apache-2.0
#include "dialect/spelling.hpp"

namespace swz {
namespace {

constexpr ModeSpelling mode_names[] = {
    {"none", "no name: shared_linear", "", "refused by wgmma", "SWIZZLE_NONE", "None = 0"},
    {"32B", "swizzlingByteWidth = 32", "SWIZZLE_32B, quarter bank", "swizzle 32", "SWIZZLE_32B = 1", "B32 = 3"},
    {"64B", "swizzlingByteWidth = 64", "SWIZZLE_64B, half bank", "swizzle 64", "SWIZZLE_64B = 2", "B64 = 2"},
    {"128B", "swizzlingByteWidth = 128", "SWIZZLE_128B, full bank", "swizzle 128", "SWIZZLE_128B = 3", "B128 = 1"},
    {"128B_32B", "", "", "", "", ""},
};

constexpr SwizzleSpelling spellings[] = {
    {"CuTe C++",
     "Swizzle<3,4,3> after smem_ptr, Swizzle<3,3,3> before a layout",
     "B, M, S; bytes after smem_ptr, otherwise the unit of the layout",
     {"CUTLASS 4.2.0, include/cute/swizzle.hpp", Evidence::header}},
    {"CuTe DSL",
     "S<3,3,3> o 0 o …, cute.make_swizzle(3,3,3)",
     "B, M, S; the unit of the layout",
     {"cutlass 7107b0553, python/CuTeDSL/cutlass/cute/core.py", Evidence::claimed}},
    {"CuTe DSL, low level",
     "cutlass.Swizzle(3,4,3), Swizzle.from_name(\"s128b\")",
     "B, M, S; bytes",
     {"cutlass 7107b0553, python/CuTeDSL/cutlass/base_dsl/swizzle.py", Evidence::claimed}},
    {"Mojo",
     "Swizzle(3,3,3), make_swizzle[dtype, mode]()",
     "bits, base, shift; elements; make_ldmatrix_swizzle counts vectors of 16 bytes",
     {"modular 0245e8bd, max/kernels/src/layout/swizzle.mojo", Evidence::claimed}},
    {"Tilus",
     "Swizzle(base=3, bits=3, shift=3)",
     "M, B, S; elements",
     {"tilus 9a22de0a, python/tilus/ir/layout/shared_layout.py", Evidence::claimed}},
    {"TileLang",
     "Sw<3,4,3> o 0 o (64,128):(128,1) of 64x64 f16, tl.cute.Swizzle(3,4,3)",
     "B, M, S; always bytes, the layout after it as well",
     {"tilelang a35008a4, src/layout/cute_layout.h", Evidence::claimed}},
    {"nvFuser",
     "Swizzle of type XOR on two axes of equal extent: (x, y) to (x, x ^ y)",
     "indices of axes, after the splits",
     {"Fuser 81c4b22f, csrc/swizzle.cpp", Evidence::claimed}},
};

}  // namespace

std::span<const ModeSpelling> mode_spellings() { return mode_names; }
std::span<const SwizzleSpelling> swizzle_spellings() { return spellings; }

}  // namespace swz
