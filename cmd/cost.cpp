// SPDX-License-Identifier: Apache-2.0
// swz cost: what bounds one k block of a tile, and what would move that bound.
#include "view/pipeline/cost.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "command.hpp"
#include "mma_on_target.hpp"

namespace swz {

static void read_value(const std::string& text, const Gpu*& to) { to = &require_gpu(text); }

namespace {

struct CostRequest {
  MmaExtents tile;
  std::optional<MmaShapeText> mma;
  const DType* dtype = nullptr;
  const Gpu* gpu = nullptr;
  std::optional<OperandSource> a;
  std::optional<int> cta_group;
  bool is_a_made = false, sparse = false, is_block_scaled = false, has_f16_accumulators = false;
  std::optional<TileExtents> warp_tile;
};

Words gpu_names() {
  Words names;
  for (const Gpu& gpu : gpus()) names.push_back(lower_case(gpu.name));
  return names;
}

Options cost_options(CostRequest& r) {
  return {
      option("--tile", "MxNxK", r.tile, "one k block of the CTA's tile, or of the pair's: 128x256x64")
          .in("elements")
          .required(),
      option("--mma", "SHAPE", r.mma, "shape of one MMA, m64n256k16, or its name")
          .in("elements")
          .by_default_note("the nearest to the tile"),
      option("--dtype", "TYPE", r.dtype, "element type of A and B").by_default("f16").offering(names_of(dtypes())),
      one_of<OperandSource>(
          "--a-in", "WHERE", r.a,
          {{"smem", OperandSource::smem}, {"registers", OperandSource::registers}, {"tmem", OperandSource::tmem}},
          "where the MMA takes A from")
          .by_default_note("smem"),
      flag("--a-made-here", r.is_a_made, "the kernel makes A, as attention makes P: it is not copied"),
      number("--cta-group", "1|2", r.cta_group, 1, 2, "how many CTAs execute the MMA")
          .by_default_note("what the shape has"),
      flag("--sparse", r.sparse, "a sparse A; K of --mma is then that of the sparse MMA"),
      flag("--block-scaled", r.is_block_scaled, "mma.sync of a block-scaled kind"),
      one_of<bool>("--accumulators", "TYPE", r.has_f16_accumulators, {{"f32", false}, {"f16", true}},
                   "type of D, on which the rate of mma.sync depends")
          .by_default("f32"),
      option("--warp-tile", "MxN", r.warp_tile, "rows and columns of D that one warp has, of mma.sync").in("elements"),
      option("--gpu", "NAME", r.gpu, "the GPU").offering(gpu_names()).by_default_note("the first of the target")};
}

MmaFamily family_of(const MmaForm& form) {
  if (form.instruction.starts_with("mma.sync")) return MmaFamily::mma_sync;
  return form.instruction.starts_with("wgmma") ? MmaFamily::wgmma : MmaFamily::tcgen05;
}

// The MMA with 32 bytes of K, or the nearest K that exists, and the largest N and M that divide the tile.
MmaExtents default_mma(const CostRequest& r, const Target& target) {
  const MmaExtents wanted{r.tile.m, r.tile.n, 256 / r.dtype->memory_bits};
  const std::optional<MmaExtents> nearest = nearest_mma(wanted, *r.dtype, target);
  if (!nearest) mma_forms_on(target, wanted, *r.dtype);  // throws
  constexpr std::int64_t most_n = 256;
  for (std::int64_t n = std::min(most_n, r.tile.n); n > 0; --n)
    for (const std::int64_t m : {256, 128, 64, 16}) {
      const MmaExtents mma{m, n, nearest->k};
      if (r.tile.n % n != 0 || r.tile.m % m != 0 || (m == 256) != (r.cta_group == 2)) continue;
      const std::vector<MmaForm> forms = mma_forms(mma, *r.dtype);
      if (std::ranges::any_of(forms, [&](const MmaForm& form) { return form.runs_on(target); })) return mma;
    }
  return *nearest;
}

void refuse(bool given, std::string_view option, std::string_view of, std::string_view way_out = "leave it out") {
  if (given) throw usage_error(fmt::format("{} is for {}", option, of), std::string(way_out));
}

// "cta_group::1, cta_group::2 and .ws"
int cta_group_of(const CostRequest& r, const MmaForm& form, const MmaExtents& mma) {
  const auto has = [&](int group) {
    return form.groups.find(fmt::format("cta_group::{}", group)) != std::string::npos;
  };
  const int only = has(1) ? 1 : 2;
  if (!r.cta_group) return only;
  if (!has(*r.cta_group))
    throw usage_error(fmt::format("{} does not exist with cta_group::{}", to_string(mma), *r.cta_group),
                      fmt::format("it exists with {}", form.groups));
  return *r.cta_group;
}

void refuse_other_families(const CostRequest& r, const CostQuestion& q) {
  const bool is_sync = q.family == MmaFamily::mma_sync, is_tcgen05 = q.family == MmaFamily::tcgen05;
  refuse(!is_sync && r.warp_tile, "--warp-tile", "mma.sync");
  refuse(!is_sync && r.is_block_scaled, "--block-scaled", "mma.sync");
  refuse(!is_sync && r.has_f16_accumulators, "--accumulators f16", "mma.sync: wgmma has one rate for both");
  refuse(!is_tcgen05 && r.cta_group, "--cta-group", "tcgen05.mma");
  refuse(is_sync && r.a, "--a-in", "wgmma and tcgen05.mma: mma.sync takes A from registers");
  refuse(is_tcgen05 && r.a == OperandSource::registers, "--a-in registers", "wgmma",
         "tcgen05.mma takes A from smem or tmem");
  refuse(!is_sync && !is_tcgen05 && r.a == OperandSource::tmem, "--a-in tmem", "tcgen05.mma",
         "wgmma takes A from smem or registers");
}

CostQuestion question_of(const CostRequest& r, const Context& context) {
  const Target* target = context.arch;
  if (target == nullptr) target = r.gpu != nullptr ? &require_target(r.gpu->target) : &default_target();
  const Gpu* gpu = r.gpu != nullptr ? r.gpu : gpu_of(*target);
  if (r.mma && !r.mma->instruction)
    throw usage_error(fmt::format("cannot read {} as M, N and K", swz::quoted(r.mma->text)),
                      "three extents in elements: m64n256k16 or 64x256x16");
  MmaExtents dense = r.mma ? *r.mma->instruction : default_mma(r, *target);
  const MmaExtents mma = r.mma || !r.sparse ? dense : MmaExtents{dense.m, dense.n, 2 * dense.k};
  if (r.mma && r.sparse) dense.k /= 2;
  const MmaForm form = mma_forms_on(*target, dense, *r.dtype).front();
  CostQuestion q{.target = target, .gpu = gpu, .family = family_of(form), .tile = r.tile, .mma = mma, .dtype = r.dtype};
  refuse_other_families(r, q);
  if (q.family == MmaFamily::tcgen05) q.cta_group = cta_group_of(r, form, dense);
  q.a = r.a.value_or(OperandSource::smem);
  q.is_a_copied = !r.is_a_made;
  q.sparse = r.sparse;
  q.is_block_scaled = r.is_block_scaled;
  q.has_f16_accumulators = r.has_f16_accumulators;
  q.warp_tile = r.warp_tile;
  if (q.warp_tile && (q.tile.m % q.warp_tile->mn != 0 || q.tile.n % q.warp_tile->k != 0))
    throw usage_error(
        fmt::format("{} x {} is not cut into warp tiles of {}", q.tile.m, q.tile.n, to_string(*q.warp_tile)),
        "the extents of --warp-tile divide those of --tile");
  return q;
}

Answer cost_answer(const CostRequest& r, const Context& context) { return {view_cost(question_of(r, context))}; }

}  // namespace

Commands cost_commands() {
  return {
      {.name = "cost",
       .summary = "what bounds a tile: the tensor core, shared memory or the copies",
       .details = R"(For one k block of a tile, in one SM: the cycles of the tensor core, of reading
A and B from shared memory, and of bringing them from L2 or DRAM; the largest is
the bound. Then the changes that the same model says are faster.

It is an estimate. Each number has its source: the intervals of wgmma, of
mma.sync on an H100 and of its copies were measured here, those of tcgen05.mma
were published by others, rates of other GPUs are the vendor's peaks.)",
       .examples = {{"swz cost --tile 128x256x64 --dtype bf16", "wgmma m64n256k16: the tensor core"},
                    {"swz cost --tile 256x256x64 --dtype bf16 --mma m256n256k16 --arch sm_100a",
                     "tcgen05.mma of a pair of CTAs"},
                    {"swz cost --tile 128x64x64 --mma m128n64k16 --arch sm_100a --a-in tmem --a-made-here",
                     "attention: A is P"},
                    {"swz cost --tile 128x128x32 --mma m16n8k16 --warp-tile 64x64 --gpu 'rtx 5090'",
                     "mma.sync with four warps"}},
       .next =
           {{"How many such stages fit?", "stage --arch {arch} --tile {tile.m}x{tile.n}x{tile.k} --dtype {dtype}"},
            {"How is the tile cut into MMAs?",
             "tiles --arch {arch} --tile {tile.m}x{tile.n}x{tile.k} --dtype {dtype} --mma m{mma.m}n{mma.n}k{mma.k}"}},
       .prepare = [] { return prepare(cost_options, cost_answer); }}};
}

}  // namespace swz
