// SPDX-License-Identifier: Apache-2.0
// The forms of tcgen05.mma that are probed, and their names in text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/tmem_mma_image.hpp"

namespace swz {

namespace {

using enum TmemMmaAsk;

constexpr std::array asks{d, a, container, mn_major, scale_a, scale_b, metadata};

struct Group {
  std::string_view name;  // of MmaShape
  int ctas = 1;
  bool ws = false;
};
constexpr Group groups[] = {{"cta_group::1"}, {"cta_group::2", 2}, {".ws", 1, true}};

bool has_shape(const TmemMmaInstruction& i) {
  const MmaShapeQuery query{
      .kind = i.kind, .m = i.m, .n = i.n, .sparse = i.sparse, .k = i.k96 ? KSize::k96 : KSize::usual};
  return std::ranges::any_of(mma_shapes(), [&](const MmaShape& shape) {
    const auto group = std::ranges::find(groups, shape.group, &Group::name);
    return group->ctas == i.cta_group && group->ws == i.ws && fits(shape, query);
  });
}

bool takes(MmaKind kind, TypeRole role, std::string_view dtype) {
  return std::ranges::any_of(type_codes(), [&](const TypeCode& code) {
    return code.role == role && contains(code.kinds, kind) && code.dtype == dtype;
  });
}

bool has_types(const TmemMmaInstruction& i) {
  if (!takes(i.kind, TypeRole::a_b, i.dtype)) return false;
  if (i.kind_row().block_scaled) return i.d_type == "f32" && takes(i.kind, TypeRole::scale, i.scale_type);
  const bool is_half_d = i.d_type == "f16" && i.kind == MmaKind::f16;
  return takes(i.kind, TypeRole::d, i.d_type) && (!is_half_d || i.dtype == "f16");
}

// One type of each kind.
TmemMmaInstruction typed(MmaKind kind) {
  switch (kind) {
    case MmaKind::tf32: return {kind, 128, 128, "tf32", "f32"};
    case MmaKind::f16: return {kind, 128, 128, "f16", "f32"};
    case MmaKind::f8f6f4: return {kind, 128, 128, "e4m3", "f32"};
    case MmaKind::i8: return {kind, 128, 128, "u8", "s32"};
    case MmaKind::ti16: return {kind, 128, 128, "s1z4m11", "s32"};
    case MmaKind::mxf8f6f4: return {kind, 128, 128, "e4m3", "f32", 1, false, false, false, 32, "ue8m0"};
    case MmaKind::mxf4: return {kind, 128, 128, "e2m1", "f32", 1, false, false, false, 32, "ue8m0"};
    case MmaKind::mxf4nvf4: return {kind, 128, 128, "e2m1", "f32", 1, false, false, false, 16, "ue4m3"};
  }
  return {};
}

// Every M, group, dense or sparse form of a kind, with this N or the nearest smaller N that it has.
std::vector<TmemMmaInstruction> forms(MmaKind kind, int n) {
  std::vector<TmemMmaInstruction> out;
  for (const Group& group : groups)
    for (const bool sparse : {false, true})
      for (int m = 32; m <= 256; m *= 2) {
        TmemMmaInstruction i = typed(kind);
        i.m = m, i.cta_group = group.ctas, i.ws = group.ws, i.sparse = sparse;
        for (i.n = n; i.n >= 64 && !has_shape(i);) i.n /= 2;
        if (i.n >= 64) out.push_back(i);
      }
  return out;
}

void append_d(std::vector<TmemMmaPlan>& plans) {
  for (const MmaKindRow& kind : mma_kinds())
    for (const TmemMmaInstruction& i : forms(kind.kind, kind.kind == MmaKind::f16 ? 256 : 64)) plans.push_back({d, i});
  for (TmemMmaInstruction i : forms(MmaKind::f16, 64)) {
    i.d_type = "f16";
    if (!i.sparse) plans.push_back({d, i});
  }
}

void append_a(std::vector<TmemMmaPlan>& plans) {
  for (const MmaKindRow& kind : mma_kinds())
    for (const TmemMmaInstruction& i : forms(kind.kind, 128))
      if (!i.sparse || i.path().name == "C") plans.push_back({a, i});
  TmemMmaInstruction narrow = typed(MmaKind::f8f6f4);
  narrow.dtype = "e2m1";
  plans.push_back({a, narrow});
}

// N of half the step that CUTLASS has for A in tensor memory.
void append_n_steps(std::vector<TmemMmaPlan>& plans) {
  for (const auto& [kind, m, n, ctas] : {std::tuple{MmaKind::f16, 128, 24, 1}, {MmaKind::f8f6f4, 256, 48, 2}}) {
    TmemMmaInstruction i = typed(kind);
    i.m = m, i.n = n, i.cta_group = ctas;
    plans.push_back({a, i});
  }
}

// 4 and 6 bits in 8: shows which bits of a byte in tensor memory are read.
void append_containers(std::vector<TmemMmaPlan>& plans, TmemMmaAsk ask) {
  for (const MmaKind kind : {MmaKind::f8f6f4, MmaKind::mxf8f6f4})
    for (const char* dtype : {"e2m1", "e2m3", "e3m2"}) {
      TmemMmaInstruction i = typed(kind);
      i.dtype = dtype;
      plans.push_back({ask, i});
    }
}

// Every kind and vector size, with one CTA and each id, and with two CTAs and the last id; once with an N that is not a
// multiple of 128.
void append_scales(std::vector<TmemMmaPlan>& plans) {
  for (const ScaleKind& scale : scale_kinds())
    for (const std::string_view type : {"ue8m0", "ue4m3"})
      for (const auto& [m, n, ctas] : {std::tuple{128, 256, 1}, {128, 192, 2}, {128, 256, 2}, {256, 256, 2}}) {
        TmemMmaInstruction i = typed(scale.kind);
        i.m = m, i.n = n, i.cta_group = ctas, i.k96 = scale.k == KSize::k96, i.vec = scale.vec, i.scale_type = type;
        if (scale.k == KSize::twice || !has_shape(i) || !has_types(i) || (type == "ue4m3" && scale.vec != 16)) continue;
        if (n == 192 && scale.kind != MmaKind::mxf8f6f4) continue;
        const int step = i.k96 && scale.vec == 32 ? 1 : scale.factors == 6 ? 2 : scale.factors;
        for (const TmemMmaAsk ask : {scale_a, scale_b})
          for (int id = ctas == 1 ? 0 : 4 - step; id < 4; id += step) plans.push_back({ask, i, id});
      }
  for (const MmaKind kind : {MmaKind::mxf8f6f4, MmaKind::mxf4, MmaKind::mxf4nvf4}) {
    TmemMmaInstruction i = typed(kind);
    i.sparse = true;
    for (const TmemMmaAsk ask : {scale_a, scale_b}) plans.push_back({ask, i});
  }
}

void append_scale_columns(std::vector<TmemMmaPlan>& plans) {
  TmemMmaInstruction i = typed(MmaKind::mxf8f6f4);
  for (const int ctas : {1, 2}) {
    i.cta_group = ctas;
    for (int column = 1; column < 4; ++column)
      for (const TmemMmaAsk ask : {scale_a, scale_b}) plans.push_back({ask, i, 0, column});
  }
}

// Scale factors next to those of the MMA are NaN: in bytes of the word, or in the other rows of a group of 32.
void append_nans(std::vector<TmemMmaPlan>& plans) {
  for (const MmaKind kind : {MmaKind::mxf8f6f4, MmaKind::mxf4})
    for (const TmemMmaAsk ask : {scale_a, scale_b}) plans.push_back({ask, typed(kind), 0, 0, true});
  for (const int n : {8, 24}) {
    TmemMmaInstruction i = typed(MmaKind::mxf4nvf4);
    i.n = n, i.scale_type = "ue8m0";
    plans.push_back({scale_b, i, 0, 0, true});
  }
}

void append_metadata_columns(std::vector<TmemMmaPlan>& plans) {
  for (const MmaKind kind : {MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4}) {
    TmemMmaInstruction i = typed(kind);
    i.sparse = true;
    for (int column = 1; column < 4; ++column) plans.push_back({metadata, i, 0, column});
  }
}

// With an N for which each part of it shows all k.
void append_metadata(std::vector<TmemMmaPlan>& plans) {
  for (const MmaKindRow& kind : mma_kinds())
    for (const TmemMmaInstruction& i : forms(kind.kind, 128)) {
      if (!i.sparse || i.n / i.path().parts < i.k()) continue;
      for (int id = 0; id < (kind.may_select ? 4 : 1); ++id) plans.push_back({metadata, i, id});
    }
}

}  // namespace

std::vector<TmemMmaPlan> tmem_mma_plans(const Target& target) {
  std::vector<TmemMmaPlan> plans;
  append_d(plans);
  append_a(plans);
  append_containers(plans, container);
  append_scales(plans);
  append_nans(plans);
  append_metadata(plans);
  append_scale_columns(plans);
  append_metadata_columns(plans);
  append_n_steps(plans);
  append_containers(plans, mn_major);
  std::erase_if(plans, [&](const TmemMmaPlan& plan) {
    const TmemMmaInstruction& i = plan.instruction;
    // ptxas: a family has no sparse fp4. On sm_107 its metadata is another, and no model knows the sums of ti16.
    const bool is_sparse_fp4 = i.sparse && (i.kind == MmaKind::mxf4 || i.kind == MmaKind::mxf4nvf4);
    return !runs_on(i.kind_row(), target) || i.kind == MmaKind::ti16 || (i.k96 && !runs_on(available::ultra, target)) ||
           (is_sparse_fp4 && (target.name.ends_with('f') || target.has_107_fields));
  });
  return plans;
}

std::string to_string(const TmemMmaInstruction& i) {
  std::string out =
      fmt::format("tcgen05.mma{}{} kind::{}", i.ws ? ".ws" : "", i.sparse ? ".sp" : "", i.kind_row().name);
  if (i.vec != 0) out += fmt::format(".block{}.{}", i.vec, i.scale_type);
  out += fmt::format(" m{}n{}k{}.{}.{}.{}", i.m, i.n, i.k(), i.d_type, i.dtype, i.dtype);
  return i.cta_group == 2 ? out + " of two CTAs" : out;
}

namespace {

constexpr std::string_view asked[] = {"D",          "A in tensor memory", "the bits of A in a byte",
                                      "A MN-major", "scale factors of A", "scale factors of B",
                                      "metadata"};

std::string cell_name(const TmemMmaPlan& plan, const TmemCell& cell) {
  const std::string name = fmt::format("lane {}, column {}", cell.lane, cell.column);
  return plan.instruction.cta_group == 1 ? name : fmt::format("CTA {}, {}", cell.cta, name);
}

}  // namespace

std::string subject(const TmemMmaPlan& plan) {
  std::string out = fmt::format("{}, {}", to_string(plan.instruction), asked[static_cast<std::size_t>(plan.ask)]);
  if (plan.is_scale()) out += fmt::format(", sf_id {}", plan.id);
  if (plan.ask == metadata) out += fmt::format(", selector {}", plan.id);
  if (plan.column != 0) out += fmt::format(", column {}", plan.column);
  if (plan.has_nan) out += ", all others NaN";
  return out;
}

std::string element_name(const TmemMmaPlan& plan, std::int64_t index) {
  const TmemMmaInstruction& i = plan.instruction;
  const auto at = static_cast<int>(index);
  const auto copy_row_k = [&](int all, int each) {
    const int ks = all / each, part = at / ks / i.m;
    const std::string name = fmt::format("({}, {})", at / ks % i.m, at % ks * each);
    return i.path().parts == 1 ? name : fmt::format("{} for part {} of N", name, part);
  };
  switch (plan.ask) {
    case d: return cell_name(plan, {at / i.n / tmem_lanes, at / i.n % tmem_lanes, at % i.n});
    case a:
    case mn_major: return copy_row_k(i.stored_k(), 1);
    case container: return fmt::format("0x{:02x}", at);
    case metadata: return copy_row_k(i.k(), require_sparse_form(i.kind).chunk);
    case scale_a:
    case scale_b: {
      const std::vector<Coordinate> readers = scale_readers(plan);
      const Coordinate reader = readers[static_cast<std::size_t>(at) % readers.size()];
      const int k = selected_k(plan)[static_cast<std::size_t>(at) / readers.size()];
      return fmt::format("k {} for D({}, {})", k, reader.row, reader.column);
    }
  }
  return {};
}

std::string value_name(const TmemMmaPlan& plan, std::int64_t value) {
  const TmemMmaInstruction& i = plan.instruction;
  if (value == unreadable) return "no code";
  if (value == untouched_cell) return "untouched";
  if (plan.ask == container) return fmt::format("f32 0x{:08x}", value);
  if (plan.ask == mn_major) return fmt::format("byte {} of A", value);
  if (plan.ask == d) {
    const std::int64_t columns = std::int64_t{i.cta_group} * i.n, row = value / columns, n = value % columns;
    if (i.cta_group == 1) return fmt::format("row {} of A, {} of B", row, n);
    return fmt::format("row {} of A of CTA {}, {} of B of CTA {}", row % i.m, row / i.m, n % i.n, n / i.n);
  }
  const ProbedRegion region = region_of(plan);
  const auto cell = static_cast<int>(value / region.units());
  const int first = static_cast<int>(value % region.units()) * region.unit_bits;
  return fmt::format(
      "{}, bits {}-{}",
      cell_name(plan, {cell / region.columns / tmem_lanes, cell / region.columns % tmem_lanes, cell % region.columns}),
      first, first + region.unit_bits - 1);
}

Json to_json(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  Json out{{"tmem_mma", to_string(plan.ask)},
           {"kind", i.kind_row().name},
           {"m", i.m},
           {"n", i.n},
           {"dtype", i.dtype},
           {"d_type", i.d_type}};
  if (i.cta_group != 1) out["cta_group"] = i.cta_group;
  for (const auto& [key, is_so] : {std::pair{"ws", i.ws}, {"sparse", i.sparse}, {"k96", i.k96}})
    if (is_so) out[key] = true;
  if (i.vec != 0) out["vec"] = i.vec, out["scale_type"] = i.scale_type;
  if (plan.id != 0) out["id"] = plan.id;
  if (plan.column != 0) out["column"] = plan.column;
  if (plan.has_nan) out["nan"] = true;
  return out;
}

TmemMmaPlan tmem_mma_plan(const Json& json) {
  const auto name = json.at("tmem_mma").get<std::string>();
  const auto ask = std::ranges::find(asks, name, [](TmemMmaAsk one) { return to_string(one); });
  if (ask == asks.end())
    throw Error(fmt::format("\"tmem_mma\" is {}", quoted(name)),
                "it is what is asked: d, a, container, mn-major, scale-a, scale-b or metadata");
  TmemMmaInstruction i{.kind = require_mma_kind(json.at("kind").get<std::string>()).kind,
                       .m = json.at("m").get<int>(),
                       .n = json.at("n").get<int>(),
                       .dtype = json.at("dtype").get<std::string>(),
                       .d_type = json.at("d_type").get<std::string>(),
                       .cta_group = json.value("cta_group", 1),
                       .ws = json.value("ws", false),
                       .sparse = json.value("sparse", false),
                       .k96 = json.value("k96", false),
                       .vec = json.value("vec", 0),
                       .scale_type = json.value("scale_type", std::string())};
  TmemMmaPlan plan{*ask, i, json.value("id", 0), json.value("column", 0), json.value("nan", false)};
  // Only the plans of this version are read: every other form would need its own bounds.
  const auto asked_of = [&](const Target& target) {
    const std::vector<TmemMmaPlan> plans = tmem_mma_plans(target);
    return std::ranges::find(plans, plan) != plans.end();
  };
  if (asked_of(sm_100a()) || asked_of(require_target("sm_103a"))) return plan;
  throw Error(fmt::format("{} is not asked", subject(plan)), "swz verify --emit-kernel --only tmem-mma shows what is");
}

}  // namespace swz
