// SPDX-License-Identifier: Apache-2.0
#include "arch/observations.hpp"

#include <algorithm>

namespace swz {

namespace {

using enum AnswerState;

constexpr std::string_view h200 = "NVIDIA H200, driver 580.159.04";
constexpr std::string_view h100 = "NVIDIA H100, driver 580.159.04";
constexpr std::string_view both_gpus = "NVIDIA H100 and NVIDIA H200, driver 580.159.04";
constexpr Source seen_on_both{"H100 and H200, swz verify", Evidence::measured};
constexpr Source cutlass_masks{"CUTLASS 4.7, sm_100 pipelines and mainloops", Evidence::header};
constexpr Source seen_on_h100{"H100, an experiment outside swz verify", Evidence::measured};
constexpr Source verified_on_h100{"H100, swz verify", Evidence::measured};
constexpr Source seen{"H200, swz verify", Evidence::measured};
constexpr Source seen_once{"H200, an experiment outside swz verify", Evidence::measured};
constexpr Source wgmma_doc{"PTX ISA 9.1, 9.7.15.5.1"}, tcgen05_doc{"PTX ISA 9.1, 9.7.16"};
constexpr Source cuda_h{"cuda.h of CUDA 13.0", Evidence::header};
constexpr Source as_st_shared{"taken as st.shared of the same width", Evidence::claimed};
constexpr Source cute{"CUTLASS 4.2 headers, compiled on the host", Evidence::header};

// The numbers of `swz verify` are from a run of 15,480 cases with seed 1 on 2026-11-21. The recording in tests/data is
// from a later run; docs/evidence.md counts that one.
constexpr HardwareQuestion questions[] = {
    {"fp8-operands", "Are fp8 operands of wgmma read by the rule of the 16-bit types?", answered,
     "e4m3 and e5m2, A and B by descriptor, every N, random words", 2488, "yes, every element", h200, seen},
    {"integer-operands", "Are s8, u8 and b1 operands of wgmma read by it?", answered,
     "A and B by descriptor, s8 and u8 mixed as well, every N, random words", 810, "yes, every element", h200, seen},
    {"registers-of-a", "Does A of wgmma lie in registers as its fragment says?", answered,
     "every type and N, codes in the registers", 1422, "yes, every element", h200, seen},
    {"start-beyond-128k", "Is a start address of 128 KB or more read unchanged?", answered,
     "random words that start between 0x20000 and 0x37000", 1515, "yes: all 14 bits count", h200, seen},
    {"base-offset-32b", "Does the base offset act in mode 32B?", answered,
     "random words of mode 32B with base offsets 1 to 7", 973, "yes, as in 64B and 128B: subtracted", h200, seen},
    {"base-offset-none", "Does the base offset act without a swizzle?", answered,
     "random words of mode none with base offsets 1 to 7", 976, "no", h200, seen},
    {"four-bit-mma", "Does mma.sync of 4-bit and 1-bit types run on sm_90a, and in the fragments of PTX?", answered,
     "18 instructions of s4, u4 and b1; A, B, C and D of each", 72, "yes", h200, seen},
    {"time-of-wavefronts", "Does the time of an access show as many wavefronts as the profiler counts?", answered,
     "22 instructions, fixed and random patterns", 3000, "yes, with 8 warps and a load of known cost between", h200,
     seen},
    {"zero-active-lanes", "Is an access without an active lane a wavefront?", answered,
     "1,000 predicated-off accesses each of ld, st, ldmatrix and stmatrix, counted by Nsight Compute; 44 patterns "
     "by time",
     44, "yes, one, whatever the width; by time ldmatrix takes two slots of the pipe, the others one", h200, seen_once},
    {"tma-rank", "Where do boxes of rank 1 and 3 to 5 lie?", answered,
     "loads of rank 1 to 5, whole image and 128 B on either side", 6000,
     "the outer dimensions count as rows, dimension 1 fastest", h200, seen},
    {"tma-element-strides", "What does a load do with element strides?", answered,
     "loads with element strides 1 to 8 in every dimension, among those of all ranks", 6000,
     "ceil(box / stride) entries of a dimension; that of dimension 0 is ignored", h200, seen},
    {"tma-start", "Where may a load start?", answered,
     "starts before, inside and beyond the tensor; in steps of one element along dimension 0", 120,
     "anywhere, but along dimension 0 at a multiple of 16 B: 26 of 27 loads that faulted "
     "(CUDA_ERROR_ILLEGAL_INSTRUCTION) had another start, the 27th ran at the same time",
     h200, seen_once},
    {"cluster-ranks", "In which order does the rank of a CTA count the CTAs of its cluster?", answered,
     "clusters of 1 to 16 CTAs in up to three dimensions; each CTA's coordinate beside its rank", 2481,
     "x fastest, then y, then z", both_gpus, seen_on_both},
    {"cluster-addresses", "What does an address of shared::cluster say?", answered,
     "mapa and getctarank of random addresses in every CTA; stores through (rank << 24) + offset", 2481,
     "bits 31-24 the rank, bits 23-0 the offset; mapa replaces the rank, whatever was there", both_gpus, seen_on_both},
    {"address-without-rank", "What does an address without its rank do in a cluster?", answered,
     "loads of offset 0x400 in rank 1 of 2, as shared::cluster and as shared::cta", 4,
     "shared::cluster reads rank 0; shared::cta ends the kernel (CUDA_ERROR_ILLEGAL_INSTRUCTION)", both_gpus,
     seen_on_h100},
    {"multicast-masks", "Whom does a multicast load reach, and whose barrier counts it?", answered,
     "up to four loads of any box by random CTAs of 1 to 16, 40 % of the masks with one bit, 60 % without the issuer's",
     4811,
     "each CTA of the mask at the same offset; its own barrier counts the bytes written there; the issuer only if "
     "named",
     both_gpus, seen_on_both},
    {"multicast-slices", "Do slices of a tile lie where its undivided copies would put them?", answered,
     "tiles of 7 types and all modes that 2 to 16 CTAs share, at any multiple of 128 B", 4708,
     "yes, every byte, also where a slice is a part of a swizzle atom; every barrier counts the whole tile", both_gpus,
     seen_on_both},
    {"multicast-beyond", "What does a mask with a bit beyond the cluster do?", answered,
     "bulk copies with masks 0x4, 0x8, 0x8000 and 0x6 in a cluster of 2", 6,
     "the kernel ends with CUDA_ERROR_LAUNCH_FAILED, also if another bit is inside", both_gpus, seen_on_h100},
    {"cluster-size", "How many CTAs may a cluster have?", answered, "launches of 8, 9, 16, 17, 18 and 32 CTAs", 10,
     "8, with the opt-in to non-portable sizes 16; more are refused as an invalid cluster size", h100, seen_on_h100},
    {"cluster-pairs", "Which barriers do loads and commits of cta_group::2 signal?", open, "", 0, "", "",
     cutlass_masks},
    {"tma-store-end", "What does a store do at the end of a row?", answered,
     "stores of 8-, 16- and 32-bit elements of rank 2 without a swizzle, boxes inside, across and beyond the "
     "tensor",
     6000,
     "rows outside the tensor are left out; a row is written in whole 16 B, so up to 15 B after its end are "
     "overwritten",
     h100, seen_on_h100},
    {"tma-store-start", "Where may a store start?", answered,
     "stores from 13 places before, inside and beyond the tensor", 13,
     "not before the tensor in any dimension, and along dimension 0 at a multiple of 16 B: otherwise "
     "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     h100, seen_on_h100},
    {"nan-fill", "Which NaN does FLOAT_OOB_FILL_NAN write?", answered, "loads of f16, bf16, f32 and f64 with NaN fill",
     50, "the 16 bits 0x7ff7 over and over, whatever the type", h200, seen},
    {"im2col-arguments", "What does cuTensorMapEncodeIm2col refuse?", answered,
     "random calls of rank 0 to 6, every type, interleave and swizzle, offsets and extents at and beyond their "
     "bounds",
     180000,
     "what cuda.h says, and 0 channels or pixels, channels that are not a multiple of 16 B, a column of more than "
     "233,472 B, a box that is empty in 32 bits; not INTERLEAVE_32B without SWIZZLE_32B; offsets count W first, "
     "with interleave from dimension 0",
     h200, seen_once},
    {"tensor-map-address", "Must the CUtensorMap that is written lie at a multiple of 64 B, as cuda.h says?", answered,
     "cuTensorMapEncodeTiled to each of 256 consecutive addresses", 256, "no: every one is accepted", h200, seen_once},
    {"reserved-bits", "Do the reserved bits of a wgmma descriptor matter?", answered,
     "bits 14-15, 30-31, 46-48, 52, 53-60 and 61 set at random, 300 words each: f16, bf16, e4m3, tf32, s8, A and B",
     1800, "no: every element is read as if they were 0", h200, seen_once},
    {"sparse-wgmma", "How does a sparse wgmma read B, 64 B of every row?", answered,
     "f16, e4m3 and tf32, N 8 and 64, every mode and major, random words, all of B through two metadata words", 1200,
     "as a dense one; K-major, LBO steps from one span to the next, which only mode 32B needs", h200, seen_once},
    {"sparse-metadata",
     "Which bits of the metadata of mma.sp are which row and chunk of A?",
     answered,
     "every form of sm_80 to sm_90, f16 to s4, each lane, nibble and selector: one nibble changed, D compared",
     6400,
     "as swz frag says: threads with 16-bit types and tf32 have rows g and g + 8, others one of them",
     h100,
     {"H100, tests/gpu/record_sparse_metadata.py", Evidence::measured}},
    {"wgmma-interval",
     "How many cycles lie between two wgmmas?",
     answered,
     "every N, A in shared memory and in registers, f16, e4m3, tf32, s8, dense and sparse, swizzled or not, one and "
     "two "
     "warpgroups: straight lines of 8 and of 40",
     904,
     "the larger of N/2 and the bytes of A and B over 128; 13 at least with A in registers; sparse up to 2.8 more",
     h100,
     {"H100, tests/gpu/rates", Evidence::measured}},
    {"copies-beside-mmas",
     "Do copies take bandwidth from MMAs that read shared memory?",
     answered,
     "m64n32k16, which reads 128 B per cycle, beside copies from L2 of 16 KiB, on 1, 66 and 132 SMs",
     6,
     "hardly: copies of 46 B per cycle slow the MMAs by 0.7 %",
     h100,
     {"H100, tests/gpu/rates", Evidence::measured}},
    {"copy-rate",
     "How many bytes per cycle do copies bring to an SM?",
     answered,
     "bulk and tensor copies of 2 to 16 KiB, 8 to 64 KiB in flight, from L2 and DRAM, on 1, 66 and 132 SMs",
     96,
     "from L2 60, with all SMs 50; from DRAM 54, with all SMs 12; one thread that waits and copies starts a copy in "
     "273 "
     "cycles",
     h100,
     {"H100, tests/gpu/rates", Evidence::measured}},
    {"address-wrap", "What is read where an address passes 256 KB, the end of the 18 bits?", partly,
     "words whose offsets pass 2^18, and starts of 233472 and 261888", 3,
     "CUDA_ERROR_ILLEGAL_ADDRESS: nothing wraps. 16 B past 233472 did not fault, and was not looked at further", h200,
     seen_once},
    {"system-memory", "What does an operand read in the 1 KB that the system reserves?", partly,
     "starts of 0, 512, 768 and 1008", 4, "zeros, without a fault", h200, seen_once},
    {"im2col-walk", "Which pixel is in each row of an im2col load?", answered,
     "loads of rank 3 to 5, ten types, corners of both signs, element strides, starts at and between places, offsets",
     14000,
     "as PTX says, with n stepping by its element stride; offsets do not move where the walk turns; filled pixels "
     "count on the mbarrier",
     h100, verified_on_h100},
    {"im2col-start", "What does an im2col load do that starts outside of the box of pixels?", answered,
     "starts one step before the box of pixels and at its end, along W, H and D", 43,
     "CUDA_ERROR_ILLEGAL_INSTRUCTION, each of them", h100, verified_on_h100},
    {"im2col-map-bits", "Which 128 bytes does cuTensorMapEncodeIm2col write?", answered,
     "accepted calls of rank 3 to 5, every type of sm_90, interleave and swizzle", 6000,
     "those of a tiled map with boxDim[0] = channels, bit 0 of word 1 set, and in word 7 the lower corner in bits 0-15 "
     "and the upper one in bits 16-31 (16, 8 and 8, or 5, 5 and 5 bits, W lowest) and pixels - 1 in bits 32-41; "
     "word 8: element size times channels times pixels",
     h100, seen_on_h100},
    {"tma-interleave", "Where do interleaved loads put their bytes?", answered,
     "tiles and images of rank 3 to 5, 16B and 32B, all swizzles, element strides", 6000,
     "boxDim[0] counts slices of 16 or 32 B, of which one is loaded whatever the box has in the second last dimension; "
     "rows lie without gaps, also below the span of the swizzle, which is that of other loads",
     h100, verified_on_h100},
    {"tma-reduce", "From where in shared memory do TMA stores and reductions read?", answered,
     "store, add, min, max, and, or, xor of every type that they have, rank 1 to 5, all swizzles, element strides",
     6000, "each element from where a load of the box puts it; rows end as those of a store, in whole 16 B", h100,
     verified_on_h100},
    {"tma-reduce-s64", "Which reductions does a map of INT64 take?", answered,
     "min, max, and, or, xor with maps of s64", 36,
     "min and max; and, or and xor end in CUDA_ERROR_ILLEGAL_INSTRUCTION, with UINT64 and INT32 they do not", h100,
     verified_on_h100},
    {"tma-conversion", "What do loads of FLOAT32_FTZ and TFLOAT32 do to values?", open, "", 0, "", "", cuda_h},
    {"cp-async", "How many wavefronts do the writes of cp.async take?", open, "", 0, "", "", as_st_shared},
    {"name-of-k", "Is the number k of an operand the k of PTX?", open,
     "no product can show it: were k exchanged in A and B alike, D would be the same", 0, "", "", wgmma_doc},
    {"tcgen05", "Does tcgen05.mma read its operands by the rule of wgmma?", open,
     "compiled by NVRTC for sm_100a, sm_103a and sm_110a, and simulated; there was no such GPU", 0, "", "",
     tcgen05_doc},
};

constexpr CuteAgreement agreements[] = {
    {"wgmma descriptors: make_gmma_desc, every MMA of 264 tiles", 3732, "words", "", "test_descriptors.cpp", cute},
    {"tcgen05 descriptors: make_umma_desc, every MMA of 420 tiles", 5476, "words", "", "test_descriptors.cpp", cute},
    {"fragments of mma and wgmma: ALayout, BLayout, CLayout of 316 operands", 598912, "coordinates",
     "6 operands are wrong in CuTe: B of the 4-bit m16n8k32 gives k 4 to 7 to two lanes, A of m16n8k128 is not a "
     "layout; the H200 does as PTX says",
     "test_fragments.cpp", cute},
    {"ldmatrix and stmatrix: SrcLayout and DstLayout of 23 copies", 56320, "bits", "", "test_fragments.cpp", cute},
    {"movmatrix: the side that is read", 64, "elements",
     "CuTe's traits leave the transposition out; PTX and the H200 have it", "test_fragments.cpp", cute},
    {"swizzle modes that CUTLASS's selectors choose", 1152, "tiles", "", "test_selectors.cpp", cute},
    {"named atoms, Layout_K_SW128_Atom and the like", 48, "atoms", "", "test_atoms.cpp", cute},
    {"layout algebra, cases at random", 2400, "expressions", "where CuTe answers wrongly, swz refuses or is right",
     "test_agreement.cpp", cute},
};

static_assert(std::ranges::all_of(questions, [](const HardwareQuestion& row) {
  return row.state == open ? row.result.empty() : row.cases > 0 && !row.result.empty() && !row.gpu.empty();
}));

}  // namespace

std::span<const HardwareQuestion> hardware_questions() { return questions; }
std::span<const CuteAgreement> cute_agreements() { return agreements; }

}  // namespace swz
