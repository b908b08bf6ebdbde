// SPDX-License-Identifier: Apache-2.0
// swz cluster: what the CTAs of a cluster share, and what a mask, an address or a response of cluster launch control says.
#include "view/cluster/cluster.hpp"

#include "base/text.hpp"
#include "cluster_text.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"

namespace swz {

void read_value(const std::string& text, ClusterShape& to) {
  const Words pieces = entries_of(lower_case(text), "x*, ()[]");
  if (pieces.empty() || pieces.size() > 3)
    throw usage_error(fmt::format("{} is not a cluster", quoted(text)), "CTAs along x and y, for example 2x4");
  constexpr int most = 1024;
  const auto extent = [&](std::size_t i) {
    return i < pieces.size() ? static_cast<int>(read_number(pieces[i], 0, most)) : 1;
  };
  to = {extent(0), extent(1), extent(2)};
}

// Two words of 64 bits or four of 32, the lowest first.
struct ResponseText {
  LaunchControlResponse response;
};
static void read_value(const std::string& text, ResponseText& to) {
  const Words pieces = entries_of(text, ", {}[]:");
  std::vector<std::uint64_t> words;
  for (const std::string& piece : pieces) words.push_back(parse_word64(piece));
  if (words.size() == 2) {
    to.response = {words[0], words[1]};
    return;
  }
  const bool are_short = std::ranges::all_of(words, [](std::uint64_t word) { return word >> 32 == 0; });
  if (words.size() != 4 || !are_short)
    throw usage_error(fmt::format("{} is not a response of 128 bits", quoted(text)),
                      "four words of 32 bits, the lowest first: 0x7,0x20001,0x1,0");
  to.response = {words[0] | words[1] << 32, words[2] | words[3] << 32};
}

namespace {

struct Request {
  std::optional<std::uint64_t> mask;
  std::optional<ClusterShape> shape;
  int cta_group = 0;  // 0: not given
  std::optional<MmaExtents> tile;
  const DType *dtype = nullptr, *dtype_b = nullptr;
  const MmaKindRow* kind = nullptr;
  int vec = 0;
  const SwizzleMode *swizzle_a = nullptr, *swizzle_b = nullptr;
  Major major_a = Major::K, major_b = Major::K;
  StackingOrder order = StackingOrder::mn_first;
  std::optional<int> rank;
  PipelineThreads threads;
  std::optional<std::uint64_t> address;
  std::optional<ResponseText> response;
};

Option mode_option(std::string name, const SwizzleMode*& mode, std::string help) {
  return option(std::move(name), "MODE", mode, std::move(help))
      .offering(names_of(swizzle_modes()))
      .by_default_note("the largest that divides the tile")
      .needing({"--tile"});
}

Options options_of(Request& r) {
  constexpr int most_threads = 1024, most_rank = 255;
  return {
      argument("MASK", r.mask, "a multicast mask: who receives, and whose mask it is"),
      option("--shape", "XxY", r.shape, "CTAs of the cluster along x and y, or x, y and z"),
      number("--cta-group", "1|2", r.cta_group, 1, 2, "how many CTAs execute an MMA")
          .by_default_note("1; for a mask both"),
      option("--tile", "MxNxK", r.tile, "one MMA tile; with --cta-group 2 that of both CTAs")
          .in("elements")
          .needing({"--shape"}),
      dtype_option(r.dtype, "element type of A").needing({"--tile"}).by_default_note("f16, or the first of the kind"),
      option("--dtype-b", "TYPE", r.dtype_b, "element type of B")
          .offering(names_of(dtypes()))
          .needing({"--tile"})
          .by_default_note("that of A"),
      kind_option(r.kind, "kind of tcgen05.mma: block-scaled ones have scale factors").needing({"--tile"}),
      number("--vec", "16|32", r.vec, 16, 32, "elements of K that share a scale factor")
          .by_default_note("32")
          .needing({"--kind"}),
      mode_option("--swizzle", r.swizzle_a, "swizzle mode of A, and of B unless it is given"),
      mode_option("--swizzle-b", r.swizzle_b, "swizzle mode of B"),
      major_option(r.major_a, "contiguous dimension of A").needing({"--tile"}),
      option("--major-b", "K|MN", r.major_b, "contiguous dimension of B").needing({"--tile"}),
      one_of<StackingOrder>("--order", "ORDER", r.order,
                            {{"mn-first", StackingOrder::mn_first}, {"k-first", StackingOrder::k_first}},
                            "how atoms are stacked")
          .by_default("mn-first"),
      number("--rank", "R", r.rank, 0, most_rank, "what this CTA loads; of an address the target of mapa"),
      number("--consumers", "T", r.threads.consumers, 1, most_threads, "consumer threads that release a stage")
          .by_default("128")
          .needing({"--shape"}),
      number("--epilogue", "T", r.threads.epilogue, 1, most_threads, "threads that read the accumulator")
          .by_default("128")
          .needing({"--shape"}),
      option("--address", "ADDRESS", r.address, "an address of shared::cluster: whose memory it is")
          .excluding({"--tile", "MASK"}),
      option("--response", "WORDS", r.response, "the 128 bits of clusterlaunchcontrol.try_cancel")
          .excluding({"--shape", "MASK", "--address", "--rank"})};
}

SmemTileValues values_of(const Request& r, OperandRole role, const ClusterMma& mma, const Target& target) {
  const bool is_a = role == OperandRole::a;
  SmemTileValues values;
  values.dtype = r.dtype != nullptr  ? *r.dtype
                 : r.kind != nullptr ? require_dtype(first_type(r.kind->kind, TypeRole::a_b))
                                     : require_dtype("f16");
  if (!is_a && r.dtype_b != nullptr) values.dtype = *r.dtype_b;
  if (r.kind != nullptr) values.packing = packing_of(*r.kind, *values.dtype);
  values.major = is_a ? r.major_a : r.major_b;
  values.order = r.order;
  values.target = &target;
  const SwizzleMode* mode = is_a || r.swizzle_b == nullptr ? r.swizzle_a : r.swizzle_b;
  const std::int64_t rows = (is_a ? r.tile->m : r.tile->n) / mma.cta_group;
  if (mode == nullptr) {
    TileRequest tile;
    tile.dtype = &*values.dtype;
    tile.extents = TileExtents{rows, r.tile->k};
    tile.major = values.major;
    tile.stated = values.packing;
    mode = &tile_of(tile, target).swizzle();
  }
  values.swizzle = *mode;
  return values;
}

Answer answer_of_shape(const Request& r, const Context& context) {
  const int cta_group = r.cta_group == 0 ? 1 : r.cta_group;
  const bool is_tcgen05 = cta_group == 2 || r.kind != nullptr;
  const Target& target = context.arch != nullptr ? *context.arch : is_tcgen05 ? sm_100a() : sm_90a();
  if (r.kind != nullptr && target.descriptor == SmemDescriptorKind::wgmma)
    throw usage_error("--kind is for tcgen05.mma and the mma.sync of sm_120a", "leave it out");
  if (cta_group == 2 && target.descriptor != SmemDescriptorKind::tcgen05)
    throw usage_error(fmt::format("{} has no cta_group::2", target.name),
                      "MMAs of CTA pairs begin with sm_100a: --arch sm_100a, or --cta-group 1");
  ClusterView view{{*r.shape, cta_group}, &target};
  require_cluster(*r.shape, target);
  require_pairs(view.mma);
  if (r.rank) require_rank(*r.shape, *r.rank);
  view.rank = r.rank;
  view.threads = r.threads;
  if (r.tile) {
    view.tile = r.tile;
    require_halves(view.mma, *r.tile);
    for (const OperandRole role : {OperandRole::a, OperandRole::b}) {
      auto& to = role == OperandRole::a ? view.a : view.b;
      to.emplace(shared_operand(view.mma, role, *r.tile, values_of(r, role, view.mma, target), target));
    }
    if (r.kind != nullptr) view.kind = r.kind->name;
    if (const int vec = scale_vec(r.kind, r.vec); vec != 0) view.scales = shared_scales(view.mma, *r.tile, vec);
  }
  return {view_cluster(view), view.refusal() == nullptr ? 0 : 1, view.refusal() != nullptr};
}

Answer answer_of_mask(const Request& r, const Context& context) {
  if (r.tile) throw usage_error("--tile is for a cluster, not for a mask", "leave the mask or --tile out");
  if (r.rank) throw usage_error("--rank is for a cluster, not for a mask", "the answer names the ranks of the mask");
  if (*r.mask >> 32 != 0)
    throw usage_error(fmt::format("{:#x} has more than 32 bits", *r.mask),
                      "a mask has 16 bits, with ::32b of sm_107 32");
  const auto mask = static_cast<ClusterMask>(*r.mask);
  const Target* target = context.arch;
  if (mask >> 16 != 0 && (target == nullptr || cluster_limit(*target).mask_bits < 32) &&
      (target != nullptr || !r.shape))
    throw usage_error(fmt::format("{} has more than 16 bits", mask_text(mask)),
                      "masks of 32 bits are those of .multicast::cluster::32b: --arch sm_107a");
  ClusterMaskView view{mask, r.shape, r.cta_group};
  if (r.shape) {
    require_cluster(*r.shape, target != nullptr      ? *target
                              : r.shape->size() > 16 ? require_target("sm_107a")
                                                     : sm_90a());
    if (r.cta_group != 0) require_pairs({*r.shape, r.cta_group});
    require_mask(mask, *r.shape);
    return {view_cluster_mask(view), meanings(mask, *r.shape, r.cta_group).front().differing == 0 ? 0 : 1};
  }
  if (mask == 0) throw usage_error("a mask of 0 names no CTA", "bit i is the CTA of rank i");
  return {view_cluster_mask(view), 0};
}

Answer answer_of_address(const Request& r, const Context& context) {
  if (*r.address >> 32 != 0)
    throw usage_error(fmt::format("{:#x} has more than 32 bits", *r.address),
                      "of a generic address take the low half: it is the shared::cluster address");
  const ClusterAddress address{static_cast<std::uint32_t>(*r.address)};
  if (r.shape) {
    require_cluster(*r.shape, context.target());
    require_rank(*r.shape, address.rank());
    if (r.rank) require_rank(*r.shape, *r.rank);
  }
  return {view_cluster_address({address, r.shape, r.rank, &context.target()}), 0};
}

Answer answer(const Request& r, const Context& context) {
  if (r.response) return {view_launch_control(r.response->response), 0};
  if (r.address) return answer_of_address(r, context);
  if (r.mask) return answer_of_mask(r, context);
  if (!r.shape)
    throw usage_error("nothing to ask", "--shape 2x4, a MASK, --address 0x05000400, or --response 0x7,0x20001,0x1,0");
  return answer_of_shape(r, context);
}

}  // namespace

Commands cluster_commands() {
  return {
      {.name = "cluster",
       .summary = "what the CTAs of a cluster share: masks, slices, barriers; exit 1 when not",
       .details = R"(For every CTA of a cluster: the masks of its multicast loads of A and B, the
slice of each tile that it loads, the CTAs that a commit releases; the bytes
that each barrier waits for, and the arrivals that CUTLASS's pipelines count.
--rank says what one CTA loads, from where to where.

A MASK is explained: who receives, and whose mask it is in the cluster of
--shape; of another mask the nearest, and the ranks in which it differs.
--address reads an address of shared::cluster and maps it to --rank; --response
reads what cluster launch control wrote.

Slices divide the box of the tile from its slowest dimension, as CuTe does; each
has to begin at a multiple of 128 B, which CuTe does not check.)",
       .examples = {{"swz cluster --shape 2x4 --tile 128x128x64 --rank 5", "who loads which slice, for whom"},
                    {"swz cluster --shape 4x2 --cta-group 2 --tile 256x128x64", "CTA pairs of sm_100"},
                    {"swz cluster --shape 2x1 --cta-group 2 --tile 256x256x256 --kind mxf4nvf4", "with scale factors"},
                    {"swz cluster 0x0033 --shape 4x4", "whose mask is this?"},
                    {"swz cluster --address 0x05000400 --rank 0", "whose shared memory is this?"},
                    {"swz cluster --response 0x7,0x20001,0x1,0", "a response of cluster launch control"}},
       .next = {{"How many stages of it fit?", "stage --cluster {=--shape} --tile {=--tile}"},
                {"What do two by two CTAs share?", "cluster --shape 2x2 --tile 128x128x64"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
