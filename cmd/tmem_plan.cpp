// SPDX-License-Identifier: Apache-2.0
// swz tmem plan: which columns of tensor memory a kernel needs, and what is wrong in its way of using them.
#include "view/tmem/tmem_plan.hpp"

#include "base/text.hpp"
#include "on_target.hpp"
#include "operand_request.hpp"
#include "pipeline/stage.hpp"
#include "tmem_request.hpp"

namespace swz {

// "256,128"
struct Allocations {
  std::vector<int> columns;
};

static void read_value(const std::string& text, Allocations& to) {
  for (const std::string& piece : entries_of(text, ", "))
    to.columns.push_back(static_cast<int>(read_number(piece, 1, 1024)));
  if (to.columns.empty()) throw usage_error("no columns given", "for example 256, or 256,128 of two allocations");
  require_within(limits::words, std::ssize(to.columns));
}

// "D0=0+256", "D1=0+64@16"
static void read_value(const std::string& text, GivenRegion& to) {
  const Words words = pieces_of(text, "=+@ ");
  const std::size_t is = text.find('='), plus = text.find('+'), at = text.find('@');
  const bool has_form = is != std::string::npos && plus != std::string::npos && is < plus &&
                        (at == std::string::npos ? words.size() == 3 : plus < at && words.size() == 4);
  if (!has_form || !is_letter(words[0][0]))
    throw usage_error(fmt::format("{} is not NAME=FIRST+COUNT", swz::quoted(text)),
                      "for example D0=0+256, or of a half-used data path D1=0+64@16");
  to.name = words[0];
  to.first = static_cast<int>(read_number(words[1], 0, most_tmem_columns - 1));
  to.count = static_cast<int>(read_number(words[2], 1, most_tmem_columns));
  if (words.size() == 4) to.lane = static_cast<int>(read_number(words[3], 0, 16));
  if (to.lane != 0 && to.lane != 16) throw usage_error("lanes begin at 0 or 16", "for example D1=0+64@16");
}

// "1:0-31", "warp 1 lanes 0-31"
static void read_value(const std::string& text, WarpLanes& to) {
  Words words = pieces_of(lower_case(text), " :-,");
  std::erase_if(words, [](const std::string& word) { return word == "warp" || word == "lanes" || word == "lane"; });
  if (words.size() != 2 && words.size() != 3)
    throw usage_error(fmt::format("{} is not a warp and its lanes", swz::quoted(text)), "for example 1:32-63");
  to.warp = static_cast<int>(read_number(words[0], 0, 31));
  to.first = static_cast<int>(read_number(words[1], 0, tmem_lanes - 1));
  to.last = words.size() == 3 ? static_cast<int>(read_number(words[2], 0, tmem_lanes - 1)) : to.first;
  if (to.last < to.first) throw usage_error("the last lane is before the first", "for example 1:32-63");
}

namespace {

struct TmemPlanRequest {
  const MmaKindRow* kind = nullptr;
  const DType *dtype = nullptr, *dtype_b = nullptr, *dtype_d = nullptr;
  TmemRequest tmem;
  std::optional<int> k;
  int vec = 0;
  bool k96 = false, k128 = false;
  std::optional<Allocations> allocations;
  KernelClaims claims;
  std::optional<std::int64_t> expect_tx;
  std::optional<std::string> sfb_copy;
  bool has_sf_stages = false, has_metadata_stages = false, has_a_stages = false;
};

Options plan_options(TmemPlanRequest& r) {
  TmemRequest& t = r.tmem;
  constexpr std::int64_t most_stages = 32;
  const auto stages = [](std::string name, int& to, std::string help) {
    return number(std::move(name), "S", to, 1, most_stages, std::move(help)).by_default("1");
  };
  const auto type = [](std::string name, const DType*& to, std::string help) {
    return option(std::move(name), "TYPE", to, std::move(help)).offering(names_of(dtypes()));
  };
  return {
      kind_option(r.kind, "kind of the MMA").by_default("f16"),
      number("--m", "M", t.shape.m, 1, 256, "rows of D, of the whole MMA").by_default("128"),
      number("--n", "N", t.n, 1, 256, "columns of D").by_default("256"),
      number("--k", "K", r.k, 1, 4096, "K of a tile: for the scale factors, the metadata and A of one stage")
          .in("elements")
          .by_default_note("four MMAs"),
      number("--cta-group", "1|2", t.shape.cta_group, 1, 2, "how many CTAs execute the MMA").by_default("1"),
      flag("--ws", t.shape.ws, "tcgen05.mma.ws"),
      flag("--sparse", t.shape.sparse, "a sparse A, with metadata"),
      stages("--stages", t.stages, "accumulators"),
      one_of<std::optional<bool>>("--stacking", "HOW", t.interleaved, {{"interleaved", true}, {"apart", false}},
                                  "for data paths F and C: whether two accumulators share columns")
          .by_default_note("interleaved if CuTe does so"),
      one_of<bool>("--a-in", "WHERE", t.a_in_tmem, {{"smem", false}, {"tmem", true}}, "where the MMA takes A from")
          .by_default("smem"),
      stages("--a-stages", t.a_stages, "tiles of A in tensor memory").noting(r.has_a_stages),
      dtype_option(r.dtype, "element type of A").by_default_note("the first of the kind"),
      type("--dtype-b", r.dtype_b, "element type of B, for --expect-tx").by_default_note("that of A"),
      type("--dtype-d", r.dtype_d, "element type of D"),
      number("--vec", "16|32", r.vec, 16, 32, "elements of K that share a scale factor").by_default_note("32"),
      flag("--k96", r.k96, "MMAs of K 96 (sm_103a, sm_107a)"),
      flag("--k128", r.k128, "MMAs of K 128 of fp4 (sm_107)").excluding({"--k96"}),
      sfa_layout_option(t.sfa_in_128_lanes),
      stages("--sf-stages", t.scale_stages, "tiles of scale factors in tensor memory").noting(r.has_sf_stages),
      stages("--metadata-stages", t.metadata_stages, "tiles of metadata in tensor memory")
          .noting(r.has_metadata_stages),
      option("--allocate", "COLUMNS", r.allocations, "what the kernel allocates; several in order: 256,128"),
      flag("--exclusive", t.exclusive, "tcgen05.alloc.exclusive: multiples of 32 columns, up to all 576 of sm_107"),
      number("--ctas-per-sm", "C", t.ctas_per_sm, 1, 16, "CTAs that share the columns of one SM").by_default("1"),
      option("--region", "NAME=FIRST+COUNT", r.claims.regions,
             "columns as the kernel has them: D0=0+256, SFA=256+16; @16: lanes 16-31")
          .repeated(limits::words),
      option("--read", "WARP:LANES", r.claims.accesses, "lanes that a warp reads or writes: 1:32-63")
          .repeated(limits::words),
      option("--copy-sfb", "SHAPE", r.sfb_copy, "the tcgen05.cp that brings the factors of B: 32x128b.warpx4"),
      one_of<std::optional<bool>>("--sfb-in", "CTAS", r.claims.sfb_in_both, {{"one", false}, {"both", true}},
                                  "which CTAs of a pair hold the factors of all of N"),
      number("--expect-tx", "BYTES", r.expect_tx, 0, most_tx_bytes, "what the mbarrier of a stage expects").in("bytes"),
      scale_layout_option("--scale-layout", r.claims.scale_layout, "how the factors lie in global memory"),
      one_of<bool>("--scales-for", "WHOM", r.claims.for_cublas, {{"kernel", false}, {"cublas", true}},
                   "what reads them from there")
          .by_default("kernel")
          .needing({"--scale-layout"})};
}

// Refuses an option about something that the kernel does not have.
void refuse(bool given, std::string_view option, std::string_view of) {
  if (given) throw usage_error(fmt::format("{} is for {}", option, of), "leave it out");
}

void require_d_type(MmaKind kind, std::string_view dtype) {
  if (row_of(kind).block_scaled && dtype == "f32") return;
  for (const TypeCode& code : type_codes())
    if (code.role == TypeRole::d && contains(code.kinds, kind) && code.dtype == dtype) return;
  throw usage_error(fmt::format("kind {} has no D of {}", row_of(kind).name, dtype),
                    fmt::format("for example {}", first_type(kind, TypeRole::d)));
}

KSize k_size(const TmemPlanRequest& r) { return ScaledK{.k96 = r.k96, .k128 = r.k128}.size(); }

// The target of --arch, or the first that has the kind and K.
const Target& plan_target(const TmemPlanRequest& r, const Context& context) {
  if (context.arch != nullptr && context.arch->tmem_columns > 0) return *context.arch;
  for (const Target& target : targets())
    if (runs_on(availability_of(r.kind->kind, k_size(r), r.tmem.shape.sparse), target) &&
        (target.has_107_fields || !r.tmem.sfa_in_128_lanes))
      return target;
  return sm_100a();
}

Answer plan_answer(const TmemPlanRequest& r, const Context& context) {
  TmemPlanView view{r.tmem, r.claims};
  TmemRequest& t = view.request;
  t.target = &plan_target(r, context);
  KernelClaims& claims = view.claims;
  if (r.expect_tx) claims.expect_tx = Bytes{*r.expect_tx};
  const MmaKind kind = t.kind = r.kind->kind;
  const bool is_scaled = r.kind->block_scaled, is_pair = t.shape.cta_group == 2;
  refuse(!is_scaled && r.vec != 0, "--vec", "block-scaled kinds");
  const bool is_fp4 = kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4;
  refuse(!is_fp4 && r.k96, "--k96", "mxf4 and mxf4nvf4");
  refuse(!is_fp4 && r.k128, "--k128", "mxf4 and mxf4nvf4");
  refuse(!is_scaled && t.sfa_in_128_lanes, "--sfa-layout", "block-scaled kinds");
  refuse(!is_scaled && r.has_sf_stages, "--sf-stages", "block-scaled kinds");
  refuse(!is_scaled && r.sfb_copy, "--copy-sfb", "block-scaled kinds");
  refuse(!is_scaled && claims.scale_layout != nullptr, "--scale-layout", "block-scaled kinds");
  refuse(!(is_scaled && is_pair) && claims.sfb_in_both, "--sfb-in", "block-scaled kinds with --cta-group 2");
  refuse(!t.shape.sparse && r.has_metadata_stages, "--metadata-stages", "--sparse");
  refuse(!t.a_in_tmem && r.has_a_stages, "--a-stages", "--a-in tmem");
  refuse(!require_data_path(t.shape).is_scattered && t.interleaved, "--stacking",
         "data paths F and C: M 64, and sparse M 128 with two CTAs");
  if (t.sfa_in_128_lanes && !t.target->has_107_fields)
    throw usage_error(fmt::format("{} has no factors of A in 128 lanes: sm_107a and sm_107f have", t.target->name),
                      "leave --sfa-layout out (PTX ISA 9.4, tables 52 and 53)");
  if (is_scaled) t.scales = &require_scale_kind(kind, r.vec == 0 ? 32 : r.vec, k_size(r));
  t.k = r.k.value_or(4 * mma_k(t));
  t.dtype = r.dtype != nullptr ? r.dtype->name : first_type(kind, TypeRole::a_b);
  for (const DType* dtype : {r.dtype, r.dtype_b})
    if (dtype != nullptr && !takes_type(*r.kind, dtype->name))
      throw usage_error(fmt::format("kind {} does not take {}", r.kind->name, dtype->name),
                        legal_type_codes(kind, TypeRole::a_b));
  if (r.dtype_b != nullptr) claims.dtype_b = r.dtype_b->name;
  if (r.dtype_d != nullptr) require_d_type(kind, claims.dtype_d = r.dtype_d->name);
  if (r.sfb_copy) claims.sfb_copy = &require_tmem_copy(*r.sfb_copy);
  if (r.allocations) {
    claims.allocations = r.allocations->columns;
    t.allocated = 0;
    for (const int columns : claims.allocations) *t.allocated += columns;
  }
  TmemPlanAnswer answer = view_tmem_plan(view);
  const bool has = has_lints(answer.document);
  return on_target({std::move(answer.document), answer.fits ? 0 : 1, has}, context, "tcgen05.mma",
                   available::tensor_memory);
}

}  // namespace

Commands tmem_plan_commands() {
  return {{.name = "tmem plan",
           .summary = "which columns of tensor memory a kernel needs; exit 1 when they do not fit",
           .details = R"(The columns of the accumulators, of A, of the scale factors and of the metadata,
in this order; the allocation that holds them; what does not fit, and for each
option the nearest value that does.

--region takes the columns as a kernel has them instead. D, A, SFA, SFB and
metadata, with the number of a stage or without, are compared with what the MMA
needs; other names are the kernel's own.

--allocate, --read, --copy-sfb, --sfb-in, --expect-tx and --scale-layout
describe what the kernel does; each mistake in it is a lint.)",
           .examples = {{"swz tmem plan --kind mxf8f6f4 --n 256 --stages 2", "two accumulators and scales: too much"},
                        {"swz tmem plan --n 128 --region S=0+128 --region P=64+64 --region O=256+128 --allocate 512",
                         "regions of an attention kernel"},
                        {"swz tmem plan --kind mxf4 --cta-group 2 --copy-sfb 32x128b.warpx4", "is this right?"}},
           .next = {{"Where does D lie?", "tmem d {--m,--n,--cta-group,--ws,--sparse}"},
                    {"How does a scale factor get there?", "sf way {--m,--n,--k,--vec,--cta-group} --kind {=--kind}"},
                    {"Which words does B need?", "desc {--kind,--cta-group} --tile {=--n}x128 --operand b"}},
           .prepare = [] { return prepare(plan_options, plan_answer); }}};
}

}  // namespace swz
