// SPDX-License-Identifier: Apache-2.0
// The rows of the scale layouts, and the names that projects give them.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "scale/scale_layout.hpp"

namespace swz {
namespace {

constexpr ScaleDigit k(int from, int room = 0) { return {ScaleDigit::Axis::kb, from, room}; }
constexpr ScaleDigit r(int from, int room = 0) { return {ScaleDigit::Axis::row, from, room}; }
constexpr ScaleDigit batch{ScaleDigit::Axis::batch, 1};

constexpr Source cublas{"cuBLAS 3.1.4.4.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp"};
constexpr Source of_stage{"CUTLASS 4.7 sm100_blockscaled_layout.hpp, deduce_smem_layoutSFA", Evidence::header};
constexpr Source blockwise{"CUTLASS 4.7 detail/blockwise_scale_layout.hpp", Evidence::header};
constexpr Source cublas_f32{"cuBLAS, outer vector scaling and 128x128 scaling"};
constexpr Source deepgemm{"DeepGEMM smxx_layout.hpp", Evidence::claimed};
constexpr Source mega{"DeepGEMM mega/__init__.py", Evidence::claimed};
constexpr Source flashinfer{"FlashInfer quantization_utils.cuh", Evidence::claimed};
constexpr Source trtllm_moe{"FlashInfer trtllm_fused_moe_dev_kernel.cu", Evidence::claimed};
constexpr Source moe_sm90{"FlashInfer fused_moe/prepare.py", Evidence::claimed};
constexpr Source paged{"FlashInfer fp4_quantization.py; vLLM nvfp4_kv_cache_kernels.cu", Evidence::claimed};
constexpr Source triton{"triton_kernels tensor_details/layout_details", Evidence::claimed};
constexpr Source jax{"JAX jax/experimental/mosaic/gpu/tcgen05.py", Evidence::claimed};
constexpr Source tilelang{"TileLang 0.1.15, mma_sm120_macro_generator.py", Evidence::claimed};
constexpr Source marlin{"vLLM marlin_utils.py, marlin_utils_fp4.py", Evidence::claimed};
constexpr Source ggml{"ggml ggml-common.h", Evidence::claimed};
constexpr Source te{"TransformerEngine 2.20 mxfp8_tensor.py, nvfp4_tensor.py; jax/cpp_extensions/gemm.py",
                    Evidence::claimed};
constexpr Source plain{"checkpoints of NVFP4 and MX models; FlashInfer quantization_utils.cuh", Evidence::claimed};

// clang-format off
constexpr ScaleLayoutRow layout_rows[] = {
    {"128x4", 1, 1, {k(1), r(32), r(1), k(4), r(128)}, 1, 1, 0, "tcgen05.cp 32x128b.warpx4; cuBLASLt, cuDNN; sm_120 kernels by LDS", cublas},
    {"128x4_k8", 1, 1, {k(1), r(32), r(1), k(4), k(8), r(128)}, 1, 1, 0, "tcgen05.cp 32x128b.warpx4", triton},
    {"128x4_stage", 1, 1, {k(1), r(32), r(1), r(128), k(4)}, 1, 1, 0, "tcgen05.cp, from the shared memory of a CTA", of_stage},
    {"deepgemm_utccp", 1, 1, {k(1), r(32), r(1), r(128), k(4)}, 128, 4, 0, "tcgen05.cp 32x128b.warpx4", mega},
    {"8x4", 1, 1, {k(1), r(1), k(4), r(8)}, 1, 1, 0, "LDS and tcgen05.st, in kernels of small batches", flashinfer},
    {"8x16", 1, 1, {k(1), r(1), k(16), r(8)}, 1, 1, 0, "LDS and tcgen05.st, weights of small-batch kernels", trtllm_moe},
    {"64x4", 1, 1, {k(1), r(16), r(1), k(4), r(64)}, 64, 4, 0, "mma.sync block_scale of sm_120 attention; Hopper's mixed MoE", moe_sm90},
    {"linear", 1, 1, {k(1), r(1)}, 1, 1, 0, "kernels that reorder it themselves", plain},
    {"deepgemm_packed", 1, 1, {k(1), r(1), r(4), k(4)}, 1, 1, 0, "DeepGEMM: transposed in the kernel, then tcgen05.cp", deepgemm},
    {"b_m64_collective", 1, 1, {k(1), r(32, 4), r(1), r(ScaleDigit::half), k(4)}, 64, 4, 256, "tcgen05.cp 64x128b.warpx2::01_23, B of M 128 of a pair", jax},
    {"tilelang_chunk_kmajor", 1, 1, {k(1), r(32), r(1), k(4)}, 32, 4, 0, "mma.sync block_scale of sm_120, the rows of a CTA", tilelang},
    {"kv_v_4x4", 1, 1, {r(1), k(1), r(4)}, 4, 4, 0, "trtllm-gen attention: V of a page and head, rows are tokens", paged},
    {"kv_v_4x4_nhd", 1, 1, {r(1), k(1), batch, k(ScaleDigit::quarter), r(4)}, 4, 4, 0, "the same in a page of order NHD: batches are the heads of one page", paged},
    {"te_rowwise", 1, 1, {k(1), k(4), r(1), r(128)}, 1, 1, 0, "TransformerEngine, before it swizzles for the GEMM; of NVFP4 also columnwise", te},
    {"te_columnwise", 1, 1, {r(1), r(128), k(1), k(4)}, 1, 1, 0, "TransformerEngine MXFP8 columnwise: rows are along the other axis of the data", te},
    {"linear_f32", 4, 4, {k(1), r(1)}, 1, 1, 0, "wgmma kernels, by LDG or LDS", blockwise},
    {"k_pad4_f32", 4, 4, {k(1), k(4), r(1)}, 1, 1, 0, "cuBLASLt BLK128x128_32F", cublas_f32},
    {"mn_major_f32", 4, 4, {r(1), k(1)}, 1, 1, 0, "wgmma kernels; cuBLASLt VEC128_32F", blockwise},
    {"mn_major_tma_f32", 4, 4, {r(1), r(4), k(1)}, 1, 1, 0, "wgmma kernels, by TMA", deepgemm},
    {"64x1_fold8_bf16", 2, 2, {r(8), r(1), k(1), r(64)}, 64, 1, 0, "Hopper's mixed MoE, groups of 128", moe_sm90},
    {"hopper_mx_4", 1, 1, {r(8), k(1), r(1), r(64), k(2), r(16), r(128)}, 1, 1, 0, "wgmma kernels of 4 warps, by registers", triton},
    {"hopper_mx_8", 1, 1, {r(8), k(1), r(1), r(128), k(2), r(16), r(256)}, 1, 1, 0, "wgmma kernels of 8 warps, by registers", triton},
    {"marlin_group", 1, 1, {r(8), r(1), r(64), k(1)}, 64, 1, 0, "Marlin kernels; rows are columns of the output", marlin},
    {"marlin_group_fp4", 1, 1, {r(16), r(8), r(32), r(1), r(64), k(1)}, 64, 1, 0, "Marlin kernels of 4-bit weights", marlin},
    {"ggml_mxfp4", 1, 17, {k(1), r(1)}, 1, 1, 0, "ggml: the first of the 17 bytes of a block of 32", ggml},
    {"ggml_nvfp4", 1, 1, {k(1, 36), k(4), r(1)}, 1, 4, 0, "ggml: the first 4 of the 36 bytes of a block of 64", ggml},
    {"cdna4_mx_scale", 1, 1, {r(16), k(4), r(1), k(1), k(8), r(32)}, 32, 8, 0, "AMD CDNA4, for comparison", triton},
};

// As the projects spell them; case does not matter.
constexpr ScaleLayoutName layout_names[] = {
    {"VEC16_UE4M3", "cuBLASLt", "128x4"},
    {"VEC32_UE8M0", "cuBLASLt", "128x4"},
    {"F8_128x4", "cuDNN", "128x4"},
    {"Sm1xxBlockScaledConfig", "CUTLASS", "128x4"},
    {"Sm103BlockScaledConfig", "CUTLASS", "128x4"},
    {"SWIZZLED_128x4", "TensorRT-LLM", "128x4"},
    {"SWIZZLED", "TensorRT-LLM", "128x4"},
    {"R128c4", "trtllm-gen", "128x4"},
    {"layout_128x4", "FlashInfer", "128x4"},
    {"block_scale_interleave", "FlashInfer", "128x4"},
    {"SWIZZLE_32_4_4", "PyTorch", "128x4"},
    {"to_blocked", "torchao", "128x4"},
    {"swizzle_blockscale", "vLLM, SGLang", "128x4"},
    {"swizzle_mxfp8_scale", "vLLM", "128x4"},
    {"swizzle_mxfp4_scales", "vLLM", "128x4"},
    {"gemm_swizzled", "TransformerEngine", "128x4"},
    {"BlackwellMXScaleLayout", "triton_kernels", "128x4_k8"},
    {"BlackwellActMXScaleLayout", "triton_kernels", "128x4_k8"},
    {"deduce_smem_layoutSFA", "CUTLASS", "128x4_stage"},
    {"deduce_smem_layoutSFB", "CUTLASS", "128x4_stage"},
    {"transpose_sf_for_utccp", "DeepGEMM", "deepgemm_utccp"},
    {"SWIZZLED_8x4", "TensorRT-LLM", "8x4"},
    {"R8c4", "trtllm-gen", "8x4"},
    {"layout_8x4", "FlashInfer", "8x4"},
    {"R8c16", "trtllm-gen", "8x16"},
    {"interleave_moe_scales_for_sm90_mixed_gemm", "FlashInfer", "64x4"},
    {"layout_linear", "FlashInfer", "linear"},
    {"NO_SWIZZLE", "PyTorch", "linear"},
    {"deepgemm", "swz before 1.0", "deepgemm_packed"},
    {"get_mn_major_tma_aligned_packed_ue8m0_tensor", "DeepGEMM", "deepgemm_packed"},
    {"per_token_group_quant_fp8_packed_for_deepgemm", "vLLM", "deepgemm_packed"},
    {"b_scales_m64_collective_layout", "JAX", "b_m64_collective"},
    {"nvfp4_quantize_paged_kv_cache", "FlashInfer", "kv_v_4x4"},
    {"swizzle_scale_offset", "vLLM", "kv_v_4x4"},
    {"rowwise_scale_inv", "TransformerEngine", "te_rowwise"},
    {"columnwise_scale_inv", "TransformerEngine", "te_columnwise"},
    {"BLK128x128_32F", "cuBLASLt", "k_pad4_f32"},
    {"VEC128_32F", "cuBLASLt", "mn_major_f32"},
    {"BlockWise1x128", "PyTorch", "mn_major_f32"},
    {"column_major_scales", "vLLM, SGLang", "mn_major_f32"},
    {"get_mn_major_tma_aligned_tensor", "DeepGEMM", "mn_major_tma_f32"},
    {"scale_tma_aligned", "vLLM, SGLang", "mn_major_tma_f32"},
    {"marlin_permute_scales", "vLLM", "marlin_group"},
    {"nvfp4_marlin_process_scales", "vLLM", "marlin_group_fp4"},
    {"mxfp4_marlin_process_scales", "vLLM", "marlin_group_fp4"},
    {"block_mxfp4", "ggml", "ggml_mxfp4"},
    {"block_nvfp4", "ggml", "ggml_nvfp4"},
    {"CDNA4MXScaleLayout", "triton_kernels", "cdna4_mx_scale"},
};
// clang-format on

}  // namespace

std::span<const ScaleLayoutRow> scale_layouts() { return layout_rows; }
std::span<const ScaleLayoutName> scale_layout_names() { return layout_names; }

const ScaleLayoutRow& require_scale_layout(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const ScaleLayoutRow& row : layout_rows)
    if (lower_case(row.name) == wanted) return row;
  for (const ScaleLayoutName& other : layout_names)
    if (lower_case(other.name) == wanted) return require_scale_layout(other.layout);
  std::vector<std::string> known = names_of(layout_rows);
  for (const ScaleLayoutName& other : layout_names) known.emplace_back(other.name);
  throw usage_error(fmt::format("{} is not a known layout of scale factors", quoted(name)),
                    did_you_mean(name, known, "swz sf list shows them"));
}

}  // namespace swz
