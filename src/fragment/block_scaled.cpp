// SPDX-License-Identifier: Apache-2.0
#include "fragment/block_scaled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/sparse.hpp"

namespace swz {
namespace {

constexpr Source scales_seen{
    "shiinamiyuki/sm120_gemm, probes of 1X and 4X with both thread-ids on sm_120a; PTX ISA 9.3, table 40; CUTLASS 4.2 "
    "mma_traits_sm120.hpp",
    Evidence::reported};

constexpr Coordinate down{1, 0}, right{0, 1}, stay{0, 0};

using Forms = std::vector<const BlockScaledMma*>;

std::string shape_of(const BlockScaledMma& form) {
  return fmt::format("{}m16n8k{}", form.is_sparse ? "mma.sp::ordered_metadata " : "", form.k);
}

// The values that some of the forms have, each once.
template <class TextOf>
std::string list_of(const Forms& forms, TextOf text_of) {
  std::vector<std::string> texts;
  for (const BlockScaledMma* form : forms)
    if (std::string text = text_of(*form); std::ranges::find(texts, text) == texts.end())
      texts.push_back(std::move(text));
  return join_and(texts);
}

std::string vector_of(const BlockScaledMma& form) { return fmt::format("{}X", form.scale_vec); }
std::string with_type(const BlockScaledMma& form) { return fmt::format("{}X of {}", form.scale_vec, form.scale_type); }

// The one that the name or the request gives; both must not give different ones.
template <class T>
T given_once(const T& named, const T& asked, std::string_view name, std::string_view what) {
  if (named != T() && asked != T() && named != asked)
    throw Error(fmt::format("{} already names its {}", quoted(name), what), fmt::format("leave the {} out", what));
  return named != T() ? named : asked;
}

// What is asked for, in one place.
struct Asked {
  const MmaKindRow* kind = nullptr;
  bool is_sparse = false;
  MmaExtents shape;
  int scale_vec = 0;
  std::string scale_type, dtype, accumulator;
};

Asked asked_of(const NameParts& said, const FragmentRequest& request) {
  Asked asked;
  const std::string kind = given_once(said.kind, request.kind, request.name, "kind");
  if (kind.empty())
    throw Error(fmt::format("{} is block-scaled, but its kind is not given", quoted(request.name)),
                "kinds: mxf8f6f4, mxf4 and mxf4nvf4");
  asked.kind = &require_mma_kind(kind);
  asked.is_sparse = said.is_sparse;
  if (!said.shape)
    throw Error(fmt::format("{} is not a form of mma: it names no shape", quoted(request.name)),
                fmt::format("for example mma.m16n8k{}", asked.kind->k_dense));
  asked.shape = *said.shape;
  asked.scale_vec = given_once(said.scale_vec, request.scale_vec.value_or(0), request.name, "scale_vec");
  asked.scale_type = given_once(said.scale_type, request.scale_type, request.name, "type of the scale factors");
  asked.dtype = request.dtype;
  asked.accumulator = request.accumulator;
  if (said.types.empty()) return asked;
  if (said.types.size() != 4)
    throw Error(fmt::format("{} names {} types, not 4", quoted(request.name), said.types.size()),
                "PTX names the types of D, A, B and C, then that of the scale factors");
  if (!request.dtype.empty() || !request.accumulator.empty())
    throw Error(fmt::format("{} already names its types", quoted(request.name)), "leave the element type out");
  asked.dtype = said.types[is_k_by_n(request.operand.value_or(Operand::a)) ? 2 : 1];
  asked.accumulator = said.types[0] == "f32" ? said.types[3] : said.types[0];
  return asked;
}

void require_shape(const Asked& asked, const Forms& forms, const std::string& kind) {
  const BlockScaledMma& form = *forms.front();
  if (asked.shape == MmaExtents{16, 8, form.k}) return;
  const Forms other = find_block_scaled({.kind = form.kind, .is_sparse = !form.is_sparse});
  throw Error(fmt::format("{} has no shape {}{}", kind, form.is_sparse ? "mma.sp::ordered_metadata " : "",
                          to_string(asked.shape)),
              fmt::format("it has {} and {} ({})", shape_of(form), shape_of(*other.front()), to_string(form.source)));
}

// The forms with the scale vector that is asked for, or with that of the kind.
Forms with_vector(const Asked& asked, const Forms& forms, const std::string& kind) {
  Forms left = forms;
  const std::string rule = fmt::format("it has {} ({})", list_of(forms, with_type), to_string(forms.front()->source));
  if (asked.scale_vec == 0) {
    std::erase_if(left, [](const BlockScaledMma* form) { return !form->is_default; });
    if (left.empty()) throw Error(fmt::format("{} has no default scale_vec: name one", kind), rule);
    return left;
  }
  std::erase_if(left, [&](const BlockScaledMma* form) { return form->scale_vec != asked.scale_vec; });
  if (left.empty()) throw Error(fmt::format("{} has no scale_vec::{}X", kind, asked.scale_vec), rule);
  return left;
}

const BlockScaledMma& with_scale_type(const Asked& asked, const Forms& forms, const Forms& all,
                                      const std::string& kind) {
  if (asked.scale_type.empty()) return *forms.front();
  for (const BlockScaledMma* form : forms)
    if (form->scale_type == asked.scale_type) return *form;
  throw Error(fmt::format("scale_vec::{} of {} takes no scale factors of {}", vector_of(*forms.front()), kind,
                          asked.scale_type),
              fmt::format("it has {} ({})", list_of(all, with_type), to_string(forms.front()->source)));
}

const BlockScaledMma& form_of(const Asked& asked, const FragmentRequest& request, bool is_ordered) {
  const std::string kind = fmt::format("kind::{}", asked.kind->name);
  if (!asked.kind->block_scaled)
    throw Error(fmt::format("{} is not block-scaled", kind), "kinds mxf8f6f4, mxf4 and mxf4nvf4 are");
  if (asked.is_sparse && !is_ordered)
    throw Error(fmt::format("{}: mma.sp is not block-scaled", quoted(request.name)),
                fmt::format("write mma.sp::ordered_metadata ({})", to_string(block_scaled_mmas().front().source)));
  const Forms all = find_block_scaled({.kind = asked.kind->kind, .is_sparse = asked.is_sparse});
  require_shape(asked, all, kind);
  const BlockScaledMma& form = with_scale_type(asked, with_vector(asked, all, kind), all, kind);
  if (!asked.accumulator.empty() && require_dtype(asked.accumulator).name != "f32")
    throw Error(fmt::format("{} does not accumulate in {}", kind, asked.accumulator),
                fmt::format("it accumulates in f32 ({})", to_string(form.source)));
  return form;
}

// The element type of A or B; the first of the kind if none is given.
const DType& input_type(const Asked& asked, const BlockScaledMma& form) {
  const std::vector<std::string_view> taken = input_types(form.kind);
  const DType& type = require_dtype(asked.dtype.empty() ? taken.front() : std::string_view(asked.dtype));
  if (std::ranges::find(taken, type.name) == taken.end())
    throw Error(fmt::format("kind::{} does not take {}", asked.kind->name, type.name),
                fmt::format("it takes {} ({})", join_and(std::vector<std::string>(taken.begin(), taken.end())),
                            to_string(form.source)));
  return type;
}

void require_legal(const std::optional<ScaleIds>& ids, const BlockScaledMma& form, ScaleOperand operand) {
  if (!ids) return;
  if (auto rule = broken_rule(*ids, form.scale_vec, operand)) throw Error(rule->message, rule->hint);
}

// a, b, c, d and e, which the mma of the same shape has without scale factors.
Fragment unscaled_fragment(const BlockScaledMma& form, Operand operand, const DType& type, int selector) {
  const SparseMma sparse = sparse_form(form);
  if (operand == Operand::e) return metadata_fragment(sparse, 8, selector);
  const bool is_input = operand == Operand::a || operand == Operand::b;
  const DType& own = is_input ? type : require_dtype("f32");
  Fragment f =
      form.is_sparse ? sparse_fragment(sparse, 8, operand, own) : mma_fragment(form.instruction(), 8, operand, own, {});
  if (is_input) f.block = form.block();
  return f;
}

}  // namespace

std::string block_scaled_name(const BlockScaledMma& form) {
  return fmt::format("mma{}.m16n8k{}.kind::{}.block_scale.scale_vec::{}X",
                     form.is_sparse ? ".sp::ordered_metadata" : "", form.k, row_of(form.kind).name, form.scale_vec);
}

std::vector<std::string_view> input_types(MmaKind kind) {
  std::vector<std::string_view> types;
  for (const TypeCode& code : type_codes())
    if (code.role == TypeRole::a_b && contains(code.kinds, kind)) types.push_back(code.dtype);
  return types;
}

std::string NamedBlockScaled::ptx() const {
  std::string name = block_scaled_name(*form);
  name.insert(name.find(".kind::"), ".row.col");
  return fmt::format("{}.f32.{}.{}.f32.{}", name, a, b, form->scale_type);
}

std::vector<NamedBlockScaled> named_block_scaled() {
  std::vector<NamedBlockScaled> all;
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const std::string_view a : input_types(form.kind))
      for (const std::string_view b : input_types(form.kind)) all.push_back({&form, a, b});
  return all;
}

InstructionText text_of(const NamedBlockScaled& choice, std::string_view written, std::string_view dialect) {
  InstructionText said{std::string(written), dialect, choice.ptx()};
  said.shape = MmaExtents{16, 8, choice.form->k};
  said.d = "f32";
  said.a = choice.a;
  said.b = choice.b;
  said.a_place = OperandPlace::registers;
  return said;
}

Fragment scale_fragment(const BlockScaledMma& form, Operand operand, ScaleIds ids) {
  const bool is_a = operand == Operand::sfa;
  Fragment f;
  f.name = block_scaled_name(form);
  f.operand = operand;
  f.dtype = form.scale_type;
  f.bits = 8;
  f.rows = is_a ? 16 : form.scale_vec;
  f.columns = is_a ? form.scale_vec : 8;
  f.first_bit = 8 * ids.byte;
  f.parts = is_a ? 2 : 4;
  f.part = ids.thread;
  if (is_a) f.thread_steps = {{2, 8 * down}, {2, stay}, {8, down}};
  else f.thread_steps = {{4, stay}, {8, right}};
  f.value_steps = {{form.scale_vec, is_a ? right : down}};
  f.availability = form.availability;
  f.source = scales_seen;
  return f;
}

bool is_block_scaled(const NameParts& said, const FragmentRequest& request) {
  return said.kind.starts_with("mx") || request.kind.starts_with("mx") || said.has_block_scale || said.scale_vec != 0;
}

Fragment find_block_scaled(const NameParts& said, const FragmentRequest& request) {
  const Asked asked = asked_of(said, request);
  const BlockScaledMma& form = form_of(asked, request, said.is_ordered);
  const DType& type = input_type(asked, form);
  require_legal(request.sfa_ids, form, ScaleOperand::a);
  require_legal(request.sfb_ids, form, ScaleOperand::b);
  const Operand operand = request.operand.value_or(Operand::a);
  const bool has_operand = operand != Operand::memory && operand != Operand::tmem &&
                           (operand != Operand::e || form.is_sparse) && request.operand;
  if (!has_operand)
    throw Error(fmt::format("{} has no operand {}", block_scaled_name(form),
                            request.operand ? to_string(*request.operand) : "''"),
                fmt::format("operands: a, b, c, d, sfa and sfb{}", form.is_sparse ? "; e" : ""));
  Fragment f = operand == Operand::sfa   ? scale_fragment(form, operand, request.sfa_ids.value_or(ScaleIds()))
               : operand == Operand::sfb ? scale_fragment(form, operand, request.sfb_ids.value_or(ScaleIds()))
                                         : unscaled_fragment(form, operand, type, request.selector.value_or(0));
  f.name = block_scaled_name(form);
  return f;
}

}  // namespace swz
