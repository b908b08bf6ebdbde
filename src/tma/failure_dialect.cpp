#include "tma/failure_dialect.hpp"

namespace swz {

namespace {

using enum FailurePart;

// TileLang took CUTLASS's words and has since added its own.
constexpr FailureKey cute_keys[] = {
    {"TMA Desc Addr", map_address, false},
    {"format", type},
    {"dim", rank},
    {"gmem_address", address},
    {"globalDim", dims},
    {"globalStrides", strides, false},
    {"globalStridesRaw", strides, false},
    {"cudaGlobalStrides", driver_strides, false},
    {"smem_box_pixel", pixels, false},
    {"smem_box_channel", channels, false},
    {"pixelBoxLowerCorner", lower_corner, false},
    {"pixelBoxUpperCorner", upper_corner, false},
    {"boxDim", box},
    {"elementStrides", element_strides},
    {"interleave", interleave},
    {"swizzle", swizzle},
    {"l2Promotion", l2},
    {"oobFill", oob},
};

constexpr FailureKey trtllm_keys[] = {
    {"tmaFormat", type},
    {"dim", rank},
    {"gmem", address},
    {"Shape", dims},
    {"Stride", strides},
    {"tileShapes", box},
    {"tileStrides", element_strides},
    {"swizzleType", swizzle},
};

constexpr FailureKey kittens_keys[] = {
    {"tma_map", map_address, false},
    {"tma_format", type},
    {"tma_dim", rank},
    {"global_addr", address},
    {"gmem_shape", dims},
    {"gmem_stride", strides},
    {"smem_shape", box},
    {"smem_stride", element_strides},
    {"tma_interleave", interleave},
    {"tma_swizzle", swizzle},
    {"tma_l2Promotion", l2},
    {"tma_oobFill", oob},
};

constexpr FailureKey deep_gemm_keys[] = {
    {"global memory", dims}, {"shared memory", box},        {"outer stride", strides},
    {"swizzle", swizzle},    {"base", swizzle_atom, false}, {"elem size", element_bytes},
};

constexpr TensorMap promotes(TensorMapL2Promotion bytes) { return {.l2_promotion = bytes}; }

constexpr FailureDialect dialects[] = {
    {.program = "CUTLASS",
     .keys = cute_keys,
     .list_opens = '(',
     .strides_begin_with_element = true,
     .code_stands_before = false},
    {.program = "TileLang", .keys = cute_keys, .list_opens = '[', .strides_begin_with_element = true},
    {.program = "FlashInfer/TensorRT-LLM",
     .keys = trtllm_keys,
     .has_rubbish = true,
     .unprinted = promotes(TensorMapL2Promotion::b128),
     .unprinted_in_words = "interleave none, L2 promotion 128B, OOB fill zero"},
    {.program = "ThunderKittens", .keys = kittens_keys, .list_opens = '['},
    {.program = "DeepGEMM",
     .keys = deep_gemm_keys,
     .code_stands_before = false,
     .prints_every_map = true,
     .counts_elements = true,
     .unprinted = promotes(TensorMapL2Promotion::b256),
     .unprinted_in_words = "element strides 1, interleave none, L2 promotion 256B, OOB fill zero"},
};

}  // namespace

std::span<const FailureDialect> failure_dialects() { return dialects; }

}  // namespace swz
