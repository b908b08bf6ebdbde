// SPDX-License-Identifier: Apache-2.0
// swz stage: the buffers of one k block, what their barrier expects, and how many stages fit.
#include "view/pipeline/stage.hpp"

#include "base/text.hpp"
#include "cluster_text.hpp"
#include "command.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"

namespace swz {

namespace {

struct StageRequest {
  MmaExtents tile;
  const DType *dtype = nullptr, *dtype_b = nullptr;
  const MmaKindRow* kind = nullptr;
  const SwizzleMode *mode_a = nullptr, *mode_b = nullptr;
  int vec = 0, cta_group = 1, consumers = 0;
  bool sparse = false;
  ClusterShape cluster;
  Bytes epilogue;
  std::optional<std::int64_t> expect_tx;
};

Options stage_options(StageRequest& r) {
  const auto mode = [](std::string name, const SwizzleMode*& to, std::string help) {
    return option(std::move(name), "MODE", to, std::move(help)).by_default_note("the largest for K-major rows");
  };
  return {
      option("--tile", "MxNxK", r.tile, "one k block of the CTA's tile, or of the pair's: 128x256x64")
          .in("elements")
          .required(),
      option("--dtype", "TYPE", r.dtype, "element type of A")
          .by_default_note("f16, or the first of the kind")
          .offering(names_of(dtypes())),
      option("--dtype-b", "TYPE", r.dtype_b, "element type of B")
          .by_default_note("that of A")
          .offering(names_of(dtypes())),
      kind_option(r.kind, "kind of tcgen05.mma, or of mma.sync on sm_120a").by_default_note("one without slots"),
      number("--vec", "16|32", r.vec, 16, 32, "elements of K that share a scale factor").by_default_note("32"),
      flag("--sparse", r.sparse, "a sparse A, with metadata"),
      number("--cta-group", "1|2", r.cta_group, 1, 2, "how many CTAs execute an MMA").by_default("1"),
      option("--cluster", "XxY", r.cluster, "CTAs along M and N that multicast to each other").by_default("1x1"),
      mode("--swizzle-a", r.mode_a, "swizzle mode of A"),
      mode("--swizzle-b", r.mode_b, "swizzle mode of B"),
      option("--epilogue", "BYTES", r.epilogue, "shared memory that the stages do not get").in("bytes").by_default("0"),
      number("--consumers", "THREADS", r.consumers, 1, 1024, "threads that release a stage of wgmma")
          .by_default_note("a warpgroup for each 64 rows"),
      number("--expect-tx", "BYTES", r.expect_tx, 0, std::int64_t{1} << 31,
             "what the kernel's barrier expects: is it right?")
          .in("bytes")};
}

MmaFamily family_of(const Target& target) {
  if (target.descriptor == SmemDescriptorKind::wgmma) return MmaFamily::wgmma;
  return target.descriptor == SmemDescriptorKind::tcgen05 ? MmaFamily::tcgen05 : MmaFamily::mma_sync;
}

// The largest mode whose line divides a row.
const SwizzleMode* largest_mode(std::int64_t k, int bits) {
  for (const char* name : {"128B", "64B", "32B"}) {
    const SwizzleMode& mode = require_swizzle_mode(name);
    if (k * bits / 8 % mode.span.count == 0) return &mode;
  }
  return &require_swizzle_mode("none");
}

void require_multicast(const ClusterShape& cluster) {
  constexpr int most = 16;
  if (cluster.size() < 1 || cluster.z != 1)
    throw usage_error(fmt::format("--cluster: {} is not a cluster along M and N", to_string(cluster)),
                      "for example 2x1");
  if (cluster.size() > most)
    throw usage_error(fmt::format("--cluster: a cluster of {} CTAs is larger than {}", cluster.size(), most),
                      "for example 4x4");
}

StageQuestion question_of(const StageRequest& r, const Context& context) {
  require_multicast(r.cluster);
  const Target& target = context.target();
  StageQuestion q{
      .target = &target, .family = family_of(target), .tile = r.tile, .cta_group = r.cta_group, .kind = r.kind};
  if (r.cta_group == 2 && q.family != MmaFamily::tcgen05)
    throw usage_error(fmt::format("{} has no MMA of two CTAs", target.name), "--arch sm_100a");
  if (r.kind != nullptr && q.family == MmaFamily::wgmma)
    throw usage_error("--kind is for tcgen05.mma and the mma.sync of sm_120a", "leave it out");
  q.a = r.dtype != nullptr  ? r.dtype
        : r.kind != nullptr ? &require_dtype(first_type(r.kind->kind, TypeRole::a_b))
                            : &require_dtype("f16");
  q.b = r.dtype_b != nullptr ? r.dtype_b : q.a;
  if (r.kind != nullptr)
    for (const DType* dtype : {q.a, q.b})
      if (!takes_type(*r.kind, dtype->name))
        throw usage_error(fmt::format("kind {} does not take {}", r.kind->name, dtype->name),
                          legal_type_codes(r.kind->kind, TypeRole::a_b));
  q.vec = scale_vec(r.kind, r.vec);
  q.sparse = r.sparse;
  const bool has_slots = r.kind != nullptr && r.kind->has_8bit_slots;
  const auto bits = [&](const DType& dtype) { return has_slots ? 8 : dtype.memory_bits; };
  q.mode_a = r.mode_a != nullptr ? r.mode_a : largest_mode(r.tile.k, bits(*q.a));
  q.mode_b = r.mode_b != nullptr ? r.mode_b : largest_mode(r.tile.k, bits(*q.b));
  q.cluster_x = std::max(r.cluster.x, r.cta_group);
  q.cluster_y = r.cluster.y;
  q.consumers = r.consumers;
  q.epilogue = r.epilogue.count;
  return q;
}

Answer stage_answer(const StageRequest& r, const Context& context) {
  return {view_stage(question_of(r, context), r.expect_tx)};
}

}  // namespace

Commands stage_commands() {
  return {{.name = "stage",
           .summary = "the buffers of one k block, what their barrier expects, how many fit",
           .details = R"(For one stage of a pipeline: the bytes and the alignment of A, B, scale factors
and metadata in shared memory, in the order that wastes least; what the barrier
of the data expects (expect_tx), with how many arrivals both barriers begin; how
many stages fit beside an epilogue on each target, and the count that CUTLASS
takes. With --full also the totals that are often written in place of it.

--expect-tx judges what a kernel has.)",
           .examples = {{"swz stage --tile 128x128x64 --epilogue 33792", "wgmma: 6 stages"},
                        {"swz stage --tile 256x128x64 --cta-group 2 --arch sm_100a --expect-tx 24576",
                         "a pair of CTAs: half is missing"},
                        {"swz stage --tile 256x256x256 --kind mxf4nvf4 --cta-group 2 --arch sm_100a",
                         "with scale factors"}},
           .next = {{"What bounds the loop?",
                     "cost --arch {arch} --tile {tile.m}x{tile.n}x{tile.k} --dtype {dtype_a} {--cta-group}"}},
           .prepare = [] { return prepare(stage_options, stage_answer); }}};
}

}  // namespace swz
