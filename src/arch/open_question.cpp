#include "arch/open_question.hpp"

#include <algorithm>

namespace swz {
namespace {

// clang-format off
constexpr OpenQuestion questions[] = {
    {"a-m64-lanes", "the lanes of A in tensor memory, M 64 without .ws",
     {"32 * (r / 16) + r % 16, as D (CUTLASS)", "r, lanes 0-63 (TVM)"},
     "tmem-mma, a-in-lanes-0-63: the cell of each element of A, M 64"},
    {"a-layout-g", "the lanes of A in tensor memory, M 32 with .ws",
     {"r + 32 * j, a copy for each quarter of N (by analogy to M 64 with .ws)", "r alone"},
     "tmem-mma, one-copy: the cell of each element of A for each quarter of N, .ws M 32"},
    {"sparse-m128-pair", "the data path of D, sparse M 128 with cta_group::2",
     {"C: 32 * (r / 16) + r % 16 (PTX)", "B: halves of N in lanes r and r + 64 (CUTLASS's trait, which its kernels do not use)"},
     "tmem-mma, pair-halves: each cell of D, sparse M 128 with two CTAs"},
    {"metadata-m64", "the lanes of metadata, M 64 without .ws",
     {"none: no source has a formula", "as A", "lanes 0-63"},
     "tmem-mma, metadata-in-lanes-0-63: the nibble of each row and chunk, M 64"},
    {"sfa-m128-pair", "the columns of scale factors of A, M 128 with cta_group::2",
     {"4 for each word, lanes of four quarters (CUTLASS's C++ types)",
      "2 for each word: row r < 64 in lane r % 32, column r / 32 (NVIDIA's CuTe-DSL example)"},
     "tmem-mma, scale-a-by-pair-row and, at column 2, scale-columns-by-4: the byte of each scale factor"},
    {"fp6-container", "the bits of e2m3 in its byte of tensor memory",
     {"6-1, as e3m2 (by analogy)", "5-0"},
     "tmem-mma, container-at-bit-0: the value of A for each of 256 bytes"},
    {"tx-bytes", "the bytes that an mbarrier counts for the padded types of 4 and 6 bits",
     {"those of global memory, 64 or 96 for 128 elements (CUTLASS, CuTe-DSL)", "those of shared memory, 128"},
     "cp.async.bulk.tensor of 16U4_ALIGN16B with expect_tx of either"},
    {"padded-swizzle", "the swizzles of tensor maps of the padded types",
     {"none, 128B and 128B_ATOM_32B; 16U6_ALIGN16B stores also 128B_ATOM_64B (cuda.h)",
      "every one of 128 B but 128B_ATOM_32B_FLIP_8B, for both types (PTX, 9.7.9.27.1.1)"},
     "cuTensorMapEncodeTiled of 16U4_ALIGN16B with each swizzle, then a copy"},
    {"fp4-mn-major", "MN-major 4- and 6-bit elements in kinds f8f6f4 and mxf8f6f4",
     {"allowed (CUTLASS's builders and unit tests)", "K-major alone (PTX, table 54)"},
     "tmem-mma, k-major-alone: the slot of each element of A with the transpose bit set"},
    {"warp-lane-bits", "the lane bits of the warp in the address of tcgen05.ld and st",
     {"must be those of the warp's quarter (PTX, CUTLASS)", "ignored (DeepGEMM)"},
     "tcgen05.ld by warp 1 with lane bits 0"},
    {"ld-red-runs", "the columns whose least or largest tcgen05.ld.red.16x32bx2 gives a thread",
     {"those of its own registers (by analogy to 32x32b)", "both halves of its lane (PTX: across columns in each lane)"},
     "tcgen05.ld.red.16x32bx2 with the largest value in one half, then in the other"},
    {"unpack-upper", "bits 16-31 of the cells that tcgen05.st.unpack::16b writes",
     {"unspecified (PTX)", "kept", "cleared"},
     "tcgen05.st of all ones, then st.unpack::16b of zeros, then ld"},
    {"shift-scope", "the lanes that one tcgen05.shift moves",
     {"those of each quarter (CuTe-DSL)", "those of the quarter of the address (PTX: for a warp)"},
     "tcgen05.shift.down at lane 0, then ld of all quarters"},
    {"selector-columns", "sparsity selectors 2 and 3 of kinds tf32 and f16",
     {"not used: selector is column & 1, the address even (CUTLASS)", "column & 3, the address a multiple of 4 (PTX allows 0 to 3)"},
     "tmem-mma, selector-of-four: the nibble of each row and chunk, for each selector"},
    {"scale-columns", "the alignment of the column of scale factors",
     {"multiples of 4 (CUTLASS, DeepGEMM)", "multiples of 2 (CuTe-DSL example)", "none is stated (PTX)"},
     "tmem-mma, scale-columns-by-4 and scale-columns-by-2: the byte of each scale factor, for each column"},
    {"k96-ids", "the sf_id of K 96 (sm_103a)",
     {"the byte of the first factor: 0, 3, 2, 1 or 0, 2 (CUTLASS)", "0 or 2 (PTX, table 44)"},
     "tmem-mma, k96-even-ids: the byte of each scale factor, for each id"},
};
// clang-format on

}  // namespace

std::span<const OpenQuestion> open_questions() { return questions; }

const OpenQuestion& open_question(std::string_view name) {
  return *std::ranges::find(questions, name, &OpenQuestion::name);
}

}  // namespace swz
