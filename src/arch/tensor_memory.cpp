// SPDX-License-Identifier: Apache-2.0
#include "arch/tensor_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "arch/mma_choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Source ptx{"PTX ISA 9.1, 9.7.16.10.5; CUTLASS 4.7 tmem_frg"};
constexpr Source d_of_64{"TIRx-harness test_tcgen05_mma_forms on a B200; PTX ISA 9.1, 9.7.16.10.5", Evidence::reported};
constexpr Source ptx_only{"PTX ISA 9.1, 9.7.16.10.5; CUTLASS 4.7 takes layout B there"};

using enum WarpSpecialized;

constexpr Source a_cutlass{"CUTLASS 4.7 tmem_frg; PTX ISA 9.1, 9.7.16.10.4", Evidence::header};
constexpr Source a_two_copies{
    "Nymph's test of bank-batched A, f16, exact on a B200; FlashMLA 9241ae3 gemm.cuh, in production on B200",
    Evidence::reported};
constexpr Source a_scattered{"TIRx-harness tcgen05_fp8_ts on a B200, fp8; CUTLASS 4.7 tmem_frg", Evidence::reported};
constexpr Source a_one_cta{
    "JAX test_mma_block_scaled_basic with A in tensor memory, on a Blackwell; CUTLASS 4.7 tmem_frg",
    Evidence::reported};
constexpr Source a_pair{
    "JAX test_mma_collective_lhs_tmem and TIRx tile_cta_group2_tmem_a, on a Blackwell; CUTLASS 4.7 tmem_frg",
    Evidence::reported};
constexpr Source a_analogy{"by analogy to M 64 with .ws", Evidence::derived};

// clang-format off
constexpr DataPath paths[] = {
    {"A", 256, 2, no,     Sparsity::either, 1, false, ptx,      a_pair},
    {"B", 128, 2, no,     Sparsity::dense,  2, false, ptx,      a_cutlass},
    {"C", 128, 2, no,     Sparsity::sparse, 1, true,  ptx_only, {""}},
    {"D", 128, 1, either, Sparsity::either, 1, false, ptx,      a_one_cta},
    {"E",  64, 1, yes,    Sparsity::either, 2, false, ptx,      a_two_copies},
    {"F",  64, 1, no,     Sparsity::either, 1, true,  d_of_64,  a_scattered},
    {"G",  32, 1, yes,    Sparsity::either, 4, false, ptx,      a_analogy},
};
// clang-format on

constexpr Source moved{
    "TIRx-harness _ldst_location, .x1 and .x2 read back on a B200; PTX ISA 9.1, 9.7.16.8.1; CUTLASS 4.7 "
    "copy_traits_sm100",
    Evidence::reported};

// clang-format off
constexpr TmemShape shapes[] = {
    {"32x32b",   32, 1, 1, 128, true,  moved},
    {"16x64b",   16, 1, 2, 128, false, moved},
    {"16x128b",  16, 2, 4,  64, false, moved},
    {"16x256b",  16, 4, 8,  32, false, moved},
    {"16x32bx2", 16, 1, 2, 128, true,  moved},
};

constexpr Source copied{"Nymph's test of tcgen05.cp, every word read back on a B200; PTX ISA 9.1, 9.7.16.9.2; CUTLASS 4.7 copy_traits_sm100",
                        Evidence::reported};

constexpr TmemCopy copies[] = {
    {"128x256b", "",              128, 256, 128,  0, 1,  0, copied},
    {"128x128b", "",              128, 128, 128,  0, 1,  0, copied},
    {"4x256b",   "",                4, 256,   1, 32, 1,  0, copied},
    {"64x128b",  "warpx2::02_13",  64, 128,  64,  0, 2, 64, copied},
    {"64x128b",  "warpx2::01_23",  64, 128,  32, 64, 2, 32, copied},
    {"32x128b",  "warpx4",         32, 128,  32,  0, 4, 32, copied},
};
// clang-format on

bool has_form(const DataPath& path, const DataPathQuery& query) {
  if (path.cta_group != query.cta_group) return false;
  if (path.ws != either && (path.ws == yes) != query.ws) return false;
  return path.sparsity == Sparsity::either || (path.sparsity == Sparsity::sparse) == query.sparse;
}

}  // namespace

std::span<const DataPath> data_paths() { return paths; }

const DataPath* find_data_path(const DataPathQuery& query) {
  for (const DataPath& path : paths)
    if (path.m == query.m && has_form(path, query)) return &path;
  return nullptr;
}

const DataPath& require_data_path(const DataPathQuery& query) {
  if (const DataPath* path = find_data_path(query)) return *path;
  require_mma({.m = query.m, .cta_group = query.cta_group, .ws = query.ws, .sparse = query.sparse});
  throw usage_error(fmt::format("M {} has no data path", query.m));
}

std::span<const TmemShape> tmem_shapes() { return shapes; }

std::span<const TmemCopy> tmem_copies() { return copies; }

std::string full_name(const TmemCopy& copy) {
  return copy.multicast.empty() ? std::string(copy.name) : fmt::format("{}.{}", copy.name, copy.multicast);
}

const TmemCopy& require_tmem_copy(std::string_view name) {
  const std::string wanted = lower_case(name);
  std::vector<std::string> names, of_shape;
  for (const TmemCopy& copy : copies) {
    names.push_back(full_name(copy));
    if (names.back() == wanted) return copy;
    if (copy.multicast.empty() && wanted.starts_with(std::string(copy.name) + '.'))
      throw usage_error(fmt::format("tcgen05.cp of {} takes no multicast: {}", copy.name, quoted(name)),
                        std::string(copy.name));
    if (copy.name == wanted) of_shape.push_back(names.back());
  }
  if (!of_shape.empty())
    throw usage_error(fmt::format("tcgen05.cp of {} needs its multicast", wanted), join_and(of_shape));
  throw usage_error(fmt::format("{} is not a shape of tcgen05.cp", quoted(name)),
                    did_you_mean(wanted, names, "shapes: " + join_and(names)));
}

}  // namespace swz
